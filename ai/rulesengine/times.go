package rulesengine

import (
	"slices"
	"strconv"

	"readiness/domain/benchmark/modelquery"
)

// relation is the relation of the requested values to a time.
type relation int

const (
	within relation = iota
	since
	after
	before
	until
)

// timePhrase is a time in a question, at the words from from to to.
type timePhrase struct {
	from, to int
	relation relation
	span     modelquery.Span
	period   modelquery.Period // instead of a span
	named    bool              // period is used
	years    []int             // any of them matches, instead of a span
	versus   bool              // the years are compared
	fiscal   string            // a fiscal year as the question writes it, instead of a span
	column   *candidate        // the date column that the question names with it, nil for none
	unclear  string            // what the engine does not know about the time; "" when it is clear
}

var unitNames = map[string]modelquery.Unit{
	"day": modelquery.Day, "week": modelquery.Week, "month": modelquery.Month, "quarter": modelquery.Quarter, "year": modelquery.Year,
	"days": modelquery.Day, "weeks": modelquery.Week, "months": modelquery.Month, "quarters": modelquery.Quarter, "years": modelquery.Year,
}

var toDateNames = map[string]modelquery.Unit{
	"ytd": modelquery.Year, "qtd": modelquery.Quarter, "mtd": modelquery.Month, "wtd": modelquery.Week,
}

// findTimes finds the times in the question, from left to right.
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

