package answering

import (
	"fmt"
	"slices"
	"strings"

	"readiness/domain"
	"readiness/domain/benchmark/modelquery"
)

// choose returns the field that a run of words names, or the reason why that is ambiguous. Among
// equally good fields, one of the measure's own table or of a verified answer wins.
func (q *question) choose(list []candidate, at run, d *draft) (c *candidate, why string) {
	if len(list) == 0 {
		return nil, fmt.Sprintf("nothing that I am given of the model is called %q", shorten(q.text(at)))
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
		stems := stemsOf(q.words[at.from:at.to])
		tied = only(tied, func(c candidate) bool { return q.engine.verifies(c.field, stems) })
	}
	if len(tied) > 1 {
		var names []string
		for _, c := range tied[:min(4, len(tied))] {
			names = append(names, shorten(c.field.String()))
		}
		return nil, fmt.Sprintf("%q may be %s, and nothing says which", shorten(q.text(at)), strings.Join(names, " or "))
	}
	return &tied[0], ""
}

// only returns the one candidate that holds, or the list unless there is exactly one.
func only(list []candidate, holds func(candidate) bool) []candidate {
	var kept []candidate
	for _, c := range list {
		if holds(c) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 1 {
		return kept
	}
	return list
}

func stemsOf(words []word) []string {
	var stems []string
	for _, w := range words {
		if !structural[w.lower] {
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
