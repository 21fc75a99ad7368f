package tmdl

import (
	"iter"
	"strings"
)

// form is how a text is written in the file.
type form uint8

const (
	absent form = iota
	bare        // only a property's name
	plain       // as written
	quoted      // in double quotes, those inside doubled
	inline      // after `=` on the same line
	block       // on the lines below, by their indentation
	fenced      // the lines between ``` and ```
)

// text is a value that is decoded on demand.
type text struct {
	raw  string
	form form
}

func (t text) String() string {
	switch t.form {
	case bare:
		return "true"
	case quoted:
		return strings.ReplaceAll(t.raw[1:len(t.raw)-1], `""`, `"`)
	case block:
		return dedent(t.raw, sharedIndent(t.raw), false)
	case fenced:
		// The raw text ends with the indentation of the closing fence, which is
		// the left edge; the line end before it belongs to the fence.
		at := strings.LastIndexAny(t.raw, "\r\n") + 1
		return dedent(trimLineEnd(t.raw[:at]), t.raw[at:], true)
	default:
		return t.raw
	}
}

// isQuoted reports whether a value is in double quotes. A value that itself begins
// and ends with quotes, such as `"TRUE";"FALSE"`, is written in another pair.
func isQuoted(s string) bool {
	return len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"'
}

// quote returns the value as a property is written: in double quotes only if it
// would read differently without.
func quote(value string) string {
	if value == "" || value != trim(value) || isQuoted(value) {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trim(s string) string { return strings.Trim(s, " \t") }

// lines yields the lines of s without their ends: LF, CRLF or CR. Text after the
// last line end is a line only if it is not empty.
func lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for sc := (scanner{src: s}); sc.next(); {
			if !yield(s[sc.start:sc.end]) {
				return
			}
		}
	}
}

func trimLineEnd(s string) string {
	if t, ok := strings.CutSuffix(s, "\n"); ok {
		return strings.TrimSuffix(t, "\r")
	}
	return strings.TrimSuffix(s, "\r")
}

// sharedIndent returns the longest indentation that all lines with text begin with.
func sharedIndent(s string) string {
	indent, first := "", true
	for line := range lines(s) {
		rest := strings.TrimLeft(line, " \t")
		if rest == "" {
			continue
		}
		own := line[:len(line)-len(rest)]
		if first {
			indent, first = own, false
		}
		indent = indent[:sharedPrefix(indent, own)]
	}
	return indent
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// dedent joins the lines by "\n". It removes as much of the indentation as each line
// has and, unless keepBlanks is set, the blanks at its end.
func dedent(s, indent string, keepBlanks bool) string {
	var b strings.Builder
	b.Grow(len(s))
	first := true
	for line := range lines(s) {
		if !first {
			b.WriteByte('\n')
		}
		first = false
		line = line[sharedPrefix(line, indent):]
		if !keepBlanks {
			line = strings.TrimRight(line, " \t")
		}
		b.WriteString(line)
	}
	if s != trimLineEnd(s) {
		b.WriteByte('\n')
	}
	return b.String()
}
