// Package wording reads and writes texts as the scoring rules do: it compares names and
// texts, splits names into words, and cuts texts for messages. It knows nothing of models.
package wording

import (
	"index/suffixarray"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	nfc "golang.org/x/text/unicode/norm"

	"readiness/definition/spelling"
)

// Norm returns the form in which names and texts are compared: NFC, lower case,
// trimmed, each run of white space as one space.
func Norm(s string) string { return spelling.FoldSpace(s) }

// Words returns the words of a name, each under norm.
func Words(s string) []string {
	all := splitWords(s)
	for i, w := range all {
		all[i] = Norm(w)
	}
	return all
}

// splitWords returns the words of a name in NFC. It splits at every rune that is neither
// letter nor digit, and where ASCII letters change case.
func splitWords(s string) []string {
	s = nfc.NFC.String(s)
	var out []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, s[start:at])
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			continue
		case start >= 0 && 'A' <= r && r <= 'Z':
			before := s[i-1] // the last byte of the rune before; ASCII bytes are no part of longer runes
			after := byte(0)
			if i+1 < len(s) {
				after = s[i+1]
			}
			if isLowerOrDigit(before) || 'A' <= before && before <= 'Z' && 'a' <= after && after <= 'z' {
				end(i)
			}
		}
		if start < 0 {
			start = i
		}
	}
	end(len(s))
	return out
}

func isLowerOrDigit(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

// Length is len of the regime: the number of runes of the trimmed text.
func Length(s string) int { return utf8.RuneCountInString(strings.TrimSpace(s)) }

// FirstRunes returns at most the first n runes of a text.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Set is a closed list of words.
type Set map[string]bool

// SetOf returns the set of a list of words separated by commas.
func SetOf(list string) Set {
	s := Set{}
	for _, w := range strings.Split(list, ",") {
		s[w] = true
	}
	return s
}

// Add adds words to the set.
func (s Set) Add(words []string) {
	for _, w := range words {
		s[w] = true
	}
}

// FirstOf returns the first of the words that is in the set, or "".
func (s Set) FirstOf(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return s[w] }); i >= 0 {
		return words[i]
	}
	return ""
}

// Meets reports whether one of the words is in the set.
func (s Set) Meets(words []string) bool { return s.FirstOf(words) != "" }

// Finder returns a function that reports whether text contains a string. Building it
// takes time proportional to the text, each call only to the string.
func Finder(text string) func(string) bool {
	index := suffixarray.New([]byte(text))
	return func(s string) bool { return s == "" || len(index.Lookup([]byte(s), 1)) > 0 }
}

// WordBreak separates joined words. No name contains it.
const WordBreak = "\x00"

// JoinWords joins words so that one joined text contains another exactly when the words
// of the other are consecutive words of the first.
func JoinWords(words []string) string {
	return WordBreak + strings.Join(words, WordBreak) + WordBreak
}
