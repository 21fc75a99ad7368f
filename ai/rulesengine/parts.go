package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
)

// timeParts are the words for parts of time.
var timeParts = map[string]string{
	"year": "year", "years": "year", "quarter": "quarter", "quarters": "quarter", "month": "month", "months": "month", "week": "week",
	"weeks":   "week",
	"weekday": "weekday", "weekdays": "weekday", "day": "day", "days": "day", "date": "date", "dates": "date",
	"monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year", "weekly": "week", "daily": "day",
}

// partOf returns the only column of a calendar whose name has a part of time: Fiscal Month.
func (e *Engine) partOf(calendar, part string) (found modelquery.Field, ok bool) {
	for _, f := range e.lexicon.byTable[strings.ToLower(calendar)] {
		if f.isLabel() && wording.SetOf(part).Has(f.ref.Name) {
			if ok {
				return found, false
			}
			found, ok = f.named(), true
		}
	}
	return found, ok
}

var timeAdverbs = wording.SetOf("monthly quarterly yearly annual annually weekly daily")

// isAdverb reports whether a mention is a word such as "daily".
func (q *question) isAdverb(m *mention) bool { return timeAdverbs[q.words[m.from].lower] }

// timePart adds the calendar's column for a part of time.
func (q *question) timePart(m *mention) {
	if m.to-m.from != 1 {
		return
	}
	w := q.words[m.from]
	part := timeParts[w.lower]
	if part == "" || w.kind != plainWord {
		return
	}
	if timeAdverbs[w.lower] {
		m.context = group
	}
	if part == "day" && m.context == group { // each day, and not the days of a month
		part = "date"
		m.columns = slices.DeleteFunc(m.columns, func(c candidate) bool { return c.field.dates && c.field.dataType == "int64" })
	}
	c := q.engine.calendar
	if c == nil {
		return
	}
	// A column elsewhere with the name Days takes precedence.
	if w.plural() && slices.ContainsFunc(m.columns, func(c candidate) bool { return c.score >= nameWeight-0.01 }) {
		return
	}
	column, ok := c.By(part)
	if !ok && q.engine.second != nil {
		column, ok = q.engine.partOf(c.Table, part)
	}
	if ok {
		if f := q.engine.lexicon.find(FieldRef(column), false); f != nil {
			m.columns = slices.DeleteFunc(m.columns, func(c candidate) bool { return c.field == f })
			m.columns = append(m.columns, candidate{field: f, score: 1.05, source: InCalendar})
		}
	}
}
