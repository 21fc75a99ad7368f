package dax

import "strings"

// Mention is a reference with its place: Table is where its table is written, empty for a bare one, Name where the name is, with its
// brackets; both in bytes.
type Mention struct {
	Reference
	TableFrom, TableTo int
	From, To           int
}

// Mentions returns the references of an expression, as Read does, with their places, and what its strings contain.
func Mentions(expression string) (all []Mention, literals []string) {
	var last token
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		switch {
		case t.kind == blank:
			continue
		case t.kind == other && expression[t.start] == '"':
			literals = append(literals, strings.ReplaceAll(strings.Trim(expression[t.start:t.end], `"`), `""`, `"`))
		case t.kind == bracket && (last.kind == identifier || last.kind == quoted) && last.end == t.start:
			all = append(all, Mention{Reference{true, last.name(expression), t.name(expression)}, last.start, last.end, t.start, t.end})
		case t.kind == bracket:
			if name := t.name(expression); !strings.HasPrefix(name, "@") {
				all = append(all, Mention{Reference{Name: name}, t.start, t.start, t.start, t.end})
			}
		}
		last = t
	}
	return all, literals
}

// Bracket returns a name as DAX writes it behind a table.
func Bracket(name string) string { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }
