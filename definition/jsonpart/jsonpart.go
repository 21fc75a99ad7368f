// Package jsonpart reads the JSON parts of item definitions in one pass: members by
// their exact names, in order of appearance, skipping values that are not requested.
// Errors name the part, the line and the column. It reads megabytes on a single line
// without building a tree.
//
// It also edits parts without loss: a Tree keeps the bytes of unedited values.
package jsonpart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"readiness/definition/textfile"
)

// MaxSize is the size of the largest part that is read, in bytes. encoding/json
// bounds nesting to 10,000 levels.
const MaxSize = 64 << 20

// Error says why a part cannot be read, and where. Line and Column count from 1,
// columns in bytes; Line is 0 if the error concerns the part itself.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Reader reads one JSON value from its first byte to its last, once. Every method
// that reads a value consumes all of it, even if it has another kind than requested;
// that is recorded as the error that Err returns. null is never an error: it reads
// as an absent value.
type Reader struct {
	file string
	data []byte
	pos  int
	err  *Error
	// line and lineStart are those of the offset counted.
	line, lineStart, counted int
}

// New returns a Reader of the part called file, or an *Error if data is larger than
// MaxSize or not exactly one JSON value. A byte order mark before the value is
// skipped; bytes that are not UTF-8 read as U+FFFD.
func New(file string, data []byte) (*Reader, error) {
	data = textfile.Trim(data)
	r := &Reader{file: file, data: data, line: 1}
	if len(data) > MaxSize {
		return nil, &Error{File: file, Message: fmt.Sprintf("the part has %d bytes; at most %d are read", len(data), MaxSize)}
	}
	if d := textfile.Replaced(data); d != nil {
		return nil, &Error{File: file, Line: d.Line, Column: d.Column, Message: d.Message}
	}
	if !json.Valid(data) {
		err := json.Unmarshal(data, new(ignored))
		offset := len(data)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = max(0, int(syntax.Offset)-1)
		}
		return nil, r.errorAt(offset, "not valid JSON: "+err.Error())
	}
	r.blank()
	return r, nil
}

// ignored accepts any JSON value and discards it.
type ignored struct{}

func (*ignored) UnmarshalJSON([]byte) error { return nil }

// Kind returns the first byte of the next value: { [ " t f n, or 0 for a number.
func (r *Reader) Kind() byte {
	switch c := r.data[r.pos]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	default:
		return 0
	}
}

// Object yields the name of every member of the next value, an object. The loop body
// may read the member's value or leave it.
func (r *Reader) Object() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.open('{', "an object") {
			return
		}
		for going := true; r.more('}'); {
			name := r.text()
			r.pos++ // the colon
			r.blank()
			start := r.pos
			going = going && yield(name)
			if r.pos == start {
				r.SkipValue()
			}
		}
	}
}

// Array yields the index of every element of the next value, an array. The loop body
// may read the element or leave it.
func (r *Reader) Array() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.open('[', "an array") {
			return
		}
		going := true
		for i := 0; r.more(']'); i++ {
			start := r.pos
			going = going && yield(i)
			if r.pos == start {
				r.SkipValue()
			}
		}
	}
}

// Text reads a string; ok is false if the value has another kind.
func (r *Reader) Text() (text string, ok bool) {
	if r.Kind() != '"' {
		r.mismatch("a text")
		return "", false
	}
	return r.text(), true
}

