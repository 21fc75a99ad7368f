package benchmark

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict/normalform"
)

// Wanted says what questions to generate.
type Wanted struct {
	// Views is the number of views by table and field; nil without usage.
	Views map[string]map[string]int64
	// Shown is the number of report pages that show a field, by table and field.
	Shown map[string]map[string]int64
	// Year is the year that questions name.
	Year int
	// Count is how many questions are wanted.
	Count int
}

// Generate returns distinct queries that people would ask about the model, best first:
// about the most viewed fields, then those that reports show most, then those the model
// is built around. They vary measures, groupings and kinds of question. Up to twice
// Count queries are returned, because some may not be put into words. They depend on
// names and structure, not on the order of the definition (docs/decisions.md 7,
// docs/evaluation.md).
//
// A query asks for measures visible to AI, grouped by visible columns of tables that
// filter the measure along many-to-one relationships. It adds up no stock. When there is nothing to ask,
// Generate refuses with QuestionsNotGenerated, saying why.
func Generate(m *semanticmodel.Model, w Wanted) ([]modelquery.Query, error) {
	s := newStar(m, w)
	if len(s.asked) == 0 {
		return nil, nothingToAsk(m)
	}
	// Take a few questions of each measure, rather than one of each or all of one.
	const each = 3
	var queries []modelquery.Query
	seen := map[string]bool{}
	for pool := max(6, (w.Count+each-1)/each); ; pool *= 2 {
		lists := s.candidates(s.asked[:min(pool, len(s.asked))], w)
		for more := true; more; {
			more = false
			for i := range lists {
				for len(lists[i]) > 0 {
					q := lists[i][0]
					lists[i], more = lists[i][1:], true
					if id := QuestionIDOf(q); !seen[id] {
						seen[id] = true
						queries = append(queries, q)
						break
					}
				}
				if len(queries) == 2*w.Count {
					return readFirst(m, w, queries), nil
				}
			}
		}
		if pool >= len(s.asked) {
			if len(queries) == 0 {
				return nil, domain.Refuse(domain.QuestionsNotGenerated, "every measure that an AI sees adds up rows that count the same "+
					"things again on each day, such as stock: let one take the last day, or save your own questions")
			}
			return readFirst(m, w, queries), nil
		}
	}
}

// readFirst moves the queries that package meaning does not read in full behind the others: only rows, a judge or a person can decide
// about answers to such questions.
func readFirst(m *semanticmodel.Model, w Wanted, queries []modelquery.Query) []modelquery.Query {
	reader := normalform.NewModel(m)
	var read, unread []modelquery.Query
	for _, q := range queries {
		if _, err := reader.Read(q.DAX(), time.Date(w.Year, time.December, 31, 0, 0, 0, 0, time.UTC)); err == nil {
			read = append(read, q)
		} else {
			unread = append(unread, q)
		}
	}
	return append(read, unread...)
}

// nothingToAsk returns the refusal of a model without measures to ask for.
func nothingToAsk(m *semanticmodel.Model) error {
	for _, t := range m.Tables {
		if len(t.Measures) > 0 {
			return domain.Refuse(domain.QuestionsNotGenerated,
				"questions ask for measures, and an AI sees none in this semantic model except those made for display: show it measures, "+
					"or save your own questions")
		}
	}
	return domain.Refuse(domain.QuestionsNotGenerated, "questions ask for measures, and this semantic model has none: a column that is "+
		"only summed by default has no single answer. Add measures, or save your own questions")
}

// QuestionIDOf returns the questionId of a query. It does not depend on the order of the
// query's fields.
func QuestionIDOf(q modelquery.Query) string {
	sum := sha256.Sum256(canonicalJSON(Question{Expected: Expected{Fields: q.Fields()}}.canonical()))
	return "q-" + hex.EncodeToString(sum[:6])
}

