// Package normalform reads DAX queries against a semantic model into a normal form, in which two queries that mean the same
// are equal: measures are expanded to aggregations over columns, filters are sets of values, and filters on a calendar
// are days. It reads what people and language models write for questions; anything else is Unread, and two queries are
// equal or different only if both are read in full (docs/evaluation.md).
//
// A function that is not read, a filter by a value that depends on the data, an iterator whose rows are not clear: each
// makes the query Unread, because a wrong "equal" costs more than an "unknown".
package normalform

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// Query is a query in normal form.
type Query struct {
	of    *result
	order []string // of ORDER BY, in order
	plain bool     // it refers to no column and no measure
}

// Plain reports whether the query refers to no column and no measure of the model.
func (q *Query) Plain() bool { return q.plain }

// Refers reports whether a query, whether it is read or not, names a table, column or measure of the model.
func (m *Model) Refers(query string) bool {
	for _, r := range dax.Read(query).References {
		if r.Qualified {
			continue // its table is among the names below
		}
		if m.measures[spelling.Fold(r.Name)] != nil {
			return true
		}
		for _, t := range m.tables {
			if t.columns[spelling.Fold(r.Name)] != nil {
				return true
			}
		}
	}
	return slices.ContainsFunc(dax.Tables(query), func(name string) bool { return m.tables[spelling.Fold(name)] != nil }) ||
		slices.ContainsFunc(dax.Read(query).References, func(r dax.Reference) bool {
			return r.Qualified && m.tables[spelling.Fold(r.Table)] != nil
		})
}

// MaxQuery is the length of the longest query that is read, in bytes.
const MaxQuery = 64 << 10

// Read returns the query in normal form, or *Unread. today is what TODAY() returns.
func (m *Model) Read(query string, today time.Time) (*Query, error) {
	if len(query) > MaxQuery {
		return nil, &Unread{MaxQuery, fmt.Sprintf("the query is longer than %d bytes", MaxQuery)}
	}
	parsed, at, ok := dax.ParseQuery(query)
	switch {
	case !ok:
		return nil, &Unread{at, "the query is no DAX that is read"}
	case len(parsed.Evaluated) != 1:
		return nil, &Unread{0, "a query with several EVALUATE is not read"}
	case len(parsed.Evaluated[0].StartAt) > 0:
		return nil, &Unread{0, "START AT is not read"}
	}
	r := &reader{model: m, defined: map[string]*measure{}, today: today, inside: -1}
	top := scope{at: (&place{}).copied()}
	for _, d := range parsed.Defined {
		switch d.Kind {
		case "MEASURE":
			t := m.tables[spelling.Fold(d.Reference.Table)]
			if t == nil {
				return nil, &Unread{d.At, fmt.Sprintf("the model has no table '%s'", d.Reference.Table)}
			}
			r.defined[spelling.Fold(d.Reference.Name)] = &measure{d.Reference.Name, d.Value, t}
		case "VAR":
			top.vars = &variable{spelling.Fold(d.Reference.Name), d.Value, top, top.vars}
		default:
			return nil, &Unread{d.At, "DEFINE " + d.Kind + " is not read"}
		}
	}
	e := parsed.Evaluated[0]
	of, err := r.table(e.Table, top)
	if err != nil {
		return nil, err
	}
	q := &Query{of: of, plain: !r.refers}
	for _, o := range e.Order {
		var v *value
		if err := r.each(of, scope{at: top.at, row: of.row(false), vars: top.vars}, func(in scope) (err error) {
			v, err = r.scalar(o.By, in)
			return err
		}); err != nil {
			return nil, err
		}
		direction := " asc"
		if o.Descending {
			direction = " desc"
		}
		q.order = append(q.order, v.key(of.groups)+direction)
	}
	of.normalize(m)
	return q, nil
}

// normalize brings the filters of rows and values to one form: those that all values have, and that only leave out
// groups without a value, are no filters of the rows.
func (t *result) normalize(m *Model) {
	t.at = t.at.copied()
	all := t.aggregations()
	for _, a := range all {
		a.at = a.at.copied()
		for c, s := range a.at.filters {
			if f, same := t.at.filters[c]; same && slices.Contains(t.groups, c) && !a.at.over[c] && f.String() == s.String() {
				delete(a.at.filters, c)
			}
		}
	}
	if t.rows == oneRow {
		t.at = (&place{}).copied()
	}
	if t.rows != nonblank && t.rows != oneRow || m.both { // where filters go other ways, they may leave out any group
		return
	}
	for c, s := range t.at.filters {
		needed := func(e extension) bool { return !e.value.blankWith(m, t.groups, c, s) }
		if !slices.Contains(t.groups, c) && !slices.ContainsFunc(t.values, needed) {
			delete(t.at.filters, c)
		}
	}
	if !slices.ContainsFunc(t.values, func(e extension) bool { return !e.value.blankable(m, t.groups) }) {
		t.at.of = nil // rows of a table leave out only groups without a value
	}
	t.atMany(m, all)
}

