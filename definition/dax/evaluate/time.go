package evaluate

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// dates are the days that a function of time intelligence works with: those that the
// context shows, and all of the column.
type dates struct {
	column *column
	shown  []int64 // sorted
}

// timeFunctions returns the functions of time intelligence. The days they return are among
// all of the column, whatever the context shows.
func timeFunctions() map[string]tableFunction {
	toDate := func(unit string) tableFunction {
		return tableFunction{func(s *session, sc scope, n *dax.Node) *grid { return s.toDate(sc, n, unit, 1) }, 1, 2}
	}
	period := func(unit string, by int) tableFunction {
		return tableFunction{func(s *session, sc scope, n *dax.Node) *grid { return s.neighbor(sc, n, unit, by) }, 1, 1}
	}
	all := map[string]tableFunction{
		"SAMEPERIODLASTYEAR": {func(s *session, sc scope, n *dax.Node) *grid {
			d := s.dates(sc, n.Parts[0])
			return s.moved(d, -1, "YEAR", n)
		}, 1, 1},
		"DATEADD": {func(s *session, sc scope, n *dax.Node) *grid {
			d := s.dates(sc, n.Parts[0])
			return s.moved(d, s.months(n, s.scalar(sc, n.Parts[1])), s.interval(n.Parts[2]), n)
		}, 3, 3},
		"PARALLELPERIOD": {(*session).parallelPeriod, 3, 3},
		"DATESBETWEEN":   {(*session).datesBetween, 3, 3}, "DATESINPERIOD": {(*session).datesInPeriod, 4, 4},
		"DATESYTD": toDate("YEAR"), "DATESQTD": toDate("QUARTER"), "DATESMTD": toDate("MONTH"),
		"FIRSTDATE": {func(s *session, sc scope, n *dax.Node) *grid { return s.edge(sc, n, true) }, 1, 1},
		"LASTDATE":  {func(s *session, sc scope, n *dax.Node) *grid { return s.edge(sc, n, false) }, 1, 1},
	}
	for _, unit := range []string{"DAY", "MONTH", "QUARTER", "YEAR"} {
		all["PREVIOUS"+unit], all["NEXT"+unit] = period(unit, -1), period(unit, 1)
	}
	return all
}

// totals returns TOTALYTD and the like: CALCULATE with DATESYTD.
func totals() map[string]scalarFunction {
	all := map[string]scalarFunction{}
	for name, unit := range map[string]string{"TOTALYTD": "YEAR", "TOTALQTD": "QUARTER", "TOTALMTD": "MONTH"} {
		all[name] = scalarFunction{least: 2, most: 4, call: func(s *session, sc scope, n *dax.Node) Value {
			inner := *n
			inner.Text = "DATES" + strings.TrimPrefix(name, "TOTAL")
			inner.Parts = []*dax.Node{n.Parts[1]}
			arguments := []*dax.Node{&inner}
			for _, p := range n.Parts[2:] {
				if p.Kind == dax.TextNode && unit == "YEAR" {
					inner.Parts = append(inner.Parts, p)
				} else {
					arguments = append(arguments, p)
				}
			}
			inner.Variables = nil
			return s.scalar(s.calculated(sc, arguments, n), n.Parts[0])
		}}
	}
	return all
}

// interval reads an interval such as YEAR.
func (s *session) interval(n *dax.Node) string {
	unit := strings.ToUpper(n.Text)
	if n.Kind != dax.NameNode || n.Quoted || unit != "DAY" && monthsOf[unit] == 0 {
		s.refuse(n, "DAY, MONTH, QUARTER or YEAR is expected here")
	}
	return unit
}

