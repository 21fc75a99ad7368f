package rulesengine

import (
	"cmp"
	"strconv"
	"strings"

	"readiness/internal/lateregexp"
)

var (
	digits   = lateregexp.New(`^([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?(k|m|mn|mio|b|bn)?$`)
	ordinals = lateregexp.New(`^([0-9]{1,2})(?:st|nd|rd|th)$`)
)

var numberNames = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve":  12,
	"fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}

var ordinalNames = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4}

var scales = map[string]int{"thousand": 3, "million": 6, "millions": 6, "billion": 9, "k": 3, "m": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9}

// count reads a small integer.
func count(w word) (n int, ok bool) {
	if n, ok = numberNames[w.lower]; ok {
		return n, true
	}
	if w.kind != numberWord {
		return 0, false
	}
	n, err := strconv.Atoi(w.text)
	return n, err == nil && n > 0 && n <= 10_000
}

// ordinal reads 1st, third and similar words.
func ordinal(w word) (n int, ok bool) {
	if n, ok = ordinalNames[w.lower]; ok {
		return n, true
	}
	if m := ordinals.FindStringSubmatch(w.lower); m != nil {
		n, err := strconv.Atoi(m[1])
		return n, err == nil
	}
	return 0, false
}

// amount reads a number and returns it as a filter writes it. A currency or a minus may precede it,
// and a scale or a percent sign may follow. used is how many words it takes.
func amount(words []word) (value string, used int, ok bool) {
	for used < len(words) && words[used].kind == signWord && !strings.ContainsAny(words[used].text, "<>=") {
		used++
	}
	if used == len(words) {
		return "", 0, false
	}
	w := words[used]
	var integer, fraction string
	var scale int
	switch m := digits.FindStringSubmatch(w.lower); {
	case m != nil && len(m[1]) <= 15 && len(m[2]) <= 15:
		integer, fraction, scale = strings.ReplaceAll(m[1], ",", ""), strings.TrimPrefix(m[2], "."), scales[m[3]]
	case numberNames[w.lower] > 0:
		integer = strconv.Itoa(numberNames[w.lower])
	default:
		return "", 0, false
	}
	used++
	if used < len(words) && words[used].after == 0 {
		if n, is := scales[words[used].lower]; is && scale == 0 {
			scale = n
			used++
		}
	}
	if used < len(words) && words[used].lower == "percent" ||
		used+1 < len(words) && words[used].lower == "per" && words[used+1].lower == "cent" {
		if used++; words[used-1].lower == "per" {
			used++
		}
		scale -= 2
	}
	for used < len(words) && words[used].kind == signWord && !strings.ContainsAny(words[used].text, "<>=") {
		used++
	}
	return shift(integer, fraction, scale), used, true
}

// shift moves a number's decimal point to the right; a negative by moves it to the left.
func shift(integer, fraction string, by int) string {
	for ; by > 0; by-- {
		fraction = cmp.Or(fraction, "0")
		integer, fraction = integer+fraction[:1], fraction[1:]
	}
	for ; by < 0; by++ {
		integer = cmp.Or(integer, "0")
		integer, fraction = integer[:len(integer)-1], integer[len(integer)-1:]+fraction
	}
	integer, fraction = strings.TrimLeft(integer, "0"), strings.TrimRight(fraction, "0")
	integer = cmp.Or(integer, "0")
	if fraction == "" {
		return integer
	}
	return integer + "." + fraction
}

// year reads a year of four digits.
func year(w word) (y int, ok bool) {
	if w.kind != numberWord || len(w.text) != 4 {
		return 0, false
	}
	y, err := strconv.Atoi(w.text)
	return y, err == nil && y >= 1900 && y < 2200
}
