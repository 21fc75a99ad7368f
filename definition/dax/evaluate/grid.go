package evaluate

import (
	"math"
	"slices"
	"strings"

	"readiness/definition/dax"
)

// grid is a table as a function returns it. Rows are either those of a table of the
// model, or values that a function computed.
type grid struct {
	columns []gridColumn
	base    *table
	ids     []int32
	values  [][]Value
	// unsure is true when the last row is a blank row that may not exist.
	unsure bool
}

// gridColumn is a column of a grid. of is the model's column whose values it has, which
// it filters; nil for none.
type gridColumn struct {
	name string
	of   *column
}

func (g *grid) len() int {
	if g.base != nil {
		return len(g.ids)
	}
	return len(g.values)
}

func (g *grid) value(row, column int) Value {
	if g.base == nil {
		return g.values[row][column]
	}
	c := g.columns[column].of
	return c.values[c.codes[g.ids[row]]]
}

// names returns the columns' names as a result shows them.
func (g *grid) names() []string {
	names := make([]string, len(g.columns))
	for i, c := range g.columns {
		names[i] = "[" + c.name + "]"
		if c.of != nil && c.of.name == c.name {
			names[i] = c.of.table.name + names[i]
		}
	}
	return names
}

// find returns the column that has the model's column, -1 for none.
func (g *grid) find(c *column) int {
	return slices.IndexFunc(g.columns, func(x gridColumn) bool { return x.of == c })
}

// named returns the column of the name, -1 for none, and -2 for several.
func (g *grid) named(name string) int {
	found := -1
	for i, c := range g.columns {
		if strings.EqualFold(c.name, name) {
			if found >= 0 {
				return -2
			}
			found = i
		}
	}
	return found
}

// of returns a grid of a table's rows.
func (t *table) of(ids []int32) *grid {
	g := &grid{base: t, ids: ids}
	for _, c := range t.columns {
		if c.missing == "" {
			g.columns = append(g.columns, gridColumn{c.name, c})
		}
	}
	return g
}

// keep returns a grid with some of the rows.
func (g *grid) keep(rows []int) *grid {
	kept := &grid{columns: g.columns, base: g.base}
	kept.unsure = g.unsure && len(rows) > 0 && rows[len(rows)-1] == g.len()-1
	for _, row := range rows {
		if g.base != nil {
			kept.ids = append(kept.ids, g.ids[row])
		} else {
			kept.values = append(kept.values, g.values[row])
		}
	}
	return kept
}

// own returns the grid with its values copied out of the table of the model.
func (s *session) own(g *grid, n *dax.Node) *grid {
	if g.base == nil {
		return g
	}
	s.fits(n, g.len(), len(g.columns))
	copied := &grid{columns: g.columns, values: make([][]Value, g.len()), unsure: g.unsure}
	for row := range copied.values {
		copied.values[row] = make([]Value, len(g.columns))
		for i := range g.columns {
			copied.values[row][i] = g.value(row, i)
		}
	}
	return copied
}

// fits refuses a table that is too large.
func (s *session) fits(n *dax.Node, rows, columns int) {
	if rows > maxCells || columns > maxCells || rows*max(1, columns) > maxCells {
		s.exceeded(n, "a table with %d rows and %d columns; a table may have %d values", rows, columns, maxCells)
	}
	s.spend(n, rows*max(1, columns))
}

// distinct returns the rows of a grid once each, by the columns given.
func (s *session) distinct(g *grid, columns []int, n *dax.Node) *grid {
	s.fits(n, g.len(), len(columns))
	d := &grid{}
	for _, c := range columns {
		d.columns = append(d.columns, g.columns[c])
	}
	seen := map[string]bool{}
	var key []byte
	for row := range g.len() {
		values := make([]Value, len(columns))
		key = key[:0]
		for i, c := range columns {
			values[i] = g.value(row, c)
			key = values[i].appendKey(key)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			d.values = append(d.values, values)
		}
	}
	d.unsure = g.unsure && len(d.values) == g.len()
	if g.unsure && !d.unsure {
		s.refuse(n, "it depends on a blank row that no active relationship needs for a row of data")
	}
	return d
}

// appendKey appends bytes that are equal for values that DAX does not distinguish.
func (v Value) appendKey(key []byte) []byte {
	k := v.key()
	key = append(key, byte(k.kind))
	key = appendCode(key, int32(len(k.text)))
	bits := math.Float64bits(k.number)
	key = appendCode(appendCode(key, int32(uint32(bits))), int32(uint32(bits>>32)))
	return append(key, k.text...)
}

// filterOf returns the filter that a table is as an argument of CALCULATE.
func (s *session) filterOf(g *grid, r *relations, n *dax.Node) *filter {
	if g.base != nil {
		e := r.expansions[g.base]
		if e.fault != "" {
			s.refuse(n, "%s", e.fault)
		}
		f := &filter{base: g.base, rows: g.ids, relations: r}
		for _, t := range e.tables {
			f.units = append(f.units, unit{table: t})
		}
		s.settled(g, n)
		return f
	}
	f := &filter{}
	var at []int
	for i, c := range g.columns {
		if c.of != nil {
			f.units, at = append(f.units, unit{c.of.table, c.of}), append(at, i)
		}
	}
	switch {
	case len(f.units) == 0:
		s.refuse(n, "a table without columns of the model is no filter")
	case len(f.units) > maxUnits:
		s.refuse(n, "a filter on more than %d columns", maxUnits)
	case len(f.units) > 1:
		s.settled(g, n)
	}
	f.unsureBlank = g.unsure
	s.spend(n, g.len()*len(at))
rows:
	for row := range g.len() {
		before := len(f.tuples)
		for k, i := range at {
			code, ok := f.units[k].column.code(g.value(row, i))
			if !ok {
				f.tuples = f.tuples[:before]
				continue rows
			}
			f.tuples = append(f.tuples, code)
		}
	}
	return f
}

// settled refuses a table that has a row which may not exist.
func (s *session) settled(g *grid, n *dax.Node) *grid {
	if g.unsure {
		s.refuse(n, "it depends on a blank row that no active relationship needs for a row of data")
	}
	return g
}