// dates evaluates the first argument: a column of dates, or a table with one.
func (s *session) dates(sc scope, n *dax.Node) dates {
	var g *grid
	if n.Kind == dax.ColumnNode {
		c := s.columnOf(n)
		g = s.columnValues(scope{context: s.transition(sc, n)}, c, false, n)
	} else {
		g = s.table(sc, n)
	}
	if len(g.columns) != 1 || g.columns[0].of == nil || g.columns[0].of.dataType != semanticmodel.DateTime {
		s.refuse(n, "a column of dates is expected here")
	}
	d := dates{column: g.columns[0].of}
	for row := range g.len() {
		if v := g.value(row, 0); !v.isBlank() {
			if v.number != float64(int64(v.number)) {
				s.refuse(n, "%v has times of day", d.column)
			}
			d.shown = append(d.shown, int64(v.number))
		}
	}
	slices.Sort(d.shown)
	return d
}

func timeOf(day int64) time.Time { return Value{kind: DateTime, number: float64(day)}.Time() }

// days returns the days of the column for which is is true.
func (s *session) days(d dates, n *dax.Node, is func(day int64) bool) *grid {
	g := &grid{columns: []gridColumn{{d.column.name, d.column}}}
	s.spend(n, len(d.column.values))
	for _, v := range d.column.values[1:] {
		if v.number != float64(int64(v.number)) {
			s.refuse(n, "%v has times of day", d.column)
		}
		if is(int64(v.number)) {
			g.values = append(g.values, []Value{v})
		}
	}
	return g
}

// within returns the days from the first to the last.
func (s *session) within(d dates, n *dax.Node, first, last time.Time) *grid {
	from, to := dayNumber(first), dayNumber(last)
	return s.days(d, n, func(day int64) bool { return from <= day && day <= to })
}

// moved moves each day shown by intervals. A month whose last two days are shown moves to
// all further days of the other month (learn.microsoft.com/dax/dateadd-function-dax).
func (s *session) moved(d dates, by int, unit string, n *dax.Node) *grid {
	to := map[int64]bool{}
	for i, day := range d.shown {
		if i > 0 && day != d.shown[i-1]+1 {
			s.refuse(n, "%s of days that are not contiguous", n.Text)
		}
		if unit == "DAY" {
			to[day+int64(by)] = true
			continue
		}
		t := timeOf(day)
		other := shifted(t, by*monthsOf[unit])
		to[dayNumber(other)] = true
		if end := monthEnd(t); t.Equal(end) && i > 0 && d.shown[i-1] == day-1 && t.Day() > 1 {
			for o := other; o.Month() == other.Month(); o = o.AddDate(0, 0, 1) {
				to[dayNumber(o)] = true
			}
		}
	}
	return s.days(d, n, func(day int64) bool { return to[day] })
}

// start returns the first day of the unit that holds a day.
func start(t time.Time, unit string) time.Time {
	if unit == "DAY" {
		return t
	}
	months := monthsOf[unit]
	return time.Date(t.Year(), time.Month((int(t.Month())-1)/months*months+1), 1, 0, 0, 0, 0, time.UTC)
}

// after returns the first day of the unit that is by units later than the one of a day.
func after(t time.Time, unit string, by int) time.Time {
	if unit == "DAY" {
		return t.AddDate(0, 0, by)
	}
	return start(t, unit).AddDate(0, by*monthsOf[unit], 0)
}

// toDate returns the days from the beginning of the last day's year, quarter or month.
func (s *session) toDate(sc scope, n *dax.Node, unit string, yearEnd int) *grid {
	d := s.dates(sc, n.Parts[0])
	if len(d.shown) == 0 {
		return s.days(d, n, func(int64) bool { return false })
	}
	last := timeOf(d.shown[len(d.shown)-1])
	first := start(last, unit)
	if len(n.Parts) > yearEnd {
		month, day := s.yearEnd(n.Parts[yearEnd], unit)
		end := time.Date(last.Year(), month, day, 0, 0, 0, 0, time.UTC)
		if !last.After(end) {
			end = end.AddDate(-1, 0, 0)
		}
		first = end.AddDate(0, 0, 1)
	}
	return s.within(d, n, first, last)
}

