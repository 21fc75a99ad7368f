package evaluate

import (
	"math"
	"strings"
	"unicode/utf8"

	"readiness/definition/dax"
)

// number refuses a value that is neither a number nor BLANK.
func (s *session) number(n *dax.Node, v Value) float64 {
	if v.kind != Number && v.kind != Blank {
		s.refuse(n, "%s of a value that is no number", n.Text)
	}
	return v.number
}

// integral refuses a value that is no integer.
func (s *session) integral(n *dax.Node, v Value) int {
	x := s.number(n, v)
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		s.refuse(n, "%s needs an integer, not %s", n.Text, v.String())
	}
	return int(x)
}

// divide returns BLANK, or the alternative, for a divisor that is 0 or BLANK.
func (s *session) divide(n *dax.Node, v []Value) Value {
	dividend, divisor := s.number(n, v[0]), s.number(n, v[1])
	switch {
	case divisor != 0 && v[0].isBlank():
		return Value{}
	case divisor != 0:
		return OfNumber(dividend / divisor)
	case len(v) == 3:
		return v[2]
	}
	return Value{}
}

// round rounds halves away from zero.
func (s *session) round(n *dax.Node, v []Value) Value {
	x, digits := s.number(n, v[0]), s.integral(n, v[1])
	if v[0].isBlank() {
		return Value{}
	}
	if digits < -15 || digits > 15 {
		s.refuse(n, "ROUND to %d digits", digits)
	}
	scale := math.Pow10(digits)
	scaled := math.Abs(x) * scale
	if nearest := math.Round(scaled*1e6) / 1e6; math.Abs(nearest-scaled) < 1e-9*max(1, scaled) {
		scaled = nearest // 1.005 is a little less than it says
	}
	return OfNumber(math.Copysign(math.Floor(scaled+0.5)/scale, x))
}

func (s *session) absolute(n *dax.Node, v []Value) Value {
	if x := s.number(n, v[0]); !v[0].isBlank() {
		return OfNumber(math.Abs(x))
	}
	return Value{}
}

// integer rounds down; a date loses its time.
func (s *session) integer(n *dax.Node, v []Value) Value {
	if v[0].isBlank() {
		return Value{}
	}
	if v[0].kind == DateTime {
		return OfNumber(math.Floor(v[0].number))
	}
	return OfNumber(math.Floor(s.number(n, v[0])))
}

// modulo has the sign of the divisor.
func (s *session) modulo(n *dax.Node, v []Value) Value {
	x, by := s.number(n, v[0]), s.number(n, v[1])
	if by == 0 || v[0].isBlank() {
		s.refuse(n, "MOD of BLANK, or by 0")
	}
	return OfNumber(x - by*math.Floor(x/by))
}

func (s *session) power(n *dax.Node, v []Value) Value {
	x := math.Pow(s.number(n, v[0]), s.number(n, v[1]))
	if v[0].isBlank() || v[1].isBlank() || math.IsNaN(x) || math.IsInf(x, 0) {
		s.refuse(n, "a power that is no number")
	}
	return OfNumber(x)
}

func (s *session) root(n *dax.Node, v []Value) Value {
	x := s.number(n, v[0])
	if v[0].isBlank() || x < 0 {
		s.refuse(n, "the root of BLANK or of a negative number")
	}
	return OfNumber(math.Sqrt(x))
}

// letters returns a text of ASCII characters, whose count does not depend on how a text
// is stored.
func (s *session) letters(n *dax.Node, v Value) string {
	text := s.text(n, v)
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			s.refuse(n, "%s of a text that is not ASCII", n.Text)
		}
	}
	return text
}

func (s *session) length(n *dax.Node, v []Value) Value {
	if v[0].isBlank() {
		s.refuse(n, "LEN of BLANK")
	}
	return OfNumber(float64(len(s.letters(n, v[0]))))
}

func (s *session) left(n *dax.Node, v []Value) Value {
	text := s.letters(n, v[0])
	return Value{kind: Text, text: text[:s.characters(n, v, len(text))]}
}

func (s *session) right(n *dax.Node, v []Value) Value {
	text := s.letters(n, v[0])
	return Value{kind: Text, text: text[len(text)-s.characters(n, v, len(text)):]}
}

// characters returns how many characters LEFT and RIGHT take.
func (s *session) characters(n *dax.Node, v []Value, length int) int {
	count := 1
	if len(v) == 2 {
		count = s.integral(n, v[1])
	}
	if count < 0 || v[0].isBlank() {
		s.refuse(n, "%s of BLANK, or of a negative number of characters", n.Text)
	}
	return min(count, length)
}

func (s *session) upper(n *dax.Node, v []Value) Value {
	return Value{kind: Text, text: strings.ToUpper(s.letters(n, v[0]))}
}

func (s *session) lower(n *dax.Node, v []Value) Value {
	return Value{kind: Text, text: strings.ToLower(s.letters(n, v[0]))}
}

// containsString ignores case; wildcards are refused.
func (s *session) containsString(n *dax.Node, v []Value) Value {
	within, part := s.text(n, v[0]), s.text(n, v[1])
	if part == "" || strings.ContainsAny(part, "?*~") {
		s.refuse(n, "CONTAINSSTRING of an empty text, or with wildcards")
	}
	return OfBoolean(strings.Contains(folded(within), folded(part)))
}
