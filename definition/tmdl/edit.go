package tmdl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edit collects changes to a document's objects. Each changes only the bytes of what
// it sets. A new line takes the line end and the indentation of its neighbors and is
// placed where Power BI writes it, so removing it restores the original bytes.
type Edit struct {
	doc     *Document
	changes map[place]change
}

// place is a description, a property or a default text. An edit changes each at most
// once.
type place struct {
	object   *Object
	property string // in lower case, "" for the description, "=" for the default text
}

// change sets (or, if remove is true, removes) the description, the default text, or
// the property with the name, of the nth object of Document.All.
type change struct {
	object   int
	property string // "" for the description, "=" for the default text
	value    string
	remove   bool
	written  bool // the value is in the file's form
}

// Edit starts an edit of the document.
func (d *Document) Edit() *Edit { return &Edit{d, map[place]change{}} }

// SetDescription sets the object's description, each line of it (ended by LF, CRLF
// or CR) as a `///` line; "" removes the description.
func (e *Edit) SetDescription(o *Object, description string) error {
	if o.Ref {
		return fmt.Errorf("a ref to the %s has no description; describe its declaration", describe(o))
	}
	if _, ok := keywords[o.Keyword]; !ok {
		return fmt.Errorf("the %s is no object that is known to have a description", describe(o))
	}
	description = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(description)
	return e.add(o, change{value: description, remove: description == ""})
}

// SetProperty sets the plain property to the value, in place if the object has it. A
// flag that is true is written bare. The value is a single line.
func (e *Edit) SetProperty(o *Object, name, value string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if strings.ContainsAny(value, "\r\n") {
		return fmt.Errorf("the property %s of the %s is a single line; the value has a line break", name, describe(o))
	}
	if p, ok := o.Property(name); ok && (p.value.form == block || p.value.form == fenced) {
		return fmt.Errorf("the property %s of the %s is an expression of several lines", name, describe(o))
	}
	return e.add(o, change{property: name, value: value})
}

// RemoveProperty removes the property with all its lines, if the object has it.
func (e *Edit) RemoveProperty(o *Object, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return e.add(o, change{property: name, remove: true})
}

// PutDescription replaces the `///` lines above the object's declaration with those
// of another version of the file, as WrittenDescription returned them.
func (e *Edit) PutDescription(o *Object, written string) error {
	return e.add(o, change{value: written, written: true})
}

// PutProperty replaces the property that the object has with its lines in another
// version of the file, as WrittenProperty returned them.
func (e *Edit) PutProperty(o *Object, name, written string) error {
	if _, ok := o.Property(name); !ok {
		return fmt.Errorf("the %s has no property %s to replace", describe(o), name)
	}
	return e.add(o, change{property: name, value: written, written: true})
}

// PutDefault replaces the default text that the object has with another in the same
// form, as WrittenDefault returns it.
func (e *Edit) PutDefault(o *Object, written string) error {
	if !o.HasDefault() {
		return fmt.Errorf("the %s has no text behind a = to replace", describe(o))
	}
	return e.add(o, change{property: "=", value: written, written: true})
}

func checkName(property string) error {
	p := parser{scanner: scanner{src: property, end: len(property)}}
	if property == "" || p.word(0) != property {
		return fmt.Errorf("%q is not the name of a property", property)
	}
	return nil
}

func (e *Edit) add(o *Object, c change) error {
	if o.doc != e.doc {
		return fmt.Errorf("the %s belongs to another document", describe(o))
	}
	if !utf8.ValidString(c.value) || strings.IndexByte(c.value, 0) >= 0 {
		return fmt.Errorf("the text for the %s is not UTF-8, or contains NUL", describe(o))
	}
	at := place{o, strings.ToLower(c.property)}
	if _, ok := e.changes[at]; ok {
		return fmt.Errorf("the %s of the %s is changed twice", cmp.Or(c.property, "description"), describe(o))
	}
	e.changes[at] = c
	return nil
}

