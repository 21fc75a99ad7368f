package datatypes

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they consider the last word of a name more than the others (docs/regime.md H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "TYP-02", Weight: 3, Severity: finding.Medium, Fixes: []finding.FixKind{finding.Properties},
		Check: rule.Each(rule.Where(rule.ExposedColumns, IsUnsummed), summedUnsummable)},
	rule.Rule{ID: "TYP-03", Weight: 2, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesQuantity), textInsteadOfNumber)},
	rule.Rule{ID: "TYP-04", Weight: 2, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesDate), textInsteadOfDate)},
	rule.Rule{ID: "TYP-06", Weight: 1, Severity: finding.Low, Layout: true,
		Check: rule.Each(rule.Where(rule.ExposedColumns, namesPlace), unknownPlace)},
)

var (
	unsummedWords     = wording.SetOf("average,avg,median,max,minimum,distinct,percentage")
	unsummedLastWords = wording.SetOf("semester,hour,type,level,version,index,order,ordinal,position,number,term,frequency,temperature")
	pricedWords       = wording.SetOf("unit,list,net")
)

// IsUnsummed selects the numbers whose sum has no meaning.
func IsUnsummed(x *model.Scope, c *model.Column) bool {
	return isIdentifier(x, c) || c.Numeric() && unsummedWord(c) != ""
}

// unsummedWord returns the word of the name, other than those of 2026-11, that says that
// sums mean nothing.
func unsummedWord(c *model.Column) string {
	if w := unsummedWords.FirstOf(c.Words); w != "" {
		return w
	}
	if w := wording.LastWord(c.Words); unsummedLastWords[w] {
		return w
	}
	for i, w := range c.Words {
		if i > 0 && w == "price" && pricedWords[c.Words[i-1]] {
			return c.Words[i-1] + " price"
		}
	}
	return ""
}

// extremes are the words of the largest and the smallest value, with what summarizes such values.
var extremes = map[string]string{"max": "max", "minimum": "min"}

var flagWords = wording.SetOf("is,has,in")

// summedUnsummable finds a violation of low severity in the only column of a table without relationships, whose sum
// is its value (docs/regime-precision.md P21).
func summedUnsummable(x *model.Scope, c *model.Column) rule.Verdict {
	if !c.Summed() {
		return rule.Verdict{}
	}
	why, to := "its name says "+identifierWords.FirstOf(c.Words), "none"
	switch {
	case c.Key:
		why = "it is a key"
	case c.Is(semanticmodel.Int64) && len(c.Words) > 1 && flagWords[c.Words[0]]:
		why = "it is a flag"
	case !isIdentifier(x, c):
		why = "its name says " + unsummedWord(c)
		if by := extremes[unsummedWord(c)]; by != "" {
			to = by + ", or to none,"
		}
	}
	var v rule.Verdict
	if by := c.Src.SummarizeBy; by == "count" || by == "distinctCount" {
		v = rule.Fails(0.5, "set summarizeBy to none, and count it in a measure", "%s, summarizeBy is %s", why, by)
	} else {
		v = rule.Fails(1, "set summarizeBy to "+to+" in place of "+SummarizeBy(c)+", as "+why, "%s, summarizeBy is %s", why, SummarizeBy(c))
	}
	if len(c.Table.Columns) == 1 && !c.End {
		v.Severity = finding.Low
	}
	return v
}

var quantityLastWords = wording.SetOf("amount,qty,quantity,price,cost,costs,revenue,total,count,pct,percent,percentage,%," +
	"rate,ratio,bytes,rows")

// quantityOf returns the word at the end of the name that says that values are quantities,
// or "". A unit after it, as in "Amount in EUR", does not matter.
func quantityOf(c *model.Column) string {
	w := wording.LastWord(c.Words)
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
		v.Severity = finding.Low // the table has a date already (docs/regime-precision.md P19)
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
	if place == "" {
		place = "state"
	}
	return rule.Fails(1, "set the data category that says that it holds a place ("+place+")", "no data category, its name says %s", place)
}
