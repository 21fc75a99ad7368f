package evaluate

import (
	"strconv"
	"strings"

	"readiness/definition/dax"
)

// resolved is what a reference means wherever it is: a column or a measure of the model.
type resolved struct {
	column  *column
	measure *measure
}

// enter counts a level of nesting; the caller ends it.
func (s *session) enter(n *dax.Node) {
	s.spend(n, 1)
	s.at = n
	s.depth++
	if s.depth > maxDepth {
		s.exceeded(n, "evaluations nest deeper than %d levels", maxDepth)
	}
}

// scalar evaluates an expression that is a value.
func (s *session) scalar(sc scope, n *dax.Node) Value {
	s.enter(n)
	defer func() { s.depth-- }()
	for _, v := range n.Variables {
		sc = s.declare(sc, v.Name, v.Value)
	}
	switch n.Kind {
	case dax.NumberNode:
		x, err := strconv.ParseFloat(strings.TrimSuffix(n.Text, "."), 64)
		if err != nil {
			s.refuse(n, "the number %.40s cannot be read", n.Text)
		}
		return OfNumber(x)
	case dax.TextNode:
		return Value{kind: Text, text: n.Text}
	case dax.ColumnNode:
		return s.reference(sc, n)
	case dax.NameNode:
		if v := sc.variable(n); v != nil {
			if v.grid == nil {
				return v.value
			}
			return s.single(v.grid, n)
		}
		if !n.Quoted && (strings.EqualFold(n.Text, "TRUE") || strings.EqualFold(n.Text, "FALSE")) {
			return OfBoolean(strings.EqualFold(n.Text, "TRUE"))
		}
		s.refuse(n, "%s is no variable, and a table is no value", n.Text)
	case dax.SignNode:
		return s.sign(n, s.scalar(sc, n.Parts[0]))
	case dax.OperationNode:
		return s.operation(sc, n)
	case dax.CallNode:
		if f := s.scalars[n.Text]; f.call != nil {
			s.counted(n, f.least, f.most)
			return f.call(s, sc, n)
		}
		if _, isTable := s.tables[n.Text]; isTable {
			return s.single(s.table(sc, n), n)
		}
		s.unknown(n)
	case dax.ListNode:
		return s.single(s.table(sc, n), n)
	case dax.TupleNode, dax.OmittedNode:
	}
	s.refuse(n, "a value is expected here")
	return Value{}
}

// table evaluates an expression that is a table, whose rows all exist.
func (s *session) table(sc scope, n *dax.Node) *grid { return s.settled(s.grid(sc, n), n) }

// grid evaluates an expression that is a table.
func (s *session) grid(sc scope, n *dax.Node) *grid {
	s.enter(n)
	defer func() { s.depth-- }()
	for _, v := range n.Variables {
		sc = s.declare(sc, v.Name, v.Value)
	}
	switch n.Kind {
	case dax.NameNode:
		if v := sc.variable(n); v != nil {
			if v.grid == nil {
				s.refuse(n, "the variable %s is a value; a table is expected here", n.Text)
			}
			return v.grid
		}
		t := s.tableNamed(n)
		return t.of(s.shown(sc.context, t, n).rows)
	case dax.CallNode:
		if f := s.tables[n.Text]; f.call != nil {
			s.counted(n, f.least, f.most)
			return f.call(s, sc, n)
		}
		s.unknown(n)
	case dax.ListNode:
		return s.list(sc, n)
	case dax.NumberNode, dax.TextNode, dax.ColumnNode, dax.SignNode, dax.OperationNode, dax.TupleNode, dax.OmittedNode:
	}
	s.refuse(n, "a table is expected here")
	return nil
}

// unknown refuses a call of a function that is not known where it is.
func (s *session) unknown(n *dax.Node) {
	if s.scalars[n.Text].call != nil {
		s.refuse(n, "%s returns a value; a table is expected here", n.Text)
	}
	s.refuse(n, "the function %.100s is not known here", n.Text)
}

// counted refuses a wrong number of arguments, and omitted ones.
func (s *session) counted(n *dax.Node, least, most int) {
	if len(n.Parts) < least || most >= 0 && len(n.Parts) > most {
		s.refuse(n, "%s is not known with %d arguments", n.Text, len(n.Parts))
	}
	for _, p := range n.Parts {
		if p.Kind == dax.OmittedNode {
			s.refuse(p, "%s is not known with an omitted argument", n.Text)
		}
	}
}

