package answering

import (
	"fmt"
	"strings"

	"readiness/ai/answering/wording"
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

// noted returns an answer that says which words were read as others.
func (q *question) noted(e Explained) Explained {
	for _, w := range q.words {
		if w.meant != "" {
			e.Text += fmt.Sprintf(" %q is read as %q.", shorten(w.text), w.meant)
		}
	}
	return e
}

// minMisspelled is the length of a word from which on it may be misspelled: shorter ones are too often another word.
const minMisspelled = 5

// meant returns the only word of the model's names that a word is with two letters exchanged, a vowel left out, or a letter that should
// be doubled or single; "" if there is none, or several. Other slips make too many words that mean something: "county" is no country.
func (l *lexicon) meant(w string) string {
	found := ""
	for _, name := range l.spelt[w[0]] {
		for _, form := range []string{name, name + "s", strings.TrimSuffix(name, "s")} {
			if !slipped(w, form) {
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

// slipped reports whether a word is another one with a slip of the pen.
func slipped(w, meant string) bool {
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
