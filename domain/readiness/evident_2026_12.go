package readiness

import (
	"slices"
	"strings"
	"unicode"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// lowIfEvident returns the severity of a missing description where the name says what one would, else "".
func lowIfEvident[O judged](x *scope, o O) Severity {
	if x.evident(o.base()) {
		return Low
	}
	return ""
}

type evidentKey struct{}

// evident reports whether the name of an exposed table, or of a column without a description, says what one would
// (docs/regime-precision.md P1, P2). It is false for key columns, which need none, and for measures.
func (x *scope) evident(o *object) bool {
	return remembered(x, evidentKey{}, func() []bool {
		evident := make([]bool, len(x.objects))
		for _, t := range x.t {
			evident[t.index] = t.date || t.dimension() && t.listsNames()
		}
		for _, c := range x.c {
			evident[c.index] = !c.key && !x.explained(&c.object) && !x.needsWords(c)
		}
		return evident
	})[o.index]
}

var (
	// unitWords at the end of a name say the unit of a number, or that it has none.
	unitWords = setOf("hours,minutes,seconds,days,bytes,kb,mb,gb,ms,km,kg,year,month,week,day,quarter,hour,age,id,latitude,longitude," +
		"percent,pct")
	// codedWords at the end of a name say that a text is one of a few values.
	codedWords = setOf("category,type,kind,class,group,status,state,stage,level,code,flag,reason,mode,segment,band,grade,channel,source," +
		"scope")
)

// needsWords reports whether a column has a name at fault, no unit or coded values (docs/regime-precision.md P1).
func (x *scope) needsWords(c *column) bool {
	last := lastWord(c.words)
	return c.numeric() && !unitWords[last] && !showsUnit(c.src.FormatString) ||
		c.is(semanticmodel.String) && codedWords[last] ||
		x.unfamiliar(&c.object).violation > 0 || vagueName(x, &c.object).violation > 0
}

// showsUnit reports whether a format string has a percent or a currency sign.
func showsUnit(format string) bool {
	return strings.ContainsFunc(format, func(r rune) bool { return r == '%' || unicode.Is(unicode.Sc, r) })
}

// listsNames reports whether a table has a key and a name of what it is called, hidden or not, as Customers have
// Customer Id and Customer Name (docs/regime-precision.md P2).
func (t *table) listsNames() bool {
	of := t.words
	if len(of) > 0 && of[0] == "dim" {
		of = of[1:]
	}
	keys, names := map[string]bool{}, map[string]bool{} // what is followed by key, id or name
	for _, c := range t.columns {
		last := lastWord(c.words)
		if len(c.words) != len(of)+1 || last != "name" && last != "key" && last != "id" || !areForms(c.words[:len(of)], of) {
			continue
		}
		if what := joinWords(c.words[:len(of)]); last == "name" {
			names[what] = true
		} else {
			keys[what] = true
		}
		if what := joinWords(c.words[:len(of)]); keys[what] && names[what] {
			return true
		}
	}
	return false
}

// areForms reports whether each word is a form of the one at its place.
func areForms(words, of []string) bool {
	for i, w := range words {
		if w != of[i] && !slices.Contains(forms(of[i]), w) {
			return false
		}
	}
	return true
}

var plainCounts = setOf("COUNT,COUNTROWS,DISTINCTCOUNT")

// mediumIfCount returns the severity of a missing description of a measure that its name calls a count and that is one
// (docs/regime-precision.md P3), else "".
func mediumIfCount(x *scope, m *measure) Severity {
	called := strings.HasPrefix(strings.TrimSpace(m.name), "#") || lastWord(m.words) == "count" ||
		len(m.words) > 1 && (m.words[0] == "number" || m.words[0] == "count") && m.words[1] == "of"
	if called && x.unfamiliar(&m.object).violation == 0 && x.counts(m, map[*measure]bool{}) {
		return Medium
	}
	return ""
}

// counts reports whether a measure is a plain count, or CALCULATE of one with filters that compare a column with a
// constant. Measures in a circle count nothing.
func (x *scope) counts(m *measure, seen map[*measure]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	if plainCounts[dax.SoleCall(m.src.Expression)] {
		return true
	}
	n, ok := dax.Parse(m.src.Expression)
	if !ok || !calls(n, "CALCULATE") || len(n.Parts) == 0 || slices.ContainsFunc(n.Parts[1:], isOtherFilter) {
		return false
	}
	first := n.Parts[0]
	if first.Kind != dax.ColumnNode || first.Reference.Qualified {
		return first.Kind == dax.CallNode && plainCounts[first.Text] && first.Variables == nil
	}
	o := x.names.resolve(first.Reference, m.table)
	return o != nil && o.kind == measureKind && x.counts(x.names.byIndex[o.index], seen)
}

func calls(n *dax.Node, function string) bool {
	return n.Kind == dax.CallNode && n.Text == function && n.Variables == nil
}

// isOtherFilter reports whether an argument of CALCULATE is anything but a column of a table that equals a constant.
func isOtherFilter(n *dax.Node) bool {
	if n.Kind != dax.OperationNode || n.Text != "=" && n.Text != "==" || n.Variables != nil {
		return true
	}
	column, value := n.Parts[0], n.Parts[1]
	if column.Kind != dax.ColumnNode {
		column, value = value, column
	}
	if value.Kind == dax.SignNode && value.Text != "NOT" {
		value = value.Parts[0]
		if value.Kind != dax.NumberNode {
			return true
		}
	}
	constant := value.Kind == dax.NumberNode || value.Kind == dax.TextNode ||
		(calls(value, "TRUE") || calls(value, "FALSE")) && len(value.Parts) == 0
	return column.Kind != dax.ColumnNode || !column.Reference.Qualified || !constant
}
