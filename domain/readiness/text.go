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

// norm is the form under which names and texts are compared: NFC, each rune in
// lower case, trimmed, white space runs as one space (regime C.9 (1)).
func norm(s string) string {
	s = strings.ToLower(nfc.NFC.String(s))
	if !strings.ContainsFunc(s, isOddSpace) && !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
}

func isOddSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) }

// words are the parts of a name: split at every rune that is neither letter nor
// digit and where ASCII letters change case, each under norm (regime C.1, C.9 (1)).
func words(s string) []string {
	s = nfc.NFC.String(s)
	var out []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, norm(s[start:at]))
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			continue
		case start >= 0 && 'A' <= r && r <= 'Z':
			before := s[i-1] // the last byte of the rune before; no ASCII byte is part of a longer rune
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

// length is the regime's len: the runes of the trimmed text.
func length(s string) int { return utf8.RuneCountInString(strings.TrimSpace(s)) }

// firstRunes is the start of a text, at most n runes of it.
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

// firstOf returns the first of the words that is in the set, or "".
func (s set) firstOf(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return s[w] }); i >= 0 {
		return words[i]
	}
	return ""
}

func (s set) meets(words []string) bool { return s.firstOf(words) != "" }

// finder returns a test for what a text contains. Building it takes time by the
// text's length, asking by the length of what is asked.
func finder(text string) func(string) bool {
	index := suffixarray.New([]byte(text))
	return func(s string) bool { return s == "" || len(index.Lookup([]byte(s), 1)) > 0 }
}

const wordBreak = "\x00"

// joinWords makes words one text, so that words stand next to each other in a text
// where the joined words of the text contain theirs.
func joinWords(words []string) string {
	return wordBreak + strings.Join(words, wordBreak) + wordBreak
}

// Texts of a definition that are shown in a message or as evidence are cut to
// this many runes.
const (
	shownName = 80
	shownText = 60
	shownList = 3
)

// shown cuts a text for display and puts it on one line.
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

// list shows the first of the names, and how many of all there are more.
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