// aggregations returns all aggregations of values and steps, each once.
func (t *result) aggregations() []*value {
	var all []*value
	add := func(v *value) {
		for _, a := range v.aggregations() {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	for _, e := range t.values {
		add(e.value)
	}
	for _, s := range t.steps {
		for _, v := range s.by {
			add(v)
		}
	}
	return all
}

// blankWith reports whether the value is BLANK wherever no row has a value of the set in the column: every part that
// could make it something else is filtered by the same set, in the groups that there are.
func (v *value) blankWith(m *Model, groups []*column, c *column, s set) bool {
	switch v.op {
	case "aggregation":
		f, filtered := v.at.filters[c]
		return filtered && f.String() == s.String() && (c.table == v.over || slices.Contains(m.finds(v.over), c.table)) &&
			!strings.HasPrefix(v.text, "COUNTBLANK") && len(v.at.steps) == 0 && v.of(m, groups)
	case "+", "-":
		return !slices.ContainsFunc(v.args, func(a *value) bool { return !a.blankWith(m, groups, c, s) })
	case "*":
		return slices.ContainsFunc(v.args, func(a *value) bool { return a.blankWith(m, groups, c, s) })
	case "/":
		return v.args[0].blankWith(m, groups, c, s)
	case "DIVIDE":
		return len(v.args) == 2 && v.args[0].blankWith(m, groups, c, s)
	case "sign -":
		return v.args[0].blankWith(m, groups, c, s)
	}
	return false
}

// of reports whether it aggregates the rows of each group alone: the filter of the group applies, and its table finds the
// tables of all groups.
func (v *value) of(m *Model, groups []*column) bool {
	return v.at.grouped(groups) && !slices.ContainsFunc(groups, func(g *column) bool {
		return g.table != v.over && !slices.Contains(m.finds(v.over), g.table)
	})
}

// blankable reports whether the value is BLANK where no row of the group is left to aggregate.
func (v *value) blankable(m *Model, groups []*column) bool {
	switch v.op {
	case "aggregation":
		return !strings.HasPrefix(v.text, "COUNTBLANK") && v.of(m, groups)
	case "+", "-":
		return !slices.ContainsFunc(v.args, func(a *value) bool { return !a.blankable(m, groups) })
	case "*":
		return slices.ContainsFunc(v.args, func(a *value) bool { return a.blankable(m, groups) })
	case "/", "sign -":
		return v.args[0].blankable(m, groups)
	case "DIVIDE":
		return len(v.args) == 2 && v.args[0].blankable(m, groups)
	}
	return false
}

// atMany moves filters on the one side of a relationship to its many side, where all values aggregate the table there.
func (t *result) atMany(m *Model, all []*value) {
	for one, many := range m.ends {
		if len(many) != 1 || len(all) == 0 || slices.Contains(t.groups, one) || slices.Contains(t.groups, many[0]) || m.both ||
			one.table.date == one {
			continue
		}
		if _, there := t.at.filters[one]; there || slices.ContainsFunc(all, func(a *value) bool { return !a.movable(one, many[0]) }) {
			continue
		}
		for _, a := range all {
			if s, filtered := a.at.filters[one]; filtered {
				delete(a.at.filters, one)
				a.at.filters[many[0]] = s
			}
		}
	}
}

func (v *value) movable(one, many *column) bool {
	s, filtered := v.at.filters[one]
	_, taken := v.at.filters[many]
	return v.over == many.table && !taken && !(filtered && (s.blank || len(v.at.steps) > 0))
}

// key is the same text for results of the same rows, apart from their values.
func (t *result) key() string {
	var groups []string
	for _, g := range t.groups {
		if slices.ContainsFunc(t.groups, func(other *column) bool { return other != g && other.sort == g }) {
			continue // the model sorts another group by it, so that it is one value for each of that group
		}
		groups = append(groups, g.String())
	}
	slices.Sort(groups)
	if t.table != nil && t.chosen {
		groups = append(groups, "some columns")
	}
	parts := []string{t.rows, strings.Join(groups, " by "), t.at.key(t.groups)}
	for _, of := range t.at.of {
		parts = append(parts, "rows of '"+spelling.Fold(of.name)+"'")
	}
	for _, s := range t.steps {
		text := s.text
		for _, v := range s.by {
			text += " " + v.key(t.groups)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// String is the query's normal form, for people who look into a verdict.
func (q *Query) String() string {
	var values []string
	for _, e := range q.of.values {
		values = append(values, e.value.key(q.of.groups))
	}
	return q.of.key() + ": " + strings.Join(values, "; ")
}
