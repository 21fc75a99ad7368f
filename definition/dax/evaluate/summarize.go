package evaluate

import (
	"slices"

	"readiness/definition/dax"
)

// named is an expression with the name that a call gives to its column.
type named struct {
	name       *dax.Node
	expression *dax.Node
}

// summary is a call of SUMMARIZECOLUMNS.
type summary struct {
	tables  []*table // of the groupings, in order of appearance
	columns []*column
	filters []*filter // from its filter arguments
	added   []named
}

func (s *session) summarizeColumns(sc scope, n *dax.Node) *grid {
	switch {
	case s.simple:
		s.refuse(n, "SUMMARIZECOLUMNS is not evaluated for calculated tables")
	case sc.row != nil:
		s.refuse(n, "SUMMARIZECOLUMNS for a current row")
	}
	sum := s.readSummary(sc, n)
	c := sc.context.with(sum.filters...)
	groups := make([]*grid, len(sum.tables))
	for i, t := range sum.tables {
		var columns []*column
		for _, x := range sum.columns {
			if x.table == t {
				columns = append(columns, x)
			}
		}
		groups[i] = s.valuesIn(columns, s.shown(c, t, n), true, n)
		if len(sum.added) == 0 {
			s.settled(groups[i], n)
		}
	}
	if len(sum.added) == 0 && len(groups) > 1 {
		s.refuse(n, "SUMMARIZECOLUMNS of columns of several tables without an expression")
	}
	result := &grid{}
	for _, x := range sum.columns {
		result.columns = append(result.columns, gridColumn{x.name, x})
	}
	for _, a := range sum.added {
		result.columns = append(result.columns, gridColumn{name: s.newName(result, a.name)})
	}
	s.group(sc, c, &sum, groups, nil, func(rows []int, inner *context) {
		s.summarized(sc, &sum, groups, rows, inner, result, n)
	}, n)
	return result
}

// readSummary reads the arguments of SUMMARIZECOLUMNS.
func (s *session) readSummary(sc scope, n *dax.Node) (sum summary) {
	for i := 0; i < len(n.Parts); i++ {
		p := n.Parts[i]
		switch {
		case p.Kind == dax.TextNode:
			if i++; i == len(n.Parts) {
				s.refuse(p, "SUMMARIZECOLUMNS needs an expression for each name")
			}
			sum.added = append(sum.added, named{p, n.Parts[i]})
		case p.Kind == dax.ColumnNode && len(sum.filters)+len(sum.added) == 0:
			c := s.columnOf(p)
			if slices.Contains(sum.columns, c) {
				s.refuse(p, "%v is given twice", c)
			}
			sum.columns = append(sum.columns, c)
			if !slices.Contains(sum.tables, c.table) {
				sum.tables = append(sum.tables, c.table)
			}
		case len(sum.added) > 0:
			s.refuse(p, "the arguments of SUMMARIZECOLUMNS are in an order that is not known")
		default:
			sum.filters = append(sum.filters, s.summaryFilter(sc, p))
		}
	}
	return sum
}

// summaryFilter evaluates a filter argument of SUMMARIZECOLUMNS.
func (s *session) summaryFilter(sc scope, p *dax.Node) *filter {
	if p.Kind == dax.CallNode && p.Text == "KEEPFILTERS" {
		s.counted(p, 1, 1)
		p = p.Parts[0]
	}
	if !s.isTable(sc, p) {
		s.refuse(p, "a table is expected here")
	}
	f := s.filterOf(s.grid(sc, p), sc.context.relations, p)
	var r removal
	r.addFilter(f)
	for _, before := range sc.context.filters {
		if _, changed := s.without(before, &r); changed {
			s.refuse(p, "a filter on a column that is filtered outside SUMMARIZECOLUMNS")
		}
	}
	return f
}

// group calls do for every combination of the groups' rows.
func (s *session) group(sc scope, c *context, sum *summary, groups []*grid, rows []int, do func(rows []int, inner *context), n *dax.Node) {
	if len(rows) == len(groups) {
		s.spend(n, 1)
		do(rows, c)
		return
	}
	g := groups[len(rows)]
	for row := range g.len() {
		one := &grid{columns: g.columns, values: g.values[row : row+1]}
		f := s.filterOf(one, sc.context.relations, n)
		for _, other := range sum.filters {
			if other.count() > 1 && other.touches(func(t *table) bool { return t == f.units[0].table }) && beyond(other, f) {
				f.paired = append(f.paired, other)
			}
		}
		s.group(sc, c.with(f), sum, groups, append(rows[:len(rows):len(rows)], row), do, n)
	}
}

