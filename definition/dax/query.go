package dax

import (
	"slices"
	"strings"
)

// IsQuery reports whether the text is a query: EVALUATE appears outside comments,
// strings and names.
func IsQuery(text string) bool { return says(text, "EVALUATE") }

// Defines reports whether a query defines its own measures, columns or tables:
// DEFINE appears in it.
func Defines(text string) bool { return says(text, "DEFINE") }

// says reports whether a word appears in the text as a separate token, ignoring
// case.
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

// Tables returns the names in table position, each once, in order of appearance:
// 'Table' in quotation marks, and words that are neither called nor before a column.
// Not all are tables: variables and keywords are words too.
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
