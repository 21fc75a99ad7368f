package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// Engine answers questions from one catalog. It is safe for concurrent use and needs no closing.
type Engine struct {
	catalog      Catalog
	second       *secondPass // nil for an engine that knows names only
	lexicon      *lexicon
	instructions instructions
	values       map[string]valueOf
	calendar     *modelquery.Calendar // nil without a calendar, or with several to choose from
	tables       []string             // of the calendars
	filteredBy   map[string][]string  // by table in lower case
	countedOn    map[string]string    // the same, of tables that count the same things again on each day
	answers      []VerifiedAnswer
	phrases      map[string]int // the verified answers' index by the topic stems of their phrases
}

// Explained is an answer with the reasons for its fields.
type Explained struct {
	verdict.Answer
	Reasons []Reason
}

// Reason is the reason for a field of an answer.
type Reason struct {
	Field verdict.Field
	// Words are the words of the question that the field came from.
	Words string
	// Matched is where these words were found.
	Matched Source
	// Score is how well they match; 1 for the field's own name.
	Score float64
}

// New returns an engine for a catalog. It indexes at most 20,000 fields.
func New(c Catalog) *Engine {
	e := &Engine{catalog: c, instructions: readInstructions(c.Instructions), values: map[string]valueOf{}, phrases: map[string]int{}}
	tables := canonical(c.Tables)
	e.lexicon = newLexicon(tables, e.instructions)
	for text, v := range e.instructions.values {
		e.values[lowerText(readWords(text, false))] = v
	}
	e.filteredBy, e.countedOn = make(map[string][]string, len(tables)), map[string]string{}
	for _, t := range tables {
		e.filteredBy[strings.ToLower(t.Name)] = t.FilteredBy
		if t.CountedOn != "" {
			e.countedOn[strings.ToLower(t.Name)] = t.CountedOn
		}
	}
	e.findCalendar(tables)
	e.answers = slices.Clone(c.Answers)
	slices.SortFunc(e.answers, func(a, b VerifiedAnswer) int { return byText(a, b) })
	e.answers = e.answers[:min(maxAnswers, len(e.answers))]
	for i, a := range e.answers {
		for _, p := range a.Phrases {
			key := topicStems(readWords(domain.FirstCharacters(p, maxQuestion), true))
			if _, known := e.phrases[key]; !known && key != "" {
				e.phrases[key] = i
			}
		}
	}
	return e
}

// findCalendar sets the calendar for questions about time: the one that the instructions name, else
// the only one.
func (e *Engine) findCalendar(tables []Table) {
	var found *Table
	for i, t := range tables {
		if t.Dates {
			e.tables = append(e.tables, t.Name)
		}
		if t.Dates && found == nil || strings.EqualFold(t.Name, e.instructions.calendar.Table) && e.instructions.calendar.Name != "" {
			found = &tables[i]
		}
	}
	if found == nil || len(e.tables) > 1 && !strings.EqualFold(found.Name, e.instructions.calendar.Table) {
		return
	}
	columns := make([]modelquery.CalendarColumn, len(found.Columns))
	var year modelquery.CalendarColumn
	for i, c := range found.Columns {
		columns[i] = modelquery.CalendarColumn{Name: c.Name, DataType: c.DataType, Key: c.Key}
		if strings.EqualFold(found.Name, e.instructions.year.Table) && strings.EqualFold(c.Name, e.instructions.year.Name) {
			year = columns[i]
		}
	}
	calendar := modelquery.NewCalendar(found.Name, columns)
	if year.Name != "" {
		calendar.Year = year
	}
	e.calendar = &calendar
}

// topicStems returns the stems of the words that say what a text is about, as one key.
func topicStems(words []word) string {
	var stems []string
	for _, w := range words {
		if w.kind != plainWord || !wording.Structural[w.lower] || cues[w.lower] == group {
			stems = append(stems, w.stem)
		}
	}
	return strings.Join(stems, " ")
}

// Answer answers a question, or returns an answer with CannotAnswer. It reads at most 2,000 characters
// of the question.
func (e *Engine) Answer(text string) Explained {
	a := e.answer(e.read(text, false))
	if a.CannotAnswer && e.second != nil {
		if q := e.read(text, true); q != nil {
			return e.answer(q)
		}
	}
	return a
}

func (e *Engine) answer(q *question) Explained {
	if len(q.words) == 0 {
		return decline("the question has no words")
	}
	if i, ok := e.phrases[topicStems(q.words)]; ok {
		if a, ok := e.verified(q, e.answers[i]); ok {
			return a
		}
	}
	q.findNames()
	q.findOrder()
	q.findContexts()
	if e.second != nil {
		q.findConditions()
		q.findValues()
		q.findOtherWords()
	}
	q.findBounds()
	q.findTimes()
	q.findConditions()
	q.findKnownValues()
	q.findRows()
	q.findMentions()
	q.findNextValues()
	return q.answer()
}

// decline returns an answer that gives the reason why there is none.
func decline(why string) Explained {
	return Explained{Answer: verdict.Answer{Text: "I cannot answer: " + why + ".", CannotAnswer: true}}
}

// verified returns the verified answer to the entire question.
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
