// Package tmdl reads and edits files in the Tabular Model Definition Language (TMDL)
// without loss. A Document keeps the bytes it was parsed from and a tree of
// declarations whose nodes know their bytes. An Edit changes only the bytes of what
// it sets.
//
// This parser accepts more than Power BI's, as long as the text has only one
// reading. It keeps comments between declarations and properties of later versions,
// and adds a Notice where Power BI would refuse the file. Ambiguous text, such as an
// expression no deeper than the properties that follow it, is refused with its line.
// The content of an object may be indented by any amount more than the object, if
// all of it is indented alike.
package tmdl

import (
	"iter"
	"strings"
)

// Limits of Parse; beyond them it returns a SyntaxError.
const (
	// MaxSize is the size of the largest file, in bytes. It is checked first.
	MaxSize = 64 << 20
	// MaxDepth is the largest nesting of objects; Power BI writes up to 6 levels.
	MaxDepth = 32
	// MaxNodes is the largest number of objects and properties in a file.
	MaxNodes = 1 << 20
	// MaxNotices is the largest number of notices kept per file.
	MaxNotices = 100
)

// Document is a parsed file. It is immutable: edits return a new one.
type Document struct {
	// File names the file in errors.
	File string
	// Objects are those at the outermost level, in file order.
	Objects []*Object
	// Notices lists content that Power BI refuses in the file but that is read here;
	// at most MaxNotices, in file order.
	Notices []Notice
	src     string
}

// Notice is a place in a file that Power BI would refuse. Line and Column count
// from 1.
type Notice struct {
	Line, Column int
	Message      string
}

// Bytes returns exactly the bytes that were parsed.
func (d *Document) Bytes() []byte { return []byte(d.src) }

// All yields every object of the file in declaration order, parents before children.
func (d *Document) All() iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		var walk func([]*Object) bool
		walk = func(objects []*Object) bool {
			for _, o := range objects {
				if !yield(o) || !walk(o.Children) {
					return false
				}
			}
			return true
		}
		walk(d.Objects)
	}
}

// span is a range of bytes of a document, from start up to and excluding end.
type span struct{ start, end int32 }

func (s span) of(src string) string { return src[s.start:s.end] }

// Object is a declaration: `table Sales`, `measure 'Net Sales' = …`, `kpi`.
type Object struct {
	// Keyword is the type, in the spelling of Power BI ("cultureInfo" also for the
	// older "culture"), whatever the file's spelling.
	Keyword string
	// Name is unquoted; "" for an object without a name.
	Name string
	// Ref is true for `ref table Sales`, which declares an order or the parent of a
	// partial declaration.
	Ref bool
	// Line and Column are the start of the declaration, from 1; Column counts
	// characters.
	Line, Column int
	Properties   []Property
	Children     []*Object

	doc         *Document
	description span  // the `///` lines with their line ends; empty if there are none
	declaration span  // the line of the declaration, without its end
	headEnd     int32 // after the declaration and its default text, line end included
	written     span  // the default text as written, without a fence; empty if there is none
	value       text
}

// Description returns the text of the `///` lines above the declaration, joined by
// "\n"; "" if there are none.
func (o *Object) Description() string {
	block := o.description.of(o.doc.src)
	if block == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(block))
	first := true
	for line := range lines(block) {
		if !first {
			b.WriteByte('\n')
		}
		first = false
		line = strings.TrimLeft(line, " \t")[len("///"):]
		b.WriteString(strings.TrimPrefix(line, " "))
	}
	return b.String()
}

// HasDefault reports whether the declaration has an `=`, even without a text.
func (o *Object) HasDefault() bool { return o.value.form != absent }

// Default returns the text after the declaration's `=`: an expression without its
// fence and outer indentation, lines joined by "\n", or a plain value.
func (o *Object) Default() string { return o.value.String() }

// WrittenDescription returns the `///` lines above the declaration as in the file,
// including line ends; "" if there are none.
func (o *Object) WrittenDescription() string { return o.description.of(o.doc.src) }

// WrittenDefault returns the default text as in the file. For an expression on its
// own lines, that is these lines with their indentation, without a fence.
func (o *Object) WrittenDefault() string { return o.written.of(o.doc.src) }

// DefaultAt returns where WrittenDefault begins: its line and column, from 1, in bytes.
func (o *Object) DefaultAt() (line, column int) {
	for s := (scanner{src: o.doc.src}); s.next(); {
		if int(o.written.start) < s.after || s.after == len(s.src) {
			return s.line, int(o.written.start) - s.start + 1
		}
	}
	return o.Line, 1
}

// WrittenProperty returns the lines of the property as in the file, without the last
// line end; false if the object does not have it.
func (o *Object) WrittenProperty(name string) (string, bool) {
	p, ok := o.Property(name)
	if !ok {
		return "", false
	}
	return trimLineEnd(p.lines.of(o.doc.src)), true
}

// Property returns the property with the name, ignoring letter case.
func (o *Object) Property(name string) (Property, bool) {
	for _, p := range o.Properties {
		if len(p.Name) == len(name) && strings.EqualFold(p.Name, name) {
			return p, true
		}
	}
	return Property{}, false
}

// Property is a line `name: value`, a bare `name` that means true, or an expression
// property `name = …` with the lines of its expression.
type Property struct {
	// Name is in the file's spelling; letter case does not distinguish names.
	Name string
	// Line and Column are the start of the property, from 1.
	Line, Column int

	lines   span // all lines of the property, line end included
	written span // the value as written; for a bare name, empty and right after it
	value   text
}

// Value returns the property's value: unquoted, "true" for a bare name, and for an
// expression as Object.Default returns it.
func (p Property) Value() string { return p.value.String() }

// IsExpression reports whether it has the form `name = …`.
func (p Property) IsExpression() bool { return p.value.form >= inline }
