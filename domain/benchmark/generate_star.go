package benchmark

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

// star is what questions can be made of: the measures that an AI sees, each with
// the columns it can be asked by. It does not depend on the order of the
// definition.
type star struct {
	tables   map[string]*starTable // by name under fold
	columns  map[[2]string]*starTable
	measures map[string]*starMeasure // all of the model, by name under fold
	asked    []*starMeasure          // those to ask for, the best first
}

type starTable struct {
	name   string
	date   bool                // a date table
	ones   []*starTable        // those on the one side of its many sides
	reach  map[*starTable]bool // see reaches; nil before it is asked
	labels []grouping          // columns to group by, the best first
	// calendar is that of a date table, or of another table with one date column.
	calendar Calendar
}

type starMeasure struct {
	Field
	home       *starTable
	expression string
	attention
	usedBy int // how many measures name it
	bases  []*starTable
	read   int  // 0 not yet, 1 being read, 2 done
	fact   bool // it goes by a table that others filter
	// relative is that its name says a period, so that questions name none.
	relative bool
}

type grouping struct {
	Field
	attention
	score int
}

// attention is how often people look at a field, and on how many pages it is.
type attention struct{ views, shown int64 }

// compare puts what gets more attention first.
func (a attention) compare(b attention) int {
	return cmp.Or(cmp.Compare(b.views, a.views), cmp.Compare(b.shown, a.shown))
}

func newStar(m *semanticmodel.Model, w Wanted) *star {
	s := &star{tables: map[string]*starTable{}, columns: map[[2]string]*starTable{}, measures: map[string]*starMeasure{}}
	seen := attentionOf(w)
	for _, t := range m.Tables {
		table := &starTable{name: t.Name}
		s.tables[fold(t.Name)] = table
		for _, c := range t.Columns {
			s.columns[[2]string{fold(t.Name), fold(c.Name)}] = table
		}
		for _, x := range t.Measures {
			s.measures[fold(x.Name)] = &starMeasure{Field: Field{t.Name, x.Name}, home: table, expression: x.Expression, attention: seen(t.Name, x.Name)}
		}
	}
	s.relate(m.Relationships)
	e := readiness.Expose(m)
	for _, t := range e.Tables {
		s.label(t, seen)
	}
	s.ask(e)
	return s
}

// attentionOf looks attention up by names under fold.
func attentionOf(w Wanted) func(table, field string) attention {
	of := func(counts map[string]map[string]int64) map[[2]string]int64 {
		all := map[[2]string]int64{}
		for table, fields := range counts {
			for field, n := range fields {
				all[[2]string{fold(table), fold(field)}] += max(n, 0)
			}
		}
		return all
	}
	views, shown := of(w.Views), of(w.Shown)
	return func(table, field string) attention {
		key := [2]string{fold(table), fold(field)}
		return attention{views[key], shown[key]}
	}
}

// relate finds which tables filter which: along active relationships, from the one
// side to the many.
func (s *star) relate(all []semanticmodel.Relationship) {
	join := func(many, one *starTable) {
		if many != one && !slices.Contains(many.ones, one) {
			many.ones = append(many.ones, one)
		}
	}
	for _, r := range all {
		from, to := s.columns[[2]string{fold(r.FromTable), fold(r.FromColumn)}], s.columns[[2]string{fold(r.ToTable), fold(r.ToColumn)}]
		if from == nil || to == nil || !r.IsActive {
			continue
		}
		if r.ToCardinality != semanticmodel.Many {
			join(from, to)
		}
		if r.FromCardinality == semanticmodel.One {
			join(to, from)
		}
	}
	for _, t := range s.tables {
		slices.SortFunc(t.ones, func(a, b *starTable) int { return strings.Compare(a.name, b.name) })
	}
}

// maxReach bounds how many tables are followed from one.
const maxReach = 500

// reaches tells whether t is filtered by the other table, along any number of
// relationships; a table is by itself.
func (t *starTable) reaches(other *starTable) bool {
	if t.reach == nil {
		t.reach = map[*starTable]bool{t: true}
		for next := []*starTable{t}; len(next) > 0; next = next[1:] {
			for _, one := range next[0].ones {
				if !t.reach[one] && len(t.reach) < maxReach {
					t.reach[one] = true
					next = append(next, one)
				}
			}
		}
	}
	return t.reach[other]
}

