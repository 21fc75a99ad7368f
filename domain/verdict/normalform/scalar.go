package normalform

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// Unread says why a query has no normal form, and where.
type Unread struct {
	// At is where in the query, in bytes; inside a measure where the measure is named.
	At      int
	Message string
}

// Error implements error.
func (u *Unread) Error() string { return u.Message }

// bounds of one query: nested measures, and parts of expressions with those of measures.
const (
	mostNested = 40
	mostParts  = 20_000
)

// reader reads one query.
type reader struct {
	model   *Model
	defined map[string]*measure
	today   time.Time
	groups  []*column // of the query
	parts   int
	refers  bool // to a column, a measure or a table of the model
	inside  int  // -1, or where the measure that is read is named
	nested  int
	level   int // how many groupings are around what is read
}

// scope is what names mean at a place of the query. It does not change.
type scope struct {
	at *place
	// row is the row that columns are read from; nil outside iterations.
	row  *row
	vars *variable
	// level is that of the reader where the scope was made.
	level int
}

// row is the current row of an iteration.
type row struct {
	// columns are those that can be read; nil for all of table and of the tables that it finds.
	columns []*column
	table   *table
	// named are the further columns, by folded name.
	named map[string]*value
	// query is true for a row of the query's result, false for one of an iteration inside a value. grouped is true if the
	// row also filters.
	query, grouped bool
	outer          *row
}

// variable is what VAR declares, with those before it. It is evaluated where it was declared.
type variable struct {
	name   string
	tree   *dax.Node
	in     scope
	before *variable
}

func (v *variable) find(name string) *variable {
	for ; v != nil; v = v.before {
		if v.name == name {
			return v
		}
	}
	return nil
}

func (r *reader) fail(n *dax.Node, format string, args ...any) error {
	at := n.At
	if r.inside >= 0 {
		at = r.inside
	}
	return &Unread{at, fmt.Sprintf(format, args...)}
}

// declare adds the variables of a node.
func declare(n *dax.Node, in scope) scope {
	for _, v := range n.Variables {
		in.vars = &variable{spelling.Fold(v.Name), v.Value, in, in.vars}
	}
	return in
}

// scalar reads a scalar expression.
func (r *reader) scalar(n *dax.Node, in scope) (*value, error) {
	if r.parts++; r.parts > mostParts {
		return nil, r.fail(n, "the query has too many parts")
	}
	in = declare(n, in)
	switch n.Kind {
	case dax.NumberNode:
		x, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			return nil, r.fail(n, "%s is no number", n.Text)
		}
		return numberOf(x), nil
	case dax.TextNode:
		return &value{op: "text", text: n.Text}, nil
	case dax.ColumnNode:
		return r.reference(n, in)
	case dax.NameNode:
		if v := in.vars.find(spelling.Fold(n.Text)); v != nil && !n.Quoted {
			return r.scalar(v.tree, v.in)
		}
		if word := strings.ToUpper(n.Text); !n.Quoted && (word == "TRUE" || word == "FALSE") {
			return truth(word == "TRUE"), nil
		}
		return nil, r.fail(n, "%s is no value", n.Text)
	case dax.SignNode, dax.OperationNode:
		return r.operation(n, in)
	case dax.CallNode:
		return r.call(n, in)
	default:
		return nil, r.fail(n, "a list is no value")
	}
}

// reference reads a column of the row, or a measure.
func (r *reader) reference(n *dax.Node, in scope) (*value, error) {
	ref := n.Reference
	x := r.measure(ref)
	if !ref.Qualified {
		for at := in.row; at != nil; at = at.outer {
			if v, named := at.named[spelling.Fold(ref.Name)]; named {
				if x == nil {
					return v, nil
				}
				m, err := r.expand(n, x, in)
				if err != nil || m.key(r.groups) != v.key(r.groups) {
					return nil, r.fail(n, "[%s] is a measure and a column of the query, which differ", ref.Name)
				}
				return v, nil
			}
		}
	}
	if x != nil {
		return r.expand(n, x, in)
	}
	c := r.column(ref, in)
	if c == nil {
		return nil, r.fail(n, "the model has no column or measure %s", shown(ref))
	}
	for at := in.row; at != nil; at = at.outer {
		if at.table == c.table || slices.Contains(at.columns, c) {
			r.refers = true
			return &value{op: "column", text: c.String()}, nil
		}
	}
	return nil, r.fail(n, "%s is a column outside a row", shown(ref))
}

