package benchmark

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/benchmark/stock"
	"readiness/domain/readiness"
	"readiness/internal/lists"
)

// star holds what questions can be made of: the measures that an AI sees, each with the
// columns it can be grouped by. It does not depend on the order of the definition.
type star struct {
	tables   map[string]*starTable // by folded name
	columns  map[[2]string]*starTable
	measures map[string]*starMeasure // all measures of the model, by folded name
	asked    []*starMeasure          // the measures to ask for, best first
	stocks   stock.Stocks
}

type starTable struct {
	name   string
	date   bool                // is a date table
	ones   []*starTable        // the tables on the one side of its relationships
	reach  map[*starTable]bool // see reaches; nil until it is computed
	labels []grouping          // columns to group by, best first
	// calendar is set for a date table, and for another table with a single date
	// column.
	calendar modelquery.Calendar
}

type starMeasure struct {
	modelquery.Field
	home       *starTable
	expression string
	attention
	usedBy int // how many measures refer to it
	bases  []*starTable
	read   int  // 0 not read, 1 being read, 2 done
	fact   bool // one of its base tables is filtered by others
	// relative is true when its name contains a period, so that questions add none.
	relative bool
}

type grouping struct {
	modelquery.Field
	attention
	score int
}

// attention is how often people view a field, and how many pages show it.
type attention struct{ views, shown int64 }

// compare orders by attention, most first.
func (a attention) compare(b attention) int {
	return cmp.Or(cmp.Compare(b.views, a.views), cmp.Compare(b.shown, a.shown))
}

func newStar(m *semanticmodel.Model, w Wanted) *star {
	s := &star{tables: map[string]*starTable{}, columns: map[[2]string]*starTable{}, measures: map[string]*starMeasure{}}
	seen := attentionOf(w)
	for _, t := range m.Tables {
		table := &starTable{name: t.Name}
		s.tables[spelling.Fold(t.Name)] = table
		for _, c := range t.Columns {
			s.columns[spelling.Field(t.Name, c.Name)] = table
		}
		for _, x := range t.Measures {
			s.measures[spelling.Fold(x.Name)] = &starMeasure{
				Field: modelquery.Field{Table: t.Name, Name: x.Name}, home: table, expression: x.Expression,
				attention: seen(t.Name, x.Name),
			}
		}
	}
	s.relate(m.Relationships)
	e := readiness.Expose(m)
	for _, t := range e.Tables {
		s.label(t, seen)
	}
	s.ask(e)
	var dates []string
	for _, t := range e.Tables {
		if t.IsDate {
			dates = append(dates, t.Name)
		}
	}
	s.stocks = stock.Find(m, dates, func(measure string) (over []string) {
		for _, b := range s.measures[spelling.Fold(measure)].bases {
			over = append(over, b.name)
		}
		return over
	})
	return s
}

// attentionOf returns a look-up of attention by folded names.
func attentionOf(w Wanted) func(table, field string) attention {
	of := func(counts map[string]map[string]int64) map[[2]string]int64 {
		all := map[[2]string]int64{}
		for table, fields := range counts {
			for field, n := range fields {
				all[spelling.Field(table, field)] += max(n, 0)
			}
		}
		return all
	}
	views, shown := of(w.Views), of(w.Shown)
	return func(table, field string) attention {
		key := spelling.Field(table, field)
		return attention{views[key], shown[key]}
	}
}

// relate records which tables filter which: active relationships filter from the one
// side to the many side.
func (s *star) relate(all []semanticmodel.Relationship) {
	join := func(many, one *starTable) {
		if many != one && !slices.Contains(many.ones, one) {
			many.ones = append(many.ones, one)
		}
	}
	for _, r := range all {
		from, to := s.columns[spelling.Field(r.FromTable, r.FromColumn)], s.columns[spelling.Field(r.ToTable, r.ToColumn)]
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

// maxReach bounds how many tables reaches follows from one table.
const maxReach = 500

// reaches reports whether other filters t along any number of relationships. A table
// reaches itself.
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

// Sets of words in names. Columns named with noLabelWords are not grouped by;
// labelWords make good groupings. periodWords make a measure relative to a period.
// Measures named with displayWords are not asked for.
var (
	noLabelWords = wordSet("id ids key keys sk pk fk guid uuid hash checksum rowid url uri link image photo icon picture email mail " +
		"phone fax address street zip postal postcode latitude longitude lat lon reference ref number no nr description desc comment " +
		"comments note notes remark remarks text json xml sort index rank password etl load batch audit created modified updated " +
		"inserted timestamp")
	labelWords = wordSet("name category subcategory type class segment group region country state city territory brand channel status " +
		"department product customer store market industry gender team priority source manufacturer supplier vendor employee project " +
		"account campaign stage color colour size")
	periodWords  = wordSet("ytd mtd qtd ly py pm pq yoy mom qoq wow prior previous prev last rolling cumulative running forecast")
	timeWords    = wordSet("year quarter month week weekday day date hour")
	displayWords = wordSet("helper tooltip svg icon html colour color title label placeholder debug dummy url image format selected " +
		"selection parameter dynamic text header caption test band classification message flag")
)

func wordSet(list string) map[string]bool {
	return lists.Set(strings.Fields(list))
}

func meets(set map[string]bool, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return set[w] })
}

