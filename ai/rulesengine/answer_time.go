package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// against are words that mark a time to compare with.
var against = wording.SetOf("than vs versus against compare compared comparing comparison relative")

// timesOf adds the times that the question names.
func (q *question) timesOf(d *draft) string {
	if len(q.times) == 0 {
		return ""
	}
	q.versusLastYear()
	if done, why := q.versus(d); done {
		return why
	}
	for _, t := range q.times {
		if t.unclear != "" {
			return "I do not know " + t.unclear
		}
		if len(t.years) < 2 && (t.from > 0 && against[q.words[t.from-1].lower] || t.from > 1 && against[q.words[t.from-2].lower]) {
			return fmt.Sprintf("I cannot compare with %q", q.text(run{t.from, t.to}))
		}
		if len(t.years) < 2 && q.is(t.from-1, "with|to") && q.comparesBefore(t.from) {
			return fmt.Sprintf("I cannot compare with %q", q.text(run{t.from, t.to}))
		}
	}
	times, why := q.together()
	if why != "" {
		return why
	}
	for _, t := range times {
		calendar, why := q.calendarOf(d, t)
		if why != "" {
			return why
		}
		if t.fiscal != "" {
			if why := q.fiscalYear(d, t); why != "" {
				return why
			}
			continue
		}
		f, ok := t.filter(calendar)
		if !ok {
			return fmt.Sprintf("no column of '%s' is for %q", shorten(calendar.Table), q.text(run{t.from, t.to}))
		}
		source := InCalendar
		if t.column != nil {
			source = t.column.source
		}
		from := reason{q.text(run{t.from, t.to}), source, 1}
		d.filter(f, fmt.Sprintf("'%s'[%s] %s %s", shorten(f.Table), shorten(f.Name), spoken(f.Operator), strings.Join(f.Values, " and ")),
			from)
		if (t.versus || len(t.years) > 1 && (q.words[0].lower == "compare" || d.mixesYears(calendar))) && calendar.Year.Name != "" {
			year := FieldRef{calendar.Table, calendar.Year.Name}
			if x := q.engine.lexicon.find(year, false); x != nil {
				d.use(x, from)
			}
		}
	}
	return ""
}

// versus shows a measure in each of two times that the question compares.
func (q *question) versus(d *draft) (done bool, why string) {
	if q.engine.second == nil || len(q.times) != 2 || len(d.query.Measures) != 1 ||
		!slices.ContainsFunc(q.words, func(w word) bool { return against[w.lower] }) {
		return false, ""
	}
	measure := d.query.Measures[0]
	var shown []defined
	for _, t := range q.times {
		calendar, why := q.calendarOf(d, t)
		f, ok := t.filter(calendar)
		if t.unclear != "" || t.relation != within || t.fiscal != "" || len(t.years) > 1 || why != "" || !ok {
			return false, ""
		}
		at := q.words[t.from:t.to]
		for len(at) > 1 && wording.SetOf("in of on for the during")[at[0].lower] {
			at = at[1:]
		}
		name := measure.Name + " in " + strings.TrimSpace(q.source[at[0].from:at[len(at)-1].to])
		shown = append(shown, defined{modelquery.Field{Table: measure.Table, Name: name},
			"CALCULATE(" + defined{named: measure}.String() + ", " + f.DAX() + ")"})
		if len(q.engine.lexicon.byName[strings.ToLower(name)]) > 0 {
			return false, ""
		}
	}
	if shown[0].named == shown[1].named {
		return false, ""
	}
	d.defined, d.query.Measures = append(d.defined, shown...), nil
	for _, s := range shown {
		d.query.Measures = append(d.query.Measures, s.named)
	}
	return true, ""
}

