// Package words compares two texts word by word, for people who read both. It knows nothing of pages.
package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/internal/lists"
)

// Kind says in which of the two texts a part is.
type Kind int

// The kinds of parts.
const (
	Same Kind = iota
	Removed
	Added
)

// Part is a piece of a text.
type Part struct {
	Text string
	Kind Kind
}

// Removed reports whether the part is only in the text before.
func (p Part) Removed() bool { return p.Kind == Removed }

// Added reports whether the part is only in the text after.
func (p Part) Added() bool { return p.Kind == Added }

// maxCells bounds the work of a comparison. In longer texts, everything between their common beginning and end is removed and added
// as one part.
const maxCells = 1 << 20

// Diff returns the parts of both texts in their order. The parts that are not Added give before, those that are not Removed give
// after. Neighbours have different kinds, and where words are replaced, the removed ones come first.
func Diff(before, after string) []Part {
	a, b := split(before), split(after)
	var d parts
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	d.add(Same, a[:n]...)
	d.middle(a[n:len(a)-m], b[n:len(b)-m])
	d.add(Same, a[len(a)-m:]...)
	return d
}

// Before returns the parts of the text before.
func Before(all []Part) []Part { return without(all, Added) }

// After returns the parts of the text after.
func After(all []Part) []Part { return without(all, Removed) }

func without(all []Part, kind Kind) []Part {
	return slices.DeleteFunc(slices.Clone(all), func(p Part) bool { return p.Kind == kind })
}

type parts []Part

// add appends words. Those of the same kind become one part.
func (d *parts) add(kind Kind, all ...string) {
	text := strings.Join(all, "")
	switch last := len(*d) - 1; {
	case text == "":
	case last >= 0 && (*d)[last].Kind == kind:
		(*d)[last].Text += text
	case last > 0 && kind == Removed && (*d)[last].Kind == Added && (*d)[last-1].Kind == Removed:
		(*d)[last-1].Text += text
	case last >= 0 && kind == Removed && (*d)[last].Kind == Added:
		*d = slices.Insert(*d, last, Part{text, Removed})
	default:
		*d = append(*d, Part{text, kind})
	}
}

// middle compares texts by their longest common sequence of words.
func (d *parts) middle(a, b []string) {
	if len(a)*len(b) > maxCells || len(a) == 0 || len(b) == 0 {
		d.add(Removed, a...)
		d.add(Added, b...)
		return
	}
	lists.Compare(a, b, func(word string, before, after bool) {
		switch {
		case !after:
			d.add(Removed, word)
		case !before:
			d.add(Added, word)
		default:
			d.add(Same, word)
		}
	})
}

// split returns the words of a text, its spaces, and each other character alone.
func split(text string) (all []string) {
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		end := size
		for same := class(first); same != other && end < len(text); {
			next, size := utf8.DecodeRuneInString(text[end:])
			if class(next) != same {
				break
			}
			end += size
		}
		all = append(all, text[:end])
		text = text[end:]
	}
	return all
}

type classOf int

const (
	other classOf = iota
	space
	letter
)

func class(r rune) classOf {
	switch {
	case r == '\n': // a line break is a word
		return other
	case unicode.IsSpace(r):
		return space
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return letter
	}
	return other
}
