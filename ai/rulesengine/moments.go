package rulesengine

import (
	"fmt"
	"strconv"
	"time"

	"readiness/domain/benchmark/modelquery"
	"readiness/internal/lateregexp"
)

var monthNames = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var (
	isoDay     = lateregexp.New(`^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})$`)
	shortDay   = lateregexp.New(`^([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4})$`)
	isoMonth   = lateregexp.New(`^([0-9]{4})-([0-9]{2})$`)
	yearsRange = lateregexp.New(`^([0-9]{4})-([0-9]{4})$`)
	quarterOf  = lateregexp.New(`^q([1-4])$`)
	fiscalYear = lateregexp.New(`^fy ?-?([0-9]{2}|[0-9]{4})$`)
)

// moment is one time as written, and the number of words it takes.
type moment struct {
	span    modelquery.Span
	used    int
	unclear string
	assumed bool // the year is the latest, as the question gives none
}

// moment reads a day, month, quarter, half or year at a word.
func (q *question) moment(i int) (m moment, ok bool) {
	w := q.word(i)
	if m, ok := oneWordMoment(w); ok {
		return m, true
	}
	if y, isYear := year(w); isYear {
		if p := quarterOf.FindStringSubmatch(q.word(i + 1).lower); p != nil {
			n, _ := strconv.Atoi(p[1])
			return moment{span: modelquery.QuarterSpan(y, n), used: 2}, true
		}
		return moment{span: modelquery.YearSpan(y), used: 1}, true
	}
	if p := quarterOf.FindStringSubmatch(w.lower); p != nil {
		n, _ := strconv.Atoi(p[1])
		if m, ok := q.quarterOfYear(i, 1, n); ok {
			return m, true
		}
		return moment{used: 1, unclear: "the year of " + w.text}, true
	}
	if q.is(i, "h1|h2") {
		if m, ok := q.halfOfYear(i, 1, int(w.lower[1]-'0')); ok {
			return m, true
		}
	}
	if n, ok := ordinal(w); ok && n <= 4 && q.is(i+1, "quarter") {
		if m, ok := q.quarterOfYear(i, 2, n); ok {
			return m, true
		}
		return moment{used: 2, unclear: "the year of the quarter"}, true
	}
	if n, ok := ordinal(w); ok && n <= 2 && q.is(i+1, "half") {
		if m, ok := q.halfOfYear(i, 2, n); ok {
			return m, true
		}
	}
	if q.is(i, "quarter") {
		if n, ok := count(q.word(i + 1)); ok && n <= 4 {
			if m, ok := q.quarterOfYear(i, 2, n); ok {
				return m, true
			}
		}
	}
	return q.dayOrMonth(i)
}

// quarterOfYear reads the year behind the n words that name its quarter.
func (q *question) quarterOfYear(i, n, quarter int) (m moment, ok bool) {
	y, used, ok := q.followingYear(i + n)
	if !ok {
		return moment{}, false
	}
	return moment{span: modelquery.QuarterSpan(y, quarter), used: n + used}, true
}

// halfOfYear reads the year behind the n words that name its half.
func (q *question) halfOfYear(i, n, half int) (m moment, ok bool) {
	y, used, ok := q.followingYear(i + n)
	if !ok {
		return moment{}, false
	}
	return moment{span: modelquery.QuarterSpan(y, 2*half-1).Through(modelquery.QuarterSpan(y, 2*half)), used: n + used}, true
}

// followingYear reads a year, and the "of", "in" or "the year" before it. It returns the number of words that it read.
func (q *question) followingYear(at int) (y, used int, ok bool) {
	if q.is(at, "of|in") {
		used = 1
	}
	if q.is(at+used, "the") && q.is(at+used+1, "year") {
		used += 2
	}
	y, ok = year(q.word(at + used))
	return y, used + 1, ok
}