// Texts reads an array of strings; elements of other kinds are left out.
func (r *Reader) Texts() []string {
	var texts []string
	for range r.Array() {
		if text, ok := r.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Lines reads a string, or an array of strings as the lines of one.
func (r *Reader) Lines() string {
	if r.Kind() == '[' {
		return strings.Join(r.Texts(), "\n")
	}
	text, _ := r.Text()
	return text
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	c := r.Kind()
	if c != 't' && c != 'f' {
		r.mismatch("true or false")
		return false
	}
	r.SkipValue()
	return c == 't'
}

// Int reads an integer.
func (r *Reader) Int() int {
	start := r.pos
	if r.Kind() != 0 {
		r.mismatch("an integer")
		return 0
	}
	var n int
	if json.Unmarshal(r.SkipValue(), &n) != nil {
		r.fail(start, "an integer is expected here")
	}
	return n
}

// SkipValue skips the next value and returns its bytes, a subslice of the part.
func (r *Reader) SkipValue() []byte {
	start, depth := r.pos, 0
	for {
		switch c := r.data[r.pos]; c {
		case '"':
			r.quoted()
		case '{', '[':
			depth++
			r.pos++
		case '}', ']':
			depth--
			r.pos++
		case ',', ':', ' ', '\t', '\r', '\n':
			r.pos++
		default:
			for r.pos < len(r.data) && strings.IndexByte(delimiters, r.data[r.pos]) < 0 {
				r.pos++
			}
		}
		if depth == 0 {
			end := r.pos
			r.blank()
			return r.data[start:end]
		}
	}
}

const delimiters = ",:]} \t\r\n"

// Lenient calls read, during which values of another kind than requested are no errors.
func (r *Reader) Lenient(read func()) {
	err := r.err
	read()
	r.err = err
}

// Line returns the line of the next value, from 1.
func (r *Reader) Line() int {
	r.count(r.pos)
	return r.line
}

// Column returns the column of the next value in its line, from 1, in bytes.
func (r *Reader) Column() int {
	r.count(r.pos)
	return r.pos - r.lineStart + 1
}

// Fail records an error at the next value, or at the last one read.
func (r *Reader) Fail(format string, args ...any) { r.fail(r.pos, fmt.Sprintf(format, args...)) }

// Err returns the first *Error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// open enters the next value if it begins with c.
func (r *Reader) open(c byte, what string) bool {
	if r.data[r.pos] != c {
		r.mismatch(what)
		return false
	}
	r.pos++
	r.blank()
	return true
}

// more skips the comma before another value, or the end.
func (r *Reader) more(end byte) bool {
	switch r.data[r.pos] {
	case end:
		r.pos++
		r.blank()
		return false
	case ',':
		r.pos++
		r.blank()
	}
	return true
}

// text reads the string that begins here.
func (r *Reader) text() string {
	start := r.pos
	plain := r.quoted()
	raw := r.data[start:r.pos]
	r.blank()
	return unquote(raw, plain)
}

// unquote returns the value of a valid quoted string; plain reports that it has no
// escape.
func unquote(raw []byte, plain bool) string {
	if inner := raw[1 : len(raw)-1]; plain && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // New validated it
	return s
}

// quoted skips a string; plain reports that it has no escape.
func (r *Reader) quoted() (plain bool) {
	plain = true
	for r.pos++; ; r.pos++ {
		switch r.data[r.pos] {
		case '\\':
			plain = false
			r.pos++
		case '"':
			r.pos++
			return plain
		}
	}
}

func (r *Reader) blank() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		default:
			return
		}
	}
}

func (r *Reader) mismatch(what string) {
	if r.Kind() != 'n' {
		r.fail(r.pos, what+" is expected here")
	}
	r.SkipValue()
}

func (r *Reader) fail(offset int, message string) {
	if r.err == nil {
		r.err = r.errorAt(offset, message)
	}
}

func (r *Reader) errorAt(offset int, message string) *Error {
	r.count(offset)
	return &Error{File: r.file, Line: r.line, Column: offset - r.lineStart + 1, Message: message}
}

// count advances line and lineStart to offset.
func (r *Reader) count(offset int) {
	if offset < r.counted {
		r.line, r.lineStart, r.counted = 1, 0, 0
	}
	passed := r.data[r.counted:min(offset, len(r.data))]
	r.line += bytes.Count(passed, []byte{'\n'})
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		r.lineStart = r.counted + i + 1
	}
	r.counted = offset
}
