// Package dax reads DAX expressions as far as scoring needs them: which columns and
// measures an expression names, and which functions it calls. It reads tokens, not grammar. Every text has a result, in time proportional
// to its length, and none is an error.
package dax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Expression lists what a DAX expression names and calls, in order of appearance.
// References to extension columns, `[@name]`, are not included.
type Expression struct {
	References []Reference
	Calls      []Call
	// Automatic are the references to date columns that go on to their automatic date tables, as 'Date'[Date].[Year] does.
	Automatic []Reference
}

// Values returns the references without those that only switch relationships, by USERELATIONSHIP or CROSSFILTER.
func (e Expression) Values() []Reference {
	var values []Reference
	at := 0
	for _, c := range e.Calls {
		if c.from >= at && (strings.EqualFold(c.Name, "USERELATIONSHIP") || strings.EqualFold(c.Name, "CROSSFILTER")) {
			values, at = append(values, e.References[at:c.from]...), c.to
		}
	}
	return append(values, e.References[at:]...)
}

// Reference names a column or a measure. Names are unescaped (” and ]]) and
// otherwise as written; DAX compares them ignoring case.
type Reference struct {
	// Qualified distinguishes 'Table'[Name] and Table[Name] from a bare [Name],
	// whose Table is "".
	Qualified   bool
	Table, Name string
}

// Call is a function call, or any other identifier before an opening parenthesis.
type Call struct {
	Name string
	// References are those between its parentheses, at any depth. They are a
	// subslice of the expression's References.
	References []Reference
	from, to   int
}

// Read returns what the expression names and calls. Comments and string literals
// name nothing. An unterminated string, comment, name or call ends with the text; an
// unterminated name is not a reference.
func Read(expression string) Expression {
	var e Expression
	var open []int         // for each open parenthesis the index of its call, or -1
	var last, before token // the previous tokens that are no white space or comments
	for at := 0; at < len(expression); {
		t := next(expression, at)
		at = t.end
		switch t.kind {
		case blank:
			continue
		case bracket:
			if last.kind == identifier || last.kind == quoted {
				if last.end == t.start {
					e.References = append(e.References, Reference{true, last.name(expression), t.name(expression)})
					break
				}
			}
			if before.kind == bracket && expression[last.start:last.end] == "." {
				e.Automatic = append(e.Automatic, e.References[len(e.References)-1:]...)
				break
			}
			if name := t.name(expression); !strings.HasPrefix(name, "@") {
				e.References = append(e.References, Reference{Name: name})
			}
		case opening:
			call := -1
			if last.kind == identifier {
				call = len(e.Calls)
				e.Calls = append(e.Calls, Call{Name: last.name(expression), from: len(e.References), to: -1})
			}
			open = append(open, call)
		case closing:
			if n := len(open); n > 0 {
				if call := open[n-1]; call >= 0 {
					e.Calls[call].to = len(e.References)
				}
				open = open[:n-1]
			}
		}
		last, before = t, last
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.to < 0 {
			c.to = len(e.References)
		}
		c.References = e.References[c.from:c.to:c.to]
	}
	return e
}

// BareReference returns the name if the expression, apart from surrounding white
// space, is one bare reference.
func BareReference(expression string) (name string, ok bool) {
	expression = strings.TrimSpace(expression)
	if !strings.HasPrefix(expression, "[") {
		return "", false
	}
	t := next(expression, 0)
	if t.kind != bracket || t.end != len(expression) {
		return "", false
	}
	name = t.name(expression)
	return name, !strings.HasPrefix(name, "@")
}

type kind int

const (
	other      kind = iota // an operator, a number, a string, or an unterminated name
	blank                  // white space or a comment
	identifier             // a letter or _, then letters, digits, _ and .
	quoted                 // 'table'
	bracket                // [column or measure]
	opening                // (
	closing                // )
)

type token struct {
	kind       kind
	start, end int
}

// name returns the name that an identifier, a quoted or a bracketed name stands for.
func (t token) name(src string) string {
	switch t.kind {
	case quoted:
		return strings.ReplaceAll(src[t.start+1:t.end-1], "''", "'")
	case bracket:
		return strings.ReplaceAll(src[t.start+1:t.end-1], "]]", "]")
	}
	return src[t.start:t.end]
}

// next reads the token that starts at start. It is never empty.
func next(src string, start int) token {
	t := token{other, start, start + 1}
	rest := src[start:]
	switch c := rest[0]; {
	case c == '(':
		t.kind = opening
	case c == ')':
		t.kind = closing
	case c == '"':
		t.end, _ = delimited(src, start, '"')
	case c == '\'':
		end, ok := delimited(src, start, '\'')
		if t.end = end; ok {
			t.kind = quoted
		}
	case c == '[':
		end, ok := delimited(src, start, ']')
		if t.end = end; ok {
			t.kind = bracket
		}
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "--"):
		t.kind, t.end = blank, len(src)
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			t.end = start + n
		}
	case strings.HasPrefix(rest, "/*"):
		t.kind, t.end = blank, len(src)
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			t.end = start + 2 + n + 2
		}
	default:
		r, size := utf8.DecodeRuneInString(rest)
		t.end = start + size
		switch {
		case unicode.IsSpace(r):
			t.kind = blank
		case r == '_' || unicode.IsLetter(r):
			t.kind, t.end = identifier, word(src, t.end)
		case unicode.IsDigit(r):
			t.end = word(src, t.end) // a number with its exponent
		}
	}
	return t
}

// delimited returns the end of the token that opens at start and ends with the first
// closing byte that is not doubled. It reports whether there is one.
func delimited(src string, start int, closing byte) (end int, ok bool) {
	for at := start + 1; ; {
		n := strings.IndexByte(src[at:], closing)
		if n < 0 {
			return len(src), false
		}
		at += n + 1
		if at == len(src) || src[at] != closing {
			return at, true
		}
		at++
	}
}

// word returns the end of the letters, digits, _ and . that start at at.
func word(src string, at int) int {
	for at < len(src) {
		r, size := utf8.DecodeRuneInString(src[at:])
		if r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		at += size
	}
	return at
}