// Words of names that say what a column is good for.
var (
	unasked  = wordSet("id ids key keys sk pk fk guid uuid hash checksum rowid url uri link image photo icon picture email mail phone fax address street zip postal postcode latitude longitude lat lon reference ref number no nr description desc comment comments note notes remark remarks text json xml sort index rank password etl load batch audit created modified updated inserted timestamp")
	telling  = wordSet("name category subcategory type class segment group region country state city territory brand channel status department product customer store market industry gender team priority source manufacturer supplier vendor employee project account campaign stage color colour size")
	relative = wordSet("ytd mtd qtd ly py pm pq yoy mom qoq wow prior previous prev last rolling cumulative running forecast")
	times    = wordSet("year quarter month week weekday day date hour")
	display  = wordSet("helper tooltip svg icon html colour color title label placeholder debug dummy url image format selected selection parameter dynamic text header caption test band classification message flag")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func meets(set map[string]bool, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return set[w] })
}

// label finds what rows of an exposed table are asked by, and its calendar.
func (s *star) label(e readiness.ExposedTable, seen func(table, field string) attention) {
	t := s.tables[fold(e.Name)]
	t.date = e.IsDate
	sorts, levels := map[string]bool{}, map[string]bool{}
	for _, c := range e.Table.Columns {
		sorts[fold(c.SortByColumn)] = true
	}
	for _, h := range e.Hierarchies {
		for _, l := range h.Levels {
			levels[fold(l.Column)] = true
		}
	}
	var dates, all []CalendarColumn
	for _, c := range e.Columns {
		if c.IsRowNumber || line(c.Name, MaxName) != "" || line(e.Name, MaxName) != "" {
			continue
		}
		column := CalendarColumn{c.Name, string(c.DataType), c.IsEnd || c.IsKey}
		all = append(all, column)
		if c.DataType == semanticmodel.DateTime && !meets(unasked, words(c.Name)) {
			dates = append(dates, column)
		}
		if score := labelScore(c, sorts[fold(c.Name)], levels[fold(c.Name)]); score > 0 && !t.date {
			t.labels = append(t.labels, grouping{Field{e.Name, c.Name}, seen(e.Name, c.Name), score})
		}
	}
	slices.SortFunc(t.labels, compareGroupings)
	switch {
	case t.date:
		t.calendar = NewCalendar(e.Name, all)
	case len(dates) == 1:
		t.calendar = DateOnly(Field{e.Name, dates[0].Name})
	}
}

// labelScore is how well rows are asked by a column, 0 for one they are not asked
// by: what joins tables, orders another column, is summed, or is told row by row.
func labelScore(c readiness.ExposedColumn, sorts, level bool) int {
	name := words(c.Name)
	if slices.Contains([]semanticmodel.DataType{semanticmodel.DateTime, semanticmodel.Decimal, semanticmodel.Double, "binary"}, c.DataType) ||
		c.DataType == semanticmodel.Int64 && (c.SummarizeBy != "none" || !level) {
		return 0
	}
	if c.IsEnd || c.IsKey || sorts || len(name) == 0 || meets(unasked, name) || strings.HasSuffix(c.DataCategory, "Url") || c.DataCategory == "Barcode" {
		return 0
	}
	score := 2
	for _, plus := range []struct {
		is bool
		n  int
	}{{c.IsDefaultLabel, 3}, {c.DataType == semanticmodel.String, 3}, {level, 2}, {meets(telling, name), 3}, {c.Description != "", 1}, {name[len(name)-1] == "code" || meets(times, name), -3}} {
		if plus.is {
			score += plus.n
		}
	}
	return max(score, 1)
}

func compareGroupings(a, b grouping) int {
	return cmp.Or(a.attention.compare(b.attention), cmp.Compare(b.score, a.score), strings.Compare(a.Table, b.Table), strings.Compare(a.Name, b.Name))
}

