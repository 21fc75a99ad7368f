package normalform

import (
	"strings"

	"readiness/definition/dax"
)

// treated reads TREATAS of a list of constants as one column.
func (r *reader) treated(n *dax.Node, in scope) (change, error) {
	if len(n.Parts) != 2 || n.Parts[1].Kind != dax.ColumnNode {
		return change{}, r.fail(n, "TREATAS is read of a list as one column")
	}
	c := r.column(n.Parts[1].Reference, in)
	if c == nil {
		return change{}, r.fail(n.Parts[1], "the model has no column %s", shown(n.Parts[1].Reference))
	}
	list, outer := resolved(n.Parts[0], in)
	s, err := r.list(list, c, outer)
	return change{limits: []limit{{c, s}}}, err
}

// list reads the values of {…}.
func (r *reader) list(n *dax.Node, c *column, in scope) (set, error) {
	n, in = resolved(n, in)
	if n.Kind != dax.ListNode {
		return set{}, r.fail(n, "values are read in braces only")
	}
	s := set{numeric: c.numeric()}
	for _, p := range n.Parts {
		v, err := r.scalar(p, in)
		if err != nil {
			return set{}, err
		}
		one, ok := c.equal("==", v)
		if !ok {
			return set{}, r.fail(p, "a value of another type than %s", c)
		}
		s, _ = s.or(one)
	}
	return s, nil
}

// equal returns the values of the column that compare to a constant.
func (c *column) equal(operator string, v *value) (s set, ok bool) {
	switch {
	case v.op == "blank" && (operator == "=" || operator == "=="):
		s = set{numeric: c.numeric(), blank: true}
		if operator == "==" {
			return s, true
		}
		return set{}, false // = BLANK() also holds for 0 and an empty text
	case v.op == "blank" && operator == "<>":
		return set{}, false
	case c.numeric() && v.op == "number":
		return compared(operator, v.number), true
	case !c.numeric() && (v.op == "text" || v.op == "truth"):
		if (v.op == "truth") != (c.kind == "boolean") {
			return set{}, false
		}
		text := strings.ToLower(v.text)
		empty := text == "" || text == "false"
		switch operator {
		case "=":
			s = listed(false, text)
			s.blank = empty
		case "==":
			s = listed(false, text)
		case "<>":
			s = listed(true, text)
			s.blank = !empty
		default:
			return set{}, false
		}
		return s, true
	}
	return set{}, false
}
