package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"readiness/definition/semanticmodel"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds. Integers, decimals and currency are Numbers.
const (
	Blank Kind = iota
	Boolean
	Number
	DateTime
	Text
)

// Value is a value of a table. The zero Value is BLANK.
type Value struct {
	kind   Kind
	number float64 // of a DateTime the days since 1899-12-30
	text   string
}

// zeroDay is the day that DAX counts days from.
var zeroDay = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()

// OfBoolean returns a truth value.
func OfBoolean(b bool) Value {
	if b {
		return Value{kind: Boolean, number: 1}
	}
	return Value{kind: Boolean}
}

// OfNumber returns a number.
func OfNumber(x float64) Value { return Value{kind: Number, number: x + 0} } // -0 is 0

// OfTime returns a date and time to the second; the time zone is ignored.
func OfTime(t time.Time) Value {
	_, offset := t.Zone()
	return Value{kind: DateTime, number: float64(t.Unix()+int64(offset)-zeroDay) / 86400}
}

// OfText returns a text. Like the columns of a model it has no trailing spaces.
func OfText(s string) Value { return Value{kind: Text, text: strings.TrimRight(s, " ")} }

// Kind returns the kind.
func (v Value) Kind() Kind { return v.kind }

// Number returns a Number, or 1 for TRUE.
func (v Value) Number() float64 { return v.number }

// Time returns a DateTime, in UTC.
func (v Value) Time() time.Time {
	return time.Unix(zeroDay+int64(math.Round(v.number*86400)), 0).UTC()
}

// String returns a Text as it is, and other values for people.
func (v Value) String() string {
	switch v.kind {
	case Boolean:
		return strings.ToUpper(strconv.FormatBool(v.number != 0))
	case Number:
		return strconv.FormatFloat(v.number, 'f', -1, 64)
	case DateTime:
		if t := v.Time(); v.number != math.Trunc(v.number) {
			return t.Format(time.DateTime)
		}
		return v.Time().Format(time.DateOnly)
	case Blank, Text:
	}
	return v.text
}

func (v Value) isBlank() bool { return v.kind == Blank }

// isNumeric reports whether a value compares as a number.
func (v Value) isNumeric() bool { return v.kind == Number || v.kind == DateTime }

// key returns the value that stands for all that DAX does not distinguish from it.
func (v Value) key() Value {
	v.text = folded(v.text)
	return v
}

// folded returns a text in lower case, because DAX ignores the case of letters.
func folded(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return strings.Map(unicode.ToLower, s)
		}
	}
	return s
}

// compare orders values of one kind, BLANK first.
func (v Value) compare(w Value) int {
	if v.kind != w.kind && !(v.isNumeric() && w.isNumeric()) {
		return cmp.Compare(v.kind, w.kind)
	}
	return cmp.Or(cmp.Compare(v.number, w.number), strings.Compare(folded(v.text), folded(w.text)))
}

// sortsPlainly reports whether the order of a text does not depend on the language.
func (v Value) sortsPlainly() bool {
	for i := range len(v.text) {
		if c := v.text[i]; c != ' ' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// maxInteger is up to what integers are exact.
const maxInteger = 1 << 53

// ParseValue reads the text of a value of a column of the type. An empty text is BLANK.
// Dates are written 2026-01-31, with a time as 2026-01-31T23:59:59, truth values as true
// and false.
func ParseValue(t semanticmodel.DataType, text string) (Value, error) {
	if text == "" {
		return Value{}, nil
	}
	switch t {
	case semanticmodel.String:
		return OfText(text), nil
	case semanticmodel.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > maxInteger || n < -maxInteger {
			return Value{}, fmt.Errorf("%q is no integer up to 2^53", text)
		}
		return OfNumber(float64(n)), nil
	case semanticmodel.Decimal, semanticmodel.Double:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return Value{}, fmt.Errorf("%q is no number", text)
		}
		return OfNumber(x), nil
	case semanticmodel.Boolean:
		switch text {
		case "true":
			return OfBoolean(true), nil
		case "false":
			return OfBoolean(false), nil
		}
		return Value{}, fmt.Errorf("%q is neither true nor false", text)
	case semanticmodel.DateTime:
		for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", time.DateTime} {
			if d, err := time.Parse(layout, text); err == nil && d.Year() >= 1900 && d.Year() <= 9999 {
				return OfTime(d), nil
			}
		}
		return Value{}, fmt.Errorf("%q is no date from 1900 on, such as 2026-01-31", text)
	}
	return Value{}, fmt.Errorf("values of the data type %q are not read", t)
}
