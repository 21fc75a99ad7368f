package rules

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// aggregates are the functions that reduce a column to one value.
var aggregates = map[string]string{
	"SUM": "sum of", "AVERAGE": "average of", "MEDIAN": "median of", "PRODUCT": "product of", "STDEV.P": "standard deviation of",
	"STDEV.S": "standard deviation of", "VAR.P": "variance of", "VAR.S": "variance of",
}

// iterators are the functions that reduce an expression over rows to one value.
var iterators = map[string]string{
	"SUMX": "sum of", "AVERAGEX": "average of", "MINX": "lowest", "MAXX": "highest", "MEDIANX": "median of", "PRODUCTX": "product of",
}

// call returns what a function computes.
func (e *explainer) call(n *dax.Node) (explanation, bool) {
	switch parts := n.Parts; n.Text {
	case "SUM", "AVERAGE", "MEDIAN", "PRODUCT", "STDEV.P", "STDEV.S", "VAR.P", "VAR.S":
		return e.aggregate(n, aggregates[n.Text]+" ", "")
	case "MIN", "MAX":
		return e.extreme(n)
	case "COUNT", "COUNTA":
		return e.counted(n, withValue)
	case "COUNTBLANK":
		return e.counted(n, " without a value in ")
	case "DISTINCTCOUNT", "DISTINCTCOUNTNOBLANK":
		return e.aggregate(n, "number of different values of ", "")
	case "COUNTROWS":
		return e.rowCount(n)
	case "SUMX", "AVERAGEX", "MINX", "MAXX", "MEDIANX", "PRODUCTX", "COUNTX":
		return e.iterate(n)
	case "RANKX":
		return e.rank(n)
	case "CALCULATE":
		return e.calculate(n)
	case "TOTALYTD", "TOTALQTD", "TOTALMTD":
		return e.toDate(n)
	case "DIVIDE":
		return e.divide(n)
	case "SELECTEDVALUE":
		return e.selected(n)
	case "IF", "SWITCH":
		return e.choice(n)
	case "COALESCE", "IFERROR":
		return e.fallback(n)
	case "ROUND":
		if len(parts) == 2 {
			return e.after(parts[0], rounding(parts[1]))
		}
	case "ABS":
		if len(parts) == 1 {
			s, ok := e.value(parts[0])
			return explanation{text: "absolute value of " + s.operand(false), the: true, compound: true}, ok
		}
	case "TODAY":
		return explanation{text: "today"}, len(parts) == 0
	case "DATEDIFF":
		return e.span(n)
	case "RELATED":
		return e.related(n)
	case "YEAR", "QUARTER", "MONTH", "DAY", "WEEKDAY", "HOUR", "FORMAT":
		return e.datePart(n)
	}
	return explanation{}, false
}

// aggregate returns a function of one column.
func (e *explainer) aggregate(n *dax.Node, before, after string) (explanation, bool) {
	if len(n.Parts) != 1 {
		return explanation{}, false
	}
	c := e.column(n.Parts[0])
	if c == nil {
		return explanation{}, false
	}
	of, _, _ := strings.Cut(before, " ")
	if strings.Contains(before, "different") {
		of = "different"
	}
	return explanation{text: before + c.name + after + e.over(c.table), the: true, about: c.table, of: of}, true
}

// over returns the table of an aggregate.
func (e *explainer) over(t *table) string { return " in " + t.src.Name }

func (e *explainer) extreme(n *dax.Node) (explanation, bool) {
	highest := n.Text == "MAX"
	word := func(yes, no string) string {
		if highest {
			return yes
		}
		return no
	}
	if len(n.Parts) == 2 {
		a, ok := e.value(n.Parts[0])
		b, also := e.value(n.Parts[1])
		text := word("larger", "smaller") + " of " + a.operand(false) + " and " + b.operand(false)
		return explanation{text: text, the: true, compound: true}, ok && also
	}
	if len(n.Parts) != 1 {
		return explanation{}, false
	}
	switch c := e.column(n.Parts[0]); {
	case c == nil:
		return explanation{}, false
	case c.isDay():
		return e.aggregate(n, word("latest ", "earliest "), "")
	case c.isText():
		return e.aggregate(n, word("last ", "first ")+"value of ", " by alphabet")
	default:
		return e.aggregate(n, word("highest ", "lowest "), "")
	}
}

// counted returns how many rows have or lack a value.
func (e *explainer) counted(n *dax.Node, how string) (explanation, bool) {
	if len(n.Parts) != 1 {
		return explanation{}, false
	}
	c := e.column(n.Parts[0])
	if c == nil {
		return explanation{}, false
	}
	s := explanation{text: "number of rows of " + c.table.src.Name + how + c.name, the: true, about: c.table}
	if how == withValue {
		s.counts = c
	}
	return s, true
}

const withValue = " with a value in "

func (e *explainer) divide(n *dax.Node) (explanation, bool) {
	if len(n.Parts) < 2 || len(n.Parts) > 3 {
		return explanation{}, false
	}
	s, ok := e.ratio(n.Parts[0], n.Parts[1])
	if !ok || len(n.Parts) == 2 || isBlank(n.Parts[2]) {
		return s, ok
	}
	other, ok := e.value(n.Parts[2])
	s.tail = append(slices.Clip(s.tail), other.operand(false)+zeroDivisor)
	return s, ok
}