// time reads a time at a word, including the words that introduce it.
func (q *question) time(i int) (t timePhrase, ok bool) {
	t = timePhrase{from: i}
	at := i
	switch {
	case unitNames[q.word(at).lower] != "" && q.is(at+1, "over|on|to") && q.word(at+2).lower == q.word(at).lower:
		return timePhrase{from: i, to: at + 3, unclear: "what " + q.text(run{at, at + 3}) + " should show"}, true
	case q.is(at, "between"):
		return q.twoTimes(i, at+1, "and|to")
	case q.is(at, "from"):
		if t, ok := q.twoTimes(i, at+1, "to|until|through|till"); ok {
			return t, true
		}
		at++ // "sales from 2023" are those of the year
	default:
		t.relation, at = q.relationBefore(at)
	}
	if end, ok := q.endOf(i); ok {
		return end, true
	}
	if named, ok := q.namedPeriod(at); ok {
		t.to, t.named, t.period, t.fiscal = named.to, named.fiscal == "", named.period, named.fiscal
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
	if bare := m.span.ByYear && start == i; bare && !q.yearStands(i) {
		return timePhrase{}, false
	}
	t.to, t.span, t.unclear = start+m.used, m.span, m.unclear
	if t.unclear == "" && t.relation == within {
		q.moreYears(&t)
		q.relationBehind(&t)
	}
	return t, true
}

// endOf reads the last day of a moment: "at the end of June 2026".
func (q *question) endOf(i int) (t timePhrase, ok bool) {
	at := i
	if q.is(at, "at|by|as") {
		at++
	}
	if q.is(at, "of") {
		at++
	}
	if q.is(at, "the") {
		at++
	}
	if q.engine.second == nil || !q.is(at, "end", "of") {
		return t, false
	}
	at = q.year(at + 2)
	m, ok := q.moment(at)
	if !ok || m.unclear != "" {
		return t, false
	}
	m.span.From, m.span.ByYear = m.span.To, false
	return timePhrase{from: i, to: at + m.used, span: m.span}, true
}

// relationBefore reads the words that introduce a time, such as "up to". It returns the relation that they state and
// the position behind them.
func (q *question) relationBefore(at int) (r relation, next int) {
	switch {
	case q.is(at, "since|starting"):
		if q.is(at+1, "from|in|with") {
			return since, at + 2
		}
		return since, at + 1
	case q.is(at, "after"):
		return after, at + 1
	case q.is(at, "before"):
		return before, at + 1
	case q.is(at, "prior", "to"):
		return before, at + 2
	case q.is(at, "up", "to"), q.is(at, "as", "of"):
		return until, at + 2
	case q.is(at, "until|till|through|thru"):
		return until, at + 1
	case q.is(at, "in|during|for|of|on|at|within|over|throughout"):
		return within, at + 1
	}
	return within, at
}

// relationBehind reads the words behind a time that change its relation, such as "or later".
func (q *question) relationBehind(t *timePhrase) {
	switch {
	case q.is(t.from-1, "by"):
		t.unclear = "whether until then or then is meant"
	case q.is(t.to, "or|and", "later|after|onwards|onward"):
		t.relation, t.to = since, t.to+2
	case q.is(t.to, "onwards|onward"), q.is(t.from, "from") && q.is(t.to, "on"):
		t.relation, t.to = since, t.to+1
	case q.is(t.to, "or|and", "earlier|before"):
		t.relation, t.to = until, t.to+2
	}
}

// year skips "the year", "calendar year" and similar words before a moment. A part of time to group by does not count: "per month, 2024".
func (q *question) year(at int) int {
	if q.is(at, "the") {
		at++
	}
	if q.is(at, "calendar") {
		at++
	}
	if q.is(at, "year|years|month|date|day") && !q.is(at, "year|month|day", "to") &&
		q.contexts[at] != group && (at+1 >= len(q.words) || q.words[at+1].after == 0) {
		at++
	}
	return at
}

// yearStands reports whether four digits without a word before them are a year.
func (q *question) yearStands(i int) bool {
	before, next := q.word(i-1), q.word(i+1)
	return before.kind != signWord && !q.is(i-1, "top|bottom|than|over|above|under|below|exceeding|exceed|exactly|least|most") &&
		next.kind != signWord && next.lower != "percent" && scales[next.lower] == 0
}

// moreYears adds the other years of a list: 2022, 2023 and 2024, or 2023 vs 2024.
func (q *question) moreYears(t *timePhrase) {
	if !t.span.ByYear || t.span.From.Year() != t.span.To.Year() {
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

// twoTimes reads two times with a word between them.
func (q *question) twoTimes(from, at int, word string) (t timePhrase, ok bool) {
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
	case (a.unclear != "" || a.assumed) && b.unclear == "" && !b.assumed && q.month(at) > 0 && a.used == 1: // "between March and May 2024"
		t.span = modelquery.MonthSpan(b.span.To.Year(), q.month(at)).Through(b.span)
	case a.unclear != "" || a.assumed && !b.assumed:
		if p := quarterOf.FindStringSubmatch(q.word(at).lower); p != nil && b.unclear == "" {
			n, _ := strconv.Atoi(p[1])
			t.span = modelquery.QuarterSpan(b.span.To.Year(), n).Through(b.span)
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
	return timePhrase{from: from, to: at + 2 + b.used, span: modelquery.DaySpan(b.span.From.Year(), int(b.span.From.Month()),
		d).Through(b.span)}, true
}

// namedPeriod reads a period relative to today.
func (q *question) namedPeriod(at int) (t timePhrase, ok bool) {
	start := at
	if q.is(at, "the") {
		at++
	}
	switch {
	case q.is(at, "today"):
		return timePhrase{to: at + 1, period: modelquery.This(modelquery.Day)}, true
	case q.is(at, "yesterday"):
		return timePhrase{to: at + 1, period: modelquery.Last(modelquery.Day)}, true
	case q.is(at, "year|quarter|month|week", "to", "date"):
		return timePhrase{to: at + 3, period: modelquery.ToDate(unitNames[q.word(at).lower])}, true
	case q.is(at, "ytd|qtd|mtd|wtd"):
		return timePhrase{to: at + 1, period: modelquery.ToDate(toDateNames[q.word(at).lower])}, true
	case q.is(at, "so", "far", "this", "year|quarter|month|week"):
		return timePhrase{to: at + 4, period: modelquery.ToDate(unitNames[q.word(at+3).lower])}, true
	case q.is(at, "this|current", "year|quarter|month|week"):
		u := unitNames[q.word(at+1).lower]
		if q.is(at+2, "so", "far") {
			return timePhrase{to: at + 4, period: modelquery.ToDate(u)}, true
		}
		if q.is(at+2, "to", "date") {
			return timePhrase{to: at + 4, period: modelquery.ToDate(u)}, true
		}
		return timePhrase{to: at + 2, period: modelquery.This(u)}, true
	case q.is(at, "this|current|last|previous", "fiscal|financial", "year"):
		value := ""
		if q.engine.second != nil {
			value = q.engine.second.fiscalYear
		}
		if q.engine.second != nil && q.is(at, "last|previous") {
			value = q.engine.second.fiscalYearBefore
		}
		if value == "" {
			return timePhrase{to: at + 3, unclear: "when the fiscal year begins"}, true
		}
		return timePhrase{to: at + 3, fiscal: value}, true
	case q.is(at, "last|previous|past|prior|preceding", "year|quarter|month|week|day"):
		return timePhrase{to: at + 2, period: modelquery.Last(unitNames[q.word(at+1).lower])}, true
	case q.is(at, "next|coming", "year|quarter|month|week|day"):
		return timePhrase{to: at + 2, unclear: "future values"}, true
	case q.is(at, "last|previous|past|prior|preceding"):
		n, isCount := count(q.word(at + 1))
		u := unitNames[q.word(at+2).lower]
		if p, ok := modelquery.LastUnits(n, u); isCount && ok && u != "" {
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
