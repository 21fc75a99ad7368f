package answering

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/domain/benchmark"
)

// relation is how what is asked for stands to a time.
type relation int

const (
	within relation = iota
	since
	after
	before
	until
)

// timePhrase is what a question says of time, at the words from to to.
type timePhrase struct {
	from, to int
	relation relation
	span     benchmark.Span
	period   benchmark.Period // instead of a span
	named    bool             // it is a period
	years    []int            // any of which will do, instead of a span
	versus   bool             // of years: that they are compared
	fiscal   string           // a fiscal year as the question writes it, instead of a span
	column   *candidate       // the date that the question names with it, nil for none
	unclear  string           // why it cannot be told what is meant
}

var monthNames = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

var unitNames = map[string]benchmark.Unit{
	"day": benchmark.Day, "week": benchmark.Week, "month": benchmark.Month, "quarter": benchmark.Quarter, "year": benchmark.Year,
	"days": benchmark.Day, "weeks": benchmark.Week, "months": benchmark.Month, "quarters": benchmark.Quarter, "years": benchmark.Year,
}

var toDateNames = map[string]benchmark.Unit{"ytd": benchmark.Year, "qtd": benchmark.Quarter, "mtd": benchmark.Month, "wtd": benchmark.Week}

var (
	isoDay     = regexp.MustCompile(`^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})$`)
	shortDay   = regexp.MustCompile(`^([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4})$`)
	isoMonth   = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})$`)
	yearsRange = regexp.MustCompile(`^([0-9]{4})-([0-9]{4})$`)
	quarterOf  = regexp.MustCompile(`^q([1-4])$`)
	fiscalYear = regexp.MustCompile(`^fy ?-?([0-9]{2}|[0-9]{4})$`)
)

// moment is one time as it is written, and how many words it takes.
type moment struct {
	span    benchmark.Span
	used    int
	unclear string
}

func (q *question) word(i int) word {
	if i < 0 || i >= len(q.words) || q.taken[i] {
		return word{}
	}
	return q.words[i]
}

// is tells whether the words from i on are these, in lower case, with nothing but
// blanks between them; a word may be one of several, parted by bars.
func (q *question) is(i int, words ...string) bool {
	for n, w := range words {
		at := q.word(i + n)
		if at.kind == quotedWord || at.kind == fieldWord || at.text == "" || n > 0 && at.after != 0 && at.after != ',' ||
			!slices.Contains(strings.Split(w, "|"), at.lower) {
			return false
		}
	}
	return true
}

// moment reads a day, month, quarter, half or year at a word.
func (q *question) moment(i int) (m moment, ok bool) {
	w := q.word(i)
	if m, ok := oneWordMoment(w); ok {
		return m, true
	}
	yearAt := func(n int) (int, int, bool) { // after "of", "in" or a comma too
		used := 0
		if q.is(i+n, "of|in") {
			used = 1
		}
		if q.is(i+n+used, "the") && q.is(i+n+used+1, "year") {
			used += 2
		}
		y, ok := year(q.word(i + n + used))
		return y, n + used + 1, ok
	}
	part := func(n, length, place int) (moment, bool) { // a quarter or half of the year that follows
		y, used, ok := yearAt(n)
		if !ok {
			return moment{}, false
		}
		if length == 6 {
			return moment{span: benchmark.QuarterSpan(y, 2*place-1).Through(benchmark.QuarterSpan(y, 2*place)), used: used}, true
		}
		return moment{span: benchmark.QuarterSpan(y, place), used: used}, true
	}
	if y, isYear := year(w); isYear {
		if p := quarterOf.FindStringSubmatch(q.word(i + 1).lower); p != nil {
			n, _ := strconv.Atoi(p[1])
			return moment{span: benchmark.QuarterSpan(y, n), used: 2}, true
		}
		return moment{span: benchmark.YearSpan(y), used: 1}, true
	}
	if p := quarterOf.FindStringSubmatch(w.lower); p != nil {
		n, _ := strconv.Atoi(p[1])
		if m, ok := part(1, 3, n); ok {
			return m, true
		}
		return moment{used: 1, unclear: "of which year " + w.text + " is meant"}, true
	}
	if q.is(i, "h1|h2") {
		if m, ok := part(1, 6, int(w.lower[1]-'0')); ok {
			return m, true
		}
	}
	if n, ok := ordinal(w); ok && n <= 4 && q.is(i+1, "quarter") {
		if m, ok := part(2, 3, n); ok {
			return m, true
		}
		return moment{used: 2, unclear: "of which year the quarter is meant"}, true
	}
	if n, ok := ordinal(w); ok && n <= 2 && q.is(i+1, "half") {
		if m, ok := part(2, 6, n); ok {
			return m, true
		}
	}
	if q.is(i, "quarter") {
		if n, ok := count(q.word(i + 1)); ok && n <= 4 {
			if m, ok := part(2, 3, n); ok {
				return m, true
			}
		}
	}
	return q.dayOrMonth(i)
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
			return moment{span: benchmark.MonthSpan(y, month), used: used}, true
		}
		if !exists(y, month, d) {
			return moment{used: used, unclear: "which day is meant, as there is none of that date"}, true
		}
		return moment{span: benchmark.DaySpan(y, month, d), used: used}, true
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
			return moment{used: n + 1, unclear: "of which year the day is meant"}, true
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
		return moment{used: 2, unclear: "of which year the day is meant"}, true
	}
	n := 1
	if q.is(i+n, "of") {
		n++
	}
	if y, ok := year(q.word(i + n)); ok {
		return made(y, month, 0, n+1)
	}
	if w := q.word(i); len(w.lower) > 3 || q.is(i-1, "in|since|of|before|after|until|during") {
		return moment{used: 1, unclear: "of which year " + w.text + " is meant"}, true
	}
	return moment{}, false
}

// month is the month that a word names, 0 for none.
func (q *question) month(i int) int {
	w := q.word(i)
	if w.kind != plainWord {
		return 0
	}
	return monthNames[w.lower]
}

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
			return moment{span: benchmark.DaySpan(y, month, d), used: 1}, true
		}
	}
	if p := isoMonth.FindStringSubmatch(w.text); p != nil {
		if y, month := number(p[1]), number(p[2]); exists(y, month, 1) {
			return moment{span: benchmark.MonthSpan(y, month), used: 1}, true
		}
	}
	if p := yearsRange.FindStringSubmatch(w.text); p != nil {
		if from, to := number(p[1]), number(p[2]); exists(from, 1, 1) && exists(to, 1, 1) && from < to {
			return moment{span: benchmark.YearSpan(from).Through(benchmark.YearSpan(to)), used: 1}, true
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
		return moment{span: benchmark.DaySpan(y, month, d), used: 1}, true
	case monthFirst:
		return moment{span: benchmark.DaySpan(y, d, month), used: 1}, true
	}
	return moment{used: 1, unclear: "which day is meant, as there is none of that date"}, true
}

// findTimes finds what the question says of time, from left to right.
func (q *question) findTimes() {
	for i := 0; i < len(q.words); {
		t, ok := q.time(i)
		if !ok || q.isNamed(t.from, t.to) {
			i++
			continue
		}
		q.times = append(q.times, t)
		q.take(t.from, t.to)
		i = t.to
	}
}

// time reads what is said of time at a word, with the words that lead to it.
func (q *question) time(i int) (t timePhrase, ok bool) {
	t = timePhrase{from: i}
	at := i
	switch {
	case unitNames[q.word(at).lower] != "" && q.is(at+1, "over|on|to") && q.word(at+2).lower == q.word(at).lower:
		return timePhrase{from: i, to: at + 3, unclear: "what " + q.text(run{at, at + 3}) + " is to show"}, true
	case q.is(at, "between"):
		return q.range2(i, at+1, "and|to")
	case q.is(at, "from"):
		if t, ok := q.range2(i, at+1, "to|until|through|till"); ok {
			return t, true
		}
		at++ // "sales from 2023" are those of the year
	case q.is(at, "since|starting"):
		t.relation, at = since, at+1
		if q.is(at, "from|in|with") {
			at++
		}
	case q.is(at, "after"):
		t.relation, at = after, at+1
	case q.is(at, "before"):
		t.relation, at = before, at+1
	case q.is(at, "prior|up", "to"):
		t.relation, at = before, at+2
		if q.is(i, "up") {
			t.relation = until
		}
	case q.is(at, "as", "of"):
		t.relation, at = until, at+2
	case q.is(at, "until|till|through|thru"):
		t.relation, at = until, at+1
	case q.is(at, "in|during|for|of|on|at|within|over|throughout"):
		at++
	}
	if named, ok := q.namedPeriod(at); ok {
		t.to, t.named, t.period = named.to, true, named.period
		if t.relation != within {
			t.unclear = "from which day to which is meant"
		}
		if named.unclear != "" {
			t.unclear = named.unclear
		}
		return t, true
	}
	if f, used := q.fiscal(at); used > 0 {
		t.to, t.fiscal = at+used, f
		if t.relation != within {
			t.unclear = "when the fiscal year begins"
		}
		return t, true
	}
	start := q.year(at)
	m, ok := q.moment(start)
	if !ok {
		return timePhrase{}, false
	}
	if bare := m.span.Whole && start == i; bare && !q.yearStands(i) {
		return timePhrase{}, false
	}
	t.to, t.span, t.unclear = start+m.used, m.span, m.unclear
	if t.unclear == "" && t.relation == within {
		q.moreYears(&t)
	}
	switch {
	case t.relation != within || t.unclear != "":
	case q.is(i-1, "by"):
		t.unclear = "whether until then or then is meant"
	case q.is(t.to, "or|and", "later|after|onwards|onward"):
		t.relation, t.to = since, t.to+2
	case q.is(t.to, "onwards|onward"), q.is(i, "from") && q.is(t.to, "on"):
		t.relation, t.to = since, t.to+1
	case q.is(t.to, "or|and", "earlier|before"):
		t.relation, t.to = until, t.to+2
	}
	return t, true
}

// year steps over "the year", "calendar year" and the like before a moment.
func (q *question) year(at int) int {
	if q.is(at, "the") {
		at++
	}
	if q.is(at, "calendar") {
		at++
	}
	if q.is(at, "year|years|month|date|day") && !q.is(at, "year|month|day", "to") {
		at++
	}
	return at
}

// yearStands tells whether four digits without a word before them are a year.
func (q *question) yearStands(i int) bool {
	before, next := q.word(i-1), q.word(i+1)
	return before.kind != signWord && !q.is(i-1, "top|bottom|than|over|above|under|below|exceeding|exceed|exactly|least|most") &&
		next.kind != signWord && next.lower != "percent" && scales[next.lower] == 0
}

// moreYears takes in the other years of a list: 2022, 2023 and 2024, or 2023 vs 2024.
func (q *question) moreYears(t *timePhrase) {
	if !t.span.Whole || t.span.From.Year() != t.span.To.Year() {
		if q.is(t.to, "to|through|until") {
			if m, ok := q.moment(t.to + 1); ok && m.unclear == "" && !m.span.From.Before(t.span.From) {
				t.span, t.to = t.span.Through(m.span), t.to+1+m.used
			}
		}
		return
	}
	years := []int{t.span.From.Year()}
	versus := false
	for at := t.to; ; {
		next := at
		switch {
		case q.is(at, "and|or"):
			next++
		case q.is(at, "vs|versus"), q.is(at, "against|with"):
			versus = true
			next++
		case q.is(at, "to|through|until"):
			if m, ok := q.moment(at + 1); ok && len(years) == 1 && m.unclear == "" && m.span.From.After(t.span.From) {
				t.span, t.to = t.span.Through(m.span), at+1+m.used
				return
			}
		}
		if q.is(next, "in") {
			next++
		}
		y, ok := year(q.word(next))
		if !ok || next == at && q.word(next).after != ',' {
			break
		}
		years, at = append(years, y), next+1
		t.to = at
	}
	if len(years) > 1 {
		slices.Sort(years)
		t.years, t.versus = slices.Compact(years), versus
	}
}

// range2 reads two times with a word between them.
func (q *question) range2(from, at int, word string) (t timePhrase, ok bool) {
	at = q.year(at)
	a, ok := q.moment(at)
	between := at + a.used
	if !ok && word == "and|to" {
		return q.sharedMonth(from, at)
	}
	if !ok || !q.is(between, word) {
		return q.sharedMonth(from, at)
	}
	start := q.year(between + 1)
	b, ok := q.moment(start)
	if !ok {
		return timePhrase{}, false
	}
	t = timePhrase{from: from, to: start + b.used, span: a.span.Through(b.span), unclear: b.unclear}
	switch {
	case a.unclear != "" && b.unclear == "" && q.month(at) > 0 && a.used == 1: // "between March and May 2024"
		t.span = benchmark.MonthSpan(b.span.To.Year(), q.month(at)).Through(b.span)
	case a.unclear != "":
		if p := quarterOf.FindStringSubmatch(q.word(at).lower); p != nil && b.unclear == "" {
			n, _ := strconv.Atoi(p[1])
			t.span = benchmark.QuarterSpan(b.span.To.Year(), n).Through(b.span)
		} else if b.unclear == "" {
			t.unclear = a.unclear
		}
	}
	if t.unclear == "" && t.span.To.Before(t.span.From) {
		t.unclear = "which period is meant, as its end is before its beginning"
	}
	return t, true
}

// sharedMonth reads "5 and 9 March 2024".
func (q *question) sharedMonth(from, at int) (t timePhrase, ok bool) {
	d, ok := count(q.word(at))
	if n, is := ordinal(q.word(at)); is {
		d, ok = n, true
	}
	if !ok || d > 31 || !q.is(at+1, "and|to") {
		return timePhrase{}, false
	}
	b, ok := q.moment(at + 2)
	if !ok || b.unclear != "" || !b.span.From.Equal(b.span.To) || !exists(b.span.From.Year(), int(b.span.From.Month()), d) {
		return timePhrase{}, false
	}
	return timePhrase{from: from, to: at + 2 + b.used, span: benchmark.DaySpan(b.span.From.Year(), int(b.span.From.Month()), d).Through(b.span)}, true
}

// namedPeriod reads a period named from today.
func (q *question) namedPeriod(at int) (t timePhrase, ok bool) {
	start := at
	if q.is(at, "the") {
		at++
	}
	switch {
	case q.is(at, "today"):
		return timePhrase{to: at + 1, period: benchmark.This(benchmark.Day)}, true
	case q.is(at, "yesterday"):
		return timePhrase{to: at + 1, period: benchmark.Last(benchmark.Day)}, true
	case q.is(at, "year|quarter|month|week", "to", "date"):
		return timePhrase{to: at + 3, period: benchmark.ToDate(unitNames[q.word(at).lower])}, true
	case q.is(at, "ytd|qtd|mtd|wtd"):
		return timePhrase{to: at + 1, period: benchmark.ToDate(toDateNames[q.word(at).lower])}, true
	case q.is(at, "so", "far", "this", "year|quarter|month|week"):
		return timePhrase{to: at + 4, period: benchmark.ToDate(unitNames[q.word(at+3).lower])}, true
	case q.is(at, "this|current", "year|quarter|month|week"):
		u := unitNames[q.word(at+1).lower]
		if q.is(at+2, "so", "far") {
			return timePhrase{to: at + 4, period: benchmark.ToDate(u)}, true
		}
		if q.is(at+2, "to", "date") {
			return timePhrase{to: at + 4, period: benchmark.ToDate(u)}, true
		}
		return timePhrase{to: at + 2, period: benchmark.This(u)}, true
	case q.is(at, "last|previous|past|prior|preceding", "year|quarter|month|week|day"):
		return timePhrase{to: at + 2, period: benchmark.Last(unitNames[q.word(at+1).lower])}, true
	case q.is(at, "next|coming", "year|quarter|month|week|day"):
		return timePhrase{to: at + 2, unclear: "what is to come"}, true
	case q.is(at, "last|previous|past|prior|preceding"):
		n, isCount := count(q.word(at + 1))
		u := unitNames[q.word(at+2).lower]
		if p, ok := benchmark.LastUnits(n, u); isCount && ok && u != "" {
			return timePhrase{to: at + 3, period: p}, true
		}
	}
	return timePhrase{to: start}, false
}

// fiscal reads a fiscal year as the question writes it.
func (q *question) fiscal(at int) (value string, used int) {
	start := at
	if q.is(at, "the") {
		at++
	}
	w := q.word(at)
	if fiscalYear.MatchString(w.lower) {
		return w.text, at + 1 - start
	}
	if q.is(at, "fy") {
		if n := q.word(at + 1); n.kind == numberWord && (len(n.text) == 2 || len(n.text) == 4) {
			return w.text + n.text, at + 2 - start
		}
	}
	if q.is(at, "fiscal|financial", "year") {
		if y, ok := year(q.word(at + 2)); ok {
			return strconv.Itoa(y), at + 3 - start
		}
		if w := q.word(at + 2); fiscalYear.MatchString(w.lower) {
			return w.text, at + 3 - start
		}
	}
	return "", 0
}
