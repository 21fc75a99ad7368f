package rulesengine

import (
	"fmt"
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lists"
)

// choose returns the field that a run of words names, or the reason why that is ambiguous. Among
// equally good fields, one of the measure's own table or of a verified answer wins.
func (q *question) choose(list []candidate, at run, d *draft) (c *candidate, why string) {
	if len(list) == 0 {
		return nil, fmt.Sprintf("nothing that I am given of the model is called %q", shorten(q.text(at)))
	}
	if c := q.completed(list, at, d); c != nil {
		return c, ""
	}
	margin := 0.04
	if list[0].score > 0.93 {
		margin = 0.015
	}
	tied := list[:1]
	for i := 1; i < len(list) && list[i].score > list[0].score-margin; i++ {
		tied = list[:i+1]
	}
	if len(tied) > 1 {
		tied = only(tied, func(c candidate) bool { return c.instructed })
	}
	if len(tied) > 1 && d != nil {
		tied = only(tied, func(c candidate) bool {
			return slices.ContainsFunc(d.query.Measures,
				func(m modelquery.Field) bool { return strings.EqualFold(m.Table, c.field.ref.Table) })
		})
	}
	if len(tied) > 1 {
		tied = only(tied, func(c candidate) bool { return c.source == InName })
	}
	if len(tied) > 1 {
		stems := stemsOf(q.words[at.from:at.to])
		tied = only(tied, func(c candidate) bool { return q.engine.verifies(c.field, stems) })
	}
	if len(tied) > 1 {
		names := lists.Map(tied[:min(4, len(tied))], func(c candidate) string { return shorten(c.field.String()) })
		return nil, fmt.Sprintf("%q may be %s, and nothing says which", shorten(q.text(at)), strings.Join(names, " or "))
	}
	return &tied[0], ""
}

// completed returns the measure whose name the rest of the question completes, if it is the only one: of "units" in "how many
// units did we sell", Units Sold. It settles these words.
func (q *question) completed(list []candidate, at run, d *draft) *candidate {
	var found *candidate
	var words []int
	for k := range list {
		c := &list[k]
		if !c.field.measure || c.score > completeName {
			return nil
		}
		rest, ok := q.rest(c.field, at, d != nil && slices.Contains(d.query.Measures, c.field.named()))
		if !ok {
			continue
		}
		if found != nil {
			return nil
		}
		found, words = c, rest
	}
	for _, i := range words {
		q.take(i, i+1)
		for k := range q.mentions {
			if m := &q.mentions[k]; m.from == i {
				m.used = true
			}
		}
	}
	return found
}

// completeName is the score above which the words are the name of a field.
const completeName = 0.93

// rest returns the positions of the words of a field's name that a run lacks, if all of them are in the question without another
// meaning, or the query uses the field already; false if none is missing.
func (q *question) rest(f *field, at run, used bool) (words []int, ok bool) {
	if f.expression != "" {
		return nil, false
	}
	for _, t := range f.phrases[0].words {
		is := func(w word) bool { return w.id == t.id && w.kind == plainWord }
		if wording.Structural[t.lower] || wording.Vague[t.lower] || t.weight < 1 || slices.ContainsFunc(q.words[at.from:at.to], is) {
			continue
		}
		i := slices.IndexFunc(q.words, is)
		if i < 0 || q.isVerb(i) || q.taken[i] && !q.alone(i) && !used {
			return nil, false
		}
		words = append(words, i)
	}
	return words, len(words) > 0
}

// alone reports whether a word is a mention by itself that no field has as its name, and that has no role yet.
func (q *question) alone(i int) bool {
	return slices.ContainsFunc(q.mentions, func(m mention) bool {
		return m.from == i && m.to == i+1 && !m.used && !m.isMeasure &&
			(wording.Sold[q.words[i].lower] || !q.isExactly(m.run) && (m.context == free || m.context == place))
	})
}

// isVerb reports whether a word is a verb of the nouns right before it: "which customers open the most tickets" does not ask for
// open tickets.
func (q *question) isVerb(i int) bool {
	return !wording.Sold[q.words[i].lower] && slices.ContainsFunc(q.mentions, func(m mention) bool {
		_, measure := m.best()
		return m.to == i && m.context == which && measure < enough && q.words[i].after == 0
	})
}

// only returns the one candidate that holds, or the list unless there is exactly one.
func only(list []candidate, holds func(candidate) bool) []candidate {
	kept := lists.Where(list, holds)
	if len(kept) == 1 {
		return kept
	}
	return list
}

func stemsOf(words []word) []string {
	var stems []string
	for _, w := range words {
		if !wording.Structural[w.lower] {
			stems = append(stems, w.stem)
		}
	}
	return stems
}

// verifies reports whether a verified answer about these words uses the field.
func (e *Engine) verifies(f *field, stems []string) bool {
	for _, a := range e.answers {
		if !slices.ContainsFunc(a.Fields, func(r FieldRef) bool {
			return strings.EqualFold(r.Name, f.ref.Name) && strings.EqualFold(r.Table, f.ref.Table)
		}) {
			continue
		}
		for _, p := range a.Phrases {
			phrase := stemsOf(readWords(domain.FirstCharacters(p, maxQuestion), true))
			if !slices.ContainsFunc(stems, func(s string) bool { return !slices.Contains(phrase, s) }) {
				return true
			}
		}
	}
	return false
}