// list evaluates a table constructor.
func (s *session) list(sc scope, n *dax.Node) *grid {
	g := &grid{}
	for i, row := range n.Parts {
		parts := []*dax.Node{row}
		if row.Kind == dax.TupleNode {
			parts = row.Parts
		}
		if i == 0 {
			for k := range parts {
				name := "Value"
				if len(parts) > 1 {
					name += strconv.Itoa(k + 1)
				}
				g.columns = append(g.columns, gridColumn{name: name})
			}
		}
		if len(parts) != len(g.columns) {
			s.refuse(row, "the rows of a table constructor have different numbers of values")
		}
		var values []Value
		for _, p := range parts {
			values = append(values, s.scalar(sc, p))
		}
		g.values = append(g.values, values)
	}
	return g
}

// single returns the value of a table with one column and at most one row.
func (s *session) single(g *grid, n *dax.Node) Value {
	s.settled(g, n)
	switch {
	case len(g.columns) != 1 || g.len() > 1:
		s.refuse(n, "a table with %d rows and %d columns; a value is expected here", g.len(), len(g.columns))
	case g.len() == 0:
		return Value{}
	}
	return g.value(0, 0)
}

// declare adds a variable, whose value is that of the place where it is declared.
func (s *session) declare(sc scope, name string, value *dax.Node) scope {
	v := &variable{name: name, outer: sc.variables}
	if s.isTable(sc, value) {
		v.grid = s.table(sc, value)
	} else {
		v.value = s.scalar(sc, value)
	}
	sc.variables = v
	return sc
}

// isTable reports whether an expression is a table. A function that returns one row and
// one column can be used as either.
func (s *session) isTable(sc scope, n *dax.Node) bool {
	switch n.Kind {
	case dax.ListNode:
		return true
	case dax.CallNode:
		_, ok := s.tables[n.Text]
		return ok
	case dax.NameNode:
		for i := len(n.Variables) - 1; i >= 0; i-- {
			if strings.EqualFold(n.Variables[i].Name, n.Text) && !n.Quoted {
				return s.isTable(sc, n.Variables[i].Value)
			}
		}
		if v := sc.variable(n); v != nil {
			return v.grid != nil
		}
		return s.model.byName[folded(n.Text)] != nil
	case dax.NumberNode, dax.TextNode, dax.ColumnNode, dax.SignNode, dax.OperationNode, dax.TupleNode, dax.OmittedNode:
	}
	return false
}

func (sc scope) variable(n *dax.Node) *variable {
	if n.Quoted {
		return nil
	}
	for v := sc.variables; v != nil; v = v.outer {
		if strings.EqualFold(v.name, n.Text) {
			return v
		}
	}
	return nil
}

func (s *session) tableNamed(n *dax.Node) *table {
	t := s.model.byName[folded(n.Text)]
	if n.Kind != dax.NameNode || t == nil {
		s.refuse(n, "the name of a table or a variable is expected here")
	}
	s.present(t, n)
	return t
}

// resolve finds the column or measure that a reference names, if the model has it.
func (s *session) resolve(n *dax.Node) resolved {
	if r, ok := s.resolved[n]; ok {
		return r
	}
	var r resolved
	name := folded(n.Reference.Name)
	if n.Reference.Qualified {
		t := s.model.byName[folded(n.Reference.Table)]
		if t == nil {
			s.refuse(n, "the model has no table '%.100s'", n.Reference.Table)
		}
		r.column = t.byName[name]
		if r.column != nil {
			s.present(t, n)
			if r.column.missing != "" {
				s.refuse(n, "%s", r.column.missing)
			}
		}
	}
	if r.column == nil {
		if r.measure = s.defined[name]; r.measure == nil {
			r.measure = s.model.measures[name]
		}
	}
	if n.Reference.Qualified && r.column == nil && r.measure == nil {
		s.refuse(n, "the model has no column or measure '%.100s'[%.100s]", n.Reference.Table, n.Reference.Name)
	}
	s.resolved[n] = r
	return r
}