// beyond reports whether a filter concerns columns that the other one does not.
func beyond(f, other *filter) bool {
	return slices.ContainsFunc(f.units, func(u unit) bool { return u.table == other.units[0].table && !slices.Contains(other.units, u) })
}

// summarized adds the row of a group unless all its expressions are BLANK.
func (s *session) summarized(sc scope, sum *summary, groups []*grid, rows []int, c *context, result *grid, n *dax.Node) {
	values := make([]Value, 0, len(result.columns))
	for _, x := range sum.columns {
		at := slices.Index(sum.tables, x.table)
		values = append(values, groups[at].value(rows[at], groups[at].find(x)))
	}
	present := len(sum.added) == 0
	for _, a := range sum.added {
		v := s.scalar(scope{context: c, variables: sc.variables}, a.expression)
		present = present || !v.isBlank()
		values = append(values, v)
	}
	if !present {
		return
	}
	for i, g := range groups {
		if g.unsure && rows[i] == g.len()-1 {
			s.refuse(n, "it depends on whether '%s' has a blank row, which no active relationship needs for a row of data",
				sum.tables[i].name)
		}
	}
	s.fits(n, result.len()+1, len(values))
	s.steps -= (result.len() + 1) * len(values) // only the bound is checked here
	result.values = append(result.values, values)
}

// summarize groups a table by its columns, or by those it finds along relationships.
func (s *session) summarize(sc scope, n *dax.Node) *grid {
	if s.simple {
		s.refuse(n, "SUMMARIZE is not evaluated for calculated tables")
	}
	g := s.table(sc, n.Parts[0])
	wide := &grid{}
	var columns []*column
	at := 1
	for ; at < len(n.Parts) && n.Parts[at].Kind == dax.ColumnNode; at++ {
		c := s.columnOf(n.Parts[at])
		columns = append(columns, c)
		wide.columns = append(wide.columns, gridColumn{c.name, c})
	}
	if len(columns) == 0 {
		s.refuse(n, "SUMMARIZE without a column")
	}
	s.fits(n, g.len(), len(columns))
	for row := range g.len() {
		values := make([]Value, len(columns))
		for i, c := range columns {
			values[i] = s.findable(sc, g, row, c, n)
		}
		wide.values = append(wide.values, values)
	}
	all := make([]int, len(columns))
	for i := range all {
		all[i] = i
	}
	groups := s.distinct(wide, all, n)
	if at == len(n.Parts) {
		return groups
	}
	return s.extended(sc, g, groups, n, at)
}

// findable returns the value of a column that a row has or finds.
func (s *session) findable(sc scope, g *grid, row int, c *column, n *dax.Node) Value {
	if i := g.find(c); i >= 0 {
		return g.value(row, i)
	}
	if g.base != nil {
		e := sc.context.relations.expansions[g.base]
		if e.fault == "" && e.has(c.table) {
			return c.values[c.codes[e.rows[c.table][g.ids[row]]]]
		}
	}
	s.refuse(n, "the table has no column %v, and finds none along relationships", c)
	return Value{}
}

// extended adds the named expressions of SUMMARIZE to its groups.
func (s *session) extended(sc scope, g *grid, groups *grid, n *dax.Node, at int) *grid {
	if n.Parts[0].Kind != dax.NameNode || sc.variable(n.Parts[0]) != nil || sc.row != nil {
		s.refuse(n, "SUMMARIZE with expressions is known for a table of the model only, without a current row")
	}
	if (len(n.Parts)-at)%2 == 1 {
		s.refuse(n, "SUMMARIZE needs an expression for each name")
	}
	result := &grid{columns: slices.Clone(groups.columns)}
	for i := at; i < len(n.Parts); i += 2 {
		result.columns = append(result.columns, gridColumn{name: s.newName(result, n.Parts[i])})
	}
	for row := range groups.len() {
		one := &grid{columns: groups.columns, values: groups.values[row : row+1]}
		f := s.filterOf(one, sc.context.relations, n)
		var r removal
		r.addFilter(f)
		f.sealed = "it removes a filter of SUMMARIZE, whose groups are more than filters"
		inner := scope{context: s.replaced(sc.context, &r).with(f), variables: sc.variables}
		values := slices.Clone(groups.values[row])
		for i := at + 1; i < len(n.Parts); i += 2 {
			values = append(values, s.scalar(inner, n.Parts[i]))
		}
		result.values = append(result.values, values)
	}
	s.fits(n, result.len(), len(result.columns))
	return result
}
