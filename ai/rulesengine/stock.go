package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/domain/benchmark/modelquery"
	"readiness/domain/verdict"
)

// Stock says that a measure is about rows of a table that count the same things again on each day.
type Stock struct {
	// Table has the rows, and Date is its column of their days, "" if several could be.
	Table, Date string
	// Sums reports whether the measure adds them up over the days; otherwise it has no meaning without a time.
	Sums bool
}

// stockOf returns how a measure of the query uses stock, nil for a measure of anything else.
func (d *draft) stockOf(m modelquery.Field) *Stock {
	for _, own := range d.defined {
		if own.named != m {
			continue
		}
		day, counted := d.engine.countedOn[strings.ToLower(m.Table)]
		if counted && (strings.HasPrefix(own.expression, "SUM(") || strings.HasPrefix(own.expression, "COUNTROWS(")) {
			return &Stock{m.Table, day, true}
		}
		return nil
	}
	if f := d.engine.lexicon.find(FieldRef(m), true); f != nil {
		return f.stock
	}
	return nil
}

// asToday drops "today" where a measure is about stock: it asks for the last count.
func (q *question) asToday(d *draft) {
	if slices.ContainsFunc(d.query.Measures, func(m modelquery.Field) bool { return d.stockOf(m) != nil }) {
		q.times = slices.DeleteFunc(q.times, func(t timePhrase) bool {
			return t.named && t.period == modelquery.This(modelquery.Day) && t.column == nil
		})
	}
}

// onLastDay replaces each measure of stock that the question asks for by its value on the last day within the question's filters, because
// rows that count the same things again on each day must not be added up over the days.
func (q *question) onLastDay(d *draft, asked []modelquery.Field) string {
	for _, m := range asked {
		s := d.stockOf(m)
		if s == nil || !s.Sums && (len(q.times) > 0 || d.isTimed(s)) {
			continue
		}
		name := shorten(defined{named: m}.String())
		on := modelquery.Field{Table: m.Table, Name: m.Name + " on the last day"}
		switch {
		case s.Date == "":
			return fmt.Sprintf("%s is counted again on each day, and I do not know by which column: added up it would be wrong", name)
		case len(q.engine.lexicon.byName[strings.ToLower(on.Name)]) > 0:
			return "the model has another " + shorten(defined{named: on}.String())
		}
		day := (&field{ref: FieldRef{s.Table, s.Date}}).String()
		d.replace(m, on)
		d.defined = append(d.defined, defined{on, "VAR LastDay = " + q.engine.lastDay(s.Table, day) +
			" RETURN CALCULATE(" + defined{named: m}.String() + ", " + q.engine.dayOf(s, day) + " = LastDay)"})
		note := " The last day is the latest of " + shorten(day) + " in the data."
		if !strings.Contains(d.note, note) {
			d.note += note
		}
	}
	return ""
}

// isTimed reports whether the query groups or filters by days.
func (d *draft) isTimed(s *Stock) bool {
	is := func(f modelquery.Field) bool {
		c := d.engine.lexicon.find(FieldRef(f), false)
		return c != nil && (c.dates || c.ref == FieldRef{s.Table, s.Date})
	}
	return slices.ContainsFunc(d.query.Groupings, is) ||
		slices.ContainsFunc(d.query.Filters, func(f modelquery.Filter) bool { return is(f.Field) })
}

// lastDay returns the last day on which anything was counted. Things without a count on that day no longer exist.
func (e *Engine) lastDay(table, day string) string {
	var others []string
	for _, t := range e.filteredBy[strings.ToLower(table)] {
		if !strings.EqualFold(t, table) && !slices.Contains(e.tables, t) {
			others = append(others, "REMOVEFILTERS('"+strings.ReplaceAll(t, "'", "''")+"')")
		}
	}
	if len(others) == 0 {
		return "MAX(" + day + ")"
	}
	return "CALCULATE(MAX(" + day + "), " + strings.Join(others, ", ") + ")"
}

// dayOf returns the column to filter: that of the rows, or, for a measure that uses the calendar itself, the calendar's.
func (e *Engine) dayOf(s *Stock, day string) string {
	if c := e.calendar; !s.Sums && c != nil && c.Date.Name != "" && e.filters(c.Table, []string{s.Table}) {
		return (&field{ref: FieldRef{c.Table, c.Date.Name}}).String()
	}
	return day
}

// replace replaces a measure of the query by one that the query defines.
func (d *draft) replace(m, by modelquery.Field) {
	for i := range d.query.Measures {
		if d.query.Measures[i] == m {
			d.query.Measures[i] = by
		}
	}
	for i := range d.query.Filters {
		if d.query.Filters[i].Field == m {
			d.query.Filters[i].Field = by
		}
	}
	for i := range d.reasons {
		if f := &d.reasons[i].Field; f.Role != verdict.GroupingField && f.Table == m.Table && f.Name == m.Name {
			f.Name = by.Name
		}
	}
	from, to := defined{named: m}.String(), defined{named: by}.String()
	for i := range d.defined {
		parts := strings.Split(d.defined[i].expression, from)
		text := parts[0]
		for _, p := range parts[1:] {
			if strings.HasSuffix(text, "'") { // a column with the same name
				text += from + p
				continue
			}
			text += to + p
		}
		d.defined[i].expression = text
	}
}
