package evaluate

import (
	"slices"

	"readiness/definition/dax"
)

// change is what the filter arguments of CALCULATE do to a context.
type change struct {
	remove    removal // of ALL, REMOVEFILTERS and ALLEXCEPT
	replace   []*filter
	keep      []*filter // of KEEPFILTERS
	relations *relations
}

// changeCost is what a change of context costs, in steps.
const changeCost = 30

// calculated returns the scope inside CALCULATE. Filters are evaluated outside it; the
// current rows become filters, then modifiers apply, then filters.
func (s *session) calculated(sc scope, arguments []*dax.Node, n *dax.Node) scope {
	if s.simple {
		s.refuse(n, "%s is not evaluated for calculated tables and columns", n.Text)
	}
	s.spend(n, changeCost)
	var ch change
	for _, a := range arguments {
		s.argument(&ch, sc, a, n)
	}
	c := s.transition(sc, n)
	c = s.replaced(c, &ch.remove)
	var overridden removal
	for _, f := range ch.replace {
		overridden.addFilter(f)
		s.rule(&overridden, c, f, n)
	}
	c = s.replaced(c, &overridden).with(append(ch.replace, ch.keep...)...)
	if ch.relations != nil {
		c = &context{filters: c.filters, relations: ch.relations}
	}
	return scope{context: c, variables: sc.variables}
}

// rule removes the filters of a date table with those on its dates.
func (s *session) rule(r *removal, c *context, f *filter, n *dax.Node) {
	for _, u := range f.units {
		switch {
		case u.column == nil || !u.column.ruling && !u.column.mayRule:
			continue
		case len(f.units) == 1 && u.column.ruling:
			r.addTable(u.table)
			continue
		}
		of := func(t *table) bool { return t == u.table }
		if slices.ContainsFunc(c.filters, func(f *filter) bool { return f.touches(of) }) {
			s.refuse(n, "a filter on %v, where '%s' is filtered already, may replace its other filters", u.column, u.table.name)
		}
	}
}

// argument adds a filter argument.
func (s *session) argument(ch *change, sc scope, a *dax.Node, n *dax.Node) {
	if a.Variables != nil {
		s.refuse(a, "a filter argument with VAR")
	}
	if a.Kind != dax.CallNode {
		ch.replace = append(ch.replace, s.filter(sc, a))
		return
	}
	switch a.Text {
	case "ALL", "REMOVEFILTERS":
		if len(a.Parts) == 0 {
			ch.remove.all = true
		}
		for _, p := range a.Parts {
			if p.Kind == dax.ColumnNode {
				ch.remove.addColumn(s.columnOf(p))
				continue
			}
			for _, t := range s.expanded(sc, p).tables {
				ch.remove.addTable(t)
			}
		}
	case "ALLEXCEPT":
		s.allExcept(ch, sc, a)
	case "KEEPFILTERS":
		s.counted(a, 1, 1)
		ch.keep = append(ch.keep, s.filter(sc, a.Parts[0]))
	case "USERELATIONSHIP":
		s.counted(a, 2, 2)
		if ch.relations == nil {
			ch.relations = sc.context.relations
		}
		ch.relations = s.using(ch.relations, s.between(a))
	default:
		ch.replace = append(ch.replace, s.filter(sc, a))
	}
}

// expanded returns the expansion of the table that an argument names.
func (s *session) expanded(sc scope, n *dax.Node) *expansion {
	e := sc.context.relations.expansions[s.tableNamed(n)]
	if e.fault != "" {
		s.refuse(n, "%s", e.fault)
	}
	return e
}

func (s *session) allExcept(ch *change, sc scope, a *dax.Node) {
	s.counted(a, 2, -1)
	kept := map[*column]bool{}
	for _, p := range a.Parts[1:] {
		kept[s.columnOf(p)] = true
	}
	for _, t := range s.expanded(sc, a.Parts[0]).tables {
		for _, c := range t.columns {
			if !kept[c] {
				ch.remove.addColumn(c)
			}
		}
	}
}

// between returns the relationship that USERELATIONSHIP names.
func (s *session) between(n *dax.Node) *relationship {
	a, b := s.columnOf(n.Parts[0]), s.columnOf(n.Parts[1])
	for _, r := range s.model.relationships {
		if r.from == a && r.to == b || r.from == b && r.to == a {
			if r.limited {
				s.refuse(n, "the relationship from %v is not many to one", r)
			}
			return r
		}
	}
	s.refuse(n, "the model has no relationship between %v and %v", a, b)
	return nil
}

// filter evaluates a filter argument: a table, or a condition on columns of one table.
func (s *session) filter(sc scope, n *dax.Node) *filter {
	if s.isTable(sc, n) {
		return s.filterOf(s.grid(sc, n), sc.context.relations, n)
	}
	if n.Kind == dax.CallNode && s.scalars[n.Text].call == nil {
		s.unknown(n)
	}
	columns := s.conditioned(n, nil)
	if len(columns) == 0 {
		s.refuse(n, "a filter that names no column of a table")
	}
	for _, c := range columns[1:] {
		if c.table != columns[0].table {
			s.refuse(n, "a condition on columns of different tables")
		}
	}
	return s.filterOf(s.filtered(sc, s.allOf(sc, columns, n), n), sc.context.relations, n)
}

// conditioned returns the columns that a condition reads from the current row, each once.
func (s *session) conditioned(n *dax.Node, found []*column) []*column {
	switch {
	case n.Kind == dax.ColumnNode:
		r := s.resolve(n)
		if r.column == nil {
			s.refuse(n, "a condition that is a filter may not refer to a measure: [%s]", n.Reference.Name)
		}
		if !slices.Contains(found, r.column) {
			found = append(found, r.column)
		}
	case n.Kind == dax.CallNode && !s.scalars[n.Text].plain: // its arguments are not those of the row
	default:
		for _, p := range n.Parts {
			found = s.conditioned(p, found)
		}
	}
	return found
}

// filtered returns the rows of a table for which a condition is true.
func (s *session) filtered(sc scope, g *grid, condition *dax.Node) *grid {
	var kept []int
	for row := range g.len() {
		if s.truth(condition, s.scalar(sc.at(g, row), condition)) {
			kept = append(kept, row)
		}
	}
	return g.keep(kept)
}
