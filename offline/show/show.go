// Package show writes numbers and a model's texts for people, as all reports do.
package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count formats a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// XMLText replaces characters that XML cannot represent.
func XMLText(what string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000 && r <= utf8.MaxRune:
			return r
		}
		return utf8.RuneError
	}, what)
}

// Number returns a score, or another number that may be missing, for display; "none" without one.
func Number(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// Printable replaces control and bidirectional characters in a model's text.
func Printable(what string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, what)
}

// InCell returns a text for a cell of CSV: on one line, and with an apostrophe in front if a spreadsheet could take it for
// a formula.
func InCell(what string) string {
	formula := what != "" && strings.ContainsRune("=+-@\t\r", rune(what[0]))
	if what = Printable(what); formula {
		return "'" + what
	}
	return what
}
