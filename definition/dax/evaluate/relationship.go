package evaluate

import (
	"fmt"
	"strings"

	"readiness/definition/semanticmodel"
)

// relationship joins the rows of a table, from, to the rows of another.
type relationship struct {
	from, to *column
	active   bool
	both     bool // filters go from the many side to the one side too
	// limited is true unless it is many to one. Filters that would have to cross it
	// are refused.
	limited bool
	// rows is the row of to's table for each row of from's; the blank row for none.
	rows      []int32
	unmatched bool // some row finds none
}

func (r *relationship) String() string { return fmt.Sprintf("%v to %v", r.from, r.to) }

// relations are the relationships that are active in a context. It does not change.
type relations struct {
	model  *Model
	active []bool
	// wide numbers the tables that relationships connect, limited ones too.
	wide       map[*table]int
	expansions map[*table]*expansion
}

// expansion is a table with those that it finds along relationships: many to one, any
// number of times.
type expansion struct {
	tables []*table
	rows   map[*table][]int32 // the row of each table for every row; nil for the table itself
	fault  string             // why it cannot be used
}

func (e *expansion) has(t *table) bool { _, ok := e.rows[t]; return ok }

// relate reads the relationships of tables that have rows.
func (m *Model) relate(all []semanticmodel.Relationship) error {
	for _, r := range all {
		from, to := m.column(r.FromTable, r.FromColumn), m.column(r.ToTable, r.ToColumn)
		if from == nil || to == nil || from.table.missing != "" || to.table.missing != "" {
			continue
		}
		if r.FromCardinality == semanticmodel.One && r.ToCardinality == semanticmodel.Many {
			from, to, r.FromCardinality, r.ToCardinality = to, from, semanticmodel.Many, semanticmodel.One
		}
		x := &relationship{from: from, to: to, active: r.IsActive, both: r.CrossFilteringBehavior == "bothDirections"}
		x.limited = r.FromCardinality == semanticmodel.One || r.ToCardinality == semanticmodel.Many ||
			r.CrossFilteringBehavior == "automatic"
		for _, c := range []*column{from, to} {
			if c.missing != "" {
				return fmt.Errorf("%s, which a relationship needs", c.missing)
			}
		}
		if !x.limited {
			if err := x.join(); err != nil {
				return err
			}
			if to.dataType == semanticmodel.DateTime {
				to.ruling, to.mayRule = to.ruling || x.active, true
			}
		}
		m.relationships = append(m.relationships, x)
	}
	active := make([]bool, len(m.relationships))
	for i, r := range m.relationships {
		active[i] = r.active
	}
	m.relations = newRelations(m, active)
	return nil
}

func (m *Model) column(table, name string) *column {
	if t := m.byName[folded(table)]; t != nil {
		return t.byName[folded(name)]
	}
	return nil
}

// join finds the row of each row's key.
func (r *relationship) join() error {
	to := r.to
	at := make([]int32, len(to.values))
	for row := range to.table.n {
		code := to.codes[row]
		switch {
		case code == 0:
			return fmt.Errorf("%v is BLANK in row %d; it is the one side of a relationship", to, row+1)
		case at[code] != 0:
			return fmt.Errorf("%v is %q in rows %d and %d; it is the one side of a relationship", to, to.values[code].String(),
				at[code], row+1)
		}
		at[code] = int32(row + 1)
	}
	r.rows = make([]int32, len(r.from.codes))
	for row, code := range r.from.codes {
		r.rows[row] = int32(to.table.n)
		if other, ok := to.code(r.from.values[code]); ok && at[other] != 0 {
			r.rows[row] = at[other] - 1
		} else if row < r.from.table.n {
			r.unmatched = true
		}
	}
	return nil
}

func newRelations(m *Model, active []bool) *relations {
	r := &relations{model: m, active: active, expansions: map[*table]*expansion{}}
	r.wide = r.connected()
	for _, t := range m.tables {
		r.expansions[t] = r.expand(t)
	}
	return r
}

// connected numbers the tables so that connected ones have the same number.
func (r *relations) connected() map[*table]int {
	groups := map[*table]int{}
	for i, t := range r.model.tables {
		groups[t] = i
	}
	for i, x := range r.model.relationships {
		if !r.active[i] {
			continue
		}
		from, to := groups[x.from.table], groups[x.to.table]
		for t, group := range groups {
			if group == from {
				groups[t] = to
			}
		}
	}
	return groups
}

func (r *relations) expand(t *table) *expansion {
	e := &expansion{tables: []*table{t}, rows: map[*table][]int32{t: nil}}
	for at := 0; at < len(e.tables); at++ {
		from := e.tables[at]
		for i, x := range r.model.relationships {
			if !r.active[i] || x.limited || x.from.table != from {
				continue
			}
			to := x.to.table
			if e.has(to) {
				e.fault = fmt.Sprintf("the active relationships lead from '%s' to '%s' in more than one way", t.name, to.name)
				continue
			}
			rows := x.rows
			if before := e.rows[from]; before != nil {
				rows = make([]int32, len(before))
				for row, via := range before {
					rows[row] = x.rows[via]
				}
			}
			e.tables = append(e.tables, to)
			e.rows[to] = rows
		}
	}
	return e
}

// blankRow reports whether a table has a blank row. sure is false if no active relationship needs it for a row of data: only an
// inactive one does, or only the blank row of the table on the many side.
func (r *relations) blankRow(t *table) (has, sure bool) {
	for i, x := range r.model.relationships {
		if !x.limited && x.to.table == t && x.unmatched {
			has, sure = true, sure || r.active[i]
		}
	}
	for _, x := range r.model.relationships { // a blank row may find that of another table
		has = has || !x.limited && x.to.table == t && r.neededBefore(x)
	}
	return has, sure || !has
}

// neededBefore reports whether the many side of a relationship has a blank row.
func (r *relations) neededBefore(x *relationship) bool {
	for _, before := range r.model.relationships {
		if before != x && !before.limited && before.unmatched && before.to.table == x.from.table {
			return true
		}
	}
	return false
}

// using returns the relations in which one relationship is active in place of any other
// between the same tables.
func (s *session) using(r *relations, x *relationship) *relations {
	active := append([]bool(nil), r.active...)
	var key strings.Builder
	for i, other := range s.model.relationships {
		switch {
		case other == x:
			active[i] = true
		case other.from.table == x.from.table && other.to.table == x.to.table:
			active[i] = false
		}
		if active[i] {
			key.WriteByte('1')
		} else {
			key.WriteByte('0')
		}
	}
	if s.relations[key.String()] == nil {
		s.relations[key.String()] = newRelations(s.model, active)
	}
	return s.relations[key.String()]
}
