package rules

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// operation returns what an arithmetic operator computes.
func (e *explainer) operation(n *dax.Node) (explanation, bool) {
	switch n.Text {
	case "+", "-":
		return e.sum(n)
	case "*":
		return e.joined(n, " times ")
	case "/":
		return e.ratio(n.Parts[0], n.Parts[1])
	case "&":
		return e.joined(n, " followed by ")
	}
	return explanation{}, false
}

// term is a part of a sum.
type term struct {
	node  *dax.Node
	minus bool
}

// terms returns the parts of a sum.
func terms(n *dax.Node) []term {
	if n.Kind != dax.OperationNode || n.Text != "+" && n.Text != "-" {
		return []term{{n, false}}
	}
	first := []term{{n.Parts[0], false}}
	if n.Parts[0].Variables == nil {
		first = terms(n.Parts[0])
	}
	return append(first, term{n.Parts[1], n.Text == "-"})
}

func (e *explainer) sum(n *dax.Node) (explanation, bool) {
	orZero := false
	kept := slices.DeleteFunc(terms(n), func(t term) bool {
		zero := isNumber(t.node, "0") && !t.minus
		orZero = orZero || zero
		return zero
	})
	if len(kept) == 0 {
		return explanation{}, false
	}
	var out explanation
	for i, t := range kept {
		s, ok := e.value(t.node)
		switch {
		case !ok || i == 0 && t.minus:
			return explanation{}, false
		case i == 0:
			out = s
			continue
		case i == 1:
			out = explanation{text: out.operand(true), the: out.the && out.plain(), compound: true}
		}
		word := " plus "
		if t.minus {
			word = " minus "
		}
		out.text += word + s.operand(false)
	}
	if orZero {
		out.tail = append(slices.Clip(out.tail), "0"+noneLeft)
	}
	return out, true
}

// joined returns two operands with a word between them.
func (e *explainer) joined(n *dax.Node, word string) (explanation, bool) {
	a, ok := e.value(n.Parts[0])
	b, also := e.value(n.Parts[1])
	if !ok || !also {
		return explanation{}, false
	}
	first := a.operand(true)
	if sameOperator(n, n.Parts[0]) {
		first = a.full()
	}
	the := a.the && (a.plain() || sameOperator(n, n.Parts[0]))
	return explanation{text: first + word + b.operand(false), the: the, compound: true}, true
}

func sameOperator(a, b *dax.Node) bool {
	return b.Kind == dax.OperationNode && a.Text == b.Text && b.Variables == nil
}

// ratio returns a division: a relative change, a share, or simply one value divided by another.
func (e *explainer) ratio(above, below *dax.Node) (explanation, bool) {
	b, ok := e.value(below)
	if !ok {
		return explanation{}, false
	}
	if s, ok := e.change(above, b); ok {
		return s, true
	}
	a, ok := e.value(above)
	if !ok {
		return explanation{}, false
	}
	if s, ok := share(a, b); ok {
		return s, true
	}
	return explanation{text: a.operand(true) + " divided by " + b.operand(false), the: a.the && a.plain(), compound: true}, true
}

// change returns (a - b) / b as the relative change from b to a.
func (e *explainer) change(above *dax.Node, below explanation) (explanation, bool) {
	if above.Kind != dax.OperationNode || above.Text != "-" || above.Variables != nil {
		return explanation{}, false
	}
	to, ok := e.value(above.Parts[0])
	from, also := e.value(above.Parts[1])
	if !ok || !also || from.full() != below.full() {
		return explanation{}, false
	}
	name := func(s explanation) string {
		if s.compound || len(s.where) > 0 || len(s.tail) > 0 {
			return s.operand(false)
		}
		return s.within()
	}
	return explanation{text: "relative change from " + name(from) + " to " + name(to), the: true, compound: true}, true
}

// share returns a part divided by the same value without the part's conditions, or with some filters
// set aside.
func share(a, b explanation) (explanation, bool) {
	switch {
	case a.text != b.text || a.when != b.when || a.compound:
		return explanation{}, false
	case len(b.where) == 0 && len(b.tail) == 0 && len(a.where) > 0 && len(a.tail) == 0:
		s := explanation{text: "share of " + a.within(), the: true, compound: true}
		return s, true
	case a.plain() && len(b.where) == 0 && len(b.tail) == 1 && strings.HasPrefix(b.tail[0], setAside):
		return explanation{text: "share of " + a.within() + " in its total " + b.tail[0], the: true, compound: true}, true
	}
	return explanation{}, false
}
