package rulesengine

import (
	"slices"

	"readiness/ai/rulesengine/wording"
)

// namesSomeone reports whether a column has names of persons or firms.
func (f *field) namesSomeone() bool {
	return wording.Persons.Has(f.ref.Name) || (wording.Persons.Has(f.ref.Table) || wording.Companies.Has(f.ref.Table)) && f.isName()
}

// who groups by the persons that a question asks for with "who", if only one column has such persons and the measures are
// about them.
func (q *question) who(d *draft, r *rank) string {
	if q.engine.second == nil || len(d.query.Measures) == 0 || len(d.query.Groupings) > 0 || len(q.words) == 0 ||
		q.words[0].lower != "who" {
		return ""
	}
	bought := slices.ContainsFunc(q.words, func(w word) bool { return wording.Buying[w.lower] })
	var found []candidate
	for _, f := range q.engine.lexicon.fields {
		someone := f.isLabel() && (wording.Persons.Has(f.ref.Name) ||
			(wording.Persons.Has(f.ref.Table) || wording.Buyers.Has(f.ref.Table)) && f.isName())
		if someone && wording.Buyers.Has(f.ref.Table) == bought && q.about(d, f) {
			found = append(found, candidate{field: f, score: 1, source: InName})
		}
	}
	if len(found) != 1 {
		return "I do not know who is meant"
	}
	if r.operator != "" && r.count == 0 {
		r.count = 1
	}
	d.use(found[0].field, reason{q.words[0].text, InName, 1})
	return ""
}

// about reports whether all measures of the query are about the rows of a column's table.
func (q *question) about(d *draft, f *field) bool {
	for _, m := range d.query.Measures {
		over := []string{m.Table}
		if measure := q.engine.lexicon.find(FieldRef(m), true); measure != nil {
			over = measure.over
		}
		if !q.engine.filters(f.ref.Table, over) {
			return false
		}
	}
	return true
}

// repeats reports whether a mention only names the rows that the measure before it is about: "resolution of tickets".
func (q *question) repeats(d *draft, m *mention, c *candidate) bool {
	if q.engine.second == nil || m.to != m.from+1 || len(d.query.Measures) == 0 || len(c.field.over) != 1 {
		return false
	}
	last := q.engine.lexicon.find(FieldRef(d.query.Measures[len(d.query.Measures)-1]), true)
	if last == nil || !slices.Equal(last.over, c.field.over) ||
		wordsKey(q.words[m.from:m.to]) != wordsKey(readWords(c.field.over[0], false)) {
		return false
	}
	at := m.from - 1
	for at > 0 && (q.is(at, "a|an|the|our|of|to|for") || q.taken[at] && q.isFiltered(at)) {
		at--
	}
	return slices.ContainsFunc(q.mentions, func(o mention) bool { return o.to == at+1 && o.chosen == last })
}

// isFiltered reports whether a word is part of a value.
func (q *question) isFiltered(i int) bool {
	return slices.ContainsFunc(q.filters, func(f columnFilter) bool { return f.from <= i && i < f.to })
}

// isWho reports whether a column has the persons that a question for "who" names: who is the responsible manager.
func (q *question) isWho(c *candidate) bool {
	return q.engine.second != nil && q.words[0].lower == "who" && c.field.isLabel() && c.field.namesSomeone() && len(q.filters) > 0
}
