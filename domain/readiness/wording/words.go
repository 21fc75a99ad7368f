package wording

import (
	"strings"
	"unicode"
)

// Forms returns the forms of a word: itself, with and without a plural's ending.
func Forms(word string) []string {
	all := []string{word, word + "s", word + "es"}
	for _, ending := range []string{"s", "es"} {
		if stem := strings.TrimSuffix(word, ending); stem != "" {
			all = append(all, stem)
		}
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		all = append(all, stem+"y")
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		all = append(all, stem+"ies")
	}
	return all
}

// LastWords returns the last n words of a name, "" for each that it lacks.
func LastWords(words []string, n int) []string {
	last := make([]string, n)
	for i := range min(n, len(words)) {
		last[n-1-i] = words[len(words)-1-i]
	}
	return last
}

// LastWord returns the last word of a name, "" if it has none.
func LastWord(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// Squeezed returns an expression without white space, in lower case.
func Squeezed(expression string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, expression))
}

// HasCaseBreak reports whether a lower-case ASCII letter precedes an upper-case one, apart from familiar abbreviations such as YoY.
func HasCaseBreak(s string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for i := 1; i < len(word); i++ {
			if 'a' <= word[i-1] && word[i-1] <= 'z' && 'A' <= word[i] && word[i] <= 'Z' && !FamiliarAbbreviations[strings.ToLower(word)] {
				return true
			}
		}
	}
	return false
}

// CasedLetters counts the letters that have a different lower-case form.
func CasedLetters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) && unicode.ToLower(r) != r {
			n++
		}
	}
	return n
}

// IsASCIILetters reports whether a text in lower case has only the letters a to z.
func IsASCIILetters(lower string) bool {
	return !strings.ContainsFunc(lower, func(r rune) bool { return r < 'a' || 'z' < r })
}
