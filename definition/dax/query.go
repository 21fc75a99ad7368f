package dax

import (
	"slices"
	"strings"
)

// IsQuery tells whether the text is a query: it says EVALUATE outside of comments,
// strings and names.
func IsQuery(text string) bool { return says(text, "EVALUATE") }

// Defines tells whether a query defines measures, columns or tables of its own:
// it says DEFINE.
func Defines(text string) bool { return says(text, "DEFINE") }

// says tells whether a word stands in the text on its own, in any letter case.
func says(text, word string) bool {
	for at := 0; at < len(text); {
		t := next(text, at)
		if t.kind == identifier && strings.EqualFold(t.name(text), word) {
			return true
		}
		at = t.end
	}
	return false
}

// Tables returns the names that stand in an expression where those of tables do,
// each once, in the order written: 'Table' in quotation marks and words that are
// neither called nor before a column. Not all of them are tables: variables and
// keywords are words too.
func Tables(expression string) []string {
	var names []string
	var last token
	keep := func(t token) {
		if name := t.name(expression); (t.kind == identifier || t.kind == quoted) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		if t.kind == blank {
			continue
		}
		if t.kind != opening && (t.kind != bracket || last.end != t.start) {
			keep(last)
		}
		last = t
	}
	keep(last)
	return names
}
