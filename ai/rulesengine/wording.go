package rulesengine

import (
	"slices"
	"strings"

	"readiness/ai/rulesengine/wording"
)

// reword replaces words of a question by words with the same meaning in any model.
func (q *question) reword() {
	defer q.mostOfVerb()
	q.lastCompared()
	for _, r := range wording.Rewordings {
		words := strings.Fields(r.Words)
		for i := 0; i+len(words) <= len(q.words); i++ {
			if !q.reads(i, words, r.By) {
				continue
			}
			var by []word
			for _, w := range readWords(r.By, true) {
				w.from, w.to, w.after = q.words[i].from, q.words[i+len(words)-1].to, 0
				by = append(by, w)
			}
			if after := q.words[i].after; len(by) > 0 {
				by[0].after = after
			} else if i+len(words) < len(q.words) && q.words[i+len(words)].after == 0 {
				q.words[i+len(words)].after = after
			}
			q.words = slices.Replace(q.words, i, i+len(words), by...)
		}
	}
}

// lastCompared drops words that only say that this year is compared with the last.
func (q *question) lastCompared() {
	if q.find(0, []string{"than", "last", "year"}) < 0 {
		return
	}
	for i := range q.words {
		w := q.words[i]
		if slices.Contains(strings.Fields("more fewer less higher lower better"), w.lower) && !q.engine.lexicon.named[w.stem] {
			q.words = slices.Delete(q.words, i, i+1)
			return
		}
	}
}

// mostOfVerb puts a verb before the thing that is counted, if both together are a name: "closed the most tickets" asks for
// closed tickets. It drops the verb, if the thing alone is the name of a measure.
func (q *question) mostOfVerb() {
	l := q.engine.lexicon
	for i := 0; i+3 < len(q.words); i++ {
		verb, thing := q.words[i], q.words[i+3]
		if !strings.HasSuffix(verb.lower, "ed") || q.words[i+1].lower != "the" ||
			!wording.High[q.words[i+2].lower] && !wording.Low[q.words[i+2].lower] {
			continue
		}
		named := func(words ...word) bool {
			return slices.ContainsFunc(l.candidates(l.look(words), false), func(c candidate) bool { return c.score > fullName })
		}
		switch {
		case named(verb, thing):
			q.words[i], q.words[i+1], q.words[i+2] = q.words[i+1], q.words[i+2], verb
		case named(thing):
			q.words = slices.Delete(q.words, i, i+1)
		}
		return
	}
}

// reads reports whether these words start at i; none that is replaced by another may be in a name.
func (q *question) reads(i int, words []string, by string) bool {
	for n, text := range words {
		w := q.words[i+n]
		isName := len(words) == 1 && q.engine.lexicon.named[w.stem] && stemOf(by) != w.stem
		if w.kind != plainWord || w.lower != text || isName || n > 0 && w.after != 0 {
			return false
		}
	}
	return true
}

// findOtherWords replaces words that the model does not have by synonyms that it has.
func (q *question) findOtherWords() {
	l := q.engine.lexicon
	for i := range q.words {
		w := &q.words[i]
		if q.taken[i] || w.kind != plainWord || w.structural || l.named[w.stem] || wording.Fillers[w.lower] {
			continue
		}
		meant := ""
		for _, group := range wording.SameThings {
			all := strings.Fields(group)
			if !slices.ContainsFunc(all, func(o string) bool { return stemOf(o) == w.stem }) {
				continue
			}
			for _, other := range all {
				if !l.named[stemOf(other)] || meant != "" && stemOf(meant) == stemOf(other) {
					continue
				}
				if meant != "" {
					meant = "\x00" // several
					break
				}
				meant = other
			}
		}
		if meant == "" || meant == "\x00" {
			continue
		}
		if w.plural() && !strings.HasSuffix(meant, "s") {
			meant += "s"
		}
		w.lower, w.meant, w.stem = meant, meant, stemOf(meant)
		w.id, w.amount = l.ids[w.stem], false
	}
	q.named = nil
	q.findNames()
}
