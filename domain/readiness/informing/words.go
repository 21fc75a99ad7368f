package informing

import (
	_ "embed" // the lists of words
	"strings"
	"unicode/utf8"

	"readiness/domain/readiness/wording"
)

// kind is what a word contributes to a text.
type kind int

const (
	unknown  kind = iota
	function      // carries no meaning by itself
	frame         // about models as such: it stands around what a text says
	filler        // praise, process, or what holds of any data
	domain        // a thing that models are about
	defining      // a unit, a grain, what is in and out, as of when, how it is counted
	asking        // who, where, when: half a definition
)

var (
	//go:embed words/defining.txt
	definingWords string
	//go:embed words/domain.txt
	domainWords string
	//go:embed words/frame.txt
	frameWords string
	//go:embed words/filler.txt
	fillerWords string
	//go:embed words/function.txt
	wordsOfLanguages string
)

// lexicon is a list of words and of beginnings of words.
type lexicon struct{ words, stems map[string]bool }

const shortestStem = 3 // in bytes, of the beginnings in the lists

func newLexicon(list string) lexicon {
	l := lexicon{map[string]bool{}, map[string]bool{}}
	for line := range strings.SplitSeq(list, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range strings.Fields(line) {
			if stem, ok := strings.CutSuffix(w, "*"); ok {
				l.stems[stem] = true
			} else {
				l.words[w] = true
			}
		}
	}
	return l
}

// has reports whether the list has a word or a beginning of it.
func (l lexicon) has(word string) bool {
	if l.words[word] {
		return true
	}
	for i := len(word); i >= shortestStem; i-- {
		if l.stems[word[:i]] {
			return true
		}
	}
	return false
}

var (
	definitions = newLexicon(definingWords)
	things      = newLexicon(domainWords)
	frames      = newLexicon(frameWords)
	fillers     = newLexicon(fillerWords)
	askers      = wording.SetOf("who,where,when,whose,whether,why,how,wer,wo,wann,wohin,woher,wessen,ob,warum,quem,onde,quando,cujo,cuja,como,porque")
	languages   = functionWords()
)

// functionWords returns the languages of each function word.
func functionWords() map[string][]string {
	of := map[string][]string{}
	for line := range strings.SplitSeq(wordsOfLanguages, "\n") {
		language, words, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, w := range strings.Fields(words) {
			of[w] = append(of[w], language)
		}
	}
	return of
}

// readable are the languages whose nouns and verbs the lists have.
var readable = wording.SetOf("en,de,pt")

// longCompound is the length from which a word may be a German compound, in bytes; shortestPart that of a part.
const (
	longCompound = 9
	shortestPart = 4
)

// longestWord is how long a word of a list, or a compound, may be, in bytes.
const longestWord = 48

// kindOf returns the kind of a word under norm.
func kindOf(word string) kind {
	switch {
	case len(word) > longestWord:
		return unknown
	case askers[word]:
		return asking
	case definitions.has(word) || strings.ContainsAny(word[:1], "0123456789"):
		return defining
	case languages[word] != nil:
		return function
	case things.has(word):
		return domain
	case fillers.has(word):
		return filler
	case frames.has(word):
		return frame
	}
	if len(word) >= longCompound {
		for i := shortestPart; i <= len(word)-shortestPart; i++ {
			if utf8.RuneStart(word[i]) && (things.has(word[i:]) || definitions.has(word[i:])) && compounds(word[:i]) {
				return domain
			}
		}
	}
	return unknown
}

// compounds reports whether a beginning of a compound is a word of a list, with or without what joins it.
func compounds(start string) bool {
	for _, joint := range []string{"", "s", "es", "n", "en", "er", "e"} {
		if w, ok := strings.CutSuffix(start, joint); ok && len(w) >= shortestStem &&
			(things.has(w) || definitions.has(w) || frames.has(w)) {
			return true
		}
	}
	return false
}
