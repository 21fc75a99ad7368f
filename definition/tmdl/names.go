package tmdl

import (
	"regexp"
	"strings"
)

// DeclaredName returns where the name in the line of a declaration, such as `ref table 'Net Sales' = …`, begins and ends, with its quotes;
// the same place twice if it has none.
func DeclaredName(line string) (from, to int) {
	p := parser{scanner: scanner{src: line, end: len(line)}}
	at := p.skipBlanks(0)
	at += len(p.word(at))
	if strings.EqualFold(trim(line[:at]), "ref") {
		at = p.skipBlanks(at)
		at += len(p.word(at))
	}
	from = p.skipBlanks(at)
	if from == at || from == len(line) || line[from] == '=' || line[from] == ':' {
		return 0, 0
	}
	if line[from] == '\'' {
		n := quotedName(line[from:])
		return from, from + n
	}
	to = from
	for to < len(line) && !isBlank(line[to]) && line[to] != '=' {
		to++
	}
	return from, to
}

// NameSpan returns where the object's name is written in the document, in bytes, with its quotes.
func (o *Object) NameSpan() (from, to int) {
	from, to = DeclaredName(strings.TrimPrefix(o.declaration.of(o.doc.src), "\ufeff"))
	at := int(o.declaration.end) - len(strings.TrimPrefix(o.declaration.of(o.doc.src), "\ufeff"))
	return at + from, at + to
}

// DefaultSpan returns where WrittenDefault is in the document, in bytes.
func (o *Object) DefaultSpan() (from, to int) { return int(o.written.start), int(o.written.end) }

// Span returns where the value of the property is written in the document, in bytes.
func (p Property) Span() (from, to int) { return int(p.written.start), int(p.written.end) }

// plainName matches names that need no quotes.
var plainName = regexp.MustCompile(`^[^\s.=:']+$`)

// QuoteName returns a name as a declaration or a reference writes it: in single quotes if it needs them.
func QuoteName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", "''") + "'"
}

// LastName returns where the last name of a reference such as Sales.'Net Price' begins.
func LastName(reference string) int {
	from := 0
	for at := 0; at < len(reference); {
		switch reference[at] {
		case '\'':
			n := quotedName(reference[at:])
			if n == 0 {
				return from
			}
			at += n
		case '.':
			at++
			from = at
		default:
			at++
		}
	}
	return from
}