// Apply returns the document with all changes made. It parses the result and checks
// that it contains what was set; otherwise the error says what the file cannot
// represent.
func (e *Edit) Apply() (*Document, error) {
	changes := e.ordered()
	doc, err := e.doc.apply(changes)
	if errors.Is(err, errOverlap) {
		// The last lines of a file without a final line end share that end, so the
		// changes are made one after the other.
		doc = e.doc
		for _, c := range changes {
			if doc, err = doc.apply([]change{c}); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if err := verify(doc, changes); err != nil {
		return nil, err
	}
	return doc, nil
}

// ordered returns the changes in the order of their objects.
func (e *Edit) ordered() []change {
	numbers, n := make(map[*Object]int), 0
	for o := range e.doc.All() {
		numbers[o] = n
		n++
	}
	changes := make([]change, 0, len(e.changes))
	for at, c := range e.changes {
		c.object = numbers[at.object]
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.object, b.object), strings.Compare(a.property, b.property))
	})
	return changes
}

// splice replaces a range of bytes. Splices at the same place are ordered by object,
// then by rank.
type splice struct {
	span
	text         string
	object, rank int
}

var errOverlap = errors.New("changes overlap")

// apply makes the changes, which are in object order.
func (d *Document) apply(changes []change) (*Document, error) {
	var splices []splice
	n, rest := 0, changes
	for o := range d.All() {
		for ; len(rest) > 0 && rest[0].object == n; rest = rest[1:] {
			if s, ok := d.splice(o, rest[0]); ok {
				splices = append(splices, s)
			}
		}
		n++
	}
	slices.SortStableFunc(splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.object, b.object),
			cmp.Compare(a.rank, b.rank))
	})
	var b strings.Builder
	at := int32(0)
	for _, s := range splices {
		if s.start < at {
			return nil, errOverlap
		}
		b.WriteString(d.src[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(d.src[at:])
	return Parse(d.File, []byte(b.String()))
}

// verify checks that the document contains the changes.
func verify(doc *Document, changes []change) error {
	n := 0
	for o := range doc.All() {
		for ; len(changes) > 0 && changes[0].object == n; changes = changes[1:] {
			c := changes[0]
			if c.written {
				continue // the caller who restores bytes knows their value
			}
			p, has := o.Property(c.property)
			if c.property == "" && o.Description() != c.value || c.property != "" && (has == c.remove || has && p.Value() != c.value) {
				return fmt.Errorf("%s:%d: the %s cannot have this %s", doc.File, o.Line, describe(o), cmp.Or(c.property, "description"))
			}
		}
		n++
	}
	return nil
}

// splice returns the byte replacement of a change; false if it changes nothing.
func (d *Document) splice(o *Object, c change) (splice, bool) {
	switch p, has := o.Property(c.property); {
	case c.property == "=":
		return splice{span: o.written, text: c.value, object: c.object}, true
	case c.property == "":
		return d.describeSplice(o, c)
	case c.written:
		s := p.lines
		s.end = s.start + int32(len(trimLineEnd(s.of(d.src))))
		return splice{span: s, text: c.value, object: c.object}, has
	case c.remove && !has, has && !c.remove && p.Value() == c.value:
		return splice{}, false
	case c.remove:
		return splice{span: d.wholeLines(p.lines), object: c.object}, true
	case has:
		written := c.value
		if p.value.form != inline {
			written = quote(c.value)
		}
		if p.value.form == bare {
			written = ": " + written
		} else if before := d.src[p.written.start-1]; !isBlank(before) {
			written = " " + written
		}
		if p.written.start < p.written.end {
			written = strings.TrimPrefix(written, " ")
		}
		return splice{span: p.written, text: written, object: c.object}, true
	default:
		return d.insertProperty(o, c), true
	}
}

// describeSplice returns the replacement of the `///` lines above the declaration.
func (d *Document) describeSplice(o *Object, c change) (splice, bool) {
	if !c.written && c.value == o.Description() && (c.value != "" || o.description == (span{})) {
		return splice{}, false
	}
	s := splice{span: o.description, object: c.object}
	if s.span == (span{}) {
		s.span = span{o.declaration.start, o.declaration.start}
	}
	if c.remove || c.written {
		s.text = c.value
		return s, true
	}
	declaration := o.declaration.of(d.src)
	indent := declaration[:indentWidth(declaration)]
	end := d.lineEnd(int(o.declaration.end))
	var b strings.Builder
	for line := range strings.SplitSeq(c.value, "\n") {
		b.WriteString(indent + "/// " + line + end)
	}
	s.text = b.String()
	return s, true
}

// insertProperty returns the insertion of a new line where Power BI would write the
// property: before the first property that it writes later, else after the last one,
// else after the declaration.
func (d *Document) insertProperty(o *Object, c change) splice {
	known := order[o.Keyword]
	rankOf := func(name string) int {
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if i < 0 {
			return len(known)
		}
		return i
	}
	rank := rankOf(c.property)
	line := c.property + ": " + quote(c.value)
	if c.value == "true" && isFlag(c.property) {
		line = c.property
	}
	line = d.indentIn(o) + line
	if later := slices.IndexFunc(o.Properties, func(p Property) bool { return rankOf(p.Name) > rank }); later >= 0 {
		at := o.Properties[later].lines.start
		return splice{span{at, at}, line + d.lineEndBefore(int(at)), c.object, rank}
	}
	at := o.headEnd
	if n := len(o.Properties); n > 0 {
		at = o.Properties[n-1].lines.end
	}
	if d.src[at-1] != '\n' && d.src[at-1] != '\r' { // the last line of the file
		return splice{span{at, at}, d.lineEndBefore(int(at)) + line, c.object, rank}
	}
	return splice{span{at, at}, line + d.lineEndBefore(int(at)), c.object, rank}
}

// indentIn returns the indentation of the object's content: that of existing
// content, else the object's own plus the step seen in an object of its type, or in
// any object.
func (d *Document) indentIn(o *Object) string {
	if s, ok := d.indentOfFirst(o); ok {
		return s
	}
	own := d.indentAt(o.declaration.start)
	content, found := own+"\t", false
	for other := range d.All() {
		if found && other.Keyword != o.Keyword {
			continue
		}
		if s, ok := d.indentOfFirst(other); ok {
			content, found = own+deeper(s, d.indentAt(other.declaration.start)), true
			if other.Keyword == o.Keyword {
				break
			}
		}
	}
	return content
}

// deeper returns the indentation that leads from an object's own to that of its
// content, which need not begin with the object's: spaces may stand before tabs in
// both.
func deeper(content, own string) string {
	if step, ok := strings.CutPrefix(content, own); ok {
		return step
	}
	spaces := strings.Count(content, " ") - strings.Count(own, " ")
	tabs := strings.Count(content, "\t") - strings.Count(own, "\t")
	if spaces < 0 || tabs < 0 || spaces+tabs == 0 {
		return "\t"
	}
	return strings.Repeat(" ", spaces) + strings.Repeat("\t", tabs)
}

func (d *Document) indentOfFirst(o *Object) (string, bool) {
	switch {
	case len(o.Properties) > 0:
		return d.indentAt(o.Properties[0].lines.start), true
	case len(o.Children) > 0:
		return d.indentAt(o.Children[0].declaration.start), true
	}
	return "", false
}

func (d *Document) indentAt(start int32) string {
	return d.src[start:][:indentWidth(d.src[start:])]
}

// wholeLines extends the lines at the end of a file without a final line end by the
// preceding line end.
func (d *Document) wholeLines(s span) span {
	if int(s.end) == len(d.src) && trimLineEnd(d.src) == d.src {
		s.start = int32(len(trimLineEnd(d.src[:s.start])))
	}
	return s
}

// lineEnd returns the line end at at; in the last line of a file without one, that
// of the previous line.
func (d *Document) lineEnd(at int) string {
	if at == len(d.src) {
		return d.lineEndBefore(at)
	}
	if strings.HasPrefix(d.src[at:], "\r\n") {
		return "\r\n"
	}
	return d.src[at : at+1]
}

// lineEndBefore returns the last line end up to at, LF if there is none.
func (d *Document) lineEndBefore(at int) string {
	i := strings.LastIndexAny(d.src[:at], "\r\n")
	switch {
	case i < 0:
		return "\n"
	case d.src[i] == '\n' && i > 0 && d.src[i-1] == '\r':
		return "\r\n"
	}
	return d.src[i : i+1]
}
