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

// Printable replaces control and bidirectional characters and breaks of lines in a model's text, and breaks what a build server would
// take for a command of its own in a log: "::error::" at the start of a line, "##vso[" anywhere.
func Printable(what string) string {
	what = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return unicode.ReplacementChar
		}
		return r
	}, what)
	if strings.HasPrefix(strings.TrimLeft(what, " "), "::") {
		what = "\u200b" + what
	}
	return pipelineCommands.Replace(what)
}

var pipelineCommands = strings.NewReplacer("##[", "##\u200b[", "##vso", "##\u200bvso", "##VSO", "##\u200bVSO")

// InCell returns a text for a cell of CSV: on one line, and with an apostrophe in front if a spreadsheet could take it for
// a formula.
func InCell(what string) string {
	formula := strings.IndexAny(strings.TrimLeft(what, " \u00a0\u200b\ufeff"), "=+-@\t\r\n＝＋－＠") == 0
	if what = Printable(what); formula {
		return "'" + what
	}
	return what
}
