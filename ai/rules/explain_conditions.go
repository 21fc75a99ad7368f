package rules

import (
	"slices"
	"strconv"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// condition returns what is true or false, as a clause: "Amount is more than 100".
func (e *explainer) condition(n *dax.Node) (string, bool) {
	e = e.declare(n)
	switch n.Kind {
	case dax.OperationNode:
		switch n.Text {
		case "&&", "||":
			return e.both(n)
		case "IN":
			return e.oneOf(n, "is ", "is ", " or ")
		case "=", "==", "<>", "<", ">", "<=", ">=":
			return e.comparison(n)
		}
	case dax.SignNode:
		if n.Text == "NOT" {
			return e.denied(n.Parts[0])
		}
	case dax.CallNode:
		return e.test(n)
	case dax.ColumnNode:
		if c := e.column(n); c != nil && c.column.DataType == "boolean" && (e.row == nil || e.inRow(c)) {
			return e.columnName(c) + " is true", true
		}
	case dax.NumberNode, dax.TextNode, dax.NameNode, dax.ListNode, dax.TupleNode, dax.OmittedNode:
	}
	return "", false
}

// both returns conditions that are joined by && or ||.
func (e *explainer) both(n *dax.Node) (string, bool) {
	word := map[string]string{"&&": " and ", "||": " or "}[n.Text]
	var texts [2]string
	for i, p := range n.Parts {
		text, ok := e.condition(p)
		if !ok {
			return "", false
		}
		if p.Kind == dax.OperationNode && (p.Text == "&&" || p.Text == "||") && p.Text != n.Text {
			text = "(" + text + ")"
		}
		texts[i] = text
	}
	if n.Text == "&&" {
		texts = [2]string(together(texts[:]))
	}
	return texts[0] + word + texts[1], true
}

// test returns a function that is true or false.
func (e *explainer) test(n *dax.Node) (string, bool) {
	one := func(after string) (string, bool) {
		if len(n.Parts) != 1 {
			return "", false
		}
		text, ok := e.side(n.Parts[0])
		return text + after, ok
	}
	switch n.Text {
	case "ISBLANK":
		if c := e.chosen(n); c != "" {
			return "not " + c, true
		}
		return one(" is empty")
	case "HASONEVALUE", "ISFILTERED":
		if len(n.Parts) != 1 {
			return "", false
		}
		c := e.column(n.Parts[0])
		if c == nil {
			return "", false
		}
		after := map[string]string{"HASONEVALUE": " has exactly one value", "ISFILTERED": " is filtered"}[n.Text]
		return c.name + " of " + c.table.src.Name + after, true
	case "CONTAINSSTRING":
		if len(n.Parts) == 2 {
			of, ok := e.side(n.Parts[0])
			what, also := e.value(n.Parts[1])
			return of + " contains " + what.operand(false), ok && also
		}
	case "NOT":
		if len(n.Parts) == 1 {
			return e.denied(n.Parts[0])
		}
	case "AND", "OR":
		if len(n.Parts) == 2 {
			return e.both(&dax.Node{Kind: dax.OperationNode, Text: map[string]string{"AND": "&&", "OR": "||"}[n.Text], Parts: n.Parts})
		}
	}
	return "", false
}

// chosen returns what makes a test of a SELECTEDVALUE for emptiness false: a person chose one value. It is "" for another test.
func (e *explainer) chosen(test *dax.Node) string {
	if len(test.Parts) == 0 || test.Parts[0].Kind != dax.CallNode || test.Parts[0].Text != "SELECTEDVALUE" || len(test.Parts[0].Parts) != 1 {
		return ""
	}
	c := e.column(test.Parts[0].Parts[0])
	if c == nil {
		return ""
	}
	return "exactly one " + c.name + " of " + c.table.src.Name + " is selected"
}

// falseOrEmpty is what is not true: to DAX, an empty value equals FALSE.
const falseOrEmpty = "false or empty"

// denied returns the opposite of a condition.
func (e *explainer) denied(n *dax.Node) (string, bool) {
	switch {
	case n.Variables != nil:
	case n.Kind == dax.CallNode && n.Text == "ISBLANK" && e.chosen(n) != "":
		return e.chosen(n), true
	case n.Kind == dax.CallNode && n.Text == "ISBLANK" && len(n.Parts) == 1:
		text, ok := e.side(n.Parts[0])
		return text + " is not empty", ok
	case n.Kind == dax.OperationNode && n.Text == "IN":
		return e.oneOf(n, "is none of ", "is not ", " and ")
	case n.Kind == dax.ColumnNode:
		if text, ok := e.condition(n); ok {
			return strings.TrimSuffix(text, "true") + falseOrEmpty, true
		}
	}
	return "", false
}

// side returns one side of a comparison: a column that is filtered or of the row, or a value.
func (e *explainer) side(n *dax.Node) (string, bool) {
	if c := e.column(n); c != nil && (e.row == nil && e.level > 0 || e.row != nil && e.inRow(c)) {
		return e.columnName(c), true
	}
	s, ok := e.value(n)
	return s.operand(false), ok
}

// limit returns the value that a column is compared with. A variable has the value that it has under
// the outer filters, and so has an aggregate that filters are compared with.
func (e *explainer) limit(n *dax.Node) (string, bool) {
	if days, ok := e.daysAgo(n); ok {
		return days, true
	}
	switch {
	case n.Kind == dax.NameNode && !n.Quoted:
		if v := e.lookUp(n.Text); v != nil && v.in.level <= e.level {
			text, ok := v.in.limit(v.value)
			if ok && v.in.row != nil && v.in.level < e.level { // of another row than the one that is compared
				text += " of the row itself"
				ok = v.value.Kind == dax.ColumnNode
			}
			return text, ok
		}
	case n.Kind == dax.ColumnNode && e.row != nil:
		if c := e.column(n); c != nil && e.inRow(c) {
			return e.columnName(c), true
		}
	}
	s, ok := e.value(n)
	if isExtreme := n.Kind == dax.CallNode && (n.Text == "MAX" || n.Text == "MIN") && len(n.Parts) == 1; isExtreme && !e.unselected {
		extreme, of, _ := strings.Cut(s.text, " ")
		s.text = extreme + " selected " + of // not the one of the entire table
	}
	return s.operand(false), ok
}

// daysAgo returns a day that is counted from today.
func (e *explainer) daysAgo(n *dax.Node) (string, bool) {
	if n.Kind != dax.OperationNode || n.Text != "-" && n.Text != "+" || n.Parts[0].Kind != dax.CallNode || n.Parts[0].Text != "TODAY" {
		return "", false
	}
	days, ok := e.limit(n.Parts[1])
	after := map[string]string{"-": " before today", "+": " after today"}[n.Text]
	if isNumber(n.Parts[1], "1") {
		return "1 day" + after, ok
	}
	return days + " days" + after, ok
}

var comparisons = map[string]string{
	"=": " is ", "==": " is ", "<>": " is not ", "<": " is less than ", ">": " is more than ", "<=": " is at most ", ">=": " is at least ",
}

var dateComparisons = map[string]string{
	"=": " is ", "==": " is ", "<>": " is not ", "<": " is before ", ">": " is after ", "<=": " is not after ", ">=": " is not before ",
}

func (e *explainer) comparison(n *dax.Node) (string, bool) {
	left, ok := e.side(n.Parts[0])
	if !ok {
		return "", false
	}
	words := comparisons
	if c := e.column(n.Parts[0]); c != nil && c.isDay() {
		words = dateComparisons
	}
	word, equal := words[n.Text], n.Text == "=" || n.Text == "=="
	if value, ok := truthOf(n.Parts[1]); ok {
		if !equal && n.Text != "<>" {
			return "", false
		}
		switch {
		case !value && n.Text == "=":
			return left + word + falseOrEmpty, true
		case !value && n.Text == "<>":
			return left + " is true", true
		}
		return left + word + map[bool]string{true: "true", false: "false"}[value], true
	}
	if isBlank(n.Parts[1]) {
		if !equal && n.Text != "<>" {
			return "", false
		}
		if c := e.chosen(n); c != "" {
			return map[bool]string{true: "not ", false: ""}[equal] + c, true
		}
		return left + e.emptiness(n), true
	}
	if isNumber(n.Parts[1], "0") && n.Text == "=" { // to DAX, an empty value equals 0
		return left + " is 0 or empty", true
	}
	if isNumber(n.Parts[1], "0") && n.Text == "<>" {
		return left + " is neither 0 nor empty", true
	}
	right, ok := e.limit(n.Parts[1])
	c := e.column(n.Parts[0])
	hasNone := c != nil && (c.column.IsKey || c.table.role == dateTable)
	if n.Parts[0].Kind == dax.ColumnNode && !hasNone && takesEmpty(n, c != nil && c.isDay()) {
		right += orEmpty
	}
	return left + word + right, ok
}

// orEmpty ends a condition that an empty value meets.
const orEmpty = " or empty"

// takesEmpty reports whether an empty value, which is 0 to DAX and the earliest date, meets a comparison. It is false where that depends on
// the right side.
func takesEmpty(n *dax.Node, dates bool) bool {
	if dates {
		return n.Text == "<" || n.Text == "<="
	}
	right, sign := n.Parts[1], 1.0
	if right.Kind == dax.SignNode && right.Text == "-" {
		right, sign = right.Parts[0], -1
	}
	limit, err := strconv.ParseFloat(right.Text, 64)
	if err != nil || right.Kind != dax.NumberNode {
		return false
	}
	switch limit *= sign; n.Text {
	case "<":
		return 0 < limit
	case "<=":
		return 0 <= limit
	case ">":
		return 0 > limit
	case ">=":
		return 0 >= limit
	}
	return false
}

// together returns conditions that hold together. One that does not take empty values leaves them out of others on the same value.
func together(conditions []string) []string {
	said := slices.Clone(conditions)
	for i, text := range said {
		of, _, _ := strings.Cut(text, " is ")
		if strings.HasSuffix(text, orEmpty) && slices.ContainsFunc(said, func(other string) bool {
			rest, same := strings.CutPrefix(other, of+" is ")
			denies := strings.HasPrefix(rest, "not ") || strings.HasPrefix(rest, "none of ") // which empty values meet
			return same && !strings.HasSuffix(other, orEmpty) && (rest == "not empty" || !denies)
		}) {
			said[i] = strings.TrimSuffix(text, orEmpty)
		}
	}
	return said
}

// emptiness returns what a comparison by =, == or <> with BLANK() says of its left side. But for ==, 0 and FALSE are equal to it.
func (e *explainer) emptiness(n *dax.Node) string {
	also := "0"
	if c := e.column(n.Parts[0]); n.Text == "==" || c != nil && !c.isNumber() && c.column.DataType != semanticmodel.Boolean {
		also = ""
	} else if c != nil && c.column.DataType == semanticmodel.Boolean {
		also = "false"
	}
	switch {
	case also == "" && n.Text == "<>":
		return " is not empty"
	case also == "":
		return " is empty"
	case n.Text == "<>":
		return " is neither empty nor " + also
	}
	return " is empty or " + also
}

// mostValues is how many values a text lists.
const mostValues = 6

// oneOf returns a comparison with a list of values.
func (e *explainer) oneOf(n *dax.Node, several, single, last string) (string, bool) {
	left, ok := e.side(n.Parts[0])
	if !ok || n.Parts[1].Kind != dax.ListNode || len(n.Parts[1].Parts) > mostValues {
		return "", false
	}
	var values []string
	for _, p := range n.Parts[1].Parts {
		if value, ok := truthOf(p); ok {
			values = append(values, map[bool]string{true: "true", false: "false"}[value])
			continue
		}
		s, ok := e.value(p)
		if !ok || !s.constant {
			return "", false
		}
		values = append(values, s.text)
	}
	end := len(values) - 1
	if end == 0 {
		return left + " " + single + values[0], true
	}
	return left + " " + several + strings.Join(values[:end], ", ") + last + values[end], true
}
