package jsonpart

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// SpliceText replaces the value, a string, by another text. The bytes at which both
// begin and end alike stay. The inserted part is written as put if that has the same
// value. It returns how the removed part was written, or nil if SetText would write
// it the same way.
func (v *Value) SpliceText(text string, put *string) (was *string) {
	old, _ := v.Text()
	from := sharedStart(old, text)
	end := sharedEnd(old[from:], text[from:])
	raw := v.Raw()
	a, b := writtenOffset(raw, from), writtenOffset(raw, len(old)-end)
	in := text[from : len(text)-end]
	written := inner(quote(in))
	if put != nil && means(*put, in) {
		written = *put
	}
	if gone := string(raw[a:b]); gone != inner(quote(old[from:len(old)-end])) {
		was = &gone
	}
	v.Set([]byte(string(raw[:a]) + written + string(raw[b:])))
	return was
}

// IsPlain reports whether a string is written as SetText would write it.
func (v *Value) IsPlain() bool {
	text, ok := v.Text()
	return ok && bytes.Equal(v.Raw(), quote(text))
}

// inner returns a quoted string without its quotes.
func inner(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }

// means reports whether the inside of a string has this value.
func means(written, text string) bool {
	var s string
	return json.Unmarshal([]byte(`"`+written+`"`), &s) == nil && s == text
}

// sharedStart returns how many bytes both begin with, in complete characters.
func sharedStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// sharedEnd returns how many bytes both end with, in complete characters.
func sharedEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

// writtenOffset returns the offset in the written string at which the nth byte of
// its value begins.
func writtenOffset(raw []byte, n int) int {
	i := 1
	for n > 0 {
		length := 1 // of the character as written
		switch {
		case raw[i] != '\\' && raw[i] < utf8.RuneSelf:
			n--
			i++
			continue
		case raw[i] == '\\' && raw[i+1] != 'u': // a character of one byte
			n--
			i += 2
			continue
		case raw[i] == '\\':
			length = len(`\u0000`)
			// Two surrogate halves of a character beyond U+FFFF belong together.
			if i+2*length < len(raw) && raw[i+length] == '\\' && raw[i+length+1] == 'u' &&
				utf8.RuneCountInString(unquote(quoted(raw[i:i+2*length]), false)) == 1 {
				length *= 2
			}
		case raw[i] >= utf8.RuneSelf:
			_, length = utf8.DecodeRune(raw[i:])
		}
		n -= len(unquote(quoted(raw[i:i+length]), false))
		i += length
	}
	return i
}

func quoted(inside []byte) []byte { return append(append([]byte{'"'}, inside...), '"') }
