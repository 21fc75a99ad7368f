// Package tmdl reads and edits files in the Tabular Model Definition Language
// (TMDL) without loss. A Document keeps the bytes it was parsed from and a tree
// of what they declare, every node knowing its bytes; an Edit changes the bytes
// of what it sets and no others.
//
// Where Power BI's own reader and this one differ, this one is the more lenient
// as long as the text can be read in one way only: comments between
// declarations and properties of a later version are kept, and a Notice says of
// what Power BI refuses where it stands. What reads in two ways, such as an
// expression no deeper than the properties that follow it, is refused with its
// line. What stands in an object may be indented by any more than the object, but
// all of it the same.
package tmdl

import (
	"iter"
	"strings"
)

// Limits of what Parse accepts; beyond them it answers a SyntaxError.
const (
	// MaxSize is the largest file, in bytes. It is checked before anything else.
	MaxSize = 64 << 20
	// MaxDepth is how deep objects nest; Power BI writes up to 6 levels.
	MaxDepth = 32
	// MaxNodes is how many objects and properties a file declares.
	MaxNodes = 1 << 20
	// MaxNotices is how many notices of a file are kept.
	MaxNotices = 100
)

// Document is a parsed file. It is immutable: edits make a new one.
type Document struct {
	// File names the file in errors.
	File string
	// Objects are those at the outermost level, in the order of the file.
	Objects []*Object
	// Notices are what Power BI refuses in the file, and what is read here all the
	// same; MaxNotices at most, in the order of the file.
	Notices []Notice
	src     string
}

// Notice is a place in a file that Power BI would refuse. Line and Column count
// from 1.
type Notice struct {
	Line, Column int
	Message      string
}

// Bytes returns the file's bytes, exactly those that were parsed.
func (d *Document) Bytes() []byte { return []byte(d.src) }

// All yields every object of the file in the order of declaration, parents
// before children.
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

// span is a range of bytes of a document: from start up to, not including, end.
type span struct{ start, end int32 }

func (s span) of(src string) string { return src[s.start:s.end] }

// Object is a declaration: `table Sales`, `measure 'Net Sales' = …`, `kpi`.
type Object struct {
	// Keyword is the type, in the spelling Power BI writes ("cultureInfo" for the
	// older "culture" too), however the file spells it.
	Keyword string
	// Name is unquoted; "" for an object that has none.
	Name string
	// Ref is true for `ref table Sales`, which gives an order or the parent of a
	// partial declaration.
	Ref bool
	// Line and Column are where the declaration starts, from 1; Column counts
	// characters.
	Line, Column int
	Properties   []Property
	Children     []*Object

	doc         *Document
	description span  // the `///` lines with their line ends; empty when there are none
	declaration span  // the line of the declaration, without its end
	headEnd     int32 // after the declaration and its default text, line end included
	written     span  // the default text as written, without a fence; empty when there is none
	value       text
}

// Description is the text of the `///` lines above the declaration, joined by
// "\n"; "" when there are none.
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

// HasDefault is true when the declaration has an `=`, even with nothing behind.
func (o *Object) HasDefault() bool { return o.value.form != absent }

// Default is the text behind the declaration's `=`: an expression without its
// fence and outer indentation, lines joined by "\n", or a plain value.
func (o *Object) Default() string { return o.value.String() }

// WrittenDescription is the `///` lines above the declaration as the file holds
// them, line ends included; "" when there are none.
func (o *Object) WrittenDescription() string { return o.description.of(o.doc.src) }

// WrittenDefault is the default text as the file holds it: of an expression in
// lines of its own, these lines with their indentation, without a fence.
func (o *Object) WrittenDefault() string { return o.written.of(o.doc.src) }

// WrittenProperty is the lines of the property as the file holds them, without
// the end of the last; false when the object does not have it.
func (o *Object) WrittenProperty(name string) (string, bool) {
	p, ok := o.Property(name)
	if !ok {
		return "", false
	}
	return trimLineEnd(p.lines.of(o.doc.src)), true
}

// Property returns the property with the name, in any case.
func (o *Object) Property(name string) (Property, bool) {
	for _, p := range o.Properties {
		if len(p.Name) == len(name) && strings.EqualFold(p.Name, name) {
			return p, true
		}
	}
	return Property{}, false
}

// Property is a line `name: value`, a bare `name` that stands for true, or an
// expression property `name = …` with the lines of its expression.
type Property struct {
	// Name is as the file spells it; case does not tell names apart.
	Name string
	// Line and Column are where the property starts, from 1.
	Line, Column int

	lines   span // the whole property, line end included
	written span // the value as written; for a bare name, empty and right after it
	value   text
}

// Value is the property's value: unquoted, "true" for a bare name, and for an
// expression as Object.Default says.
func (p Property) Value() string { return p.value.String() }

// IsExpression is true for `name = …`.
func (p Property) IsExpression() bool { return p.value.form >= inline }