// candidates returns the queries of each measure in the order in which they are taken.
// Each measure starts with a different kind of question.
func (s *star) candidates(pool []*starMeasure, w Wanted) [][]modelquery.Query {
	all := make([][]modelquery.Query, len(pool))
	for i, x := range pool {
		b := builder{measure: x, groupings: s.groupings(x), calendar: s.calendar(x), year: w.Year, turn: i}
		for n := 1; n < len(pool) && b.other == nil; n++ {
			if other := pool[(i+n)%len(pool)]; sameBases(x, other) && !x.relative && !other.relative {
				b.other = other
			}
		}
		kinds := b.kinds()
		for k := range kinds {
			if q, ok := kinds[(k+i)%len(kinds)](); ok && !s.stocks.Misleads(q) {
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

// builder makes the queries of one measure. turn makes them differ between measures, so
// that not every measure is grouped by the same column.
type builder struct {
	measure, other *starMeasure
	groupings      []modelquery.Field
	calendar       modelquery.Calendar
	year, turn     int
}

// kinds returns the kinds of question, simplest first.
func (b builder) kinds() []func() (modelquery.Query, bool) {
	by := func(n int) func() (modelquery.Query, bool) { return func() (modelquery.Query, bool) { return b.by(n) } }
	kinds := []func() (modelquery.Query, bool){
		by(0), b.over("month"), b.top, b.total, b.both, b.inYear, by(1), b.byTwo, b.byInYear, b.during, b.over("year"), b.inQuarter,
		b.bottom,
		by(2), b.over("quarter"), b.bothOver, by(3), b.byAndMonth,
	}
	for n := 4; n < len(b.groupings); n++ {
		kinds = append(kinds, by(n))
	}
	return kinds
}

func (b builder) query(filters ...modelquery.Filter) modelquery.Query {
	return modelquery.Query{Measures: []modelquery.Field{b.measure.Field}, Filters: filters}
}

// grouping returns the n-th grouping of the measure. The four best are rotated by turn,
// unless usage decides their order.
func (b builder) grouping(n int) (modelquery.Field, bool) {
	best := min(4, len(b.groupings))
	switch {
	case n >= len(b.groupings):
		return modelquery.Field{}, false
	case n < best && b.measure.views == 0:
		return b.groupings[(n+b.turn)%best], true
	}
	return b.groupings[n], true
}

func (b builder) total() (modelquery.Query, bool) { return b.query(), true }

func (b builder) by(n int) (modelquery.Query, bool) {
	g, ok := b.grouping(n)
	q := b.query()
	q.Groupings = []modelquery.Field{g}
	return q, ok
}

func (b builder) over(part string) func() (modelquery.Query, bool) {
	return func() (modelquery.Query, bool) {
		g, ok := b.calendar.By(part)
		q := b.query()
		q.Groupings = []modelquery.Field{g}
		return q, ok
	}
}

func (b builder) inYear() (modelquery.Query, bool) {
	f, ok := b.calendar.In(modelquery.YearSpan(b.year))
	return b.query(f), ok && !b.measure.relative
}

func (b builder) inQuarter() (modelquery.Query, bool) {
	f, ok := b.calendar.In(modelquery.QuarterSpan(b.year, 1+b.turn%4))
	return b.query(f), ok && !b.measure.relative
}

func (b builder) byInYear() (modelquery.Query, bool) {
	q, ok := b.inYear()
	g, there := b.grouping(1)
	q.Groupings = []modelquery.Field{g}
	return q, ok && there
}

func (b builder) during() (modelquery.Query, bool) {
	twelve, _ := modelquery.LastUnits(12, modelquery.Month)
	p := []modelquery.Period{
		modelquery.Last(modelquery.Month), modelquery.This(modelquery.Year), twelve, modelquery.Last(modelquery.Quarter),
		modelquery.ToDate(modelquery.Year),
	}[b.turn%5]
	f, ok := b.calendar.During(p)
	q := b.query(f)
	g, there := b.grouping(0)
	if b.turn%2 == 1 {
		q.Groupings, ok = []modelquery.Field{g}, ok && there
	}
	return q, ok && !b.measure.relative
}

func (b builder) top() (modelquery.Query, bool) {
	return b.ranked(modelquery.Top, []int{5, 10, 3}[b.turn%3], 0)
}
func (b builder) bottom() (modelquery.Query, bool) {
	return b.ranked(modelquery.Bottom, []int{3, 5}[b.turn%2], 1)
}

func (b builder) ranked(operator modelquery.Operator, count, n int) (modelquery.Query, bool) {
	g, ok := b.grouping(n)
	q := b.query(modelquery.Filter{
		Field: b.measure.Field, Operator: operator, Values: []string{strconv.Itoa(count)}, Type: modelquery.NumberValue,
	})
	q.Groupings = []modelquery.Field{g}
	return q, ok
}

// byTwo groups by columns of two different tables.
func (b builder) byTwo() (modelquery.Query, bool) {
	first, ok := b.grouping(0)
	for n := 1; ok && n < len(b.groupings); n++ {
		if second, there := b.grouping(n); there && second.Table != first.Table {
			q := b.query()
			q.Groupings = []modelquery.Field{first, second}
			return q, true
		}
	}
	return modelquery.Query{}, false
}

func (b builder) byAndMonth() (modelquery.Query, bool) {
	q, ok := b.by(0)
	month, there := b.calendar.By("month")
	q.Groupings = append(q.Groupings, month)
	return q, ok && there && !b.measure.relative
}

// both compares the measure with another one of the same base tables.
func (b builder) both() (modelquery.Query, bool) {
	q, ok := b.by(1)
	return b.compared(q, ok)
}

func (b builder) bothOver() (modelquery.Query, bool) {
	q, ok := b.over("year")()
	return b.compared(q, ok)
}

func (b builder) compared(q modelquery.Query, ok bool) (modelquery.Query, bool) {
	if !ok || b.other == nil {
		return modelquery.Query{}, false
	}
	q.Measures = append(q.Measures, b.other.Field)
	return q, true
}

// GeneratedSet returns a set of the first count queries that have a text. It leaves out
// queries without a valid text, with the text of an earlier one, or with a query that
// is too long.
func GeneratedSet(queries []modelquery.Query, texts []string, count int) Set {
	set := Set{Questions: []Question{}, Repeats: DefaultRepeats}
	seen := map[string]bool{}
	for i, q := range queries {
		if i >= len(texts) || len(set.Questions) == count || line(texts[i], MaxText) != "" || seen[spelling.Fold(texts[i])] {
			continue
		}
		one := Question{
			QuestionID: QuestionIDOf(q), Text: texts[i], Expected: Expected{Fields: q.Fields(), DAX: q.DAX()}, Source: Generated,
		}
		if len(one.Expected.DAX) > MaxDAX {
			continue
		}
		seen[spelling.Fold(one.Text)] = true
		set.Questions = append(set.Questions, one)
	}
	return set
}
