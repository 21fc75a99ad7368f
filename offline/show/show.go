// Package show writes numbers and a model's texts for people, as all reports do.
package show

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/domain/spreadsheet"
)

// Count formats a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// XMLText replaces characters that XML cannot represent, and others that act on a terminal or turn the text around. Breaks of lines stay.
func XMLText(what string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r != '\t' && r != '\n' && acts(r):
			return unicode.ReplacementChar
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

// acts reports whether a character moves the cursor, breaks the line or turns the text around.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// Printable replaces control and bidirectional characters and breaks of lines in a model's text, and breaks what a build server would
// take for a command of its own in a log: "::error::" at the start of a line, "##vso[" anywhere.
func Printable(what string) string {
	what = strings.Map(func(r rune) rune {
		if acts(r) {
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
	return Printable(spreadsheet.Guard(what))
}

// plainWord matches what every shell takes as one word, as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:+,%@][A-Za-z0-9_./:+,%@=-]*$`)

// ShellWord returns a text as one word of a command line: in double quotes, which shells of Windows know too, unless it contains
// what a shell reads inside them.
func ShellWord(word string) string {
	switch {
	case plainWord.MatchString(word):
		return word
	case !strings.ContainsAny(word, "\"$`\\!"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellPath returns a path as one word of a command line that is no flag.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellWord(path)
}
