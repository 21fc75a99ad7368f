package jsonpart

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// SpliceText makes the value, a text, another one. Where the two begin and end
// alike the bytes stay. What is put in is written as put says when that means the
// same. It returns how what went was written, nil when it is how it would be
// written anew.
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

// IsPlain is true for a text that is written as SetText would write it.
func (v *Value) IsPlain() bool {
	text, ok := v.Text()
	return ok && bytes.Equal(v.Raw(), quote(text))
}

// inner is a text as written, without its quotes.
func inner(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }

// means is true for the inside of a text that says this.
func means(written, text string) bool {
	var s string
	return json.Unmarshal([]byte(`"`+written+`"`), &s) == nil && s == text
}

// sharedStart is how many bytes both begin with, in whole characters.
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

// sharedEnd is how many bytes both end with, in whole characters.
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

// writtenOffset is where in the text as written the nth byte of what it says
// begins.
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
			// Two halves of a character beyond U+FFFF stand together.
			if i+2*length < len(raw) && raw[i+length] == '\\' && raw[i+length+1] == 'u' && utf8.RuneCountInString(unquote(quoted(raw[i:i+2*length]), false)) == 1 {
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