// ask finds the measures to ask for and ranks them: by attention, then those that go by
// a table that others filter, then those that others are built on.
func (s *star) ask(e readiness.Exposure) {
	for _, name := range slices.Sorted(maps.Keys(s.measures)) {
		s.baseOf(s.measures[name], 0)
	}
	for _, t := range e.Tables {
		for _, shown := range t.Measures {
			x := s.measures[fold(shown.Name)]
			name := words(x.Name)
			if line(x.Name, MaxName) != "" || line(x.Table, MaxName) != "" || len(name) == 0 || strings.HasPrefix(x.Name, "_") || meets(display, name) {
				continue
			}
			x.relative = meets(relative, name)
			for _, b := range x.bases {
				x.fact = x.fact || len(b.ones) > 0
			}
			s.asked = append(s.asked, x)
		}
	}
	slices.SortFunc(s.asked, func(a, b *starMeasure) int {
		return cmp.Or(a.attention.compare(b.attention), truth(b.fact)-truth(a.fact), truth(a.relative)-truth(b.relative),
			cmp.Compare(b.usedBy, a.usedBy), strings.Compare(a.Table, b.Table), strings.Compare(a.Name, b.Name))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Bounds of how far measures are followed into those that they name, and of how
// many tables they go by: one that names more is asked for in total alone.
const (
	maxDepth = 50
	maxNamed = 50
)

// baseOf finds the tables that a measure goes by: those that it names, also by way
// of other measures, without those that another of them is filtered by; its own
// table where it names none.
func (s *star) baseOf(x *starMeasure, depth int) {
	if x.read > 0 || depth > maxDepth {
		return
	}
	x.read = 1
	found := map[*starTable]bool{}
	used := map[*starMeasure]bool{}
	read := dax.Read(x.expression)
	for _, r := range read.References {
		if t := s.columns[[2]string{fold(r.Table), fold(r.Name)}]; r.Qualified && t != nil {
			found[t] = true
			continue
		}
		if to := s.measures[fold(r.Name)]; to != nil && to != x {
			s.baseOf(to, depth+1)
			used[to] = true
			for _, b := range to.bases {
				found[b] = true
			}
		} else if t := s.columns[[2]string{fold(x.Table), fold(r.Name)}]; !r.Qualified && t != nil {
			found[t] = true
		}
	}
	for to := range used {
		to.usedBy++
	}
	for _, name := range dax.Tables(x.expression) {
		if t := s.tables[fold(name)]; t != nil {
			found[t] = true
		}
	}
	if len(found) == 0 {
		found[x.home] = true
	}
	if len(found) > maxNamed {
		clear(found)
	}
	for t := range found {
		filtered := false
		for other := range found {
			filtered = filtered || other != t && other.reaches(t) && !t.reaches(other)
		}
		if !filtered {
			x.bases = append(x.bases, t)
		}
	}
	slices.SortFunc(x.bases, func(a, b *starTable) int { return strings.Compare(a.name, b.name) })
	x.read = 2
}

// around are the tables that filter all that a measure goes by, by name.
func (s *star) around(x *starMeasure) []*starTable {
	if len(x.bases) == 0 {
		return nil
	}
	x.bases[0].reaches(x.bases[0])
	var all []*starTable
	for t := range x.bases[0].reach {
		if !slices.ContainsFunc(x.bases, func(b *starTable) bool { return !b.reaches(t) }) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *starTable) int { return strings.Compare(a.name, b.name) })
	return all
}

// groupings are the columns that a measure can be asked by: the best of each table
// first, then the second best of each, so that no table comes alone.
func (s *star) groupings(x *starMeasure) []Field {
	const most = 4 // of one table
	var all []grouping
	place := map[Field]int{}
	for _, t := range s.around(x) {
		for i, g := range t.labels[:min(len(t.labels), most)] {
			if !slices.Contains(x.bases, t) {
				g.score += 2 // what a row is about says more than what is noted in it
			}
			place[g.Field] = i
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b grouping) int {
		return cmp.Or(a.attention.compare(b.attention), cmp.Compare(place[a.Field], place[b.Field]), compareGroupings(a, b))
	})
	fields := make([]Field, len(all))
	for i, g := range all {
		fields[i] = g.Field
	}
	return fields
}

// calendar is what the time of a measure is told by; one without columns when that
// is not clear.
func (s *star) calendar(x *starMeasure) Calendar {
	for _, t := range s.around(x) {
		if t.date && (t.calendar.Date.Name != "" || t.calendar.Year.Name != "") {
			return t.calendar
		}
	}
	if slices.ContainsFunc(s.around(x), func(t *starTable) bool { return t.date }) || len(x.bases) != 1 {
		return Calendar{}
	}
	return x.bases[0].calendar
}
