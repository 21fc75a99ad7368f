package rulesengine

import (
	"fmt"
	"strings"

	"readiness/ai/rulesengine/wording"
)

// look sets the ids of the words' stems. A misspelled word gets that of the only word of the model that it can be.
func (l *lexicon) look(words []word) []word {
	for i := range words {
		w := &words[i]
		w.id = l.ids[w.stem]
		if w.id > 0 || w.kind != plainWord || w.structural || w.amount || len(w.lower) < minMisspelled {
			continue
		}
		if meant := l.meant(w.lower); meant != "" {
			w.lower, w.meant = meant, meant
			w.stem = stemOf(meant)
			w.id = l.ids[w.stem]
		}
	}
	return words
}

// spell notes the words of the names.
func (l *lexicon) spell() {
	noted := wording.Set{}
	for _, f := range l.fields {
		for _, p := range f.phrases {
			for _, t := range p.words {
				if !noted[t.lower] && len(t.lower) >= minMisspelled {
					noted[t.lower] = true
					l.spelt[t.lower[0]] = append(l.spelt[t.lower[0]], t.lower)
				}
			}
		}
	}
}

// noted adds to an answer which words were read as others.
func (q *question) noted(e Explained) Explained {
	for _, w := range q.words {
		if w.meant != "" {
			e.Text += fmt.Sprintf(" %q is read as %q.", shorten(w.text), w.meant)
		}
	}
	return e
}

// minMisspelled is the minimum length of a misspelled word: a shorter one is too often another word.
const minMisspelled = 5

// meant returns the only word of the model's names from which a word differs by two exchanged letters, a missing vowel, or a letter
// that must be doubled or single; "" if there is none, or several. Other errors often give another valid word: "county" is not country.
func (l *lexicon) meant(w string) string {
	found := ""
	for _, name := range l.spelt[w[0]] {
		for _, form := range []string{name, name + "s", strings.TrimSuffix(name, "s")} {
			if !isTypo(w, form) {
				continue
			}
			if found != "" && stemOf(found) != stemOf(form) {
				return ""
			}
			found = form
		}
	}
	return found
}

// isTypo reports whether w is meant with one typing error.
func isTypo(w, meant string) bool {
	at := 0
	for at < len(w) && at < len(meant) && w[at] == meant[at] {
		at++
	}
	switch len(w) - len(meant) {
	case 0: // two letters exchanged
		return at+1 < len(w) && w[at] == meant[at+1] && w[at+1] == meant[at] && w[at+2:] == meant[at+2:]
	case -1: // a vowel or one of two equal letters left out
		return at > 0 && w[at:] == meant[at+1:] && (strings.IndexByte("aeiou", meant[at]) >= 0 || meant[at] == meant[at-1])
	case 1: // one of two equal letters too many
		return at > 0 && w[at+1:] == meant[at:] && w[at] == w[at-1]
	}
	return false
}
