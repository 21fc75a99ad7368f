package lsp

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"readiness/definition/textfile"
)

// position is a place in a text: a line and, in UTF-16 code units, a character of it, both from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// text is the content of a file as editors count it: without a byte order mark, in lines that LF, CRLF or CR end.
type text struct {
	src   string
	lines []int // where each begins, in bytes
}

func newText(src string) text {
	t := text{strings.TrimPrefix(src, textfile.Mark), []int{0}}
	for i := 0; i < len(t.src); i++ {
		switch {
		case t.src[i] == '\r' && i+1 < len(t.src) && t.src[i+1] == '\n':
		case t.src[i] == '\n', t.src[i] == '\r':
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns where a line begins and ends, without its line end. Lines count from 0; one after the last is empty.
func (t text) line(n int) (from, to int) {
	switch {
	case n < 0:
		return 0, 0
	case n >= len(t.lines):
		return len(t.src), len(t.src)
	case n+1 == len(t.lines):
		return t.lines[n], len(t.src)
	}
	from, to = t.lines[n], t.lines[n+1]
	return from, from + len(strings.TrimRight(t.src[from:to], "\r\n"))
}

// offset returns the byte at a position; a position outside the text is the nearest one inside.
func (t text) offset(p position) int {
	at, to := t.line(p.Line)
	for units := 0; at < to; {
		r, size := utf8.DecodeRuneInString(t.src[at:to])
		if units += max(1, utf16.RuneLen(r)); units > p.Character {
			break
		}
		at += size
	}
	return at
}

// position returns the position of a byte.
func (t text) position(offset int) position {
	offset = max(0, min(offset, len(t.src)))
	line, exact := slices.BinarySearch(t.lines, offset)
	if !exact {
		line--
	}
	p := position{Line: line}
	for _, r := range t.src[t.lines[line]:offset] {
		p.Character += max(1, utf16.RuneLen(r))
	}
	return p
}

func (t text) span(from, to int) span { return span{t.position(from), t.position(to)} }

// change is a change of an open text; without a range, the entire text.
type change struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

func (t text) with(c change) text {
	if c.Range == nil {
		return newText(c.Text)
	}
	from := t.offset(c.Range.Start)
	to := max(from, t.offset(c.Range.End))
	return newText(t.src[:from] + c.Text + t.src[to:])
}
