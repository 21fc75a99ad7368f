package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// exactDecimals is how many decimals an exact number has at most: those of the platform's fixed decimals.
const exactDecimals = 4

// exact is a number of at most exactDecimals decimals, integer and rest with the same sign; the zero value is none.
type exact struct {
	integer int64
	rest    int16 // in ten-thousandths
	is      bool
}

// Exact returns a number that is known exactly: an integer or a fixed decimal, of at most four decimals. The text is in
// digits, with an optional sign and a point. A number of more digits or of another form is a Number, any other text BLANK.
func Exact(digits string) Value {
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return Value{}
	}
	return Value{kind: number, number: x, exact: readExact(digits)}
}

// readExact reads a number in digits; none if it has more of them than are held.
func readExact(digits string) exact {
	unsigned := strings.TrimLeft(digits, "+-")
	whole, rest, _ := strings.Cut(unsigned, ".")
	rest = strings.TrimRight(rest, "0")
	if whole == "" || len(rest) > exactDecimals || strings.Trim(whole+rest, "0123456789") != "" {
		return exact{}
	}
	sign := digits[:len(digits)-len(unsigned)]
	w, err := strconv.ParseInt(sign+whole, 10, 64)
	if err != nil {
		return exact{}
	}
	r, err := strconv.ParseInt(sign+rest+strings.Repeat("0", exactDecimals-len(rest)), 10, 16)
	return exact{w, int16(r), err == nil}
}

func (e exact) compare(f exact) int {
	return cmp.Or(cmp.Compare(e.integer, f.integer), cmp.Compare(e.rest, f.rest))
}

// String returns the number in digits, without zeros at its end.
func (e exact) String() string {
	sign := ""
	if e.integer < 0 || e.rest < 0 {
		sign = "-"
	}
	text := fmt.Sprintf("%s%s.%0*d", sign, strings.TrimPrefix(strconv.FormatInt(e.integer, 10), "-"), exactDecimals, max(e.rest, -e.rest))
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// unmixed makes numbers of a column exact only if all of them are.
func unmixed(column []Value) {
	if !slices.ContainsFunc(column, func(v Value) bool { return v.kind == number && !v.exact.is }) {
		return
	}
	for i := range column {
		column[i].exact = exact{}
	}
}