// columnOf returns the model's column that an argument names.
func (s *session) columnOf(n *dax.Node) *column {
	if n.Kind != dax.ColumnNode || !n.Reference.Qualified || n.Variables != nil {
		s.refuse(n, "the name of a column with its table is expected here")
	}
	r := s.resolve(n)
	if r.column == nil {
		s.refuse(n, "[%s] is a measure; a column is expected here", n.Reference.Name)
	}
	return r.column
}

// reference evaluates a column of a current row, or a measure.
func (s *session) reference(sc scope, n *dax.Node) Value {
	r := s.resolve(n)
	for row := sc.row; row != nil; row = row.outer {
		at := -1
		if r.column != nil {
			at = row.grid.find(r.column)
		} else if !n.Reference.Qualified {
			at = row.grid.named(n.Reference.Name)
		}
		switch {
		case at == -2:
			s.refuse(n, "[%s] may be more than one column", n.Reference.Name)
		case at >= 0 && r.measure != nil:
			return s.both(sc, n, row.grid.value(row.row, at), r.measure)
		case at >= 0:
			return row.grid.value(row.row, at)
		}
	}
	switch {
	case r.measure != nil:
		return s.measured(sc, n, r.measure)
	case r.column != nil:
		s.refuse(n, "there is no current row of %v", r.column)
	}
	s.refuse(n, "[%.100s] is no measure, and no column of a current row", n.Reference.Name)
	return Value{}
}

// both evaluates a name that a column of a current row shares with a measure. Which one
// is meant is not relied on.
func (s *session) both(sc scope, n *dax.Node, column Value, m *measure) Value {
	if v := s.measured(sc, n, m); !nearly(v, column) {
		s.refuse(n, "[%s] is a column of the current row and a measure, with different values", n.Reference.Name)
	}
	return column
}

// nearly reports whether two values differ by rounding at most.
func nearly(v, w Value) bool {
	if v.kind != w.kind || v.kind != Number {
		return v.key() == w.key()
	}
	d := v.number - w.number
	return d == 0 || max(d, -d) <= 1e-9*max(v.number, -v.number)
}

// measured evaluates a measure in the filter context of the current rows.
func (s *session) measured(sc scope, n *dax.Node, m *measure) Value {
	if s.simple {
		s.refuse(n, "a measure is not evaluated for calculated tables and columns")
	}
	if s.calling[m] {
		s.refuse(n, "the measure [%s] refers to itself", m.name)
	}
	c := s.transition(sc, n)
	if v, known := c.measured[m]; known {
		return v
	}
	s.at, s.sources = nil, append(s.sources, m.in)
	expression := s.parsed[m]
	if expression == nil {
		var ok bool
		if expression, ok = dax.Parse(m.in.text); !ok {
			s.refuse(nil, "the expression cannot be read")
		}
		s.parsed[m] = expression
	}
	s.calling[m] = true
	v := s.scalar(scope{context: c}, expression)
	delete(s.calling, m)
	s.at, s.sources = n, s.sources[:len(s.sources)-1]
	if c.measured == nil {
		c.measured = map[*measure]Value{}
	}
	c.measured[m] = v
	return v
}

// transition returns the context in which the current rows are filters.
func (s *session) transition(sc scope, n *dax.Node) *context {
	c := sc.context
	if sc.row == nil {
		return c
	}
	var rows []*rowContext
	for row := sc.row; row != nil; row = row.outer {
		rows = append(rows, row)
	}
	for i := len(rows) - 1; i >= 0; i-- { // the innermost row prevails
		f := s.rowFilter(rows[i], c.relations, n)
		if f == nil {
			continue
		}
		var r removal
		r.addFilter(f)
		c = s.replaced(c, &r).with(f)
	}
	return c
}

// rowFilter returns the filter by the values of a row, nil for a row without columns of
// the model.
func (s *session) rowFilter(row *rowContext, r *relations, n *dax.Node) *filter {
	g := row.grid
	if g.base != nil {
		class := g.base.classes[g.ids[row.row]] // all rows of the class pass
		return s.filterOf(&grid{base: g.base, ids: []int32{class}}, r, n)
	}
	one := &grid{columns: g.columns, values: g.values[row.row : row.row+1]}
	for _, c := range g.columns {
		if c.of != nil {
			return s.filterOf(one, r, n)
		}
	}
	return nil
}
