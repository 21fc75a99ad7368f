package wording

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"readiness/internal/lists"
)

// LowerFirst returns a text with its first letter, which is ASCII, in lower case.
func LowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// QuotedText quotes a part of a name for a message.
func QuotedText(s string) string { return strconv.Quote(Shown(s, ShownName)) }

// Quoted returns the name of a table or an answer, quoted as in DAX and cut for
// display.
func Quoted(name string) string {
	return "'" + strings.ReplaceAll(Shown(name, ShownName), "'", "''") + "'"
}

// Count returns a number with its noun, as in "1 column" and "3 columns".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// MostNamed is how many unresolved references a message names.
const MostNamed = 5

// Listed returns the first names for display, and how many more there are.
func Listed(names []string, most int) string {
	more := len(names) - most
	names = slices.Clone(names[:min(len(names), most)])
	for i, n := range names {
		names[i] = Shown(n, 2*ShownName)
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// How much of a definition's texts is shown in messages and evidence: ShownName and
// ShownText in runes, ShownList in names.
const (
	ShownName = 80
	ShownText = 60
	ShownList = 3
)

// Shown cuts a text to a number of runes for display and puts it on one line.
func Shown(s string, runes int) string {
	s = strings.TrimSpace(s)
	cut := FirstRunes(s, runes)
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

// List returns the first names for display, and how many more of all there are.
func List(names []string, all int) string {
	names = names[:min(len(names), ShownList)]
	cut := lists.Map(names, func(n string) string { return Shown(n, 2*ShownName) })
	text := strings.Join(cut, ", ")
	if more := all - len(names); more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