// label finds the columns to group an exposed table by, and its calendar.
func (s *star) label(e readiness.ExposedTable, seen func(table, field string) attention) {
	t := s.tables[spelling.Fold(e.Name)]
	t.date = e.IsDate
	sorts, levels := map[string]bool{}, map[string]bool{}
	for _, c := range e.Table.Columns {
		sorts[spelling.Fold(c.SortByColumn)] = true
	}
	for _, h := range e.Hierarchies {
		for _, l := range h.Levels {
			levels[spelling.Fold(l.Column)] = true
		}
	}
	var dates, all []modelquery.CalendarColumn
	for _, c := range e.Columns {
		if c.IsRowNumber || line(c.Name, MaxName) != "" || line(e.Name, MaxName) != "" {
			continue
		}
		column := modelquery.CalendarColumn{Name: c.Name, DataType: string(c.DataType), Key: c.IsEnd || c.IsKey}
		all = append(all, column)
		if c.DataType == semanticmodel.DateTime && !meets(noLabelWords, modelquery.Words(c.Name)) {
			dates = append(dates, column)
		}
		if score := labelScore(c, sorts[spelling.Fold(c.Name)], levels[spelling.Fold(c.Name)]); score > 0 && !t.date {
			t.labels = append(t.labels, grouping{modelquery.Field{Table: e.Name, Name: c.Name}, seen(e.Name, c.Name), score})
		}
	}
	slices.SortFunc(t.labels, compareGroupings)
	switch {
	case t.date:
		t.calendar = modelquery.NewCalendar(e.Name, all)
	case len(dates) == 1:
		t.calendar = modelquery.DateOnly(modelquery.Field{Table: e.Name, Name: dates[0].Name})
	}
}

// labelScore returns how well a column serves as a grouping, or 0 when it must not: it
// joins tables, sorts another column, is summed, or differs in almost every row.
func labelScore(c readiness.ExposedColumn, sorts, level bool) int {
	name := modelquery.Words(c.Name)
	if slices.Contains([]semanticmodel.DataType{semanticmodel.DateTime, semanticmodel.Decimal, semanticmodel.Double, "binary"},
		c.DataType) ||
		c.DataType == semanticmodel.Int64 && (c.SummarizeBy != "none" || !level) {
		return 0
	}
	if c.IsEnd || c.IsKey || sorts || len(name) == 0 || meets(noLabelWords, name) || strings.HasSuffix(c.DataCategory, "Url") ||
		c.DataCategory == "Barcode" {
		return 0
	}
	score := 2
	for _, plus := range []struct {
		is bool
		n  int
	}{{c.IsDefaultLabel, 3}, {c.DataType == semanticmodel.String, 3}, {level, 2}, {meets(labelWords, name), 3}, {c.Description != "", 1},
		{name[len(name)-1] == "code" || meets(timeWords, name), -3}} {
		if plus.is {
			score += plus.n
		}
	}
	return max(score, 1)
}

func compareGroupings(a, b grouping) int {
	return cmp.Or(a.attention.compare(b.attention), cmp.Compare(b.score, a.score), strings.Compare(a.Table, b.Table),
		strings.Compare(a.Name, b.Name))
}

// ask finds the measures to ask for and ranks them: by attention, then measures on
// tables that others filter, then measures whose name contains no period, then those
// most used by others.
func (s *star) ask(e readiness.Exposure) {
	for _, name := range slices.Sorted(maps.Keys(s.measures)) {
		s.baseOf(s.measures[name], 0)
	}
	for _, t := range e.Tables {
		for _, shown := range t.Measures {
			x := s.measures[spelling.Fold(shown.Name)]
			name := modelquery.Words(x.Name)
			if line(x.Name, MaxName) != "" || line(x.Table, MaxName) != "" || len(name) == 0 || strings.HasPrefix(x.Name, "_") ||
				meets(displayWords, name) {
				continue
			}
			x.relative = meets(periodWords, name)
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

// maxDepth bounds how deep references between measures are followed. A measure that
// refers to more than maxNamed tables is asked for only in total.
const (
	maxDepth = 50
	maxNamed = 50
)

// baseOf computes the base tables of a measure: the tables that it or the measures it
// refers to name, without those that filter another one of them. A measure that names
// none has its own table.
func (s *star) baseOf(x *starMeasure, depth int) {
	if x.read > 0 || depth > maxDepth {
		return
	}
	x.read = 1
	found := map[*starTable]bool{}
	used := map[*starMeasure]bool{}
	read := dax.Read(x.expression)
	for _, r := range read.References {
		if t := s.columns[spelling.Field(r.Table, r.Name)]; r.Qualified && t != nil {
			found[t] = true
			continue
		}
		if to := s.measures[spelling.Fold(r.Name)]; to != nil && to != x {
			s.baseOf(to, depth+1)
			used[to] = true
			for _, b := range to.bases {
				found[b] = true
			}
		} else if t := s.columns[spelling.Field(x.Table, r.Name)]; !r.Qualified && t != nil {
			found[t] = true
		}
	}
	for to := range used {
		to.usedBy++
	}
	for _, name := range dax.Tables(x.expression) {
		if t := s.tables[spelling.Fold(name)]; t != nil {
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
