// Package datatypes has the rules that judge whether columns have the types and the default
// summarization that their names suggest.
package datatypes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// Rules judge whether columns have the types and default summarization that their
// names suggest.
var Rules = []rule.Rule{
	// TYP-01: columns that are not numbers are not summarized. The engine treats
	// default as none.
	{ID: "TYP-01", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.Properties},
		Check: rule.Each(rule.Where(summarizedColumns, isUnsummable), summarizedText)},
	// TYP-02: identifiers, years, rates and the like are not summed. Foreign keys that are not are no merit, so that hiding one costs nothing.
	{ID: "TYP-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Properties},
		Check: rule.Each(rule.Where(summarizedColumns, func(x *model.Scope, c *model.Column) bool {
			return IsUnsummed(x, c) && !((c.ManyOfOne || c.ManyOfMany) && !c.Summed())
		}), summedUnsummable)},
	// TYP-03: amounts are numbers.
	{ID: "TYP-03", Weight: 2, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesQuantity), textInsteadOfNumber)},
	// TYP-04: dates are dates.
	{ID: "TYP-04", Weight: 2, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesDate), textInsteadOfDate)},
	// TYP-05: names of months and days are sorted by number.
	{ID: "TYP-05", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.Where(rule.ExposedColumns, isPeriodName), unsortedPeriod)},
	// TYP-06: places have a data category; Uncategorized counts as one.
	{ID: "TYP-06", Weight: 1, Severity: finding.Low, Layout: true,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesPlace), unknownPlace)},
	// TYP-07: a dimension marks the column that names its rows, which may be hidden.
	{ID: "TYP-07", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.Where(rule.ExposedTables, namesRows), unlabeled)},
}

// summarizedColumns returns the exposed columns, none if visuals summarize measures only.
func summarizedColumns(x *model.Scope) []*model.Column {
	if x.Src.ExplicitOnly {
		return nil
	}
	return x.C
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

var (
	dateTypeWords = wording.SetOf("date,datetime,timestamp")
)

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

// IsUnsummed selects the numbers whose sum has no meaning.
func IsUnsummed(_ *model.Scope, c *model.Column) bool {
	return c.Numeric() && (c.Key || isFlag(c) || isShare(c) || saysPercent(c) || wording.Unadded(c.Words) != "" && !IsPaid(c))
}

// isShare reports whether a column is shown as a percentage.
func isShare(c *model.Column) bool {
	return c.Is(semanticmodel.Double, semanticmodel.Decimal) && InPercent(c.Src.FormatString)
}

// saysPercent reports whether a percent sign begins or ends the name of a column.
func saysPercent(c *model.Column) bool {
	name := strings.TrimSpace(c.Name)
	return strings.HasPrefix(name, "%") || strings.HasSuffix(name, "%")
}

// literals are the parts of a format string that are shown as they are.
var literals = regexp.MustCompile(`"[^"]*"|\\.`)

// InPercent reports whether a format string multiplies by 100 and shows a percent sign.
func InPercent(format string) bool {
	return strings.Contains(literals.ReplaceAllString(format, ""), "%")
}

// IsPaid reports whether a price is what a row was sold for: that of a table of events whose rows have no quantity.
func IsPaid(c *model.Column) bool {
	events := slices.ContainsFunc(c.Table.Columns, func(of *model.Column) bool { return of.ManyOfOne || of.ManyOfMany })
	words := c.Words
	if n := len(words); n == 2 && currencyCodes[words[1]] {
		words = words[:1]
	} else if n == 2 && traded[words[0]] {
		words = words[1:]
	}
	return len(words) == 1 && wording.InEnglish(words)[0] == "price" && events &&
		!slices.ContainsFunc(c.Table.Columns, func(of *model.Column) bool { return of.Numeric() && pieces.Meets(wording.InEnglish(of.Words)) })
}

var currencyCodes = wording.SetOf("usd,eur,gbp,brl,inr,mxn,jpy,cny,cad,aud,chf,sek,nok,dkk,pln")

// traded are words before a price that say that it is that of what the row is about.
var traded = wording.SetOf("sale,sales,selling,sold,cost,purchase,purchased,deal,final")

var pieces = wording.SetOf("quantity,quantities,qty,units,pieces,count,amount")

func isFlag(c *model.Column) bool {
	return c.Is(semanticmodel.Int64) && len(c.Words) > 1 && flagWords[c.Words[0]]
}

// extremes are the words of the largest and the smallest value, with what summarizes such values.
var extremes = map[string]string{"max": "max, or to none,", "maximum": "max, or to none,", "minimum": "min, or to none,"}

// averaged are the words of numbers whose average, largest and smallest value say something.
var averaged = wording.SetOf("average,avg,mean,median,max,maximum,min,minimum,percentage,percent,pct,rate,ratio,rank,ranking,score,rating,grade," +
	"priority,price,cost,probability,temperature,age,factor,level,gpa,speed,per,latitude,longitude,lat,lon,long")

var flagWords = wording.SetOf("is,has")

// summedUnsummable finds a violation of low severity in the only column of a table without relationships, whose sum
// is its value, and in a flag, whose sum is a count.
func summedUnsummable(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Summed() {
		return rule.Verdict{}
	}
	word := wording.Unadded(c.Words)
	says := isShare(c) || saysPercent(c) || averaged[wording.LastWord(strings.Fields(word))]
	if by := c.Src.SummarizeBy; !c.Key && says && (by == "average" || by == "min" || by == "max") {
		return rule.Verdict{}
	}
	why, to := "its name says "+word, cmp.Or(extremes[word], "none")
	switch {
	case c.Key:
		why = "it is a key"
	case isFlag(c):
		why = "it is a flag"
	case word == "" && saysPercent(c):
		why = "its name says %"
	case word == "":
		why = "it is shown as a percentage"
	}
	var v rule.Verdict
	if by := c.Src.SummarizeBy; by == "count" || by == "distinctCount" {
		v = rule.Fails(0.5, "set summarizeBy to none, and count it in a measure", "%s, summarizeBy is %s", why, by)
	} else {
		v = rule.Fails(1, "set summarizeBy to "+to+" in place of "+SummarizeBy(c)+", as "+why, "%s, summarizeBy is %s", why, SummarizeBy(c))
	}
	if len(c.Table.Columns) == 1 && !c.End || isFlag(c) && !c.Key {
		v.Severity = finding.Low
	}
	return v
}

var quantityLastWords = wording.SetOf("amount,qty,quantity,price,cost,costs,revenue,total,count,pct,percent,percentage,%," +
	"rate,ratio,bytes,rows")

// quantityOf returns the word at the end of the name that says that values are quantities,
// or "". A unit after it, as in "Amount in EUR", does not matter; "Unit of Qty" is no quantity.
func quantityOf(c *model.Column) string {
	w := wording.LastWord(c.Words)
	if of := slices.Index(c.Words, "of"); of > 0 && !quantityLastWords[c.Words[of-1]] {
		return ""
	}
	if n := len(c.Words); n > 2 && c.Words[n-2] == "in" {
		w = c.Words[n-3]
	}
	if strings.HasSuffix(strings.TrimRightFunc(c.Name, func(r rune) bool { return r == ')' || r == ']' || unicode.IsSpace(r) }), "%") {
		w = "%"
	}
	if quantityLastWords[w] {
		return w
	}
	return ""
}

func namesQuantity(_ *model.Scope, c *model.Column) bool { return quantityOf(c) != "" }

func textInsteadOfNumber(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Is(semanticmodel.String) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "store it as a number in place of text, so that it can be added and compared",
		"string column, its name ends with %s",
		quantityOf(c))
}