// versusLastYear reads a comparison of this year with the last as one of two years, where the day of the question is known.
func (q *question) versusLastYear() {
	if q.engine.second == nil || len(q.times) > 2 {
		return
	}
	last, this := modelquery.Last(modelquery.Year), modelquery.This(modelquery.Year)
	at := slices.IndexFunc(q.times, func(t timePhrase) bool { return t.named && t.period == last && t.unclear == "" })
	if at < 0 || len(q.times) == 2 && (!q.times[1-at].named || q.times[1-at].period != this) {
		return
	}
	if !slices.ContainsFunc(q.words, func(w word) bool { return against[w.lower] }) {
		return
	}
	says := func(f *field) bool { return f.measure && wording.LastYears.Has(f.ref.Name) }
	if len(q.times) == 1 && slices.ContainsFunc(q.engine.lexicon.fields, says) {
		return // a measure may cover the year before, and the question then names it
	}
	y := q.engine.second.today.Year()
	q.times = []timePhrase{{from: q.times[at].from, to: q.times[at].to, years: []int{y - 1, y}, versus: true}}
}

// mixesYears reports whether the query groups by a part of the year, which would add up the months of several years.
func (d *draft) mixesYears(c modelquery.Calendar) bool {
	for _, part := range []string{"quarter", "month", "week"} {
		if f, ok := c.By(part); ok && slices.Contains(d.query.Groupings, f) {
			return true
		}
	}
	return false
}

// comparesBefore reports whether a word before i asks for a comparison.
func (q *question) comparesBefore(i int) bool {
	return slices.ContainsFunc(q.words[:i], func(w word) bool { return strings.HasPrefix(w.lower, "compar") })
}

func spoken(o modelquery.Operator) string {
	switch o {
	case modelquery.InPeriod:
		return "is"
	case modelquery.Between:
		return "is between"
	case modelquery.In:
		return "is one of"
	}
	return o
}

// together merges a start and an end into one time.
func (q *question) together() ([]timePhrase, string) {
	if len(q.times) == 1 {
		return q.times, ""
	}
	if len(q.times) == 2 && q.times[0].column == nil && q.times[1].column == nil {
		low, high := q.times[0], q.times[1]
		if high.relation == since || high.relation == after {
			low, high = high, low
		}
		ends := (low.relation == since || low.relation == after) && (high.relation == before || high.relation == until)
		if ends && !low.named && !high.named && low.fiscal == "" && high.fiscal == "" && low.years == nil && high.years == nil {
			span := low.span.Through(high.span)
			if low.relation == after {
				span.From = low.span.To.AddDate(0, 0, 1)
			}
			if high.relation == before {
				span.To = high.span.From.AddDate(0, 0, -1)
			}
			if span.To.Before(span.From) {
				return nil, "the requested time ends before it begins"
			}
			return []timePhrase{{from: min(low.from, high.from), to: max(low.to, high.to), span: span}}, ""
		}
	}
	for i, t := range q.times {
		for _, other := range q.times[i+1:] {
			if t.column == other.column {
				return nil, fmt.Sprintf("I do not know how %q and %q go together", q.text(run{t.from, t.to}),
					q.text(run{other.from, other.to}))
			}
		}
	}
	return q.times, ""
}

func (t timePhrase) filter(c modelquery.Calendar) (modelquery.Filter, bool) {
	switch {
	case t.named:
		return c.During(t.period)
	case len(t.years) > 1:
		if f, ok := c.InAny(t.years); ok {
			return f, true
		}
		if t.years[len(t.years)-1]-t.years[0] != len(t.years)-1 {
			return modelquery.Filter{}, false
		}
		return c.In(modelquery.YearSpan(t.years[0]).Through(modelquery.YearSpan(t.years[len(t.years)-1])))
	case t.relation == since:
		return c.Since(t.span)
	case t.relation == after:
		return c.After(t.span)
	case t.relation == before:
		return c.Before(t.span)
	case t.relation == until:
		return c.Until(t.span)
	}
	return c.In(t.span)
}

