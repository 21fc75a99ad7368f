package answering

import (
	"slices"
	"strings"

	"readiness/domain/benchmark"
	"readiness/domain/comparison"
)

// Engine answers questions from one catalog. It is safe for concurrent use and
// holds nothing that needs to be closed.
type Engine struct {
	lexicon  *lexicon
	said     instructions
	values   map[string]valueOf
	calendar *benchmark.Calendar // nil where there is none, or more than one to choose from
	tables   []string            // of the calendars
	answers  []VerifiedAnswer
	phrases  map[string]int // of the verified answers, by their telling stems
}

// Explained is an answer with what it was made of.
type Explained struct {
	comparison.Answer
	Reasons []Reason
}

// Reason is why a field is in an answer.
type Reason struct {
	Field comparison.Field
	// Words are those of the question that the field came from.
	Words string
	// Matched is where they were found.
	Matched Source
	// Score is how well they fit, 1 for the field's own name.
	Score float64
}

// New makes an engine of a catalog, of which it takes in at most 20,000 fields.
func New(c Catalog) *Engine {
	e := &Engine{said: readInstructions(c.Instructions), values: map[string]valueOf{}, phrases: map[string]int{}}
	tables := canonical(c.Tables)
	e.lexicon = newLexicon(tables, e.said)
	for text, v := range e.said.values {
		e.values[lowerText(readWords(text, false))] = v
	}
	e.findCalendar(tables)
	e.answers = slices.Clone(c.Answers)
	slices.SortFunc(e.answers, func(a, b VerifiedAnswer) int { return byText(a, b) })
	e.answers = e.answers[:min(maxAnswers, len(e.answers))]
	for i, a := range e.answers {
		for _, p := range a.Phrases {
			key := tellingStems(readWords(first(p, maxQuestion), true))
			if _, known := e.phrases[key]; !known && key != "" {
				e.phrases[key] = i
			}
		}
	}
	return e
}

// findCalendar finds the calendar that questions about time go by: the one that the
// instructions name, else the only one.
func (e *Engine) findCalendar(tables []Table) {
	var found *Table
	for i, t := range tables {
		if t.Dates {
			e.tables = append(e.tables, t.Name)
		}
		if t.Dates && found == nil || strings.EqualFold(t.Name, e.said.calendar.Table) && e.said.calendar.Name != "" {
			found = &tables[i]
		}
	}
	if found == nil || len(e.tables) > 1 && !strings.EqualFold(found.Name, e.said.calendar.Table) {
		return
	}
	columns := make([]benchmark.CalendarColumn, len(found.Columns))
	var year benchmark.CalendarColumn
	for i, c := range found.Columns {
		columns[i] = benchmark.CalendarColumn{Name: c.Name, DataType: c.DataType, Key: c.Key}
		if strings.EqualFold(found.Name, e.said.year.Table) && strings.EqualFold(c.Name, e.said.year.Name) {
			year = columns[i]
		}
	}
	calendar := benchmark.NewCalendar(found.Name, columns)
	if year.Name != "" {
		calendar.Year = year
	}
	e.calendar = &calendar
}

// tellingStems are the words of a text that say what it is about.
func tellingStems(words []word) string {
	var stems []string
	for _, w := range words {
		if w.kind != plainWord || !structural[w.lower] || cues[w.lower] == group {
			stems = append(stems, w.stem)
		}
	}
	return strings.Join(stems, " ")
}

// Answer answers a question, of which it reads at most 2,000 characters, or says
// that it cannot tell.
func (e *Engine) Answer(text string) Explained {
	q := e.read(text)
	if len(q.words) == 0 {
		return cannotTell("the question has no words")
	}
	if i, ok := e.phrases[tellingStems(q.words)]; ok {
		if a, ok := e.verified(q, e.answers[i]); ok {
			return a
		}
	}
	q.findNames()
	q.findOrder()
	q.findContexts()
	q.findBounds()
	q.findTimes()
	q.findConditions()
	q.findKnownValues()
	q.findMentions()
	q.findNextValues()
	return q.answer()
}

// cannotTell is an answer that says why there is none.
func cannotTell(why string) Explained {
	return Explained{Answer: comparison.Answer{Text: "I cannot tell: " + why + ".", CannotTell: true}}
}

// verified is the answer that is known for the whole question.
func (e *Engine) verified(q *question, a VerifiedAnswer) (Explained, bool) {
	d := draft{engine: e}
	for _, r := range a.Fields {
		f := e.lexicon.find(r, true)
		if f == nil || r.Table != "" && e.lexicon.find(r, false) != nil {
			f = e.lexicon.find(r, false)
		}
		if f == nil {
			return Explained{}, false // it is not seen
		}
		d.use(f, reason{q.text(run{0, len(q.words)}), InAnswer, 1})
	}
	if len(d.query.Measures)+len(d.query.Groupings) == 0 {
		return Explained{}, false
	}
	return d.explain(), true
}
