package jsonpart

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Tree is an editable part. Unedited values keep their bytes, and inserted values
// are laid out like their neighbors, so removing them restores the original bytes.
// Values are parsed on demand.
type Tree struct {
	Root          *Value
	before, after []byte // the bytes around the root: a byte order mark, white space
}

// Value is a JSON value in a Tree, with the bytes between it and the previous value.
type Value struct {
	// Name is the member's name; "" if the value is not a member of an object.
	Name string

	parent *Value
	lead   []byte // between the end of the previous value, or the bracket, and this one
	name   []byte // the name as written, with all bytes up to the value; empty for an element
	raw    []byte // the value as written; for an opened one, as it was
	opened bool
	items  []*Value
	tail   []byte // before the closing bracket
}

// Field is a member to insert. Its value is a string, a Literal, an Object or an
// Array.
type Field struct {
	Name  string
	Value any
}

// Literal is a number, true, false or null to insert, as written.
type Literal string

// Object is an object to insert, with its members in order.
type Object []Field

// Array is an array to insert; its elements have the types of a Field's value.
type Array []any

// Edit returns the part called file as a tree. Its error is that of New.
func Edit(file string, data []byte) (*Tree, error) {
	r, err := New(file, data)
	if err != nil {
		return nil, err
	}
	start := len(data) - len(r.data) + r.pos
	raw := r.SkipValue()
	return &Tree{Root: &Value{raw: raw}, before: data[:start], after: data[start+len(raw):]}, nil
}

// Bytes returns the part with all edits.
func (t *Tree) Bytes() []byte {
	var b bytes.Buffer
	b.Write(t.before)
	t.Root.write(&b)
	b.Write(t.after)
	return b.Bytes()
}

// Kind returns the first byte of the value: { [ " t f n, or 0 for a number.
func (v *Value) Kind() byte { return (&Reader{data: v.raw}).Kind() }

// Text returns the value of a string; ok is false for any other value.
func (v *Value) Text() (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	return unquote(v.raw, false), true
}

// Raw returns the value as written.
func (v *Value) Raw() []byte {
	if !v.opened {
		return v.raw
	}
	var b bytes.Buffer
	v.write(&b)
	return b.Bytes()
}

// Items returns the members of an object or the elements of an array, in order; nil
// for any other value.
func (v *Value) Items() []*Value {
	v.open()
	return v.items
}

