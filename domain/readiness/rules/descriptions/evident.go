package descriptions

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rules/dates"
	"readiness/domain/readiness/rules/naming"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// lowIfEvident returns the severity of a missing description if the name already says what a description would, else "".
func lowIfEvident[O model.Judged](x *model.Scope, o O) finding.Severity {
	if isEvident(x, o.Base()) {
		return finding.Low
	}
	return ""
}

type evidentKey struct{}

// isEvident reports whether the name of an exposed table, or of a field without a description, says what a description
// would. It is false for key columns, which need none.
func isEvident(x *model.Scope, o *model.Object) bool {
	return model.Remembered(x, evidentKey{}, func() []bool {
		evident, calendar := make([]bool, len(x.Objects)), dates.ToMark(x)
		for _, t := range x.T {
			evident[t.Index] = t.Date || t == calendar || isEvidentTable(x, t)
		}
		for _, c := range x.C {
			evident[c.Index] = !c.Key && !informing.Described(x, &c.Object) && (!needsWords(x, c) || needsOther(x, c))
		}
		for _, m := range x.M {
			evident[m.Index] = !informing.Described(x, &m.Object) && (isCalledCount(x, m) || shownWords.Meets(m.Words) ||
				visibility.HelperOf(x, &m.Object).Reason != "" || len(m.Refs) == 0 && dax.IsConstant(m.Src.Expression))
		}
		return evident
	})[o.Index]
}

var (
	// unitWords at the end of a name say the unit of a number, or that it has none.
	unitWords = wording.SetOf("hours,minutes,seconds,days,bytes,kb,mb,gb,ms,km,kg,year,month,week,day,quarter,hour,age,id," +
		"latitude,longitude,lat,lon,sec,secs,percent,pct,version,key")
	// codedWords at the end of a name say that a text is one of a few values.
	codedWords = wording.SetOf("type,kind,class,group,status,state,stage,level,code,flag,mode,segment,band,grade,channel," +
		"source,scope")
)

// needsWords reports whether a column's name violates a rule, lacks a unit, or has coded values.
func needsWords(x *model.Scope, c *model.Column) bool {
	last := wording.LastWord(c.Words)
	return c.Numeric() && !unitWords[last] && !saysCount(c.Words) && !showsUnit(c.Src.FormatString) ||
		c.Is(semanticmodel.String) && (codedWords[last] || last == "cd" && len(c.Words) > 1) ||
		naming.NeedsSpelling(x, &c.Object) || naming.VagueName(x, &c.Object).Violation > 0
}

// saysCount reports whether a name says that numbers count something, which gives their unit.
func saysCount(words []string) bool {
	n := len(words)
	return n > 1 && words[n-1] == "count" || n > 2 && words[1] == "of" && (words[0] == "num" || words[0] == "number" || words[0] == "count")
}

var flagWords = wording.SetOf("is,has,in")

// needsOther reports whether a column needs a better name rather than a description, or is a flag of a date table, whose
// name is clear.
func needsOther(x *model.Scope, c *model.Column) bool {
	return naming.VagueName(x, &c.Object).Violation == 1 || naming.UnreadableCapitals(x, c) ||
		visibility.IsFiller(&c.Object) || c.Table.Date && c.Is(semanticmodel.Int64) && len(c.Words) > 1 && flagWords[c.Words[0]]
}

// fewColumns is the maximum number of columns, hidden or not, of a dimension whose name describes it.
const fewColumns = 3

// isEvidentTable reports whether the name and columns of a table say what a row is.
func isEvidentTable(x *model.Scope, t *model.Table) bool {
	return !exposesColumn(x, t) || t.Starred && !t.Fact() && listsNames(t) ||
		t.Dimension() && (len(t.Columns) <= fewColumns || listsPlaces(x, t)) ||
		len(t.Columns) == 1 && t.Columns[0].Is(semanticmodel.DateTime)
}

var placeWords = wording.SetOf("continent,country,region,state,province,county,city,district,location,geography,latitude,longitude," +
	"lat,lon,zip,postcode,postal")

