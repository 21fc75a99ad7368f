package tmdl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"readiness/definition/textfile"
)

// Parse parses a file of a definition. Any error is a *SyntaxError that names the
// file. It keeps no reference to src.
func Parse(file string, src []byte) (*Document, error) {
	fail := func(line, column int, message string) (*Document, error) {
		return nil, &SyntaxError{file, line, column, message}
	}
	if len(src) > MaxSize {
		return fail(1, 1, fmt.Sprintf("the file has %d bytes, more than the %d that are read", len(src), MaxSize))
	}
	if d := textfile.Check(src); d != nil {
		return fail(d.Line, d.Column, d.Message)
	}
	doc := &Document{File: file, src: string(src)}
	p := parser{
		scanner: scanner{src: doc.src}, doc: doc, open: make([]opened, 0, 8), children: make([]*Object, 0, 16),
		objects: room[Object]{usual: 100}, properties: room[Property]{usual: 45}, lists: room[*Object]{usual: 100},
	}
	if strings.HasPrefix(doc.src, textfile.Mark) {
		p.after = len(textfile.Mark)
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return doc, nil
}

// parser turns lines into the tree. Open objects are on a stack; the content of an
// object is indented deeper than it, all of it alike. Children are collected on a
// shared stack and moved into slices of the right size when their object closes.
type parser struct {
	scanner
	doc     *Document
	pending bool // the current line will be read again
	unit    int  // how many leading spaces make a tab; 0 until it is needed

	open     []opened
	children []*Object
	nodes    int

	// description is the run of `///` lines directly above the current line,
	// indented by descriptionIndent; empty if there is none.
	description       span
	descriptionIndent indent
	descriptionLine   int
	// step is how much deeper than its object the first nested line was; steps is
	// the same per object type.
	step  indent
	steps map[string]indent
	// convertible is true if the line above was a property that becomes an object if
	// a deeper line follows.
	convertible bool
	// begun is the last expression that the next line may be meant to continue: one
	// on a single line, or without text.
	begun opener

	// The parts of the document.
	objects    room[Object]
	properties room[Property]
	lists      room[*Object]
}

func (p *parser) next() bool {
	if p.pending {
		p.pending = false
		return true
	}
	return p.scanner.next()
}

func (p *parser) failAt(at int, format string, args ...any) error {
	return &SyntaxError{p.doc.File, p.line, p.columnOf(at), fmt.Sprintf(format, args...)}
}

func (p *parser) columnOf(at int) int { return utf8.RuneCountInString(p.src[p.start:at]) + 1 }

// content returns the start of the text of the current line.
func (p *parser) content() int {
	i := p.start
	for i < p.end && isBlank(p.src[i]) {
		i++
	}
	return i
}

func (p *parser) parse() error {
	for p.next() {
		at := p.content()
		if at == p.end {
			p.stray()
			continue
		}
		if strings.HasPrefix(p.src[at:p.end], "//") {
			p.comment(at)
			continue
		}
		if err := p.declaration(at); err != nil {
			return err
		}
		p.stray()
	}
	p.stray()
	if err := p.closeTo(0); err != nil {
		return err
	}
	p.doc.Objects = p.store(0)
	return nil
}

// comment handles a line that starts with `//`. Lines with a third slash directly
// above a declaration with the same indentation are its description.
func (p *parser) comment(at int) {
	if !strings.HasPrefix(p.src[at:p.end], "///") {
		p.stray()
		p.notice(p.line, at-p.start+1, "Power BI accepts no comment here; // comments are allowed only in expressions")
		return
	}
	own := p.indent(at)
	if p.description != (span{}) && p.compare(own, p.descriptionIndent) != 0 {
		p.stray()
	}
	if p.description == (span{}) {
		p.description.start, p.descriptionIndent, p.descriptionLine = int32(p.start), own, p.line
	}
	p.description.end = int32(p.after)
}

// stray adds a notice for `///` lines that are no description.
func (p *parser) stray() {
	if p.description != (span{}) {
		p.notice(p.descriptionLine, 1, "the /// lines describe nothing: Power BI reads them directly above a declaration, with the same "+
			"indentation")
	}
	p.description = span{}
}

// notice adds a notice of something that Power BI refuses but that has only one
// reading.
func (p *parser) notice(line, column int, message string) {
	if len(p.doc.Notices) < MaxNotices {
		p.doc.Notices = append(p.doc.Notices, Notice{line, column, message})
	}
}
