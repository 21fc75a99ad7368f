package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The largest lengths of texts, in characters (docs/decisions.md 4).
const (
	maxFolder       = 100
	maxDescription  = 10_000
	maxInstructions = 10_000
)

var (
	summarizations = []string{"default", "none", "sum", "min", "max", "count", "average", "distinctCount"}
	visibilities   = []string{"Auto", "Visible", "Hidden"}
)

// lineBreaks are the line breaks that no format preserves: VT, FF, NEL, U+2028,
// U+2029.
const lineBreaks = "\v\f\u0085\u2028\u2029"

// CheckText returns what is wrong with a text for the property, "" if it is valid
// (docs/specification.md 4.5). No text may be blank. A description breaks lines by
// CRLF, LF or CR only and has at most 10,000 characters. A display folder is one
// line of at most 100 characters. AI instructions have at most 10,000 characters.
// Synonyms are lines of at most 1,024 characters, at most 1,024 of them. The other
// properties have fixed sets of values.
func CheckText(p Property, text string) string {
	known := func(values []string) string {
		if slices.Contains(values, text) {
			return ""
		}
		return fmt.Sprintf("it must be one of %s", strings.Join(values, ", "))
	}
	switch {
	case p == SummarizeBy:
		return known(summarizations)
	case p == Visibility:
		return known(visibilities)
	case p == QnAEnabled:
		return "it is not written"
	case !utf8.ValidString(text):
		return "it must be UTF-8"
	case strings.Contains(text, "\x00"):
		return "it may not contain NUL (U+0000)"
	case strings.TrimSpace(text) == "":
		return "it may not be blank"
	}
	switch p {
	case Description:
		if i := strings.IndexAny(text, lineBreaks); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return fmt.Sprintf("it may not contain the line break %U; break its lines with CRLF, LF or CR", r)
		}
		return tooLong(text, maxDescription)
	case DisplayFolder:
		if strings.ContainsAny(text, "\r\n\t"+lineBreaks) {
			return "it must be one line without a tab"
		}
		return tooLong(text, maxFolder)
	case Instructions:
		return tooLong(text, maxInstructions)
	case Synonyms:
		return checkSynonyms(asRead(Change{Target{Property: p}, text}))
	case SummarizeBy, Visibility, QnAEnabled: // checked above
	}
	return fmt.Sprintf("%q is not a property that can be set", p)
}

func tooLong(text string, most int) string {
	if n := utf8.RuneCountInString(text); n > most {
		return fmt.Sprintf("it has %d characters; at most %d are allowed", n, most)
	}
	return ""
}

// asRead returns a value as the format returns it: the lines of a description and of
// synonyms end with LF.
func asRead(c Change) string {
	if c.Property != Description && c.Property != Synonyms {
		return c.Value
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(c.Value)
}

// Same reports whether two values of a property are equal; nil means no value. AI
// instructions are equal regardless of line ends, white space before line ends, and
// surrounding white space. A platform that reformats parts changes no more than
// that, and an AI sees no difference.
func Same(p Property, a, b *string) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case p == Instructions:
		return *a == *b || laidOut(*a) == laidOut(*b)
	}
	return *a == *b
}

// laidOut returns a text without the differences that Same ignores.
func laidOut(text string) string {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
