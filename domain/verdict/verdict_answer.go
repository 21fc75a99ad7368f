package verdict

import (
	"fmt"
	"strings"
	"time"

	"readiness/domain/verdict/normalform"
	"readiness/internal/lists"
)

// Read reads the answer's query into its normal form. today is what TODAY() returns.
func (a *Answer) Read(m *normalform.Model, today time.Time) {
	if a.Query == "" || m == nil {
		return
	}
	q, err := m.Read(a.Query, today)
	if err != nil {
		a.Unread, a.Constant = err.Error(), !m.Refers(a.Query)
		return
	}
	a.Meaning, a.Form = q, q.String()
}

// constant reports whether the answer's query names nothing of the model.
func (a Answer) constant() bool { return a.Constant || a.Meaning != nil && a.Meaning.Plain() }

// strays returns a sentence about the fields that the answer's AI was not given; "" if it uses none.
func (a Answer) strays() string {
	if len(a.Unknown) == 0 {
		return ""
	}
	const shown = 5
	more := ""
	if n := len(a.Unknown) - shown; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return " Its query uses fields that the AI was not given: " + strings.Join(a.Unknown[:min(shown, len(a.Unknown))], ", ") + more + "."
}

// queriedValue decides by the only number that the query of an answer without a number gives.
func (a Answer) queriedValue(wanted value, text string, given reading) (Decision, bool) {
	if wanted.figure == nil || len(given.figures) > 0 || given.declines() || a.constant() || a.Rows == nil || a.Rows.Truncated ||
		a.Rows.saysNothing() || len(a.Rows.Rows) != 1 || len(a.Rows.Rows[0]) != 1 || a.Rows.Rows[0][0].kind != number {
		return Decision{}, false
	}
	over := ""
	if a.Rows.Engine != "" {
		over = fmt.Sprintf(" over sample data (%s)", a.Rows.Engine)
	}
	f := a.Rows.Rows[0][0].figure()
	switch wanted.in(reading{figures: []figure{f}}) {
	case holds:
		return Decision{Correct, ByValue, "", fmt.Sprintf("The answer's query gives %s%s.", text, over)}, true
	case lacks:
		return Decision{Incorrect, ByValue, "", fmt.Sprintf("The answer's query gives %s%s, not %s.", f.text, over, text)}, true
	case undecided:
	}
	return Decision{}, false
}

// known is an answer prepared for comparison with others.
type known struct {
	Answer
	reading
	// sole is the value that the text is, or the only figure or date in it; nil without
	// one.
	sole *value
}

func know(a Answer) *known {
	k := &known{Answer: a, reading: read(a.Text)}
	figures := lists.Where(k.figures, func(f figure) bool { return !f.doubtful && !f.isYear() })
	switch v, ok := k.reading.value(); {
	case ok && v.label == "":
		k.sole = &v
	case len(figures) == 1:
		k.sole = &value{figure: &figures[0]}
	case len(figures) == 0 && len(k.dates) == 1:
		k.sole = &value{date: &k.dates[0]}
	case ok:
		k.sole = &v
	}
	return k
}

// compare returns whether two answers mean the same: Equal, Different or Undecided. It
// uses the first of rows, the form of the queries, values in the text and the text that both answers
// have. Columns that only one of them has are ignored.
func (k *known) compare(l *known) Likeness {
	if k.CannotAnswer || l.CannotAnswer {
		return likeness(k.CannotAnswer == l.CannotAnswer)
	}
	if k.Rows != nil && l.Rows != nil {
		narrow, wide := k.Rows, l.Rows
		if narrow.width() > wide.width() {
			narrow, wide = wide, narrow
		}
		if got, _ := CompareResultSets(*narrow, *wide, false); got != Undecided {
			return likeness(got != Different)
		}
	}
	if k.Form != "" && k.Form == l.Form {
		return Equal
	}
	if k.text != "" && k.text == l.text {
		return Equal
	}
	mine, theirs := k.within(l), l.within(k)
	switch {
	case mine == holds || theirs == holds:
		return Equal
	case mine == lacks || theirs == lacks:
		return Different
	}
	return Undecided
}

func likeness(equal bool) Likeness {
	if equal {
		return Equal
	}
	return Different
}

// within looks for the value of an answer in another answer's text.
func (k *known) within(l *known) finding {
	if k.sole == nil {
		return undecided
	}
	return k.sole.in(l.reading)
}

// Declines reports whether a text says, in English or German, that it does not know, and holds no number.
func Declines(text string) bool {
	r := read(text)
	return len(r.figures) == 0 && r.declines()
}
