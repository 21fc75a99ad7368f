package verdict

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// figure is a number written in a text.
type figure struct {
	text     string // with sign, currency and unit, without blanks
	number   float64
	decimals int
	// significant is how many digits it shows, without zeros at the start.
	significant int
	scale       float64 // 1000 of "1.2K"
	percent     bool
	// doubtful is true for the less usual reading of the separators.
	doubtful bool
	// bare is true for four digits without anything else, which may be a year.
	bare bool
}

// figure returns a number that was computed, as a figure that shows all of its digits.
func (v Value) figure() figure {
	text := strconv.FormatFloat(v.number, 'f', -1, 64)
	_, fraction, _ := strings.Cut(text, ".")
	shown := strings.TrimLeft(strings.Map(digit, text), "0")
	return figure{text: text, number: v.number, decimals: len(fraction), significant: len(shown), scale: 1}
}

func (f figure) equals(o figure) bool { return f.amount() == o.amount() && f.percent == o.percent }

func (f figure) amount() float64 { return f.number * f.scale }

// precision returns half a unit of the last decimal.
func (f figure) precision() float64 { return 0.5 * math.Pow10(-f.decimals) * f.scale }

func (f figure) isYear() bool { return f.bare && f.number >= 1900 && f.number <= 2100 }

// thinSpaces are the blanks that group digits: no-break, narrow no-break and thin.
const thinSpaces = "\u00a0\u202f\u2009"

var (
	// figures matches numbers: sign, currency, sign, digits, exponent, unit, percent,
	// currency.
	figures = regexp.MustCompile(`([-−]?)((?:\p{Sc}|\b[A-Z]{3}) ?)?([-−]?)` +
		`(\.?\d(?:[\d.,'’` + thinSpaces + `]*\d)?)([eE][-+]?\d{1,2}\b)?` +
		`(?:([KkMmBT]|(?i: ?(?:thousand|millions?|mio|mln|mn|billions?|bln|bn|trillions?|tn)))\b)?` +
		`([ ` + thinSpaces + `]?%|(?i: (?:percent|per cent|pct))\b)?([ ` + thinSpaces + `]?\p{Sc}| ?[A-Z]{3}\b)?`)
	// grouped matches groups of digits separated by blanks: one number or several.
	grouped = regexp.MustCompile(`\b\d{1,3}(?: \d{3})+\b`)
	ordinal = regexp.MustCompile(`^(?i:st|nd|rd|th)\b`)
)

// scales maps the lower-case first letter of a unit; "mn" is a million.
var scales = map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9}

func scaleOf(unit string) float64 {
	unit = strings.ToLower(strings.TrimSpace(unit))
	switch {
	case unit == "":
		return 1
	case unit == "thousand":
		return 1e3
	case unit[0] == 't':
		return 1e12
	}
	return scales[unit[0]]
}

// findFigures returns the numbers of a text, in every reading that they have.
func findFigures(s string) []figure {
	all := scan(s)
	if joined := grouped.ReplaceAllStringFunc(s, withoutBlanks); joined != s {
		all = append(all, scan(joined)...)
	}
	return all
}

func withoutBlanks(s string) string { return strings.ReplaceAll(s, " ", "") }

// scan returns the numbers of a text, with a blank between digits as a separator of
// numbers.
func scan(s string) []figure {
	var all []figure
	for _, m := range figures.FindAllStringSubmatchIndex(s, -1) {
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		sign, currency, digits, exponent, unit, percent := group(1), group(2), group(4), group(5), group(6), group(7)
		before, _ := utf8.DecodeLastRuneInString(s[:m[0]])
		if isWordRune(before) && sign == "" && currency == "" || ordinal.MatchString(s[m[1]:]) {
			continue // "Q3", "3rd"
		}
		negative := sign != "" && !isWordRune(before) || group(3) != "" // in "2020-2024" it is not a sign
		f := figure{text: withoutBlanks(group(0)), scale: scaleOf(unit), percent: percent != ""}
		f.bare = f.text == digits && len(digits) == 4
		for _, r := range readDigits(digits) {
			f.number, f.decimals, f.doubtful = r.number, r.decimals, r.doubtful
			f.significant = len(strings.TrimLeft(strings.Map(digit, digits), "0"))
			if negative {
				f.number = -f.number
			}
			if power, err := strconv.Atoi(strings.TrimLeft(exponent, "eE+")); err == nil {
				f.scale = scaleOf(unit) * math.Pow10(power)
			}
			all = append(all, f)
		}
	}
	return all
}

// digit keeps digits.
func digit(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// digits is one reading of digits and separators.
type digits struct {
	number   float64
	decimals int
	doubtful bool
}

// readDigits parses digits with separators. A separator that occurs twice, or before a
// different one, groups digits. A single comma before three digits groups too, and a
// single point there is a decimal point; the other reading is returned as doubtful.
// Digits in no valid groups are several numbers.
func readDigits(s string) []digits {
	s = strings.Map(func(r rune) rune {
		if r == '’' || strings.ContainsRune(thinSpaces, r) {
			return '\''
		}
		return r
	}, s)
	last := strings.LastIndexAny(s, ".,'")
	if last < 0 {
		return []digits{plain(s, 0, false)}
	}
	integer, fraction, mark := s[:last], s[last+1:], s[last]
	switch inner := strings.Trim(integer, "0123456789"); {
	case mark == '\'' || strings.IndexByte(integer, mark) >= 0:
		if groups(s, mark) {
			return []digits{plain(s, 0, false)}
		}
	case inner != "":
		if groups(integer, inner[0]) {
			return []digits{plain(s, len(fraction), false)}
		}
	case len(fraction) == 3 && len(integer) <= 3 && strings.Trim(integer, "0") != "":
		asDecimal := mark == '.'
		decimals := map[bool]int{true: 3}
		return []digits{plain(s, decimals[asDecimal], false), plain(s, decimals[!asDecimal], true)}
	default:
		return []digits{plain(s, len(fraction), false)}
	}
	var all []digits
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
		all = append(all, plain(part, 0, false))
	}
	return all
}

// groups reports whether mark is the only separator and the digits are grouped by
// three, or by two before the last group, as in India.
func groups(s string, mark byte) bool {
	parts := strings.Split(s, string(mark))
	for i, part := range parts {
		if strings.Trim(part, "0123456789") != "" || part == "" || len(part) > 3 ||
			i == len(parts)-1 && len(part) != 3 || i > 0 && len(part) < 2 {
			return false
		}
	}
	return len(parts) > 1
}

// plain parses the digits alone. The last ones, as many as decimals, are decimals.
func plain(s string, decimals int, doubtful bool) digits {
	only := strings.Map(digit, s)
	at := len(only) - decimals
	number, _ := strconv.ParseFloat(only[:at]+"."+only[at:], 64) // only digits: out of range gives infinity
	return digits{number, decimals, doubtful}
}
