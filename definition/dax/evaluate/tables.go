package evaluate

import (
	"strings"

	"readiness/definition/dax"
)

// columnValues returns the distinct values of a column that the context shows, with the
// blank row for VALUES.
func (s *session) columnValues(sc scope, c *column, blankRow bool, n *dax.Node) *grid {
	shown := s.shown(sc.context, c.table, n)
	return s.valuesIn([]*column{c}, shown, blankRow, n)
}

// valuesIn returns the distinct combinations of columns of one table in some rows.
func (s *session) valuesIn(columns []*column, in *selection, blankRow bool, n *dax.Node) *grid {
	g := &grid{}
	for _, c := range columns {
		g.columns = append(g.columns, gridColumn{c.name, c})
	}
	s.spend(n, len(in.rows)*len(columns))
	seen := map[string]bool{}
	var key []byte
	add := func(row int32) bool {
		key = key[:0]
		for _, c := range columns {
			key = appendCode(key, c.codes[row])
		}
		if seen[string(key)] {
			return false
		}
		seen[string(key)] = true
		values := make([]Value, len(columns))
		for i, c := range columns {
			values[i] = c.values[c.codes[row]]
		}
		g.values = append(g.values, values)
		return true
	}
	for _, row := range in.rows {
		add(row)
	}
	if blankRow && in.blank && len(columns) > 0 && add(int32(columns[0].table.n)) {
		g.unsure = !in.sure
	}
	return g
}

// allOf returns all combinations of columns of one table.
func (s *session) allOf(sc scope, columns []*column, n *dax.Node) *grid {
	t := columns[0].table
	return s.valuesIn(columns, s.shown(&context{relations: sc.context.relations}, t, n), true, n)
}

// rowsOf returns the rows of a table that a context shows, with the blank row.
func (s *session) rowsOf(c *context, t *table, n *dax.Node) *grid {
	shown := s.shown(c, t, n)
	ids := shown.rows
	if shown.blank {
		ids = append(ids[:len(ids):len(ids)], int32(t.n))
	}
	g := t.of(ids)
	g.unsure = shown.blank && !shown.sure
	return g
}

func (s *session) valuesTable(sc scope, n *dax.Node) *grid {
	if n.Parts[0].Kind == dax.ColumnNode {
		return s.columnValues(sc, s.columnOf(n.Parts[0]), true, n)
	}
	return s.rowsOf(sc.context, s.tableNamed(n.Parts[0]), n)
}

func (s *session) distinctTable(sc scope, n *dax.Node) *grid {
	if n.Parts[0].Kind == dax.ColumnNode {
		return s.columnValues(sc, s.columnOf(n.Parts[0]), false, n)
	}
	g := s.grid(sc, n.Parts[0])
	all := make([]int, len(g.columns))
	for i := range all {
		all[i] = i
	}
	return s.distinct(g, all, n)
}

func (s *session) allTable(sc scope, n *dax.Node) *grid {
	if n.Parts[0].Kind != dax.ColumnNode {
		s.counted(n, 1, 1)
		return s.rowsOf(&context{relations: sc.context.relations}, s.tableNamed(n.Parts[0]), n)
	}
	var columns []*column
	for _, p := range n.Parts {
		columns = append(columns, s.columnOf(p))
		if columns[0].table != columns[len(columns)-1].table {
			s.refuse(p, "ALL of columns of different tables")
		}
	}
	return s.allOf(sc, columns, n)
}

// newName returns the name that a call gives to a column.
func (s *session) newName(g *grid, n *dax.Node) string {
	if n.Kind != dax.TextNode || n.Text == "" {
		s.refuse(n, "the name of a column is expected here, in quotation marks")
	}
	for _, c := range g.columns {
		if strings.EqualFold(c.name, n.Text) && (c.of == nil || c.of.name != c.name) {
			s.refuse(n, "the name %q is given twice", n.Text)
		}
	}
	return n.Text
}

func (s *session) addColumns(sc scope, n *dax.Node) *grid {
	if len(n.Parts)%2 == 0 {
		s.refuse(n, "ADDCOLUMNS needs a name and an expression for each column")
	}
	g := s.grid(sc, n.Parts[0])
	wide := s.own(g, n)
	wide = &grid{columns: append([]gridColumn(nil), wide.columns...), values: append([][]Value(nil), wide.values...), unsure: g.unsure}
	s.fits(n, g.len(), len(wide.columns)+len(n.Parts)/2)
	for i := 1; i < len(n.Parts); i += 2 {
		wide.columns = append(wide.columns, gridColumn{name: s.newName(wide, n.Parts[i])})
	}
	for row := range g.len() {
		values := append([]Value(nil), wide.values[row]...)
		for i := 2; i < len(n.Parts); i += 2 {
			values = append(values, s.scalar(sc.at(g, row), n.Parts[i]))
		}
		wide.values[row] = values
	}
	return wide
}