// listsPlaces reports whether the name of each column that an AI sees says that it holds a place.
func listsPlaces(x *model.Scope, t *model.Table) bool {
	return !slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return x.In(&c.Object) && !placeWords.Meets(c.Words) })
}

// exposesColumn reports whether an AI sees a column of the table; one that only holds measures has no rows to describe.
func exposesColumn(x *model.Scope, t *model.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return x.In(&c.Object) })
}

// shownWords are in names of measures that reports show or link with.
var shownWords = wording.SetOf("selected,selection,tooltip,url,link,mail,mailto,html,svg,icon,colour,color,title,label")

// showsUnit reports whether a format string has a percent or a currency sign.
func showsUnit(format string) bool {
	return strings.ContainsFunc(format, func(r rune) bool { return r == '%' || unicode.Is(unicode.Sc, r) })
}

var (
	labelWords = wording.SetOf("name,nm,title,label")
	keyWords   = wording.SetOf("key,id,code")
)

// listsNames reports whether a table has a key and a name of what it is called, hidden or not, as Customers have
// Customer Id and Customer Name, or only Name.
func listsNames(t *model.Table) bool {
	of := t.Words
	if len(of) > 0 && of[0] == "dim" {
		of = of[1:]
	}
	keys, labels := map[string]bool{}, map[string]bool{} // what is followed by such a word
	for _, c := range t.Columns {
		last := wording.LastWord(c.Words)
		if len(c.Words) == 1 && (last == "name" || last == "title") {
			labels[""] = true
		}
		if len(c.Words) != len(of)+1 || !areForms(c.Words[:len(of)], of) {
			continue
		}
		what := wording.JoinWords(c.Words[:len(of)])
		keys[what] = keys[what] || keyWords[last]
		labels[what] = labels[what] || labelWords[last]
	}
	for what, is := range keys {
		if is && (labels[what] || labels[""]) {
			return true
		}
	}
	return false
}

// areForms reports whether each word is a form of the one at its place.
func areForms(words, of []string) bool {
	for i, w := range words {
		if w != of[i] && !slices.Contains(wording.Forms(of[i]), w) {
			return false
		}
	}
	return true
}

var plainCounts = wording.SetOf("COUNT,COUNTROWS,DISTINCTCOUNT")

// isCalledCount reports whether a measure is a count and its name says so.
func isCalledCount(x *model.Scope, m *model.Measure) bool {
	return naming.CallsCount(m) && naming.Unfamiliar(x, &m.Object).Violation == 0 && counts(x, m, map[*model.Measure]bool{})
}

// counts reports whether a measure is a plain count, or CALCULATE of one with filters that compare a column with a
// constant. Measures in a circle count nothing.
func counts(x *model.Scope, m *model.Measure, seen map[*model.Measure]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	if plainCounts[dax.SoleCall(m.Src.Expression)] {
		return true
	}
	n, ok := dax.Parse(m.Src.Expression)
	if !ok || !calls(n, "CALCULATE") || len(n.Parts) == 0 || slices.ContainsFunc(n.Parts[1:], isOtherFilter) {
		return false
	}
	first := n.Parts[0]
	if first.Kind != dax.ColumnNode || first.Reference.Qualified {
		return first.Kind == dax.CallNode && plainCounts[first.Text] && first.Variables == nil
	}
	o := x.Names.Resolve(first.Reference, m.Table)
	return o != nil && o.Kind == model.MeasureKind && counts(x, x.Names.ByIndex[o.Index], seen)
}

func calls(n *dax.Node, function string) bool {
	return n.Kind == dax.CallNode && n.Text == function && n.Variables == nil
}

// isOtherFilter reports whether an argument of CALCULATE is not a column of a table that equals a constant.
func isOtherFilter(n *dax.Node) bool {
	if n.Kind != dax.OperationNode || n.Text != "=" && n.Text != "==" || n.Variables != nil {
		return true
	}
	column, value := n.Parts[0], n.Parts[1]
	if column.Kind != dax.ColumnNode {
		column, value = value, column
	}
	return column.Kind != dax.ColumnNode || !column.Reference.Qualified || !value.IsConstant()
}
