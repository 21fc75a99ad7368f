package normalform

import (
	"math"
	"slices"
	"strings"

	"readiness/definition/dax"
)

// topN reads the first rows by an order; more where they are equal.
func (r *reader) topN(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) < 3 {
		return nil, r.fail(n, "TOPN is read with an order")
	}
	count, err := r.scalar(n.Parts[0], scope{at: in.at, vars: in.vars, level: in.level})
	if err != nil {
		return nil, err
	}
	if count.op != "number" || count.number < 1 || count.number != math.Trunc(count.number) {
		return nil, r.fail(n.Parts[0], "TOPN is read with a constant number of rows")
	}
	t, err := r.table(n.Parts[1], in)
	if err != nil {
		return nil, err
	}
	out := *t
	one := step{text: "first " + count.key(nil) + " by"}
	err = r.each(t, scope{at: in.at, row: t.row(false), vars: in.vars, level: in.level}, func(in scope) error {
		return r.order(&one, n.Parts[2:], in)
	})
	if err != nil {
		return nil, err
	}
	out.steps = append(slices.Clone(t.steps), one)
	return &out, nil
}

// order reads pairs of an expression and its direction, which may be left out at the end.
func (r *reader) order(one *step, pairs []*dax.Node, in scope) error {
	for i := 0; i < len(pairs); i += 2 {
		v, err := r.scalar(pairs[i], in)
		if err != nil {
			return err
		}
		direction := " desc"
		if i+1 < len(pairs) {
			if direction, err = r.direction(pairs[i+1]); err != nil {
				return err
			}
		}
		one.text += direction
		one.by = append(one.by, v)
	}
	return nil
}

func (r *reader) direction(n *dax.Node) (string, error) {
	switch word := strings.ToUpper(n.Text); {
	case n.Kind == dax.NameNode && word == "ASC", n.Kind == dax.NumberNode && word == "1", n.Kind == dax.CallNode && word == "TRUE":
		return " asc", nil
	case n.Kind == dax.NameNode && word == "DESC", n.Kind == dax.NumberNode && word == "0", n.Kind == dax.CallNode && word == "FALSE",
		n.Kind == dax.OmittedNode:
		return " desc", nil
	}
	return "", r.fail(n, "an order is ASC or DESC")
}