// calendarOf returns the calendar for a time: the date column that the question names with it, the
// model's calendar, or, without one, the date of the measures' table.
func (q *question) calendarOf(d *draft, t timePhrase) (modelquery.Calendar, string) {
	e := q.engine
	if t.column != nil {
		f := t.column.field
		if e.calendar != nil && f.ref.Table == e.calendar.Table && f.ref.Name == e.calendar.Date.Name {
			return *e.calendar, ""
		}
		return modelquery.DateOnly(f.named()), ""
	}
	if e.calendar != nil {
		return *e.calendar, ""
	}
	if len(e.tables) > 1 {
		return modelquery.Calendar{}, fmt.Sprintf("%q may belong to '%s' or '%s', and nothing says which", q.text(run{t.from, t.to}),
			shorten(e.tables[0]), shorten(e.tables[1]))
	}
	of := func(list []FieldRef) []FieldRef {
		return lists.Where(list, func(r FieldRef) bool {
			return slices.ContainsFunc(d.query.Measures, func(m modelquery.Field) bool { return strings.EqualFold(m.Table, r.Table) })
		})
	}
	var instructed []FieldRef
	for _, r := range e.instructions.dates {
		if f := e.lexicon.find(r, false); f != nil {
			instructed = append(instructed, f.ref)
		}
	}
	dates := e.lexicon.dates()
	for _, list := range [][]FieldRef{of(instructed), of(dates), instructed, dates} {
		if len(list) == 1 {
			return modelquery.DateOnly(modelquery.Field(list[0])), ""
		}
		if len(list) > 1 {
			return modelquery.Calendar{}, fmt.Sprintf("%q may belong to '%s'[%s] or '%s'[%s], and nothing says which",
				q.text(run{t.from, t.to}), shorten(list[0].Table), shorten(list[0].Name), shorten(list[1].Table), shorten(list[1].Name))
		}
	}
	return modelquery.Calendar{}, "I am given no date by which the question could be answered"
}

func (l *lexicon) dates() []FieldRef {
	var all []FieldRef
	for _, f := range l.fields {
		if f.dataType == "dateTime" {
			all = append(all, f.ref)
		}
	}
	return all
}

// fiscalYear adds a fiscal year as a filter on the only column with that name, spelled as in the column, or as in the question if
// the column's values are not known.
func (q *question) fiscalYear(d *draft, t timePhrase) string {
	var list []candidate
	for _, name := range []string{"fiscal year", "financial year", "FY"} {
		for _, c := range q.engine.lexicon.candidates(q.engine.lexicon.look(readWords(name, false)), true) {
			if !c.field.measure && c.score > 0.9 && !slices.ContainsFunc(list, func(o candidate) bool { return o.field == c.field }) {
				list = append(list, c)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	c, why := q.choose(list, run{t.from, t.to}, d)
	if why != "" {
		return why
	}
	kind := modelquery.ValueTypeOf(c.field.dataType)
	value := t.fiscal
	if kind == modelquery.NumberValue {
		value = strings.TrimLeft(strings.ToLower(value), "fy")
		if len(value) == 2 {
			value = "20" + value
		}
	}
	if q.engine.lacks(c.field, value) {
		if value = yearAmong(q.engine.second.read[c.field], value); value == "" {
			return fmt.Sprintf("%s has no fiscal year %q", shorten(c.field.String()), q.text(run{t.from, t.to}))
		}
	}
	d.filter(modelquery.Filter{Field: c.field.named(), Operator: modelquery.Equal, Values: []string{value}, Type: kind},
		fmt.Sprintf("%s = %s", shorten(c.field.String()), shorten(value)), reason{q.text(run{t.from, t.to}), c.source, c.score})
	return ""
}

// columnsOfTimes finds the date columns that the question names right before a time: "with an order
// date in 2024".
func (q *question) columnsOfTimes() string {
	for t := range q.times {
		for k := range q.mentions {
			m := &q.mentions[k]
			if column, measure := m.best(); column <= measure || m.columns[0].field.dataType != "dateTime" ||
				m.columns[0].source == InCalendar || m.context == group || m.context == which || m.to > q.times[t].from {
				continue
			}
			near := true
			for i := m.to; i < q.times[t].from; i++ {
				near = near && wording.Structural[q.words[i].lower]
			}
			if !near {
				continue
			}
			best, why := q.choose(m.columns, m.run, nil)
			if why != "" {
				return why
			}
			m.used = true
			q.times[t].column = best
		}
	}
	return ""
}
