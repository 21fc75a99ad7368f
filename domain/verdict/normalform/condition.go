package normalform

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// swapped are the operators with their operands exchanged.
var swapped = map[string]string{"=": "=", "==": "==", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

// condition reads a condition on columns as the values of each that meet it. Conditions on several columns have to be
// joined by &&.
func (r *reader) condition(n *dax.Node, in scope) ([]limit, error) {
	if r.parts++; r.parts > mostParts {
		return nil, r.fail(n, "the query has too many parts")
	}
	in = declare(n, in)
	switch {
	case n.Kind == dax.ColumnNode:
		if c := r.named(n, in); c != nil && c.kind == "boolean" {
			s, _ := c.equal("=", truth(true))
			return []limit{{c, s}}, nil
		}
	case n.Kind == dax.NameNode && !n.Quoted:
		if v := in.vars.find(spelling.Fold(n.Text)); v != nil {
			return r.condition(v.tree, v.in)
		}
	case n.Kind == dax.SignNode && n.Text == "NOT":
		return r.negated(n, n.Parts[0], in)
	case n.Kind == dax.CallNode && n.Text == "NOT" && len(n.Parts) == 1:
		return r.negated(n, n.Parts[0], in)
	case len(n.Parts) == 2 && (n.Kind == dax.OperationNode && (n.Text == "&&" || n.Text == "||") ||
		n.Kind == dax.CallNode && (n.Text == "AND" || n.Text == "OR")):
		return r.joined(n, in)
	case n.Kind == dax.OperationNode && n.Text == "IN":
		if c := r.named(n.Parts[0], in); c != nil {
			s, err := r.list(n.Parts[1], c, in)
			return []limit{{c, s}}, err
		}
	case n.Kind == dax.OperationNode && swapped[n.Text] != "":
		return r.comparison(n, in)
	case n.Kind == dax.CallNode && n.Text == "ISBLANK" && len(n.Parts) == 1:
		if c := r.named(n.Parts[0], in); c != nil {
			return []limit{{c, set{numeric: c.numeric(), blank: true}}}, nil
		}
	case n.Kind == dax.CallNode && n.Text == "CONTAINSSTRING" && len(n.Parts) == 2:
		c := r.named(n.Parts[0], in)
		part, err := r.scalar(n.Parts[1], in)
		if err == nil && c != nil && part.op == "text" && part.text != "" && !strings.ContainsAny(part.text, "?*~") {
			s := everything(c.numeric())
			s.blank = false
			s.more = []string{"contains " + strconv.Quote(strings.ToLower(part.text))}
			return []limit{{c, s}}, nil
		}
	}
	return nil, r.fail(n, "the condition is none of a column that is compared to constants")
}

// named returns the column that an expression names, or nil.
func (r *reader) named(n *dax.Node, in scope) *column {
	if n.Kind != dax.ColumnNode || len(n.Variables) > 0 {
		return nil
	}
	if !n.Reference.Qualified {
		for at := in.row; at != nil; at = at.outer {
			if _, other := at.named[spelling.Fold(n.Reference.Name)]; other {
				return nil
			}
		}
		if r.measure(n.Reference) != nil {
			return nil
		}
	}
	return r.column(n.Reference, in)
}

func (r *reader) negated(n, of *dax.Node, in scope) ([]limit, error) {
	limits, err := r.condition(of, in)
	if err != nil {
		return nil, err
	}
	if len(limits) == 1 {
		if s, ok := limits[0].set.not(); ok {
			return []limit{{limits[0].column, s}}, nil
		}
	}
	return nil, r.fail(n, "NOT is read of a condition on one column")
}

func (r *reader) joined(n *dax.Node, in scope) ([]limit, error) {
	left, err := r.condition(n.Parts[0], in)
	if err != nil {
		return nil, err
	}
	right, err := r.condition(n.Parts[1], in)
	if err != nil {
		return nil, err
	}
	if n.Text == "||" || n.Text == "OR" {
		if len(left) == 1 && len(right) == 1 && left[0].column == right[0].column {
			if s, ok := left[0].set.or(right[0].set); ok {
				return []limit{{left[0].column, s}}, nil
			}
		}
		return nil, r.fail(n, "|| is read of conditions on the same column")
	}
	all := slices.Clone(left)
	for _, l := range right {
		if i := slices.IndexFunc(all, func(x limit) bool { return x.column == l.column }); i >= 0 {
			all[i].set = all[i].set.and(l.set)
		} else {
			all = append(all, l)
		}
	}
	return all, nil
}

// comparison reads a column, or the year of one, that is compared to a constant.
func (r *reader) comparison(n *dax.Node, in scope) ([]limit, error) {
	left, right, operator := n.Parts[0], n.Parts[1], n.Text
	if r.named(left, in) == nil && !isYear(left) {
		left, right, operator = right, left, swapped[operator]
	}
	c := r.named(left, in)
	ofYear := c == nil && isYear(left)
	if ofYear {
		c = r.named(left.Parts[0], in)
	}
	if c == nil {
		return nil, r.fail(n, "a comparison that names no column is not read as a filter")
	}
	v, err := r.scalar(right, scope{at: in.at, vars: in.vars, level: in.level})
	if err != nil {
		return nil, err
	}
	if !v.constant() {
		return nil, r.fail(right, "a filter by a value that depends on the data is not read")
	}
	if ofYear {
		s, ok := ofYears(operator, v)
		if !ok || c.kind != "dateTime" {
			return nil, r.fail(n, "a year is compared to an integer")
		}
		return []limit{{c, s}}, nil
	}
	s, ok := c.equal(operator, v)
	if !ok {
		return nil, r.fail(n, "the comparison of %s is not read", c)
	}
	return []limit{{c, s}}, nil
}

func isYear(n *dax.Node) bool { return n.Kind == dax.CallNode && n.Text == "YEAR" && len(n.Parts) == 1 }

// ofYears returns the days whose year compares to a constant. The year of BLANK is 1899.
func ofYears(operator string, v *value) (set, bool) {
	if v.op != "number" || v.number != math.Trunc(v.number) || v.number < 1900 || 9999 < v.number {
		return set{}, false
	}
	s := set{numeric: true, blank: compared(operator, v.number).holds(1899)}
	for _, p := range compared(operator, v.number).integers().spans {
		from, _ := yearPart.edge(p.from)
		to, _ := yearPart.edge(p.to)
		s.spans = append(s.spans, span{from, to})
	}
	return s, true
}