// What precedes a selected value, and what follows it without another one.
const (
	selected = "selected "
	noChoice = "empty unless exactly one is selected"
)

// When another value replaces one.
const (
	noneLeft    = " if there is none"
	zeroDivisor = " if the divisor is zero or empty"
	onError     = " on an error"
)

// selected returns the value of a column with one selected value.
func (e *explainer) selected(n *dax.Node) (explanation, bool) {
	if len(n.Parts) < 1 || len(n.Parts) > 2 {
		return explanation{}, false
	}
	c := e.column(n.Parts[0])
	if c == nil {
		return explanation{}, false
	}
	tail := noChoice
	if len(n.Parts) == 2 && !isBlank(n.Parts[1]) {
		s, ok := e.value(n.Parts[1])
		if !ok {
			return explanation{}, false
		}
		tail = s.operand(true) + " unless exactly one is selected"
	}
	return explanation{text: selected + c.name + " of " + c.table.src.Name, the: true, tail: []string{tail}}, true
}

// fallback returns a value that another one replaces.
func (e *explainer) fallback(n *dax.Node) (explanation, bool) {
	if len(n.Parts) != 2 {
		return explanation{}, false
	}
	s, ok := e.value(n.Parts[0])
	other, also := e.value(n.Parts[1])
	if isBlank(n.Parts[1]) {
		other, also = explanation{text: "empty"}, n.Text == "IFERROR"
	}
	when := noneLeft
	if n.Text == "IFERROR" {
		when = onError
	}
	s.tail = append(slices.Clip(s.tail), other.operand(true)+when)
	return s, ok && also
}

// after returns a value with something that follows it.
func (e *explainer) after(n *dax.Node, tail string) (explanation, bool) {
	s, ok := e.value(n)
	s.tail = append(slices.Clip(s.tail), tail)
	return s, ok && tail != ""
}

func rounding(digits *dax.Node) string {
	switch {
	case isNumber(digits, "0"):
		return "rounded to an integer"
	case isNumber(digits, "1"):
		return "rounded to 1 decimal"
	case digits.Kind == dax.NumberNode:
		return "rounded to " + digits.Text + " decimals"
	}
	return ""
}

// spans are the units that DATEDIFF counts, and what it does not count: it counts how often a unit ends, so that from December to
// January is one year.
var spans = map[string][2]string{
	"DAY": {"days"}, "MINUTE": {"minutes"}, "SECOND": {"seconds"}, "HOUR": {"ends of hours", "not full hours"},
	"WEEK": {"ends of weeks", "not full weeks"}, "MONTH": {"month ends", "not full months"},
	"QUARTER": {"quarter ends", "not full quarters"}, "YEAR": {"year ends", "not full years"},
}

// span returns the time between two dates.
func (e *explainer) span(n *dax.Node) (explanation, bool) {
	if len(n.Parts) != 3 || n.Parts[2].Kind != dax.NameNode {
		return explanation{}, false
	}
	unit, known := spans[strings.ToUpper(n.Parts[2].Text)]
	from, ok := e.value(n.Parts[0])
	to, also := e.value(n.Parts[1])
	s := explanation{
		text: "number of " + unit[0] + " from " + from.operand(false) + " to " + to.operand(false), the: true, compound: true,
	}
	if unit[1] != "" {
		s.tail = []string{unit[1]}
	}
	return s, known && ok && also
}

// choice returns IF and SWITCH(TRUE(), …): each result with its condition.
func (e *explainer) choice(n *dax.Node) (explanation, bool) {
	parts := n.Parts
	if n.Text == "SWITCH" {
		if len(parts) < 3 {
			return explanation{}, false
		}
		if value, ok := truthOf(parts[0]); !ok || !value {
			return explanation{}, false
		}
		parts = parts[1:]
	} else if len(parts) > 3 {
		return explanation{}, false
	}
	var texts []string
	for len(parts) >= 2 {
		when, ok := e.condition(parts[0])
		what, also := e.result(parts[1])
		if !ok || !also {
			return explanation{}, false
		}
		texts = append(texts, what+" if "+when)
		parts = parts[2:]
	}
	switch {
	case len(texts) == 0:
		return explanation{}, false
	case len(parts) == 1:
		what, ok := e.result(parts[0])
		if !ok {
			return explanation{}, false
		}
		texts = append(texts, "else "+what)
	default:
		texts = append(texts, "else empty")
	}
	return explanation{text: strings.Join(texts, ", "), compound: true}, true
}

// result returns what a choice results in.
func (e *explainer) result(n *dax.Node) (string, bool) {
	if isBlank(n) {
		return "empty", true
	}
	if value, ok := truthOf(n); ok {
		return map[bool]string{true: "true", false: "false"}[value], true
	}
	s, ok := e.value(n)
	return s.operand(true), ok
}

// truth returns a condition as a value.
func (e *explainer) truth(n *dax.Node) (explanation, bool) {
	text, ok := e.condition(n)
	return explanation{text: "true when " + text, compound: true}, ok
}
