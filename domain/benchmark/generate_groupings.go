package benchmark

import (
	"cmp"
	"slices"
	"strings"

	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// around returns, by name, the tables that filter every base table of the measure.
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

// groupings returns the columns to group a measure by: the best of each table, then the
// second best of each, and so on.
func (s *star) groupings(x *starMeasure) []modelquery.Field {
	const most = 4 // of one table
	var all []grouping
	place := map[modelquery.Field]int{}
	for _, t := range s.around(x) {
		for i, g := range t.labels[:min(len(t.labels), most)] {
			if !slices.Contains(x.bases, t) {
				g.score += 2 // a related table says more about rows than their own columns
			}
			place[g.Field] = i
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b grouping) int {
		return cmp.Or(a.attention.compare(b.attention), cmp.Compare(place[a.Field], place[b.Field]), compareGroupings(a, b))
	})
	return lists.Map(all, func(g grouping) modelquery.Field { return g.Field })
}

// calendar returns the calendar for questions about a measure's time; one without
// columns when it is ambiguous or there is none.
func (s *star) calendar(x *starMeasure) modelquery.Calendar {
	for _, t := range s.around(x) {
		if t.date && (t.calendar.Date.Name != "" || t.calendar.Year.Name != "") {
			return t.calendar
		}
	}
	if slices.ContainsFunc(s.around(x), func(t *starTable) bool { return t.date }) || len(x.bases) != 1 {
		return modelquery.Calendar{}
	}
	return x.bases[0].calendar
}
