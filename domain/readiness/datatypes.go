package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// typeRules judge whether columns have the types and default summarization that their
// names promise (docs/regime.md C.4 types).
var typeRules = []rule{
	// TYP-01: columns that are not numbers are not summarized. The engine treats
	// default as none.
	{id: "TYP-01", k: 1, severity: Low, fixes: []FixKind{Properties}, check: each(where(exposedColumns, isUnsummable), summarizedText)},
	// TYP-02: identifiers, years, rates and the like are not summed.
	{id: "TYP-02", k: 3, severity: Medium, fixes: []FixKind{Properties},
		check: each(where(exposedColumns, isIdentifier), summedIdentifier)},
	// TYP-03: amounts are numbers (docs/regime.md C.9 (12)).
	{id: "TYP-03", k: 2, severity: Medium, check: each(where(exposedColumns, isQuantity), textQuantity)},
	// TYP-04: dates are dates (docs/regime.md C.9 (12)).
	{id: "TYP-04", k: 2, severity: Medium, check: each(where(exposedColumns, isDate), untypedDate)},
	// TYP-05: names of months and days are sorted by number.
	{id: "TYP-05", k: 1, severity: Low, check: each(where(exposedColumns, isPeriodName), unsortedPeriod)},
	// TYP-06: places have a data category; Uncategorized counts as one (docs/regime.md C.9
	// (12)).
	{id: "TYP-06", k: 1, severity: Low, layout: true, check: each(where(exposedColumns, isPlace), uncategorizedPlace)},
	// TYP-07: a dimension marks the column that names its rows, which may be hidden
	// (docs/regime.md C.9 (22)).
	{id: "TYP-07", k: 1, severity: Low, check: each(where(exposedTables, namesRows), unlabeled)},
}

func isUnsummable(_ *scope, c *column) bool {
	return c.is(semanticmodel.String, semanticmodel.Boolean, semanticmodel.DateTime)
}

func summarizedText(_ *scope, c *column) verdict {
	switch by := c.src.SummarizeBy; by {
	case "none":
		return verdict{}
	case "", "default":
		return fails(0.25, "set summarizeBy to none in place of the default", "%s column, summarizeBy is default", c.dataType)
	default:
		return fails(1, "set summarizeBy to none, as its values do not add up", "%s column, summarizeBy is %s", c.dataType,
			shown(by, shownText))
	}
}

var identifierWords = setOf("id,key,sk,code,no,nr,year,month,week,day,quarter,zip,postal,postcode,latitude,longitude,lat,lon,rank," +
	"index,rate,ratio,percent,pct,age")

func isIdentifier(_ *scope, c *column) bool {
	return c.numeric() && (c.key || identifierWords.meets(c.words))
}

func summedIdentifier(_ *scope, c *column) verdict {
	if !c.summed() {
		return verdict{}
	}
	why := "its name says " + identifierWords.firstOf(c.words)
	if c.key {
		why = "it is a key"
	}
	return fails(1, "set summarizeBy to none, as a sum of it means nothing", "%s, summarizeBy is %s", why, summarizeBy(c))
}

var (
	quantityWords   = setOf("amount,qty,quantity,price,cost,revenue,total,count,pct,percent")
	noQuantityWords = setOf("code,type,name,category,group,band,range,currency,unit,label,text,key,id,status,desc,description")
)

func isQuantity(_ *scope, c *column) bool {
	return quantityWords.meets(c.words) && !noQuantityWords.meets(c.words)
}

func textQuantity(_ *scope, c *column) verdict {
	if !c.is(semanticmodel.String) {
		return verdict{}
	}
	return fails(1, "store it as a number, so that it can be added and compared", "string column, its name says %s",
		quantityWords.firstOf(c.words))
}

var (
	dateTypeWords   = setOf("date,datetime,timestamp")
	noDateTypeWords = setOf("key,id,sk,number,name")
)

func isDate(_ *scope, c *column) bool {
	return !c.key && dateTypeWords.meets(c.words) && !noDateTypeWords.meets(c.words)
}

func untypedDate(_ *scope, c *column) verdict {
	if !c.is(semanticmodel.String, semanticmodel.Int64) {
		return verdict{}
	}
	return fails(1, "store it as a date, so that periods can be computed", "%s column, its name says %s", c.dataType,
		dateTypeWords.firstOf(c.words))
}

var (
	periodWords   = setOf("month,weekday,day")
	noPeriodWords = setOf("count,number,of")
)

func isPeriodName(_ *scope, c *column) bool {
	return c.is(semanticmodel.String) && periodWords.meets(c.words) && !noPeriodWords.meets(c.words)
}

func unsortedPeriod(_ *scope, c *column) verdict {
	if length(c.src.SortByColumn) > 0 {
		return verdict{}
	}
	return fails(1, "sort it by a column that holds the number of the "+periodWords.firstOf(c.words),
		"text without a sort-by column sorts by alphabet")
}

var placeWords = setOf("country,city,state,province,county,continent,zip,postcode,postal")

func isPlace(_ *scope, c *column) bool {
	return c.is(semanticmodel.String) && placeWords.meets(c.words)
}

func uncategorizedPlace(_ *scope, c *column) verdict {
	if length(c.src.DataCategory) > 0 {
		return verdict{}
	}
	return fails(1, "set the data category that says what kind of place it is", "no data category, its name says %s",
		placeWords.firstOf(c.words))
}

func namesRows(x *scope, t *table) bool {
	return t.dimension() && slices.ContainsFunc(t.columns, func(c *column) bool { return x.in(&c.object) && c.is(semanticmodel.String) })
}

func unlabeled(_ *scope, t *table) verdict {
	if slices.ContainsFunc(t.columns, func(c *column) bool { return c.src.IsDefaultLabel }) {
		return verdict{}
	}
	return fails(1, "mark the column that names its rows as the default label", "no column is a default label")
}
