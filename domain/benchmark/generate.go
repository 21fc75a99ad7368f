package benchmark

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"readiness/definition/semanticmodel"
	"readiness/domain"
)

// Wanted is what questions are generated for.
type Wanted struct {
	// Views is how often each field was looked at: table, field, views; nil is no
	// usage.
	Views map[string]map[string]int64
	// Shown is on how many pages of reports each field is: table, field, pages.
	Shown map[string]map[string]int64
	// Year is the year that questions name.
	Year int
	// Count is how many questions are wanted.
	Count int
}

// Generate returns queries about a model that people would ask, each another one,
// the best first: about what is looked at most, then what reports show most, else
// about what the model is built around. They are spread over measures, groupings and kinds of question. Twice as
// many as are wanted are returned where there are so many, because not every query
// can be put into words. Names and structure alone decide, never the order of the
// definition (decisions 7).
//
// A query asks for measures that an AI sees by columns that it sees, of tables that
// filter the measure along many-to-one relationships. The error is a refusal with
// QuestionsNotGenerated that says why there is nothing to ask.
func Generate(m *semanticmodel.Model, w Wanted) ([]Query, error) {
	s := newStar(m, w)
	if len(s.asked) == 0 {
		return nil, nothingToAsk(m)
	}
	// A few questions of each measure, rather than one of each or all of one.
	const each = 3
	var queries []Query
	seen := map[string]bool{}
	for pool := max(6, (w.Count+each-1)/each); ; pool *= 2 {
		lists := s.candidates(s.asked[:min(pool, len(s.asked))], w)
		for more := true; more; {
			more = false
			for i := range lists {
				for len(lists[i]) > 0 {
					q := lists[i][0]
					lists[i], more = lists[i][1:], true
					if id := q.ID(); !seen[id] {
						seen[id] = true
						queries = append(queries, q)
						break
					}
				}
				if len(queries) == 2*w.Count {
					return queries, nil
				}
			}
		}
		if pool >= len(s.asked) {
			return queries, nil
		}
	}
}

// nothingToAsk says why a model has nothing to ask for.
func nothingToAsk(m *semanticmodel.Model) error {
	for _, t := range m.Tables {
		if len(t.Measures) > 0 {
			return domain.Refuse(domain.QuestionsNotGenerated, "questions ask for measures, and an AI sees none of this semantic model's but those that are for display: show measures to it, or save questions of your own")
		}
	}
	return domain.Refuse(domain.QuestionsNotGenerated, "questions ask for measures, and this semantic model has none: what is only summed by default has no one answer. Add measures, or save questions of your own")
}

// ID is the questionId of the query: the same for the same query, in whatever
// order its fields stand.
func (q Query) ID() string {
	sum := sha256.Sum256(canonicalJSON(Question{Expected: Expected{Fields: q.Fields()}}.canonical()))
	return "q-" + hex.EncodeToString(sum[:6])
}

// candidates are the queries of each measure, in the order in which they are taken:
// each measure begins with another kind.
func (s *star) candidates(pool []*starMeasure, w Wanted) [][]Query {
	all := make([][]Query, len(pool))
	for i, x := range pool {
		b := builder{measure: x, groupings: s.groupings(x), calendar: s.calendar(x), year: w.Year, turn: i}
		for n := 1; n < len(pool) && b.other == nil; n++ {
			if other := pool[(i+n)%len(pool)]; sameBases(x, other) && !x.relative && !other.relative {
				b.other = other
			}
		}
		kinds := b.kinds()
		for k := range kinds {
			if q, ok := kinds[(k+i)%len(kinds)](); ok {
				all[i] = append(all[i], q)
			}
		}
	}
	return all
}

func sameBases(a, b *starMeasure) bool {
	if len(a.bases) != len(b.bases) {
		return false
	}
	for i := range a.bases {
		if a.bases[i] != b.bases[i] {
			return false
		}
	}
	return true
}

// builder makes the queries of one measure. What differs between measures, turn
// decides, so that not all are asked by the same column.
type builder struct {
	measure, other *starMeasure
	groupings      []Field
	calendar       Calendar
	year, turn     int
}

// kinds are the kinds of question, the plainest first.
func (b builder) kinds() []func() (Query, bool) {
	by := func(n int) func() (Query, bool) { return func() (Query, bool) { return b.by(n) } }
	kinds := []func() (Query, bool){
		by(0), b.over("month"), b.top, b.total, b.both, b.inYear, by(1), b.byTwo, b.byInYear, b.during, b.over("year"), b.inQuarter, b.bottom,
		by(2), b.over("quarter"), b.bothOver, by(3), b.byAndMonth,
	}
	for n := 4; n < len(b.groupings); n++ {
		kinds = append(kinds, by(n))
	}
	return kinds
}

