// Package datatypes has the rules that judge whether columns have the types and the default
// summarization that their names suggest.
package datatypes

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// November2026 are the rules of 2026-11: they judge whether columns have the types and default summarization that their
// names suggest (docs/regime.md C.4 types).
var November2026 = []rule.Rule{
	// TYP-01: columns that are not numbers are not summarized. The engine treats
	// default as none.
	{ID: "TYP-01", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.Properties},
		Check: rule.Each(rule.Where(rule.ExposedColumns, isUnsummable), summarizedText)},
	// TYP-02: identifiers, years, rates and the like are not summed.
	{ID: "TYP-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Properties},
		Check: rule.Each(rule.Where(rule.ExposedColumns, isIdentifier), summedIdentifier)},
	// TYP-03: amounts are numbers (docs/regime.md C.9 (12)).
	{ID: "TYP-03", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.ExposedColumns, isQuantity), textQuantity)},
	// TYP-04: dates are dates (docs/regime.md C.9 (12)).
	{ID: "TYP-04", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.ExposedColumns, isDate), untypedDate)},
	// TYP-05: names of months and days are sorted by number.
	{ID: "TYP-05", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.Where(rule.ExposedColumns, isPeriodName), unsortedPeriod)},
	// TYP-06: places have a data category; Uncategorized counts as one (docs/regime.md C.9
	// (12)).
	{ID: "TYP-06", Weight: 1, Severity: finding.Low, Layout: true,
		Check: rule.Each(rule.Where(rule.ExposedColumns, isPlace), uncategorizedPlace)},
	// TYP-07: a dimension marks the column that names its rows, which may be hidden
	// (docs/regime.md C.9 (22)).
	{ID: "TYP-07", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.Where(rule.ExposedTables, namesRows), unlabeled)},
}

func isUnsummable(_ *model.Scope, c *model.Column) bool {
	return c.Is(semanticmodel.String, semanticmodel.Boolean, semanticmodel.DateTime)
}

func summarizedText(_ *model.Scope, c *model.Column) rule.Verdict {
	switch by := c.Src.SummarizeBy; by {
	case "none":
		return rule.Verdict{}
	case "", "default":
		return rule.Fails(0.25, "set summarizeBy to none in place of the default", "%s column, summarizeBy is default", c.DataType)
	default:
		return rule.Fails(1, "set summarizeBy to none, as its values do not add up", "%s column, summarizeBy is %s", c.DataType,
			wording.Shown(by, wording.ShownText))
	}
}

var identifierWords = wording.SetOf("id,key,sk,code,no,nr,year,month,week,day,quarter,zip,postal,postcode,latitude,longitude,lat,lon," +
	"rank,index,rate,ratio,percent,pct,age")

func isIdentifier(_ *model.Scope, c *model.Column) bool {
	return c.Numeric() && (c.Key || identifierWords.Meets(c.Words))
}

func summedIdentifier(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Summed() {
		return rule.Verdict{}
	}
	why := "its name says " + identifierWords.FirstOf(c.Words)
	if c.Key {
		why = "it is a key"
	}
	return rule.Fails(1, "set summarizeBy to none, as a sum of it means nothing", "%s, summarizeBy is %s", why, SummarizeBy(c))
}

var (
	quantityWords   = wording.SetOf("amount,qty,quantity,price,cost,revenue,total,count,pct,percent")
	noQuantityWords = wording.SetOf("code,type,name,category,group,band,range,currency,unit,label,text,key,id,status,desc,description")
)

func isQuantity(_ *model.Scope, c *model.Column) bool {
	return quantityWords.Meets(c.Words) && !noQuantityWords.Meets(c.Words)
}

func textQuantity(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Is(semanticmodel.String) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "store it as a number, so that it can be added and compared", "string column, its name says %s",
		quantityWords.FirstOf(c.Words))
}

var (
	dateTypeWords   = wording.SetOf("date,datetime,timestamp")
	noDateTypeWords = wording.SetOf("key,id,sk,number,name")
)

func isDate(_ *model.Scope, c *model.Column) bool {
	return !c.Key && dateTypeWords.Meets(c.Words) && !noDateTypeWords.Meets(c.Words)
}

func untypedDate(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Is(semanticmodel.String, semanticmodel.Int64) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "store it as a date, so that periods can be computed", "%s column, its name says %s", c.DataType,
		dateTypeWords.FirstOf(c.Words))
}

var (
	periodWords   = wording.SetOf("month,weekday,day")
	noPeriodWords = wording.SetOf("count,number,of")
)

func isPeriodName(_ *model.Scope, c *model.Column) bool {
	return c.Is(semanticmodel.String) && periodWords.Meets(c.Words) && !noPeriodWords.Meets(c.Words)
}

func unsortedPeriod(_ *model.Scope, c *model.Column) rule.Verdict {
	if wording.Length(c.Src.SortByColumn) > 0 {
		return rule.Verdict{}
	}
	return rule.Fails(1, "sort it by a column that holds the number of the "+periodWords.FirstOf(c.Words),
		"text without a sort-by column sorts by alphabet")
}

var placeWords = wording.SetOf("country,city,state,province,county,continent,zip,postcode,postal")

func isPlace(_ *model.Scope, c *model.Column) bool {
	return c.Is(semanticmodel.String) && placeWords.Meets(c.Words)
}

func uncategorizedPlace(_ *model.Scope, c *model.Column) rule.Verdict {
	if wording.Length(c.Src.DataCategory) > 0 {
		return rule.Verdict{}
	}
	return rule.Fails(1, "set the data category that says what kind of place it is", "no data category, its name says %s",
		placeWords.FirstOf(c.Words))
}

func namesRows(x *model.Scope, t *model.Table) bool {
	return t.Dimension() && slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
		return x.In(&c.Object) &&
			c.Is(semanticmodel.String)
	})
}

func unlabeled(_ *model.Scope, t *model.Table) rule.Verdict {
	if slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return c.Src.IsDefaultLabel }) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "mark the column that names its rows as the default label", "no column is a default label")
}

// SummarizeBy returns the column's SummarizeBy for display.
func SummarizeBy(c *model.Column) string {
	if c.Src.SummarizeBy == "" {
		return "default"
	}
	return wording.Shown(c.Src.SummarizeBy, wording.ShownText)
}
