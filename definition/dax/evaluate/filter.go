package evaluate

import "slices"

// unit is what a filter compares: a column, or all columns of a table (column nil).
type unit struct {
	table  *table
	column *column
}

func (u unit) code(row int32) int32 {
	if u.column != nil {
		return u.column.codes[row]
	}
	return u.table.classes[row]
}

// size is one more than the largest code.
func (u unit) size() int {
	if u.column != nil {
		return len(u.column.values)
	}
	return u.table.n + 1
}

// filter is a set of tuples that its units may have. It does not change, except for what
// it caches.
type filter struct {
	units []unit
	// base is the table whose rows are the tuples, with the tables that relations
	// find; nil for a filter with tuples.
	base      *table
	rows      []int32
	relations *relations
	tuples    []int32 // len(units) codes each
	// unsureBlank is true when the blank row of the only unit's table passes and may
	// not exist.
	unsureBlank bool
	// sealed says why it cannot be determined what removing the filter means.
	sealed string
	// paired are filters on other columns of the same table, which SUMMARIZECOLUMNS
	// may have combined with this one.
	paired   []*filter
	matchers map[uint64]*matcher
}

// matcher is the set of a filter's tuples for some of its units.
type matcher struct {
	units []unit
	one   []bool // for a single unit, by code
	many  map[string]struct{}
}

// clearedAtOnce is how many bytes are set to zero in a step.
const clearedAtOnce = 64

// maxUnits is how many units a filter may have.
const maxUnits = 64

// count is how many tuples the filter has.
func (f *filter) count() int {
	if f.base != nil {
		return len(f.rows)
	}
	return len(f.tuples) / len(f.units)
}

// tuple writes the codes of the i-th tuple's units to into.
func (f *filter) tuple(i int, into []int32) {
	if f.base == nil {
		copy(into, f.tuples[i*len(f.units):])
		return
	}
	e := f.relations.expansions[f.base]
	for k, u := range f.units {
		row := f.rows[i]
		if via := e.rows[u.table]; via != nil {
			row = via[row]
		}
		into[k] = u.code(row)
	}
}

// matcher returns the set of tuples of the units in mask.
func (s *session) matcher(f *filter, mask uint64) *matcher {
	if m := f.matchers[mask]; m != nil {
		return m
	}
	m := &matcher{}
	var at []int
	for i, u := range f.units {
		if mask&(1<<i) != 0 {
			m.units, at = append(m.units, u), append(at, i)
		}
	}
	s.spend(nil, f.count()*len(at))
	all := make([]int32, len(f.units))
	if len(at) == 1 {
		s.spend(nil, m.units[0].size()/clearedAtOnce)
		m.one = make([]bool, m.units[0].size())
		for i := range f.count() {
			f.tuple(i, all)
			m.one[all[at[0]]] = true
		}
	} else {
		m.many = map[string]struct{}{}
		var key []byte
		for i := range f.count() {
			f.tuple(i, all)
			key = key[:0]
			for _, k := range at {
				key = appendCode(key, all[k])
			}
			m.many[string(key)] = struct{}{}
		}
	}
	if f.matchers == nil {
		f.matchers = map[uint64]*matcher{}
	}
	f.matchers[mask] = m
	return m
}

// touches reports whether a unit belongs to any of the tables.
func (f *filter) touches(is func(*table) bool) bool {
	return slices.ContainsFunc(f.units, func(u unit) bool { return is(u.table) })
}

// restrict returns the rows, of a table, that pass the filter as far as it concerns the
// tables of the expansion.
func (s *session) restrict(rows []int32, f *filter, e *expansion, r *relations) []int32 {
	mask := s.concerning(f, e, r)
	if mask == 0 {
		return rows
	}
	m := s.matcher(f, mask)
	s.spend(nil, len(rows))
	kept := make([]int32, 0, len(rows))
	if m.one != nil {
		u := m.units[0]
		via := e.rows[u.table]
		for _, row := range rows {
			at := row
			if via != nil {
				at = via[row]
			}
			if m.one[u.code(at)] {
				if f.unsureBlank && int(at) == u.table.n {
					s.refuse(nil, "it depends on whether '%s' has a blank row, which no active relationship needs for a row of data",
						u.table.name)
				}
				kept = append(kept, row)
			}
		}
		return kept
	}
	var key []byte
	for _, row := range rows {
		key = key[:0]
		for _, u := range m.units {
			at := row
			if via := e.rows[u.table]; via != nil {
				at = via[row]
			}
			key = appendCode(key, u.code(at))
		}
		if _, ok := m.many[string(key)]; ok {
			kept = append(kept, row)
		}
	}
	return kept
}

