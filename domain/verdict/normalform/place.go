package normalform

import (
	"maps"
	"slices"
	"strings"
)

// place is the filter context in which an expression is evaluated, apart from the group or row of the query. It does not
// change; its methods return another one.
type place struct {
	filters map[*column]set
	// over are the columns on which the group's filter does not apply.
	over map[*column]bool
	// steps are what depends on the filters so far, such as time intelligence, in order; on are the tables that they
	// change the filters of.
	steps []string
	on    map[*table]bool
	// alone is true outside the group: an aggregation in a row of the query, without CALCULATE.
	alone bool
	// of are the tables whose rows are filters; only what aggregates one of them, or a table that finds
	// it, is certain to be filtered as by its columns.
	of []*table
	// found is true if a filter was made of the values or rows that there were.
	found bool
}

func (p *place) copied() *place {
	q := *p
	q.filters, q.over, q.on = maps.Clone(p.filters), maps.Clone(p.over), maps.Clone(p.on)
	if q.filters == nil {
		q.filters = map[*column]set{}
	}
	if q.over == nil {
		q.over = map[*column]bool{}
	}
	if q.on == nil {
		q.on = map[*table]bool{}
	}
	q.steps, q.of = slices.Clone(p.steps), slices.Clone(p.of)
	return &q
}

// clear removes the filters on the columns, also those of the group.
func (p *place) clear(columns ...*column) {
	for _, c := range columns {
		delete(p.filters, c)
		p.over[c] = true
	}
}

// limit keeps the values of the set.
func (p *place) limit(c *column, s set) {
	if before, filtered := p.filters[c]; filtered {
		s = before.and(s)
	}
	p.filters[c] = s
}

// grouped reports whether the filter of the group applies on all its columns.
func (p *place) grouped(groups []*column) bool {
	return !p.alone && !slices.ContainsFunc(groups, func(g *column) bool { return p.over[g] })
}

// step adds a change that depends on the filters so far.
func (p *place) step(text string, of *table) {
	p.steps = append(p.steps, text)
	if of != nil {
		p.on[of] = true
	}
}

// key is the same text for places with the same meaning. groups are the columns of the query's groups.
func (p *place) key(groups []*column) string {
	var parts []string
	for _, f := range p.normal(groups) {
		parts = append(parts, f.name+" in "+f.String())
	}
	for c := range p.over {
		if slices.Contains(groups, c) {
			parts = append(parts, "over "+c.String())
		}
	}
	slices.Sort(parts)
	parts = append(parts, p.steps...)
	if p.alone {
		parts = append(parts, "alone")
	}
	return strings.Join(parts, ", ")
}

// named is a filter in normal form.
type named struct {
	name string
	set
}

// normal returns the filters in normal form, by name: those on the columns of a calendar as one filter on its days.
func (p *place) normal(groups []*column) []named {
	var all []named
	calendars := map[*table]bool{}
	for c, s := range p.filters {
		t := c.table
		if t.date != nil && (c == t.date || c.part != noPart) && !p.mixed(t, groups) {
			calendars[t] = true
			continue
		}
		if c.integral() {
			s = s.integers()
		}
		all = append(all, named{c.String(), s})
	}
	for t := range calendars {
		all = append(all, p.days(t)...)
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	return slices.DeleteFunc(all, func(n named) bool { return n.all() })
}

// mixed reports whether filters on a table replace filters of the group on it, so that they do not add up.
func (p *place) mixed(t *table, groups []*column) bool {
	grouped := slices.ContainsFunc(groups, func(c *column) bool { return c.table == t })
	for c := range p.over {
		if grouped && c.table == t {
			return true
		}
	}
	return false
}
