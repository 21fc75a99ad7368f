package dax

import "strings"

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
