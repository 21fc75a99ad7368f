package modelquery

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Calendar holds the columns that questions about time use: those of the model's
// calendar table, or one date column of another table when there is no calendar. A
// column that does not exist has no name.
//
// Filters by calendar year use Year when it exists. Every other filter uses Date, in
// days:
//
//	in 2024                 Year = 2024         or Date between 2024-01-01, 2024-12-31
//	in 2023 or 2024         Year in 2023, 2024
//	2023 against 2024       Year in 2023, 2024, grouped by Year
//	since 2022, before 2022 Year >= 2022, Year < 2022
//	from 2022 to 2024       Year between 2022, 2024
//	in Q3 2024              Date between 2024-07-01, 2024-09-30
//	in March 2024           Date between 2024-03-01, 2024-03-31
//	on 5 March 2024         Date = 2024-03-05
//	since March 2024        Date >= 2024-03-01; "before" is < 2024-03-01
//	until March 2024        Date <= 2024-03-31; "after" is > 2024-03-31
//	between 5 and 9 March   Date between 2024-03-05, 2024-03-09
//	last month              Date period "last month"
//
// "By month" and the like group by the column of that name only. "By date" groups by
// Date, and "by day" by Day, or by Date when there is no Day.
type Calendar struct {
	Table                                          string
	Date, Year, Quarter, Month, Week, Weekday, Day CalendarColumn
}

// CalendarColumn is a column of a calendar.
type CalendarColumn struct {
	Name     string
	DataType string // as in the definition: string, int64, dateTime, …
	// Key is true for one end of a relationship and for the key of its table.
	Key bool
}

// calendarNames are the accepted names of a calendar's columns, in words, best first.
// Any other year, a fiscal one for example, must be asked for by its own name.
var calendarNames = map[string][]string{
	"date": {"date", "calendar date", "full date", "day"},
	"year": {"year", "calendar year", "year number"},
	"quarter": {"quarter", "calendar quarter", "quarter name", "year quarter", "quarter year", "quarter number", "quarter of year",
		"quarter no"},
	"month": {"month", "month name", "calendar month", "year month", "month year", "month of year", "month number", "month no",
		"month short", "month name short", "short month"},
	"week":    {"week", "week of year", "week number", "calendar week", "iso week", "year week", "week year", "week no"},
	"weekday": {"weekday", "day of week", "day name", "weekday name", "day of week name", "week day"},
}

// NewCalendar finds the columns of a calendar by name and data type, independent of
// their order. Its Date is a key among the dateTime columns, else the one with the best
// name, else the first by name.
func NewCalendar(table string, columns []CalendarColumn) Calendar {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b CalendarColumn) int { return strings.Compare(a.Name, b.Name) })
	var dates, others []CalendarColumn
	for _, c := range columns {
		if c.DataType == "dateTime" {
			dates = append(dates, c)
		} else if c.DataType != "boolean" && c.DataType != "binary" {
			others = append(others, c)
		}
	}
	find := func(part string) CalendarColumn { return named(calendarNames[part], others) }
	c := Calendar{Table: table, Year: find("year"), Quarter: find("quarter"), Month: find("month"), Week: find("week"),
		Weekday: find("weekday"), Day: named([]string{"day"}, others)}
	c.Date = named(calendarNames["date"], dates)
	keys := slices.DeleteFunc(slices.Clone(dates), func(d CalendarColumn) bool { return !d.Key })
	switch best := named(calendarNames["date"], keys); {
	case best.Name != "":
		c.Date = best
	case len(keys) > 0:
		c.Date = keys[0]
	case c.Date.Name == "" && len(dates) > 0:
		c.Date = dates[0]
	}
	return c
}

// DateOnly returns the calendar of a model without one: a single date column.
func DateOnly(date Field) Calendar {
	return Calendar{Table: date.Table, Date: CalendarColumn{Name: date.Name, DataType: "dateTime"}}
}

// named returns the column with the best of the names; the zero column when there is
// none.
func named(names []string, columns []CalendarColumn) CalendarColumn {
	for _, n := range names {
		for _, c := range columns {
			if strings.Join(Words(c.Name), " ") == n {
				return c
			}
		}
	}
	return CalendarColumn{}
}

// Words returns the words of a name in lower case. It splits at every rune that is
// neither letter nor digit, and where ASCII letters change case.
func Words(name string) []string {
	runes := []rune(norm.NFC.String(name))
	var out []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, strings.ToLower(string(runes[start:at])))
		}
		start = -1
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end(i)
			continue
		}
		if start >= 0 && 'A' <= r && r <= 'Z' {
			before, after := runes[i-1], rune(0)
			if i+1 < len(runes) {
				after = runes[i+1]
			}
			if 'a' <= before && before <= 'z' || '0' <= before && before <= '9' ||
				'A' <= before && before <= 'Z' && 'a' <= after && after <= 'z' {
				end(i)
			}
		}
		if start < 0 {
			start = i
		}
	}
	end(len(runes))
	return out
}

