package evaluate

import (
	"math"
	"strconv"
	"strings"

	"readiness/definition/dax"
)

// sign applies a sign or NOT. A sign leaves BLANK as it is.
func (s *session) sign(n *dax.Node, v Value) Value {
	switch n.Text {
	case "NOT":
		return OfBoolean(!s.truth(n, v))
	case "+":
		return v
	}
	switch v.kind {
	case Blank:
		return v
	case Number:
		return OfNumber(-v.number)
	case Boolean, DateTime, Text:
	}
	s.refuse(n, "the negative of a value that is no number")
	return Value{}
}

// truth returns a value as a condition: BLANK and 0 are false.
func (s *session) truth(n *dax.Node, v Value) bool {
	if v.kind == Text || v.kind == DateTime {
		s.refuse(n, "a condition is expected here, not %q", v.String())
	}
	return v.number != 0
}

func (s *session) operation(sc scope, n *dax.Node) Value {
	if n.Text == "IN" {
		return OfBoolean(s.in(sc, n))
	}
	left := s.scalar(sc, n.Parts[0])
	switch n.Text {
	case "&&":
		return OfBoolean(s.truth(n, left) && s.truth(n, s.scalar(sc, n.Parts[1])))
	case "||":
		return OfBoolean(s.truth(n, left) || s.truth(n, s.scalar(sc, n.Parts[1])))
	}
	right := s.scalar(sc, n.Parts[1])
	switch n.Text {
	case "&":
		return s.joined(n, left, right)
	case "=":
		return OfBoolean(s.compared(n, left, right) == 0)
	case "==":
		return OfBoolean(left.isBlank() == right.isBlank() && s.compared(n, left, right) == 0)
	case "<>":
		return OfBoolean(s.compared(n, left, right) != 0)
	case "<":
		return OfBoolean(s.sorted(n, left, right) < 0)
	case "<=":
		return OfBoolean(s.sorted(n, left, right) <= 0)
	case ">":
		return OfBoolean(s.sorted(n, left, right) > 0)
	case ">=":
		return OfBoolean(s.sorted(n, left, right) >= 0)
	}
	return s.arithmetic(n, left, right)
}

// compared compares two values; BLANK equals 0, "" and FALSE
// (learn.microsoft.com/dax/dax-operator-reference).
func (s *session) compared(n *dax.Node, v, w Value) int {
	if v.isBlank() {
		v = Value{kind: w.kind}
	}
	if w.isBlank() {
		w = Value{kind: v.kind}
	}
	if v.kind != w.kind && !(v.isNumeric() && w.isNumeric()) {
		s.refuse(n, "%s compares values of different types", n.Text)
	}
	if math.IsNaN(v.number) || math.IsNaN(w.number) {
		s.refuse(n, "%s compares a value that is not a number", n.Text)
	}
	order := v.compare(w)
	if order != 0 && v.kind == Text && strings.TrimRight(folded(v.text), " ") == strings.TrimRight(folded(w.text), " ") {
		s.refuse(n, "%s compares texts that differ by trailing spaces", n.Text)
	}
	return order
}

// sorted is compared for operators that order values.
func (s *session) sorted(n *dax.Node, v, w Value) int {
	if (v.kind == Text || w.kind == Text) && !(v.sortsPlainly() && w.sortsPlainly()) {
		s.refuse(n, "%s orders texts whose order depends on the language", n.Text)
	}
	return s.compared(n, v, w)
}

// joined returns two values as one text.
func (s *session) joined(n *dax.Node, v, w Value) Value {
	text := s.text(n, v) + s.text(n, w)
	if len(text) > maxText {
		s.exceeded(n, "a text of %d bytes; a text may have %d", len(text), maxText)
	}
	return Value{kind: Text, text: text}
}

// text converts a value to a text as & does.
func (s *session) text(n *dax.Node, v Value) string {
	switch v.kind {
	case Blank, Text:
		return v.text
	case Number:
		if v.number == math.Trunc(v.number) && math.Abs(v.number) < 1e15 {
			return strconv.FormatFloat(v.number, 'f', 0, 64)
		}
	case Boolean, DateTime:
	}
	s.refuse(n, "%s converts %s to a text, which depends on the language", n.Text, v.String())
	return ""
}

// arithmetic applies + - * / ^. BLANK counts as 0 in sums, and makes products and the
// dividend BLANK (sqlbi.com/articles/blank-handling-in-dax).
func (s *session) arithmetic(n *dax.Node, v, w Value) Value {
	switch {
	case v.kind == DateTime || w.kind == DateTime:
		return s.dated(n, v, w)
	case v.kind != Number && v.kind != Blank || w.kind != Number && w.kind != Blank:
		s.refuse(n, "%s of values that are not numbers", n.Text)
	}
	bothBlank := v.isBlank() && w.isBlank()
	switch n.Text {
	case "+", "-":
		if bothBlank {
			return Value{}
		}
		if n.Text == "-" {
			w.number = -w.number
		}
		return OfNumber(v.number + w.number)
	case "*":
		if v.isBlank() || w.isBlank() {
			return Value{}
		}
		return OfNumber(v.number * w.number)
	case "/":
		switch {
		case bothBlank:
			return Value{}
		case v.isBlank() && w.number == 0:
			s.refuse(n, "BLANK is divided by 0")
		case v.isBlank():
			return Value{}
		}
		return OfNumber(v.number / w.number)
	case "^":
		if v.isBlank() || w.isBlank() {
			s.refuse(n, "a power of BLANK")
		}
		x := math.Pow(v.number, w.number)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			s.refuse(n, "a power that is no number")
		}
		return OfNumber(x)
	}
	s.refuse(n, "the operator %s is not known", n.Text)
	return Value{}
}

// dated adds days to a date, or subtracts them.
func (s *session) dated(n *dax.Node, v, w Value) Value {
	days := v.number + w.number
	if n.Text == "-" {
		days = v.number - w.number
	}
	isDay := v.kind == DateTime && (w.kind == Number || w.kind == Blank) && (n.Text == "+" || n.Text == "-") ||
		w.kind == DateTime && v.kind == Number && n.Text == "+"
	if !isDay || days < 0 || days > 2_958_465 { // the last day of 9999
		s.refuse(n, "%s of these dates is not known", n.Text)
	}
	return Value{kind: DateTime, number: days}
}

// in reports whether a value, or a tuple, is a row of a table.
func (s *session) in(sc scope, n *dax.Node) bool {
	parts := []*dax.Node{n.Parts[0]}
	if n.Parts[0].Kind == dax.TupleNode {
		parts = n.Parts[0].Parts
	}
	var values []Value
	for _, p := range parts {
		values = append(values, s.scalar(sc, p))
	}
	g := s.table(sc, n.Parts[1])
	if len(g.columns) != len(values) {
		s.refuse(n, "IN compares %d values with %d columns", len(values), len(g.columns))
	}
	s.spend(n, g.len()*len(values))
	for row := range g.len() {
		found := true
		for i, v := range values {
			w := g.value(row, i)
			switch equal := s.compared(n, v, w) == 0; {
			case !equal:
				found = false
			case v.isBlank() != w.isBlank():
				s.refuse(n, "IN compares BLANK with %q", w.String()+v.String())
			}
			if !found {
				break
			}
		}
		if found {
			return true
		}
	}
	return false
}
