// Package prose puts names and texts of a model into the words of a sentence: it compares
// and splits names, and shortens, joins and inflects what is proposed.
package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	nfc "golang.org/x/text/unicode/norm"

	"readiness/definition/spelling"
	"readiness/domain/readiness/wording"
)

// split cuts a name into words and keeps their case.
func split(name string) []string { return Cut(name, false) }

// Cut is split; reading keeps together parts that people read as one word: CUs, YoY, 12M, it's.
func Cut(name string, reading bool) []string {
	runes := []rune(nfc.NFC.String(name))
	var out []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, string(runes[start:at]))
			start = -1
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if reading && start >= 0 && (r == '\'' || r == '’') && i+1 < len(runes) && unicode.IsLetter(runes[i+1]) {
				continue
			}
			end(i)
			continue
		}
		if start >= 0 && 'A' <= r && r <= 'Z' {
			before := runes[i-1]
			next := rune(0)
			if i+1 < len(runes) {
				next = runes[i+1]
			}
			digit, lower := '0' <= before && before <= '9', 'a' <= before && before <= 'z'
			upperThenLower := 'A' <= before && before <= 'Z' && 'a' <= next && next <= 'z'
			together := reading && (digit && !unicode.IsLower(next) ||
				before == 'o' && start == i-2 && runes[start] == r ||
				upperThenLower && next == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2])))
			if (lower || digit || upperThenLower) && !together {
				end(i)
			}
		}
		if start < 0 {
			start = i
		}
	}
	end(len(runes))
	return out
}

// Words returns the words of a name in the form in which they are compared.
func Words(name string) []string {
	list := split(name)
	for i := range list {
		list[i] = spelling.FoldSpace(list[i])
	}
	return list
}

// Set is a fixed set of words.
type Set map[string]bool

// SetOf returns the set of a list of words separated by blanks.
func SetOf(list string) Set {
	s := Set{}
	for _, w := range strings.Fields(list) {
		s[w] = true
	}
	return s
}

// Meets reports whether one of the words is in the set.
func (s Set) Meets(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return s[w] })
}

// longestMention is the longest name, in runes, that a sentence mentions; longer names are left out,
// because half a name names nothing.
const longestMention = 60

// Mentionable reports whether a name can be mentioned in a line of text: its brackets would be read as
// a reference (rule INS-03).
func Mentionable(name string) bool {
	return wording.Length(name) > 0 && wording.Length(name) <= longestMention &&
		strings.TrimSpace(name) == name && utf8.ValidString(name) &&
		!strings.ContainsAny(name, "[]") && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) && r != ' '
	})
}

// Mentions returns the names that can be mentioned, each once.
func Mentions(names []string) []string {
	var out []string
	for _, n := range names {
		if Mentionable(n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// List returns "A, B and C" with at most limit names; 0 means all. Omitted names are "others".
func List(names []string, limit int) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > limit && limit > 0:
		return strings.Join(names[:limit], ", ") + " and others"
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// Compose returns the lead and as many of the following sentences as fit.
func Compose(limit int, lead string, more ...string) string {
	for _, s := range more {
		if s != "" && wording.Length(lead)+1+wording.Length(s) <= limit {
			lead += " " + s
		}
	}
	return lead
}

// Capital makes the first rune upper case, behind a bracket if there is one.
func Capital(s string) string {
	if rest, ok := strings.CutPrefix(s, "("); ok {
		return "(" + Capital(rest)
	}
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// MeasureRef returns a mentionable measure in DAX syntax.
func MeasureRef(name string) string { return "[" + name + "]" }
