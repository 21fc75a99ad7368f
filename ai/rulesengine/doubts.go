package rulesengine

import (
	"fmt"
	"slices"

	"readiness/ai/rulesengine/wording"
)

// doubted returns why the measure that was chosen for a mention may be the wrong one, "" if there is no such reason.
func (q *question) doubted(m *mention, c *candidate) string {
	words := q.words[m.from:m.to]
	switch {
	case len(words) == 1 && wording.Sold[words[0].lower] && q.asksHowMany() && !c.field.says(wording.Counted):
		return `I do not know what "how many" counts`
	case slices.ContainsFunc(words, func(w word) bool { return wording.Spent[w.lower] }) && !c.field.says(wording.Spent) && q.isOfBuyers():
		return fmt.Sprintf("I do not know whether %q is a cost: what customers spend is sold to them", shorten(q.text(m.run)))
	}
	if other := q.otherOf(words, c.field); other != nil {
		return fmt.Sprintf("%q may be %s or %s, and nothing says which", shorten(q.text(m.run)), shorten(c.field.String()),
			shorten(other.String()))
	}
	return ""
}

func (q *question) asksHowMany() bool {
	return slices.ContainsFunc(q.words, func(w word) bool { return w.lower == "many" })
}

// isOfBuyers reports whether the question is about buyers.
func (q *question) isOfBuyers() bool {
	return slices.ContainsFunc(q.words, func(w word) bool { return w.lower == "who" || wording.Buyers.Has(w.lower) })
}

// otherOf returns the measure that one of several words names by itself, if the measure that all of them match has no
// such word in its name or its rows: "orders shipped" are not Shipped Sales, while "resolve a ticket" is Resolution.
func (q *question) otherOf(words []word, chosen *field) *field {
	if len(words) < 2 || chosen.expression != "" {
		return nil
	}
	for _, w := range words {
		if w.structural || w.amount || w.kind != plainWord || chosen.isCalled(w) {
			continue
		}
		for _, c := range q.engine.lexicon.candidates([]word{w}, false) {
			if c.field.measure && c.field != chosen && c.score >= wholeName && (c.source == InName || c.source == InSynonym) {
				return c.field
			}
		}
	}
	return nil
}

// isCalled reports whether a word is in a measure's own name, in another name for it, or in the name of a table whose rows it reads.
func (f *field) isCalled(w word) bool {
	for _, p := range f.phrases {
		for i, t := range p.words {
			if t.id == w.id && p.own[i] && p.source != InDescription && p.weight > leadWeight {
				return true
			}
		}
	}
	return slices.ContainsFunc(f.over, func(table string) bool {
		return slices.ContainsFunc(readWords(table, false), func(o word) bool { return o.stem == w.stem })
	})
}
