package normalform

import (
	"slices"
	"strconv"
	"strings"
)

// value is what a scalar expression is, with measures expanded to aggregations over columns.
type value struct {
	// op is number, text, blank, aggregation, column, or the operator or function of args.
	op   string
	args []*value
	// number and text are the constant; text is also the name of a column, or what an aggregation aggregates.
	number float64
	text   string
	// Of an aggregation: over is its table, column its column or nil, and at its filter context.
	over   *table
	column *column
	at     *place
}

func numberOf(x float64) *value { return &value{op: "number", number: x} }

func truth(b bool) *value { return &value{op: "truth", text: strconv.FormatBool(b)} }

// constant reports whether the value depends on nothing.
func (v *value) constant() bool {
	switch v.op {
	case "number", "text", "truth", "blank":
		return true
	}
	return false
}

// commuting are the operators whose operands may come in any order.
var commuting = []string{"+", "*", "&&", "||", "=", "==", "<>"}

// key is the same text for values with the same meaning.
func (v *value) key(groups []*column) string {
	switch v.op {
	case "number":
		return strconv.FormatFloat(v.number, 'g', -1, 64)
	case "text":
		return strconv.Quote(v.text)
	case "truth", "blank":
		return v.op + v.text
	case "column":
		return v.text
	case "aggregation":
		return v.text + "{" + v.at.key(groups) + "}"
	}
	var keys []string
	for _, a := range v.args {
		keys = append(keys, a.key(groups))
	}
	op := v.op
	switch {
	case slices.Contains(commuting, op):
		slices.Sort(keys)
	case strings.HasPrefix(op, ">"): // the same with the sides changed
		op = swapped[op]
		slices.Reverse(keys)
	}
	return op + "(" + strings.Join(keys, ", ") + ")"
}

// aggregations returns the aggregations in the value.
func (v *value) aggregations() []*value {
	if v.op == "aggregation" {
		return append([]*value{v}, v.argumentsOf()...)
	}
	return v.argumentsOf()
}

func (v *value) argumentsOf() []*value {
	var all []*value
	for _, a := range v.args {
		all = append(all, a.aggregations()...)
	}
	return all
}