// Span is a range of days, both ends included. ByYear is true when the question named
// calendar years, from the year of From to the year of To.
type Span struct {
	From, To time.Time
	ByYear   bool
}

// YearSpan returns a calendar year.
func YearSpan(year int) Span { return Span{day(year, 1, 1), day(year, 12, 31), true} }

// QuarterSpan returns a quarter, 1 to 4, of a calendar year.
func QuarterSpan(year, quarter int) Span {
	return Span{From: day(year, 3*quarter-2, 1), To: day(year, 3*quarter+1, 0)}
}

// MonthSpan returns a month, 1 to 12, of a calendar year.
func MonthSpan(year, month int) Span {
	return Span{From: day(year, month, 1), To: day(year, month+1, 0)}
}

// DaySpan returns a single day.
func DaySpan(year, month, date int) Span {
	d := day(year, month, date)
	return Span{From: d, To: d}
}

// Through returns the range from the beginning of s to the end of end.
func (s Span) Through(end Span) Span { return Span{s.From, end.To, s.ByYear && end.ByYear} }

func day(year, month, date int) time.Time {
	return time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
}

// In returns the filter for the days of the span; false when the calendar has no column
// for it.
func (c Calendar) In(s Span) (f Filter, ok bool) {
	switch {
	case s.ByYear && c.Year.Name != "" && s.From.Year() == s.To.Year():
		return c.years(Equal, s.From), true
	case s.ByYear && c.Year.Name != "":
		return c.years(Between, s.From, s.To), true
	case s.From.Equal(s.To):
		return c.days(Equal, s.From)
	}
	return c.days(Between, s.From, s.To)
}

// InAny returns the filter for any of the years; false when the calendar has no Year.
func (c Calendar) InAny(years []int) (f Filter, ok bool) {
	if c.Year.Name == "" {
		return Filter{}, false
	}
	f = c.years(In)
	for _, y := range years {
		f.Values = append(f.Values, strconv.Itoa(y))
	}
	return f, true
}

// Since returns the filter for the span and everything later.
func (c Calendar) Since(s Span) (f Filter, ok bool) { return c.bound(GreaterOrEqual, s, s.From) }

// After returns the filter for everything later than the span.
func (c Calendar) After(s Span) (f Filter, ok bool) { return c.bound(Greater, s, s.To) }

// Before returns the filter for everything earlier than the span.
func (c Calendar) Before(s Span) (f Filter, ok bool) { return c.bound(Less, s, s.From) }

// Until returns the filter for the span and everything earlier.
func (c Calendar) Until(s Span) (f Filter, ok bool) { return c.bound(LessOrEqual, s, s.To) }

// During returns the filter for a named period; false when the calendar has no Date.
func (c Calendar) During(p Period) (f Filter, ok bool) {
	if c.Date.Name == "" {
		return Filter{}, false
	}
	return Filter{Field{c.Table, c.Date.Name}, InPeriod, []string{p.String()}, TextValue}, true
}

// By returns the grouping for a part of time: "year", "quarter", "month", "week",
// "weekday", "day" or "date"; false when the calendar has no column for it.
func (c Calendar) By(part string) (g Field, ok bool) {
	column := map[string]CalendarColumn{
		"year": c.Year, "quarter": c.Quarter, "month": c.Month, "week": c.Week, "weekday": c.Weekday, "day": c.Day, "date": c.Date,
	}[part]
	if part == "day" && column.Name == "" {
		column = c.Date
	}
	return Field{c.Table, column.Name}, column.Name != ""
}

func (c Calendar) bound(operator Operator, s Span, at time.Time) (f Filter, ok bool) {
	if s.ByYear && c.Year.Name != "" {
		return c.years(operator, at), true
	}
	return c.days(operator, at)
}

func (c Calendar) years(operator Operator, at ...time.Time) Filter {
	f := Filter{Field{c.Table, c.Year.Name}, operator, nil, ValueTypeOf(c.Year.DataType)}
	for _, t := range at {
		f.Values = append(f.Values, strconv.Itoa(t.Year()))
	}
	return f
}

func (c Calendar) days(operator Operator, at ...time.Time) (f Filter, ok bool) {
	if c.Date.Name == "" {
		return Filter{}, false
	}
	f = Filter{Field{c.Table, c.Date.Name}, operator, nil, DateValue}
	for _, t := range at {
		f.Values = append(f.Values, t.Format(time.DateOnly))
	}
	return f, true
}
