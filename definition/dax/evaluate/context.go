package evaluate

import (
	"slices"

	"readiness/definition/dax"
)

// context is a filter context. It does not change, except for what it caches.
type context struct {
	filters   []*filter
	relations *relations
	visible   map[*table]*selection
	measured  map[*measure]Value
}

// selection is the rows of a table that a context shows.
type selection struct {
	rows []int32
	// blank is true when the blank row is shown; sure is false if it may not exist.
	blank, sure bool
}

// scope is what an expression sees.
type scope struct {
	context   *context
	variables *variable
	row       *rowContext
}

type variable struct {
	name  string
	value Value
	grid  *grid // of a variable that is a table
	outer *variable
}

// rowContext is the current row of a table, inside those of other tables.
type rowContext struct {
	grid  *grid
	row   int
	outer *rowContext
}

func (sc scope) at(g *grid, row int) scope {
	sc.row = &rowContext{g, row, sc.row}
	return sc
}

// replaced returns the context without what is removed.
func (s *session) replaced(c *context, r *removal) *context {
	next := &context{relations: c.relations}
	gone := map[*filter]bool{}
	for _, f := range c.filters {
		left, changed := s.without(f, r)
		if changed {
			if f.sealed != "" {
				s.refuse(nil, "%s", f.sealed)
			}
			gone[f] = true
		}
		if left != nil {
			next.filters = append(next.filters, left)
		}
	}
	for f := range gone {
		for _, other := range f.paired {
			if !gone[other] && slices.Contains(c.filters, other) {
				s.refuse(nil, "it depends on how SUMMARIZECOLUMNS combines a grouping with a filter on another column of its table")
			}
		}
	}
	return next
}

// with returns the context with more filters, which all apply.
func (c *context) with(added ...*filter) *context {
	return &context{relations: c.relations, filters: append(slices.Clip(c.filters), added...)}
}

// shown returns the rows of a table that the context shows.
func (s *session) shown(c *context, t *table, n *dax.Node) *selection {
	if found := c.visible[t]; found != nil {
		return found
	}
	s.present(t, n)
	e := c.relations.expansions[t]
	if e.fault != "" {
		s.refuse(n, "%s", e.fault)
	}
	s.cross(c, t, n)
	has, sure := c.relations.blankRow(t)
	rows := make([]int32, 0, t.n+1)
	for row := range t.n {
		rows = append(rows, int32(row))
	}
	if has {
		rows = append(rows, int32(t.n))
	}
	s.spend(n, t.n)
	for _, f := range c.filters {
		rows = s.restrict(rows, f, e, c.relations)
	}
	rows = s.acrossBoth(c, t, rows, nil, n)
	found := &selection{rows: rows, sure: true}
	if k := len(rows) - 1; k >= 0 && int(rows[k]) == t.n {
		found = &selection{rows: rows[:k], blank: true, sure: sure}
	}
	if c.visible == nil {
		c.visible = map[*table]*selection{}
	}
	c.visible[t] = found
	return found
}

// present refuses a table without rows.
func (s *session) present(t *table, n *dax.Node) {
	if t.missing != "" {
		s.refuse(n, "%s", t.missing)
	}
}

// cross refuses filters that would have to cross a relationship that is not many to one.
func (s *session) cross(c *context, t *table, n *dax.Node) {
	r := c.relations
	for i, x := range s.model.relationships {
		if !r.active[i] || !x.limited || r.wide[x.from.table] != r.wide[t] {
			continue
		}
		for _, f := range c.filters {
			if f.touches(func(u *table) bool { return u != t && r.wide[u] == r.wide[t] }) {
				s.refuse(n, "the relationship from %v is not many to one", x)
			}
		}
	}
}

// acrossBoth keeps the rows that filters reach through relationships in both directions,
// from the many side. visited are relationships that were crossed already.
func (s *session) acrossBoth(c *context, t *table, rows []int32, visited []*relationship, n *dax.Node) []int32 {
	e := c.relations.expansions[t]
	for i, x := range s.model.relationships {
		if !c.relations.active[i] || x.limited || !x.both || !e.has(x.to.table) || e.has(x.from.table) || slices.Contains(visited, x) {
			continue
		}
		many := c.relations.expansions[x.from.table]
		beyond := func(u *table) bool { return many.has(u) && !e.has(u) }
		reaching := false
		for _, f := range c.filters {
			reaching = reaching || f.touches(beyond)
		}
		further := append(slices.Clip(visited), x)
		before := s.through(c, x, further, n)
		if !reaching && before == nil {
			continue
		}
		one := c.relations.expansions[x.to.table]
		for _, f := range c.filters {
			if f.touches(func(u *table) bool { return many.has(u) && e.has(u) && !one.has(u) }) {
				s.refuse(n, "filters reach '%s' in more than one way, one of them through %v", t.name, x)
			}
		}
		if before == nil {
			before = s.direct(c, x.from.table)
		}
		found := make([]bool, x.to.table.n+1)
		for _, row := range before {
			found[x.rows[row]] = true
		}
		s.spend(n, len(before)+len(rows))
		via := e.rows[x.to.table]
		kept := make([]int32, 0, len(rows))
		for _, row := range rows {
			at := row
			if via != nil {
				at = via[row]
			}
			if found[at] {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	return rows
}

// direct returns the rows of a table that pass the filters on its expansion.
func (s *session) direct(c *context, t *table) []int32 {
	rows := make([]int32, t.n)
	for row := range rows {
		rows[row] = int32(row)
	}
	for _, f := range c.filters {
		rows = s.restrict(rows, f, c.relations.expansions[t], c.relations)
	}
	return rows
}

// through returns the rows of a relationship's many side if filters reach it across more
// relationships in both directions, else nil.
func (s *session) through(c *context, x *relationship, visited []*relationship, n *dax.Node) []int32 {
	rows := s.direct(c, x.from.table)
	kept := s.acrossBoth(c, x.from.table, rows, visited, n)
	if len(kept) == len(rows) {
		return nil
	}
	return kept
}
