// Package textfile finds what makes a text file unreadable whatever its format: a Git LFS
// pointer in its place, an unsolved merge conflict, UTF-16, NUL characters, bytes that are
// not UTF-8. Readers of a format ask it first, because their own messages would only
// name what follows from that.
package textfile

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Mark is the byte order mark that Windows puts before UTF-8 text.
const Mark = "\ufeff"

// Damage says what makes a text unreadable, where, and what to do. Line and Column count
// from 1, columns in characters.
type Damage struct {
	Line, Column int
	Message      string
}

// Error implements error.
func (d *Damage) Error() string { return fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message) }

// In returns the damage as an error that names the file.
func (d *Damage) In(file string) error {
	return fmt.Errorf("%s:%d:%d: %s", file, d.Line, d.Column, d.Message)
}

// Trim returns a text without its byte order mark.
func Trim(data []byte) []byte { return bytes.TrimPrefix(data, []byte(Mark)) }

// Check returns what makes a text unreadable; nil if nothing does.
func Check(data []byte) *Damage {
	if d := Replaced(data); d != nil {
		return d
	}
	if !utf8.Valid(data) {
		at := 0
		for at < len(data) {
			r, n := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return damage(data, at, "this is not UTF-8 text; save the file as UTF-8")
	}
	return nil
}

// Replaced is Check for readers that accept bytes that are not UTF-8: it finds what stands
// in the place of the text, or in it.
func Replaced(data []byte) *Damage {
	switch {
	case bytes.HasPrefix(data, []byte(pointer)):
		return &Damage{1, 1, "this is a Git LFS pointer, not the file; get the file with \"git lfs pull\""}
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}), alternates(data):
		return &Damage{1, 1, "this is UTF-16 text, not UTF-8; save the file as UTF-8"}
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return damage(data, at, "the file contains a NUL character (U+0000); remove it, or get the file again if it was damaged")
	}
	if at := conflict(data); at >= 0 {
		return damage(data, at, "this is an unsolved merge conflict; keep one of the two versions, remove the lines that begin "+
			"with <<<<<<<, ======= and >>>>>>>, and commit")
	}
	return nil
}

// pointer begins every Git LFS pointer.
const pointer = "version https://git-lfs.github.com/spec/"

// alternates reports whether a text without a mark looks like UTF-16: each second byte of its
// start is NUL.
func alternates(data []byte) bool {
	const probe = 8
	if len(data) < probe {
		return false
	}
	even, odd := 0, 0
	for i := 0; i < probe; i += 2 {
		if data[i] == 0 {
			even++
		}
		if data[i+1] == 0 {
			odd++
		}
	}
	return even == probe/2 && odd == 0 || odd == probe/2 && even == 0
}

// conflict returns where a merge conflict begins: lines of <<<<<<<, ======= and >>>>>>> follow
// each other; -1 if there is none.
func conflict(data []byte) int {
	from := lineWith(data, 0, "<<<<<<< ")
	if from < 0 {
		return -1
	}
	middle := lineWith(data, from, "=======")
	if middle < 0 || lineWith(data, middle, ">>>>>>> ") < 0 {
		return -1
	}
	return from
}

// lineWith returns where the first line from an offset on starts that begins with a text; -1 if none does.
func lineWith(data []byte, from int, start string) int {
	for at := from; ; at++ {
		i := bytes.Index(data[at:], []byte(start))
		if i < 0 {
			return -1
		}
		at += i
		if at == 0 || data[at-1] == '\n' || data[at-1] == '\r' || string(data[:at]) == Mark {
			return at
		}
	}
}

// damage is a Damage at a byte of the text.
func damage(data []byte, at int, message string) *Damage {
	before := data[:at]
	line := 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
	start := bytes.LastIndexAny(before, "\r\n") + 1
	return &Damage{line, utf8.RuneCount(before[start:]) + 1, message}
}