// dayOrMonth reads 5 March 2024, March 5, 2024 and March 2024.
func (q *question) dayOrMonth(i int) (m moment, ok bool) {
	dayAt := func(at int) (int, bool) {
		w := q.word(at)
		if n, ok := ordinal(w); ok && w.kind == numberWord {
			return n, true
		}
		n, err := strconv.Atoi(w.text)
		return n, err == nil && w.kind == numberWord && len(w.text) <= 2 && n > 0
	}
	made := func(y, month, d, used int) (moment, bool) {
		if d == 0 {
			return moment{span: modelquery.MonthSpan(y, month), used: used}, true
		}
		if !exists(y, month, d) {
			return moment{used: used, unclear: "which day is meant, as there is none of that date"}, true
		}
		return moment{span: modelquery.DaySpan(y, month, d), used: used}, true
	}
	if d, ok := dayAt(i); ok {
		n := 1
		if q.is(i+n, "of") {
			n++
		}
		if month := q.month(i + n); month > 0 {
			if y, ok := year(q.word(i + n + 1)); ok {
				return made(y, month, d, n+2)
			}
			return moment{used: n + 1, unclear: "the year of the day"}, true
		}
		return moment{}, false
	}
	month := q.month(i)
	if month == 0 {
		return moment{}, false
	}
	if d, ok := dayAt(i + 1); ok {
		if y, ok := year(q.word(i + 2)); ok {
			return made(y, month, d, 3)
		}
		return moment{used: 2, unclear: "the year of the day"}, true
	}
	n := 1
	if q.is(i+n, "of") {
		n++
	}
	if y, ok := year(q.word(i + n)); ok {
		return made(y, month, 0, n+1)
	}
	if w := q.word(i); len(w.lower) > 3 || q.is(i-1, "in|since|of|before|after|until|during") {
		return q.latest(moment{used: 1, unclear: "the year of " + w.text}, month), true
	}
	return moment{}, false
}

// latest gives a month without a year the latest year in which it has begun, if the day of the question is known.
func (q *question) latest(m moment, month int) moment {
	if q.engine.second == nil || q.is(0, "compare") {
		return m
	}
	y := q.engine.second.today.Year()
	if month > int(q.engine.second.today.Month()) {
		y--
	}
	return moment{span: modelquery.MonthSpan(y, month), used: m.used, assumed: true}
}

// month returns the month that a word names, 0 for none.
func (q *question) month(i int) int {
	w := q.word(i)
	if w.kind != plainWord {
		return 0
	}
	return w.month()
}

// month returns the month that a word names, 0 for none.
func (w word) month() int { return monthNames[w.lower] }

func exists(y, month, d int) bool {
	t := time.Date(y, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	return month >= 1 && month <= 12 && t.Day() == d && int(t.Month()) == month && y >= 1900 && y < 2200
}

func oneWordMoment(w word) (m moment, ok bool) {
	if w.kind != numberWord {
		return moment{}, false
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	if p := isoDay.FindStringSubmatch(w.text); p != nil {
		if y, month, d := number(p[1]), number(p[2]), number(p[3]); exists(y, month, d) {
			return moment{span: modelquery.DaySpan(y, month, d), used: 1}, true
		}
	}
	if p := isoMonth.FindStringSubmatch(w.text); p != nil {
		if y, month := number(p[1]), number(p[2]); exists(y, month, 1) {
			return moment{span: modelquery.MonthSpan(y, month), used: 1}, true
		}
	}
	if p := yearsRange.FindStringSubmatch(w.text); p != nil {
		if from, to := number(p[1]), number(p[2]); exists(from, 1, 1) && exists(to, 1, 1) && from < to {
			return moment{span: modelquery.YearSpan(from).Through(modelquery.YearSpan(to)), used: 1}, true
		}
	}
	p := shortDay.FindStringSubmatch(w.text)
	if p == nil {
		return moment{}, false
	}
	d, month, y := number(p[1]), number(p[3]), number(p[4])
	dayFirst, monthFirst := exists(y, month, d), exists(y, d, month) && p[2] != "."
	switch {
	case dayFirst && monthFirst && d != month:
		return moment{used: 1, unclear: fmt.Sprintf("whether %s is a day of %s or of %s", w.text, time.Month(month), time.Month(d))}, true
	case dayFirst:
		return moment{span: modelquery.DaySpan(y, month, d), used: 1}, true
	case monthFirst:
		return moment{span: modelquery.DaySpan(y, d, month), used: 1}, true
	}
	return moment{used: 1, unclear: "which day is meant, as there is none of that date"}, true
}
