package tmdl

import (
	"fmt"
	"unicode/utf8"
)

func (p *parser) remember(o opener, value text) {
	if value.form == inline || value.form == block && value.raw == "" {
		o.node = p.nodes
		p.begun = o
	}
}

// describe returns the object's name for a message.
func describe(o *Object) string {
	if o.Name == "" {
		return o.Keyword
	}
	return fmt.Sprintf("%s '%s'", o.Keyword, o.Name)
}

// opener is the declaration or property that an expression was begun for.
type opener struct {
	object   *Object // nil for a property
	property string
	line     int
	form     form
	node     int // which of the file's declarations it is
}

// expected says what the parser accepts at a place where it met something else.
func (p *parser) expected() string {
	const usual = "expected an object (\"measure Name = …\") or a property (\"name: value\")"
	above := p.begun
	if above.node != p.nodes-1 {
		return usual
	}
	what := above.property
	if above.object != nil {
		what = describe(above.object)
	}
	switch above.form {
	case block:
		return fmt.Sprintf("if it belongs to the expression of the %s in line %d, indent every line of the expression one level deeper "+
			"than the properties", what, above.line)
	case inline:
		return fmt.Sprintf("%s; if it continues the expression of the %s in line %d, start the expression on the line after the \"=\"",
			usual, what, above.line)
	}
	return usual
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}