// concerning returns which units belong to the expansion, without those that an entire
// table determines.
func (s *session) concerning(f *filter, e *expansion, r *relations) (mask uint64) {
	var determined *expansion
	for i, u := range f.units {
		if !e.has(u.table) {
			continue
		}
		if determined != nil && determined.has(u.table) {
			continue
		}
		mask |= 1 << i
		if f.base == u.table && u.column == nil && len(f.units) > 1 {
			if f.relations != r {
				s.refuse(nil, "a filter by rows of '%s' crosses a change of relationships", f.base.name)
			}
			determined = f.relations.expansions[f.base]
		}
	}
	return mask
}

// removal is a set of columns whose filters are removed.
type removal struct {
	all     bool
	tables  map[*table]bool
	columns map[*column]bool
}

func (r *removal) has(c *column) bool { return r.all || r.tables[c.table] || r.columns[c] }

func (r *removal) addTable(t *table) {
	if r.tables == nil {
		r.tables = map[*table]bool{}
	}
	r.tables[t] = true
}

func (r *removal) addColumn(c *column) {
	if r.columns == nil {
		r.columns = map[*column]bool{}
	}
	r.columns[c] = true
}

// addFilter adds the columns of a filter.
func (r *removal) addFilter(f *filter) {
	for _, u := range f.units {
		if u.column == nil {
			r.addTable(u.table)
		} else {
			r.addColumn(u.column)
		}
	}
}

// left returns the units that remain of one: itself, none, or the columns of a table that
// are not removed.
func (r *removal) left(u unit) []unit {
	if u.column != nil {
		if r.has(u.column) {
			return nil
		}
		return []unit{u}
	}
	var columns []unit
	for _, c := range u.table.columns {
		if c.missing == "" && !r.has(c) {
			columns = append(columns, unit{u.table, c})
		}
	}
	present := 0
	for _, c := range u.table.columns {
		if c.missing == "" {
			present++
		}
	}
	if len(columns) == present {
		return []unit{u}
	}
	return columns
}

// without returns what remains of a filter, nil for nothing, and whether that differs.
func (s *session) without(f *filter, r *removal) (left *filter, changed bool) {
	if r.all {
		return nil, true
	}
	var units []unit
	var at []int
	for i, u := range f.units {
		remaining := r.left(u)
		changed = changed || len(remaining) != 1 || remaining[0] != u
		for _, k := range remaining {
			units, at = append(units, k), append(at, i)
		}
	}
	switch {
	case !changed:
		return f, false
	case len(units) == 0:
		return nil, true
	case len(units) > maxUnits:
		s.refuse(nil, "a filter on more than %d columns", maxUnits)
	}
	left = &filter{units: units, sealed: f.sealed, paired: f.paired}
	s.spend(nil, f.count()*len(units))
	all := make([]int32, len(f.units))
	seen := map[string]struct{}{}
	var key []byte
	for i := range f.count() {
		f.tuple(i, all)
		key = key[:0]
		codes := len(left.tuples)
		for k, u := range units {
			code := all[at[k]]
			if f.units[at[k]].column == nil && u.column != nil {
				code = u.column.codes[code] // the class is one of its rows
			}
			left.tuples = append(left.tuples, code)
			key = appendCode(key, code)
		}
		if _, again := seen[string(key)]; again {
			left.tuples = left.tuples[:codes]
		} else {
			seen[string(key)] = struct{}{}
		}
	}
	return left, true
}
