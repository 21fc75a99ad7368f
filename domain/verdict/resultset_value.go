package verdict

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
	exact   exact
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

// Boolean returns a truth value.
func Boolean(b bool) Value {
	if b {
		return Value{kind: boolean, number: 1}
	}
	return Value{kind: boolean}
}

// Number returns a number of any numeric type: integers and decimals compare as
// numbers.
func Number(x float64) Value { return Value{kind: number, number: x} }

// Instant returns a date and time, to the microsecond.
func Instant(t time.Time) Value { return Value{kind: instant, instant: t.UnixMicro()} }

// Text returns a text, trimmed and in NFC. An empty text is not BLANK.
func Text(s string) Value { return Value{kind: text, text: norm.NFC.String(strings.TrimSpace(s))} }

// Text returns the value if it is a text.
func (v Value) Text() (string, bool) { return v.text, v.kind == text }

// equal reports whether two values are the same: exact numbers if they have the same digits, other numbers within a tolerance.
// Although that is not transitive, the values equal to a given one are contiguous among sorted
// values of columns whose numbers are all exact, or all not.
func (v Value) equal(w Value) bool {
	if v.exact.is && w.exact.is {
		return v.exact == w.exact
	}
	return v.near(w)
}

// near is equal with a tolerance for exact numbers too.
func (v Value) near(w Value) bool {
	if v.kind == number && w.kind == number {
		return equalNumbers(v.number, w.number)
	}
	return v.compare(w) == 0
}

// isZero reports whether the value is BLANK or 0.
func (v Value) isZero() bool { return v.kind == blank || v.kind == number && v.number == 0 }

func equalNumbers(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false // a relative tolerance of infinity would accept anything
	}
	return math.Abs(a-b) <= max(1e-9, 1e-6*max(math.Abs(a), math.Abs(b)))
}

// compare orders values by kind, then by value.
func (v Value) compare(w Value) int {
	return cmp.Or(cmp.Compare(v.kind, w.kind), cmp.Compare(v.number, w.number), v.exact.compare(w.exact),
		cmp.Compare(v.instant, w.instant), cmp.Compare(v.text, w.text))
}
