package comparison

import (
	"cmp"
	"math"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Value is one typed value of a result set. The zero Value is BLANK.
type Value struct {
	kind    kind
	number  float64
	instant int64 // microseconds since 1970
	text    string
}

type kind uint8

const (
	blank kind = iota
	boolean
	number
	instant
	text
)

// Boolean, Number, Instant and Text are the values that are not BLANK. Integers
// and decimals are both numbers; a text is trimmed and in NFC (regime D.3 (2)).
func Boolean(b bool) Value {
	if b {
		return Value{kind: boolean, number: 1}
	}
	return Value{kind: boolean}
}

// Number is a number, of whatever type the model gives it.
func Number(x float64) Value { return Value{kind: number, number: x} }

// Instant is a date with its time, to the microsecond.
func Instant(t time.Time) Value { return Value{kind: instant, instant: t.UnixMicro()} }

// Text is a text; an empty one is not BLANK.
func Text(s string) Value { return Value{kind: text, text: norm.NFC.String(strings.TrimSpace(s))} }

// equal tells whether two values are the same (regime D.3 (2), (3)). Among the
// sorted values those equal to a given one stand together, though being equal is
// not transitive.
func (v Value) equal(w Value) bool {
	if v.kind == number && w.kind == number {
		return equalNumbers(v.number, w.number)
	}
	return v.compare(w) == 0
}

func equalNumbers(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false // no tolerance reaches infinity, though infinity tolerates all
	}
	return math.Abs(a-b) <= max(1e-9, 1e-6*max(math.Abs(a), math.Abs(b)))
}

// compare orders values by kind, then by value.
func (v Value) compare(w Value) int {
	return cmp.Or(cmp.Compare(v.kind, w.kind), cmp.Compare(v.number, w.number), cmp.Compare(v.instant, w.instant), cmp.Compare(v.text, w.text))
}