func (s *session) selectColumns(sc scope, n *dax.Node) *grid {
	g := s.grid(sc, n.Parts[0])
	selected := &grid{unsure: g.unsure}
	var expressions []*dax.Node
	for i := 1; i < len(n.Parts); i++ {
		p := n.Parts[i]
		var c gridColumn
		if p.Kind == dax.TextNode {
			c.name = s.newName(selected, p)
			if i++; i == len(n.Parts) {
				s.refuse(n, "SELECTCOLUMNS needs an expression for each name")
			}
			p = n.Parts[i]
		} else {
			c.name = s.columnOf(p).name
		}
		if p.Kind == dax.ColumnNode && p.Variables == nil {
			if r := s.resolve(p); r.column != nil && g.find(r.column) >= 0 {
				c.of = r.column
			}
		}
		selected.columns, expressions = append(selected.columns, c), append(expressions, p)
	}
	s.fits(n, g.len(), len(expressions))
	for row := range g.len() {
		values := make([]Value, len(expressions))
		for i, p := range expressions {
			values[i] = s.scalar(sc.at(g, row), p)
		}
		selected.values = append(selected.values, values)
	}
	return selected
}

func (s *session) row(sc scope, n *dax.Node) *grid {
	if len(n.Parts)%2 == 1 {
		s.refuse(n, "ROW needs an expression for each name")
	}
	g := &grid{values: [][]Value{nil}}
	for i := 0; i < len(n.Parts); i += 2 {
		g.columns = append(g.columns, gridColumn{name: s.newName(g, n.Parts[i])})
		g.values[0] = append(g.values[0], s.scalar(sc, n.Parts[i+1]))
	}
	return g
}

// treatAs gives the columns of a table the names of the model's columns, and leaves out
// rows with values that those do not have.
func (s *session) treatAs(sc scope, n *dax.Node) *grid {
	from := s.table(sc, n.Parts[0])
	g := &grid{}
	for _, p := range n.Parts[1:] {
		c := s.columnOf(p)
		g.columns = append(g.columns, gridColumn{c.name, c})
	}
	if len(from.columns) != len(g.columns) {
		s.refuse(n, "TREATAS of a table with %d columns as %d columns", len(from.columns), len(g.columns))
	}
	s.fits(n, from.len(), len(g.columns))
rows:
	for row := range from.len() {
		values := make([]Value, len(g.columns))
		for i, c := range g.columns {
			values[i] = from.value(row, i)
			if v := values[i]; !v.isBlank() && !c.of.holds(v) {
				s.refuse(n, "TREATAS of %q as %v, which has another type", v.String(), c.of)
			}
			if code, ok := c.of.code(values[i]); !ok || code == 0 && !s.hasBlank(c.of) {
				continue rows
			}
		}
		g.values = append(g.values, values)
	}
	return g
}

// holds reports whether a value has the type of the column's values.
func (c *column) holds(v Value) bool { return len(c.values) < 2 || c.values[1].kind == v.kind }

// hasBlank reports whether BLANK is among the values of a column.
func (s *session) hasBlank(c *column) bool {
	for _, code := range c.codes[:c.table.n] {
		if code == 0 {
			return true
		}
	}
	has, _ := s.model.relations.blankRow(c.table)
	return has
}

func (s *session) crossJoin(sc scope, n *dax.Node) *grid {
	product := &grid{values: [][]Value{nil}}
	for _, p := range n.Parts {
		g := s.table(sc, p)
		for _, c := range g.columns {
			if c.of != nil && product.find(c.of) >= 0 || c.of == nil && product.named(c.name) != -1 {
				s.refuse(p, "CROSSJOIN of tables that both have the column [%s]", c.name)
			}
			product.columns = append(product.columns, c)
		}
		s.fits(n, product.len()*g.len(), len(product.columns))
		var rows [][]Value
		for _, before := range product.values {
			for row := range g.len() {
				values := append([]Value(nil), before...)
				for i := range g.columns {
					values = append(values, g.value(row, i))
				}
				rows = append(rows, values)
			}
		}
		product.values = rows
	}
	return product
}