func shown(ref dax.Reference) string {
	if ref.Qualified {
		return "'" + ref.Table + "'[" + ref.Name + "]"
	}
	return "[" + ref.Name + "]"
}

func (r *reader) measure(ref dax.Reference) *measure {
	if ref.Qualified && r.model.column(ref.Table, ref.Name) != nil {
		return nil
	}
	if x := r.defined[spelling.Fold(ref.Name)]; x != nil {
		return x
	}
	return r.model.measures[spelling.Fold(ref.Name)]
}

// column finds the column of a reference; one without a table names a column of the row's table.
func (r *reader) column(ref dax.Reference, in scope) *column {
	if ref.Qualified {
		return r.model.column(ref.Table, ref.Name)
	}
	for at := in.row; at != nil; at = at.outer {
		if at.table != nil {
			if c := at.table.columns[spelling.Fold(ref.Name)]; c != nil {
				return c
			}
		}
		for _, c := range at.columns {
			if spelling.Fold(c.name) == spelling.Fold(ref.Name) {
				return c
			}
		}
	}
	return nil
}

// expand reads the expression of a measure in the filter context that it is named in.
func (r *reader) expand(n *dax.Node, x *measure, in scope) (*value, error) {
	r.refers = r.refers || r.defined[spelling.Fold(x.name)] != x
	if x.tree == nil {
		return nil, r.fail(n, "the expression of the measure [%s] cannot be read", x.name)
	}
	if r.nested++; r.nested > mostNested {
		return nil, r.fail(n, "the measure [%s] is nested too deep", x.name)
	}
	outside := r.inside
	if r.inside < 0 {
		r.inside = n.At
	}
	v, err := r.scalar(x.tree, scope{at: in.transition(), level: in.level})
	r.inside, r.nested = outside, r.nested-1
	return v, err
}

// transition returns the filter context after the rows became filters.
func (s scope) transition() *place {
	if s.row == nil {
		return s.at
	}
	at := s.at.copied()
	at.alone = false
	for row := s.row; row != nil; row = row.outer {
		if !row.query {
			at.step("row of "+row.text(), row.table)
		}
	}
	return at
}

func (w *row) text() string {
	if w.table != nil {
		return "'" + spelling.Fold(w.table.name) + "'"
	}
	var names []string
	for _, c := range w.columns {
		names = append(names, c.String())
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}

// operation reads signs and operators, and computes those of constants.
func (r *reader) operation(n *dax.Node, in scope) (*value, error) {
	if n.Text == "IN" {
		return nil, r.fail(n, "IN is read in filters only")
	}
	v := &value{op: n.Text}
	for _, p := range n.Parts {
		a, err := r.scalar(p, in)
		if err != nil {
			return nil, err
		}
		v.args = append(v.args, a)
	}
	if n.Kind == dax.SignNode {
		switch {
		case n.Text == "+":
			return v.args[0], nil
		case n.Text == "-" && v.args[0].op == "number":
			return numberOf(-v.args[0].number), nil
		}
		v.op = "sign " + n.Text
		return v, nil
	}
	if v.args[0].op == "number" && v.args[1].op == "number" {
		if x, ok := computed(n.Text, v.args[0].number, v.args[1].number); ok {
			return numberOf(x), nil
		}
	}
	return v, nil
}

func computed(operator string, a, b float64) (x float64, ok bool) {
	switch operator {
	case "+":
		x = a + b
	case "-":
		x = a - b
	case "*":
		x = a * b
	case "/":
		x = a / b
	default:
		return 0, false
	}
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}
