package readiness

import (
	"index/suffixarray"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	nfc "golang.org/x/text/unicode/norm"
)

// norm returns the form in which names and texts are compared: NFC, lower case,
// trimmed, each run of white space as one space (docs/regime.md C.9 (1)).
func norm(s string) string {
	s = strings.ToLower(nfc.NFC.String(s))
	if !strings.ContainsFunc(s, isOddSpace) && !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
}

func isOddSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) }

// words returns the words of a name, each under norm (docs/regime.md C.1, C.9 (1)).
func words(s string) []string {
	all := splitWords(s)
	for i, w := range all {
		all[i] = norm(w)
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

// length is len of the regime: the number of runes of the trimmed text.
func length(s string) int { return utf8.RuneCountInString(strings.TrimSpace(s)) }

// firstRunes returns at most the first n runes of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// set is a closed list of words.
type set map[string]bool

func setOf(list string) set {
	s := set{}
	for _, w := range strings.Split(list, ",") {
		s[w] = true
	}
	return s
}

func (s set) add(words []string) {
	for _, w := range words {
		s[w] = true
	}
}

// firstOf returns the first of the words that is in the set, or "".
func (s set) firstOf(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return s[w] }); i >= 0 {
		return words[i]
	}
	return ""
}

func (s set) meets(words []string) bool { return s.firstOf(words) != "" }

// finder returns a function that reports whether text contains a string. Building it
// takes time proportional to the text, each call only to the string.
func finder(text string) func(string) bool {
	index := suffixarray.New([]byte(text))
	return func(s string) bool { return s == "" || len(index.Lookup([]byte(s), 1)) > 0 }
}

const wordBreak = "\x00"

// joinWords joins words so that one joined text contains another exactly when the words
// of the other are consecutive words of the first.
func joinWords(words []string) string {
	return wordBreak + strings.Join(words, wordBreak) + wordBreak
}

// How much of a definition's texts is shown in messages and evidence: shownName and
// shownText in runes, shownList in names.
const (
	shownName = 80
	shownText = 60
	shownList = 3
)

// shown cuts a text to a number of runes for display and puts it on one line.
func shown(s string, runes int) string {
	s = strings.TrimSpace(s)
	cut := firstRunes(s, runes)
	if len(cut) < len(s) {
		cut += "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cut)
}

// list returns the first names for display, and how many more of all there are.
func list(names []string, all int) string {
	names = names[:min(len(names), shownList)]
	cut := make([]string, len(names))
	for i, n := range names {
		cut[i] = shown(n, 2*shownName)
	}
	text := strings.Join(cut, ", ")
	if more := all - len(names); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
