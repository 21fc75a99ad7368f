package tmdl

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

const byteOrderMark = "\ufeff"

// Parse parses a file of a definition. Any error is a *SyntaxError that names the
// file. It keeps no reference to src.
func Parse(file string, src []byte) (*Document, error) {
	fail := func(line, column int, message string) (*Document, error) {
		return nil, &SyntaxError{file, line, column, message}
	}
	if len(src) > MaxSize {
		return fail(1, 1, fmt.Sprintf("the file has %d bytes, more than the %d that are read", len(src), MaxSize))
	}
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		line, column := firstNonText(src)
		return fail(line, column, "this is not UTF-8 text; save the file as UTF-8")
	}
	doc := &Document{File: file, src: string(src)}
	p := parser{
		scanner: scanner{src: doc.src}, doc: doc, open: make([]opened, 0, 8), children: make([]*Object, 0, 16),
		objects: room[Object]{usual: 100}, properties: room[Property]{usual: 45}, lists: room[*Object]{usual: 100},
	}
	if strings.HasPrefix(doc.src, byteOrderMark) {
		p.after = len(byteOrderMark)
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return doc, nil
}

// firstNonText returns the position of the first byte that is NUL or not UTF-8.
func firstNonText(src []byte) (line, column int) {
	at := 0
	for at < len(src) {
		r, n := utf8.DecodeRune(src[at:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	sc := scanner{src: string(src)}
	for sc.next() && sc.after <= at {
	}
	return sc.line, utf8.RuneCountInString(sc.src[sc.start:at]) + 1
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

type opened struct {
	object   *Object
	children int    // where its own children begin on the stack
	own      indent // of the declaration
	inside   indent // of its content; zero until there is some
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
		p.notice(p.descriptionLine, 1, "the /// lines describe nothing: Power BI reads them directly above a declaration, with the same indentation")
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

// declaration reads the current line, whose text starts at at.
func (p *parser) declaration(at int) error {
	if p.nodes++; p.nodes > MaxNodes {
		return p.failAt(at, "the file declares more than %d objects and properties", MaxNodes)
	}
	level, err := p.place(at)
	if err != nil {
		return err
	}
	word := p.word(at)
	if word == "" {
		return p.failAt(at, "%q starts neither an object nor a property; %s", firstRune(p.src[at:p.end]), p.expected())
	}
	i := p.skipBlanks(at + len(word))
	switch {
	case i == p.end:
		return p.bareWord(at, level, word)
	case p.src[i] == ':':
		return p.plainProperty(at, level, word, i+1)
	case p.src[i] == '=':
		if t, ok := keyword(word); ok && t.keyword != "expression" { // which is a property, without a name
			return p.object(at, level, t, false, "", i)
		}
		return p.expressionProperty(at, level, word, i+1)
	case i == at+len(word):
		return p.failAt(i, "%q is not allowed in a word; %s", firstRune(p.src[i:p.end]), p.expected())
	}
	ref := strings.EqualFold(word, "ref")
	if ref {
		if word = p.word(i); word == "" {
			return p.failAt(i, "ref needs the type of an object, as in \"ref table Sales\"")
		}
		if i = p.skipBlanks(i + len(word)); i == p.end {
			t, ok := keyword(word)
			if !ok {
				return p.failAt(at, "%q is not a type of object; %s", word, p.expected())
			}
			return p.object(at, level, t, true, "", i)
		}
	}
	t, ok := keyword(word)
	if !ok {
		if !isCamel(word) {
			return p.failAt(at, "%q is not a type of object; %s", word, p.expected())
		}
		t = &objectType{keyword: word}
	}
	name, i, err := p.name(i)
	if err != nil {
		return err
	}
	return p.object(at, level, t, ref, name, i)
}

// bareWord reads a line with a single word: an object without a name, or a property
// that is true.
func (p *parser) bareWord(at, level int, word string) error {
	if t, ok := keyword(word); ok {
		return p.object(at, level, t, false, "", p.end)
	}
	if strings.EqualFold(word, "createOrReplace") {
		return p.failAt(at, "this is a TMDL script (%s), not a part of a definition; scripts belong in the folder TMDLScripts", word)
	}
	if !isCamel(word) && !shortWords[strings.ToLower(word)] && !isFlag(word) {
		return p.failAt(at, "%q is neither an object nor a property that can be alone on its line; %s", word, p.expected())
	}
	property, err := p.property(at, level, word)
	if err != nil {
		return err
	}
	i := int32(at + len(word))
	property.written, property.value.form = span{i, i}, bare
	p.convertible = true
	return nil
}

// isFlag reports whether the word is a known flag, ignoring letter case.
func isFlag(word string) bool {
	for f := range flags {
		if strings.EqualFold(f, word) {
			return true
		}
	}
	return false
}

// plainProperty reads `name: value`; at is where the value may start.
func (p *parser) plainProperty(start, level int, word string, at int) error {
	property, err := p.property(start, level, word)
	if err != nil {
		return err
	}
	from := p.skipBlanks(at)
	to := p.trimmedEnd(from)
	property.written, property.value = span{int32(from), int32(to)}, text{p.src[from:to], plain}
	if isQuoted(property.value.raw) {
		property.value.form = quoted
	}
	return nil
}

// expressionProperty reads `name = …`; at is after the `=`.
func (p *parser) expressionProperty(start, level int, word string, at int) error {
	if !isCamel(word) && !shortWords[strings.ToLower(word)] {
		return p.failAt(start, "%q is neither an object nor a property with an expression; %s", word, p.expected())
	}
	property, err := p.property(start, level, word)
	if err != nil {
		return err
	}
	value, written, after, err := p.expression(at, p.open[level-1].inside, false)
	if err != nil {
		return err
	}
	property.value, property.written, property.lines.end = value, written, int32(after)
	p.convertible = value.form == inline
	p.remember(opener{property: word, line: property.Line, form: value.form}, value)
	return nil
}

func (p *parser) remember(o opener, value text) {
	if value.form == inline || value.form == block && value.raw == "" {
		o.node = p.nodes
		p.begun = o
	}
}

// property adds a property at the current line to the open object, without a value
// yet.
func (p *parser) property(at, level int, name string) (*Property, error) {
	if level == 0 {
		return nil, p.failAt(at, "a property must be in an object; %s", p.expected())
	}
	o := p.open[level-1].object
	o.Properties = p.properties.grow(o.Properties, p.progress())
	property := &o.Properties[len(o.Properties)-1]
	property.Name, property.Line, property.Column = name, p.line, at-p.start+1
	property.lines = span{int32(p.start), int32(p.after)}
	return property, nil
}

// object opens an object whose declaration is read up to i, the position of an `=`
// or the end of the line.
func (p *parser) object(at, level int, t *objectType, ref bool, name string, i int) error {
	if level >= MaxDepth {
		return p.failAt(at, "objects nest deeper than %d levels", MaxDepth)
	}
	if name == "" && !t.nameless {
		return p.failAt(at, "a %s needs a name, as in \"%s Sales\" or \"%s 'Net Sales'\"", t.keyword, t.keyword, t.keyword)
	}
	if err := p.allowObject(at, level, t, ref); err != nil {
		return err
	}
	o := p.newObject()
	o.Keyword, o.Name, o.Ref = t.keyword, name, ref
	o.Line, o.Column = p.line, at-p.start+1 // only blanks precede it
	o.declaration, o.headEnd = span{int32(p.start), int32(p.end)}, int32(p.after)
	own := p.indent(at)
	if p.description != (span{}) && !ref && p.compare(p.descriptionIndent, own) == 0 {
		o.description, p.description = p.description, span{}
	}
	if i < p.end {
		var siblings indent
		if p.skipBlanks(i+1) == p.end {
			siblings = p.siblingIndent(t.keyword, own)
		}
		value, written, after, err := p.expression(i+1, siblings, t.sole)
		if err != nil {
			return err
		}
		o.value, o.written, o.headEnd = value, written, int32(after)
		p.remember(opener{object: o, line: o.Line, form: value.form}, value)
	}
	p.open = append(p.open, opened{object: o, children: len(p.children), own: own})
	return nil
}

// allowObject checks that an object of the type is allowed at the level.
func (p *parser) allowObject(at, level int, t *objectType, ref bool) error {
	if t.in == nil || ref {
		return nil
	}
	parent := ""
	if level > 0 {
		parent = p.open[level-1].object.Keyword
	}
	for _, place := range t.in {
		if place == parent {
			return nil
		}
	}
	for _, o := range p.open[:level] {
		if o.object.Keyword == "translations" { // repeats the tree of the model
			return nil
		}
	}
	where := "at the outermost level"
	if level > 0 {
		where = "in a " + parent
	}
	if t.in[0] == "" {
		return p.failAt(at, "a %s is not allowed %s; it belongs at the outermost level, without indentation", t.keyword, where)
	}
	return p.failAt(at, "a %s is not allowed %s; it belongs in a %s, one level deeper", t.keyword, where, t.in[0])
}

// convert turns the last property into an object, because a deeper line follows.
func (p *parser) convert() error {
	parent := p.open[len(p.open)-1].object
	n := len(parent.Properties) - 1
	last := parent.Properties[n]
	parent.Properties = parent.Properties[:n]
	if len(p.open) >= MaxDepth {
		return p.failAt(p.content(), "objects nest deeper than %d levels", MaxDepth)
	}
	o := p.newObject()
	o.Keyword, o.Line, o.Column = last.Name, last.Line, last.Column
	o.declaration, o.headEnd = span{last.lines.start, last.written.end}, last.lines.end
	if last.value.form != bare {
		o.value, o.written = last.value, last.written
	}
	if strings.EqualFold(o.Keyword, "source") {
		o.Keyword = "source"
	}
	p.open = append(p.open, opened{object: o, children: len(p.children), own: p.open[len(p.open)-1].inside})
	return nil
}

// place closes the objects that do not contain the current line, and returns how
// many do.
func (p *parser) place(at int) (int, error) {
	own := p.indent(at)
	level := len(p.open)
	for level > 0 && p.compare(own, p.open[level-1].own) <= 0 {
		level--
	}
	deeper := p.convertible && level > 0 && level == len(p.open) && p.compare(own, p.open[level-1].inside) > 0
	p.convertible = false
	if deeper {
		if err := p.convert(); err != nil {
			return 0, err
		}
		level++
	}
	if err := p.closeTo(level); err != nil {
		return 0, err
	}
	if level == 0 {
		if own != (indent{}) {
			return 0, p.failAt(at, "the line is indented, more than the 0 that stand at the outermost level; %s", p.expected())
		}
		return 0, nil
	}
	in := &p.open[level-1]
	if in.inside == (indent{}) {
		in.inside = own
		p.learn(in)
	}
	switch c := p.compare(own, in.inside); {
	case c > 0:
		return 0, p.failAt(at, "the line is indented deeper than its siblings in the %s of line %d; %s", describe(in.object), in.object.Line, p.expected())
	case c < 0:
		return 0, p.failAt(at, "the indentation fits no level: it is deeper than the %s of line %d, but not as deep as its other content", describe(in.object), in.object.Line)
	}
	return level, nil
}

// closeTo closes the objects that are open at the level and deeper.
func (p *parser) closeTo(level int) error {
	for len(p.open) > level {
		top := p.open[len(p.open)-1]
		p.open = p.open[:len(p.open)-1]
		o := top.object
		if err := p.checkRepeated(o); err != nil {
			return err
		}
		o.Children = p.store(top.children)
		p.children = append(p.children, o)
	}
	return nil
}

// store moves the collected objects from the index on into their own slice.
func (p *parser) store(from int) []*Object {
	own := p.children[from:]
	if len(own) == 0 {
		return nil
	}
	list := p.lists.take(len(own), p.progress())
	copy(list, own)
	p.children = p.children[:from]
	return list
}

func (p *parser) newObject() *Object {
	o := &p.objects.take(1, p.progress())[0]
	o.doc = p.doc
	return o
}

func (p *parser) progress() progress { return progress{p.start, len(p.src)} }

// checkRepeated refuses a property that the object has twice.
func (p *parser) checkRepeated(o *Object) error {
	const few = 24
	own := o.Properties
	var seen map[string]int
	if len(own) > few {
		seen = make(map[string]int, len(own))
	}
	for i, property := range own {
		first := -1
		if seen != nil {
			lower := strings.ToLower(property.Name)
			if at, ok := seen[lower]; ok {
				first = at
			}
			seen[lower] = i
		} else {
			for j, other := range own[:i] {
				if len(other.Name) == len(property.Name) && strings.EqualFold(other.Name, property.Name) {
					first = j
				}
			}
		}
		if first >= 0 && !mayRepeat(o.Keyword, property.Name) {
			return &SyntaxError{
				p.doc.File, property.Line, property.Column,
				fmt.Sprintf("the %s has the property %s twice, the first time in line %d; remove one of them", describe(o), property.Name, own[first].Line),
			}
		}
	}
	return nil
}

func indentWidth(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

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
		return fmt.Sprintf("if it belongs to the expression of the %s in line %d, indent every line of the expression one level deeper than the properties", what, above.line)
	case inline:
		return fmt.Sprintf("%s; if it continues the expression of the %s in line %d, start the expression on the line after the \"=\"", usual, what, above.line)
	}
	return usual
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// word returns the identifier at i; "" if there is none.
func (p *parser) word(i int) string {
	from := i
	for i < p.end {
		c := p.src[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || i > from && (c >= '0' && c <= '9' || c == '_') {
			i++
			continue
		}
		break
	}
	return p.src[from:i]
}

func (p *parser) skipBlanks(i int) int {
	for i < p.end && isBlank(p.src[i]) {
		i++
	}
	return i
}

// trimmedEnd returns the end of the line without trailing blanks, not before from.
func (p *parser) trimmedEnd(from int) int {
	i := p.end
	for i > from && isBlank(p.src[i-1]) {
		i--
	}
	return i
}

// name reads the name at i and returns the position of the `=` or of the end of the
// line.
func (p *parser) name(i int) (string, int, error) {
	var name string
	from := i
	if p.src[i] == '\'' {
		n := quotedName(p.src[i:p.end])
		if n == 0 {
			return "", 0, p.failAt(i, "the name has no closing quote; a quote inside a name is doubled")
		}
		name = unquoteName(p.src[i : i+n])
		i += n
		if i < p.end && !isBlank(p.src[i]) && p.src[i] != '=' {
			return "", 0, p.failAt(i, "expected the end of the line or \"=\" behind the name; a quote inside a name is doubled")
		}
	} else {
		for i < p.end && !isBlank(p.src[i]) && p.src[i] != '=' {
			i++
		}
		name = p.src[from:i]
	}
	if strings.IndexByte(name, '\t') >= 0 {
		return "", 0, p.failAt(from, "a name cannot contain a tab")
	}
	if name == "" || isBlank(name[0]) && trim(name) == "" {
		return "", 0, p.failAt(from, "the name is empty")
	}
	if i = p.skipBlanks(i); i < p.end && p.src[i] != '=' {
		return "", 0, p.failAt(i, "expected the end of the line or \"=\" behind the name; a name with blanks needs single quotes: '%s'", p.src[from:p.trimmedEnd(from)])
	}
	return name, i, nil
}