// yearEnd reads the last day of a financial year, such as "6/30".
func (s *session) yearEnd(n *dax.Node, unit string) (time.Month, int) {
	a, b, ok := strings.Cut(strings.ReplaceAll(n.Text, "-", "/"), "/")
	month, errMonth := strconv.Atoi(a)
	day, errDay := strconv.Atoi(b)
	if n.Kind != dax.TextNode || unit != "YEAR" || !ok || errMonth != nil || errDay != nil || month < 1 || month > 12 || month == 2 ||
		day < 13 || day > 31 {
		s.refuse(n, "the last day of a year is expected here as month/day, not in February")
	}
	return time.Month(month), day
}

// neighbor returns the previous or next day, month, quarter or year.
func (s *session) neighbor(sc scope, n *dax.Node, unit string, by int) *grid {
	d := s.dates(sc, n.Parts[0])
	if len(d.shown) == 0 {
		return s.days(d, n, func(int64) bool { return false })
	}
	first, last := timeOf(d.shown[0]), timeOf(d.shown[len(d.shown)-1])
	if !start(first, unit).Equal(start(last, unit)) {
		s.refuse(n, "%s of days in more than one period", n.Text)
	}
	return s.within(d, n, after(first, unit, by), after(first, unit, by+1).AddDate(0, 0, -1))
}

func (s *session) parallelPeriod(sc scope, n *dax.Node) *grid {
	d := s.dates(sc, n.Parts[0])
	by, unit := s.months(n, s.scalar(sc, n.Parts[1])), s.interval(n.Parts[2])
	if len(d.shown) == 0 {
		return s.days(d, n, func(int64) bool { return false })
	}
	first, last := timeOf(d.shown[0]), timeOf(d.shown[len(d.shown)-1])
	return s.within(d, n, after(first, unit, by), after(last, unit, by+1).AddDate(0, 0, -1))
}

// datesBetween includes both days; BLANK is the first or last of the column.
func (s *session) datesBetween(sc scope, n *dax.Node) *grid {
	d := s.dates(sc, n.Parts[0])
	bounds := []Value{s.scalar(sc, n.Parts[1]), s.scalar(sc, n.Parts[2])}
	for _, b := range bounds {
		if !b.isBlank() && b.kind != DateTime {
			s.refuse(n, "DATESBETWEEN needs dates, not %q", b.String())
		}
	}
	return s.days(d, n, func(day int64) bool {
		return (bounds[0].isBlank() || float64(day) >= bounds[0].number) && (bounds[1].isBlank() || float64(day) <= bounds[1].number)
	})
}

// datesInPeriod returns the days from one on, for a number of intervals.
func (s *session) datesInPeriod(sc scope, n *dax.Node) *grid {
	d := s.dates(sc, n.Parts[0])
	v := s.scalar(sc, n.Parts[1])
	by, unit := s.months(n, s.scalar(sc, n.Parts[2])), s.interval(n.Parts[3])
	if v.isBlank() || by == 0 {
		s.refuse(n, "DATESINPERIOD from BLANK, or of no interval")
	}
	from := s.day(n, v)
	to := from.AddDate(0, 0, by)
	if unit != "DAY" {
		to = shifted(from, by*monthsOf[unit])
		if from.Equal(monthEnd(from)) != to.Equal(monthEnd(to)) || from.Day() != to.Day() && !from.Equal(monthEnd(from)) {
			s.refuse(n, "DATESINPERIOD from %s, between months of different lengths", v.String())
		}
	}
	if by > 0 {
		return s.within(d, n, from, to.AddDate(0, 0, -1))
	}
	return s.within(d, n, to.AddDate(0, 0, 1), from)
}

// edge returns the first or last day shown; none when none is shown.
func (s *session) edge(sc scope, n *dax.Node, first bool) *grid {
	d := s.dates(sc, n.Parts[0])
	return s.days(d, n, func(day int64) bool {
		return len(d.shown) > 0 && (first && day == d.shown[0] || !first && day == d.shown[len(d.shown)-1])
	})
}