var (
	changeWords = wording.SetOf("created,creation,modified,updated,refresh,publish")
	momentWords = wording.SetOf("time,on,at")
)

func namesDate(_ *model.Scope, c *model.Column) bool {
	last := wording.LastWords(c.Words, 2)
	return !c.Key && (dateTypeWords[last[1]] || last[0] == "date" && last[1] == "time" ||
		changeWords[last[0]] && momentWords[last[1]] || momentWords[last[0]] && changeWords[last[1]])
}

func textInsteadOfDate(_ *model.Scope, c *model.Column) rule.Verdict {
	if !c.Is(semanticmodel.String, semanticmodel.Int64) {
		return rule.Verdict{}
	}
	v := rule.Fails(1, "store it as a date in place of "+string(c.DataType)+", so that periods can be computed",
		"%s column, its name ends with %s", c.DataType, strings.TrimSpace(strings.Join(wording.LastWords(c.Words, 2), " ")))
	if slices.ContainsFunc(c.Table.Columns, func(other *model.Column) bool { return other.Is(semanticmodel.DateTime) }) {
		v.Severity = finding.Low // the table has a date already
	}
	return v
}

var (
	placeEndings = wording.SetOf("name,code,region")
	uncounted    = wording.SetOf("of,by,per")
	stateEndings = wording.SetOf("name,code,province")
	postalWords  = wording.SetOf("zip,postcode,postal")
	pointWords   = wording.SetOf("latitude,longitude")
)

// placeOf returns the word of the name that says what kind of place a column of its type
// holds, or "". States need the table, see namesPlace.
func placeOf(c *model.Column) string {
	kept := c.Words
	for len(kept) > 0 && placeEndings[kept[len(kept)-1]] {
		kept = kept[:len(kept)-1]
	}
	last := wording.LastWords(kept, 2)
	switch {
	case uncounted[last[0]]:
	case c.Is(semanticmodel.String) && last[1] != "state" && placeWords[last[1]],
		c.Is(semanticmodel.Int64) && postalWords[last[1]],
		c.Is(semanticmodel.Double, semanticmodel.Decimal) && pointWords[last[1]]:
		return last[1]
	}
	return ""
}

// namesState reports whether a column holds states, unless its table says otherwise.
func namesState(c *model.Column) bool {
	last := wording.LastWords(c.Words, 3)
	return c.Is(semanticmodel.String) && (len(c.Words) == 1 && last[2] == "state" || last[1] == "state" && stateEndings[last[2]] &&
		!uncounted[last[0]])
}

func namesPlace(_ *model.Scope, c *model.Column) bool {
	return placeOf(c) != "" || namesState(c) && slices.ContainsFunc(c.Table.Columns, func(other *model.Column) bool {
		return other != c &&
			placeOf(other) != ""
	})
}

func unknownPlace(_ *model.Scope, c *model.Column) rule.Verdict {
	if given := c.Src.DataCategory; wording.Length(given) > 0 && given != "Uncategorized" {
		return rule.Verdict{}
	}
	place := placeOf(c)
	place = cmp.Or(place, "state")
	return rule.Fails(1, "set the data category that says that it holds a place ("+place+")", "no data category, its name says %s", place)
}
