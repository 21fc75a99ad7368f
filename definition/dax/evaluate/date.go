package evaluate

import (
	"time"

	"readiness/definition/dax"
)

func dateFunctions() map[string]scalarFunction {
	part := func(f func(time.Time) int) scalarFunction {
		return of(1, 1, func(s *session, n *dax.Node, v []Value) Value { return OfNumber(float64(f(s.day(n, v[0])))) })
	}
	return map[string]scalarFunction{
		"YEAR": part(time.Time.Year), "DAY": part(time.Time.Day),
		"MONTH":   part(func(t time.Time) int { return int(t.Month()) }),
		"QUARTER": part(func(t time.Time) int { return (int(t.Month()) + 2) / 3 }),
		"DATE":    of(3, 3, (*session).date),
		"TODAY":   of(0, 0, (*session).today),
		"EDATE": of(2, 2, func(s *session, n *dax.Node, v []Value) Value {
			return s.dayOf(n, shifted(s.day(n, v[0]), s.months(n, v[1])))
		}),
		"EOMONTH": of(2, 2, func(s *session, n *dax.Node, v []Value) Value {
			return s.dayOf(n, monthEnd(shifted(s.day(n, v[0]), s.months(n, v[1]))))
		}),
		"WEEKDAY": of(1, 2, (*session).weekday), "WEEKNUM": of(1, 2, (*session).weekNumber),
		"DATEDIFF": {plain: true, call: (*session).dateDiff, least: 3, most: 3},
	}
}

// day returns a date, with its time.
func (s *session) day(n *dax.Node, v Value) time.Time {
	if v.kind != DateTime {
		s.refuse(n, "%s needs a date, not %q", n.Text, v.String())
	}
	return v.Time()
}

// maxIntervals is by how many intervals a date is moved at most.
const maxIntervals = 120_000

// months returns a number of intervals.
func (s *session) months(n *dax.Node, v Value) int {
	by := s.integral(n, v)
	if by < -maxIntervals || by > maxIntervals {
		s.refuse(n, "%s by %d", n.Text, by)
	}
	return by
}

// dayOf refuses days that DAX has no dates for.
func (s *session) dayOf(n *dax.Node, t time.Time) Value {
	if t.Year() < 1900 || t.Year() > 9999 {
		s.refuse(n, "%s of a date in the year %d", n.Text, t.Year())
	}
	return OfTime(t)
}

// firstDate is the first day that DATE counts right, because it takes 1900 for a leap year
// (sqlbi.com/blog/marco/2012/11/05/date-function-does-not-support-all-the-dates-in-dax-by-design-powerpivot-tabular-dax).
var firstDate = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)

// date returns a date; months and days beyond their range count on.
func (s *session) date(n *dax.Node, v []Value) Value {
	year, month, day := s.integral(n, v[0]), s.integral(n, v[1]), s.integral(n, v[2])
	if year < 1900 || year > 9998 || month < -1000 || month > 1000 || day < -100_000 || day > 100_000 {
		s.refuse(n, "DATE of the year %d, the month %d and the day %d", year, month, day)
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Before(firstDate) {
		s.refuse(n, "DATE returns days from %s on", firstDate.Format(time.DateOnly))
	}
	return s.dayOf(n, t)
}

func (s *session) today(n *dax.Node, _ []Value) Value {
	if s.Today.IsZero() {
		s.refuse(n, "TODAY is not known here")
	}
	y, m, d := s.Today.Date()
	return OfTime(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// shifted moves a day by months, to the last day of a month that is too short.
func shifted(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(t.Day(), monthEnd(first).Day())-1)
}

func monthEnd(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC)
}

// weekday counts from Sunday as 1, by default, or from Monday as 1 (2) or 0 (3).
func (s *session) weekday(n *dax.Node, v []Value) Value {
	from, sunday := 1, int(s.day(n, v[0]).Weekday())
	if len(v) == 2 {
		from = s.integral(n, v[1])
	}
	switch from {
	case 1:
		return OfNumber(float64(sunday + 1))
	case 2:
		return OfNumber(float64((sunday+6)%7 + 1))
	case 3:
		return OfNumber(float64((sunday + 6) % 7))
	}
	s.refuse(n, "WEEKDAY of the type %d", from)
	return Value{}
}

// weekNumber counts weeks from the one with 1 January, which begin on Sunday (1) or Monday
// (2), or as ISO 8601 does (21).
func (s *session) weekNumber(n *dax.Node, v []Value) Value {
	t, from := s.day(n, v[0]), 1
	if len(v) == 2 {
		from = s.integral(n, v[1])
	}
	first := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	switch from {
	case 1:
		return OfNumber(float64((t.YearDay()-1+int(first.Weekday()))/7 + 1))
	case 2:
		return OfNumber(float64((t.YearDay()-1+(int(first.Weekday())+6)%7)/7 + 1))
	case 21:
		_, week := t.ISOWeek()
		return OfNumber(float64(week))
	}
	s.refuse(n, "WEEKNUM of the type %d", from)
	return Value{}
}

// dateDiff counts how many days, months, quarters or years begin after the first date, up
// to the second.
func (s *session) dateDiff(sc scope, n *dax.Node) Value {
	a, b := s.day(n, s.scalar(sc, n.Parts[0])), s.day(n, s.scalar(sc, n.Parts[1]))
	months := func(t time.Time) int { return 12*t.Year() + int(t.Month()) - 1 }
	switch unit := s.interval(n.Parts[2]); unit {
	case "DAY":
		return OfNumber(float64(dayNumber(b) - dayNumber(a)))
	case "MONTH", "QUARTER", "YEAR":
		return OfNumber(float64(months(b)/monthsOf[unit] - months(a)/monthsOf[unit]))
	}
	return Value{}
}

func dayNumber(t time.Time) int64 { return (t.Unix() - zeroDay) / 86400 }

// monthsOf are the lengths of intervals in months.
var monthsOf = map[string]int{"MONTH": 1, "QUARTER": 3, "YEAR": 12}