func (b builder) query(filters ...Filter) Query {
	return Query{Measures: []Field{b.measure.Field}, Filters: filters}
}

// grouping is the n-th of the measure's columns. Of the four best, each measure
// begins with another one, unless people look at them.
func (b builder) grouping(n int) (Field, bool) {
	best := min(4, len(b.groupings))
	switch {
	case n >= len(b.groupings):
		return Field{}, false
	case n < best && b.measure.views == 0:
		return b.groupings[(n+b.turn)%best], true
	}
	return b.groupings[n], true
}

func (b builder) total() (Query, bool) { return b.query(), true }

func (b builder) by(n int) (Query, bool) {
	g, ok := b.grouping(n)
	q := b.query()
	q.Groupings = []Field{g}
	return q, ok
}

func (b builder) over(part string) func() (Query, bool) {
	return func() (Query, bool) {
		g, ok := b.calendar.By(part)
		q := b.query()
		q.Groupings = []Field{g}
		return q, ok
	}
}

func (b builder) inYear() (Query, bool) {
	f, ok := b.calendar.In(YearSpan(b.year))
	return b.query(f), ok && !b.measure.relative
}

func (b builder) inQuarter() (Query, bool) {
	f, ok := b.calendar.In(QuarterSpan(b.year, 1+b.turn%4))
	return b.query(f), ok && !b.measure.relative
}

func (b builder) byInYear() (Query, bool) {
	q, ok := b.inYear()
	g, there := b.grouping(1)
	q.Groupings = []Field{g}
	return q, ok && there
}

func (b builder) during() (Query, bool) {
	twelve, _ := LastUnits(12, Month)
	p := []Period{Last(Month), This(Year), twelve, Last(Quarter), ToDate(Year)}[b.turn%5]
	f, ok := b.calendar.During(p)
	q := b.query(f)
	g, there := b.grouping(0)
	if b.turn%2 == 1 {
		q.Groupings, ok = []Field{g}, ok && there
	}
	return q, ok && !b.measure.relative
}

func (b builder) top() (Query, bool)    { return b.ranked(Top, []int{5, 10, 3}[b.turn%3], 0) }
func (b builder) bottom() (Query, bool) { return b.ranked(Bottom, []int{3, 5}[b.turn%2], 1) }

func (b builder) ranked(operator Operator, count, n int) (Query, bool) {
	g, ok := b.grouping(n)
	q := b.query(Filter{b.measure.Field, operator, []string{strconv.Itoa(count)}, NumberValue})
	q.Groupings = []Field{g}
	return q, ok
}

// byTwo groups by columns of two tables.
func (b builder) byTwo() (Query, bool) {
	first, ok := b.grouping(0)
	for n := 1; ok && n < len(b.groupings); n++ {
		if second, there := b.grouping(n); there && second.Table != first.Table {
			q := b.query()
			q.Groupings = []Field{first, second}
			return q, true
		}
	}
	return Query{}, false
}

func (b builder) byAndMonth() (Query, bool) {
	q, ok := b.by(0)
	month, there := b.calendar.By("month")
	q.Groupings = append(q.Groupings, month)
	return q, ok && there && !b.measure.relative
}

// both compares the measure with another that goes by the same tables.
func (b builder) both() (Query, bool) {
	q, ok := b.by(1)
	return b.compared(q, ok)
}

func (b builder) bothOver() (Query, bool) {
	q, ok := b.over("year")()
	return b.compared(q, ok)
}

func (b builder) compared(q Query, ok bool) (Query, bool) {
	if !ok || b.other == nil {
		return Query{}, false
	}
	q.Measures = append(q.Measures, b.other.Field)
	return q, true
}

// GeneratedSet is the set of the first so many queries that were put into words: a
// query without a text, and a second one with the same text, are left out.
func GeneratedSet(queries []Query, texts []string, count int) Set {
	set := Set{Questions: []Question{}, Repeats: DefaultRepeats}
	said := map[string]bool{}
	for i, q := range queries {
		if i >= len(texts) || len(set.Questions) == count || line(texts[i], MaxText) != "" || said[fold(texts[i])] {
			continue
		}
		one := Question{QuestionID: q.ID(), Text: texts[i], Expected: Expected{Fields: q.Fields(), DAX: q.DAX()}, Source: Generated}
		if len(one.Expected.DAX) > MaxDAX {
			continue
		}
		said[fold(one.Text)] = true
		set.Questions = append(set.Questions, one)
	}
	return set
}
