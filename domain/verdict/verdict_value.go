package verdict

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// value is a number, date or short label to look for in an answer.
type value struct {
	figure *figure
	date   *date
	label  string // folded
}

const (
	// maxRead is how much of a text is examined, in bytes.
	maxRead = 64 << 10
	// maxLabel and maxLabelWords bound a short label, in characters and in words.
	maxLabel      = 60
	maxLabelWords = 5
	// shownDigits is how many digits a figure shows at least to contradict a longer one.
	shownDigits = 3
)

// reading holds what was found in a text.
type reading struct {
	text    string // NFC, white space as single blanks
	figures []figure
	dates   []date
}

// read examines a text; only the first maxRead bytes of a longer one.
func read(s string) reading {
	if len(s) > maxRead {
		s = strings.ToValidUTF8(s[:maxRead], "")
	}
	r := reading{text: strings.Join(strings.FieldsFunc(norm.NFC.String(s), isBreak), " ")}
	var rest string
	r.dates, rest = findDates(r.text)
	r.figures = findFigures(rest)
	return r
}

// isBreak reports whether r is white space other than the blanks that group digits.
func isBreak(r rune) bool { return unicode.IsSpace(r) && !strings.ContainsRune(thinSpaces, r) }

// readValue returns the value of a text that is one value and nothing else.
func readValue(s string) (value, bool) { return read(s).value() }

func (r reading) value() (v value, ok bool) {
	switch {
	case len(r.text) > maxLabel*utf8.UTFMax:
		return value{}, false
	case r.text == "":
		return value{}, false
	case len(r.dates) == 1 && r.dates[0].text == r.text:
		return value{date: &r.dates[0]}, true
	}
	for i, f := range r.figures {
		if len(r.dates) == 0 && f.text == withoutBlanks(r.text) {
			return value{figure: &r.figures[i]}, true
		}
	}
	label := strings.TrimRight(strings.ToLower(r.text), ".!?")
	isLetter := strings.ContainsFunc(label, unicode.IsLetter)
	long := utf8.RuneCountInString(label)
	if long < 2 || long > maxLabel || !isLetter || len(strings.Fields(label)) > maxLabelWords ||
		slices.Contains([]string{"yes", "no", "true", "false"}, label) {
		return value{}, false // many an answer contains "no" without meaning it
	}
	return value{label: label}, true
}

// finding is the result of looking for a value in a text.
type finding int

const (
	undecided finding = iota
	holds
	lacks // the text has other values of that kind
)

// in looks for the value in a text. Only a judge can decide whether a missing label was
// expressed in other words, or a figure was rounded or lost its sign.
func (v value) in(r reading) finding {
	switch {
	case v.figure != nil:
		return v.figure.in(r.figures)
	case v.date != nil:
		return v.date.in(r.dates)
	case holdsLabel(strings.ToLower(r.text), v.label):
		return holds
	}
	return undecided
}

// apart returns the reading without the figures that the question has too, unless nothing
// else is left.
func (r reading) apart(question reading) reading {
	left := slices.DeleteFunc(slices.Clone(r.figures), func(f figure) bool {
		return slices.ContainsFunc(question.figures, f.equals)
	})
	if len(left) > 0 {
		r.figures = left
	}
	return r
}

// declining are words of answers that do not know.
var declining = regexp.MustCompile(`(?i)\b(?:cannot|can't|could not|couldn't|unable|don't know|do not know|not sure|not available|no data|no information|` +
	`does not (?:contain|have|include)|doesn't (?:contain|have|include)|kann (?:ich )?nicht|weiß (?:ich )?nicht|` +
	`keine (?:Daten|Angaben)|liegen nicht vor)\b`)

func (r reading) declines() bool {
	return declining.MatchString(strings.ReplaceAll(r.text, "’", "'"))
}

// in looks for a figure among those of a text. Years do not contradict it, and neither
// does a figure of fewer digits than shownDigits and than f has.
func (f figure) in(others []figure) finding {
	outcome, doubt := undecided, false
	for _, o := range others {
		switch f.compare(o) {
		case same:
			return holds
		case maybe:
			doubt = true
		case other:
			switch {
			case o.isYear() && !f.isYear():
			case o.significant < min(shownDigits, f.significant):
				doubt = true
			default:
				outcome = lacks
			}
		}
	}
	if doubt {
		return undecided
	}
	return outcome
}

// holdsLabel reports whether a text contains a label at word boundaries.
func holdsLabel(text, label string) bool {
	first, _ := utf8.DecodeRuneInString(label)
	last, _ := utf8.DecodeLastRuneInString(label)
	for at := 0; ; {
		i := strings.Index(text[at:], label)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(label):])
		if !(isWordRune(first) && isWordRune(before)) && !(isWordRune(last) && isWordRune(after)) {
			return true
		}
		at += utf8.RuneLen(first)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// kinship is how a figure of a text relates to the wanted one.
type kinship int

const (
	other kinship = iota
	same
	maybe
)

// compare compares within half a unit of f's last decimal. A plain figure may be a
// percentage, or its fraction of 1. The result is maybe for a figure that matches only
// within the precision of o, with the opposite sign, or in the less usual reading of
// its separators.
func (f figure) compare(o figure) kinship {
	factors := []float64{1} // that bring o to the unit of f
	switch {
	case f.percent && !o.percent:
		factors = []float64{1, 100}
	case o.percent && !f.percent:
		factors = []float64{0.01}
	}
	outcome := other
	for _, factor := range factors {
		amount := o.amount() * factor
		switch {
		case near(f.amount(), amount, f.precision()) && !o.doubtful:
			return same
		case near(f.amount(), amount, max(f.precision(), o.precision()*factor)), near(f.amount(), -amount, f.precision()):
			outcome = maybe
		}
	}
	return outcome
}

// near compares with a tolerance for floating-point error.
func near(a, b, within float64) bool {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a == b
	}
	return math.Abs(a-b) <= within*(1+1e-9)+1e-12*max(math.Abs(a), math.Abs(b))
}