// Member returns the member with the name, or the last one if there are several; nil
// if there is none.
func (v *Value) Member(name string) *Value {
	if v.Kind() != '{' {
		return nil
	}
	v.open()
	for _, m := range slices.Backward(v.items) {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Set replaces the value by raw, which is written unchanged.
func (v *Value) Set(raw []byte) { v.raw, v.opened, v.items, v.tail = raw, false, nil, nil }

// SetText replaces the value by the text as a JSON string.
func (v *Value) SetText(text string) { v.Set(quote(text)) }

// Append inserts a new element at the end of the array.
func (v *Value) Append(element any) *Value { return v.insert(len(v.Items()), "", element) }

// AppendInLine is Append for an array that must get its bytes back when the element
// is removed, even if it was empty. The element then stands directly after the
// bracket, before the array's white space.
func (v *Value) AppendInLine(element any) *Value {
	empty, tail := len(v.Items()) == 0, v.tail
	item := v.Append(element)
	if empty {
		item.lead, v.tail = nil, tail
	}
	return item
}

// Add inserts a new member into the object, after the last member whose name is in
// after; at the end if there is none.
func (v *Value) Add(name string, value any, after ...string) *Value {
	at := len(v.Items())
	for i, m := range slices.Backward(v.items) {
		if slices.Contains(after, m.Name) {
			at = i + 1
			break
		}
	}
	return v.insert(at, name, value)
}

// Remove removes the member or element from its parent.
func (v *Value) Remove() {
	in := v.parent
	i := slices.Index(in.items, v)
	if i == 0 && len(in.items) > 1 {
		in.items[1].lead = v.lead
	}
	in.items = slices.Delete(in.items, i, i+1)
}

// open splits an object or array into its items.
func (v *Value) open() {
	if v.opened || v.Kind() != '{' && v.Kind() != '[' {
		return
	}
	v.opened = true
	r := &Reader{data: v.raw, pos: 1}
	object, last := v.raw[0] == '{', len(v.raw)-1
	end := 1 // end of the previous item
	for r.blank(); r.pos < last; {
		if r.data[r.pos] == ',' {
			r.pos++
			r.blank()
		}
		item := &Value{parent: v, lead: v.raw[end:r.pos]}
		if object {
			start := r.pos
			item.Name = r.text()
			r.pos++ // the colon
			r.blank()
			item.name = v.raw[start:r.pos]
		}
		start := r.pos
		item.raw = r.SkipValue()
		end = start + len(item.raw)
		v.items = append(v.items, item)
	}
	v.tail = v.raw[end:last]
}

func (v *Value) write(b *bytes.Buffer) {
	if !v.opened {
		b.Write(v.raw)
		return
	}
	b.WriteByte(v.raw[0])
	for _, item := range v.items {
		b.Write(item.lead)
		b.Write(item.name)
		item.write(b)
	}
	b.Write(v.tail)
	b.WriteByte(v.raw[len(v.raw)-1])
}

// insert inserts a new item before the ith.
func (v *Value) insert(i int, name string, content any) *Value {
	layout := layout{v.gap(i), v.step(), v.colon()}
	item := &Value{Name: name, parent: v}
	switch {
	case len(v.items) == 0 && layout.breaks():
		item.lead, v.tail = []byte(layout.gap), []byte(v.outerGap())
	case i > 0:
		item.lead = v.leadOf(i)
	}
	var b bytes.Buffer
	if name != "" {
		b.Write(quote(name))
		b.WriteString(layout.colon)
		item.name = slices.Clone(b.Bytes())
		b.Reset()
	}
	layout.write(&b, content)
	item.raw = b.Bytes()
	v.items = slices.Insert(v.items, i, item)
	return item
}

// leadOf returns the bytes before a new item that is not the first. They are those
// before the item it follows, or before the one it precedes.
func (v *Value) leadOf(i int) []byte {
	switch {
	case i > 1:
		return v.items[i-1].lead
	case len(v.items) > 1:
		return v.items[1].lead
	}
	return append([]byte{','}, v.items[0].lead...)
}

// gap returns the white space before the ith item.
func (v *Value) gap(i int) string {
	switch {
	case len(v.items) > 0 && i > 0:
		return strings.Replace(string(v.leadOf(i)), ",", "", 1)
	case len(v.items) > 0:
		return string(v.items[0].lead)
	}
	if gap := v.outerGap(); breaks(gap) {
		return gap + v.step()
	}
	return ""
}

// outerGap returns the white space before the value's closing bracket if the bracket
// has its own line.
func (v *Value) outerGap() string {
	if v.parent != nil {
		return strings.Replace(string(v.lead), ",", "", 1)
	}
	return string(v.tail)
}

// step returns how much deeper the value's items are indented than the value.
func (v *Value) step() string {
	for ; v != nil; v = v.parent {
		if len(v.items) > 0 && breaks(string(v.items[0].lead)) && breaks(string(v.tail)) {
			if step, deeper := strings.CutPrefix(indent(string(v.items[0].lead)), indent(string(v.tail))); deeper && step != "" {
				return step
			}
		}
	}
	return "  "
}

// colon returns the bytes between a name and its value.
func (v *Value) colon() string {
	for ; v != nil; v = v.parent {
		if len(v.items) > 0 && len(v.items[0].name) > 0 {
			name := v.items[0].name
			return string(name[bytes.LastIndexByte(name, '"')+1:])
		}
	}
	return ": "
}

// layout describes how inserted values are laid out: the white space before an item,
// the extra indentation of the items inside it, and the bytes after a name.
type layout struct{ gap, step, colon string }

func (l layout) breaks() bool { return breaks(l.gap) }

func (l layout) write(b *bytes.Buffer, content any) {
	inner := l
	if l.breaks() {
		inner.gap += l.step
	}
	items := func(brackets string, n int, write func(i int)) {
		b.WriteByte(brackets[0])
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			if i > 0 || l.breaks() {
				b.WriteString(inner.gap)
			}
			write(i)
		}
		if n > 0 && l.breaks() {
			b.WriteString(l.gap)
		}
		b.WriteByte(brackets[1])
	}
	switch content := content.(type) {
	case Object:
		items("{}", len(content), func(i int) {
			b.Write(quote(content[i].Name))
			b.WriteString(l.colon)
			inner.write(b, content[i].Value)
		})
	case Array:
		items("[]", len(content), func(i int) { inner.write(b, content[i]) })
	case string:
		b.Write(quote(content))
	case Literal:
		b.WriteString(string(content))
	}
}

// quote writes a text as a JSON string, without escaping letters.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // encoding a string never fails
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// breaks reports whether the white space contains a line break.
func breaks(gap string) bool { return strings.ContainsAny(gap, "\r\n") }

// indent returns the white space after the last line break.
func indent(gap string) string { return gap[strings.LastIndexAny(gap, "\r\n")+1:] }
