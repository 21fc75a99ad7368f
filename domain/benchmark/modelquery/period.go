package modelquery

import (
	"strconv"
	"strings"
)

// Period is a period relative to today, the value of an InPeriod filter:
//
//	today, yesterday
//	this week, this month, this quarter, this year
//	last week, last month, last quarter, last year
//	week to date, month to date, quarter to date, year to date
//	last 2 days, last 2 weeks, last 12 months, last 8 quarters, last 3 years
//
// Weeks begin on Monday. "Last month" is the calendar month before the current one.
// "Last 12 months" are the 12 months that end today, today included.
type Period struct {
	kind  periodKind
	unit  Unit
	count int // number of units back from today, 0 for kinds without one
}

type periodKind int

const (
	noPeriod periodKind = iota
	thisUnit
	lastUnit
	toDate
	lastUnits
)

// Unit is the unit of a period.
type Unit string

// The units.
const (
	Day     Unit = "day"
	Week    Unit = "week"
	Month   Unit = "month"
	Quarter Unit = "quarter"
	Year    Unit = "year"
)

// maxPeriod is the maximum number of units of a period.
const maxPeriod = 10_000

// This returns the unit that contains today.
func This(u Unit) Period { return Period{kind: thisUnit, unit: u} }

// Last returns the unit before the one that contains today.
func Last(u Unit) Period { return Period{kind: lastUnit, unit: u} }

// ToDate returns the period from the beginning of the unit to today.
func ToDate(u Unit) Period {
	if u == Day {
		return This(Day)
	}
	return Period{kind: toDate, unit: u}
}

// LastUnits returns the n units that end today; for n = 1 it is Last. It returns false
// when n is less than 1 or more than 10,000.
func LastUnits(n int, u Unit) (p Period, ok bool) {
	switch {
	case n < 1 || n > maxPeriod:
		return Period{}, false
	case n == 1:
		return Last(u), true
	}
	return Period{lastUnits, u, n}, true
}

// String returns the period's name, which ParsePeriod parses.
func (p Period) String() string {
	switch {
	case p.kind == thisUnit && p.unit == Day:
		return "today"
	case p.kind == lastUnit && p.unit == Day:
		return "yesterday"
	case p.kind == thisUnit:
		return "this " + string(p.unit)
	case p.kind == lastUnit:
		return "last " + string(p.unit)
	case p.kind == toDate:
		return string(p.unit) + " to date"
	case p.kind == lastUnits:
		return "last " + strconv.Itoa(p.count) + " " + string(p.unit) + "s"
	}
	return ""
}

// ParsePeriod parses the name of a period as String writes it; false for any other
// text.
func ParsePeriod(name string) (p Period, ok bool) {
	switch name {
	case "today":
		return This(Day), true
	case "yesterday":
		return Last(Day), true
	}
	parts := strings.Split(name, " ")
	switch {
	case len(parts) == 2 && parts[0] == "this":
		p = This(Unit(parts[1]))
	case len(parts) == 2 && parts[0] == "last":
		p = Last(Unit(parts[1]))
	case len(parts) == 3 && parts[1] == "to" && parts[2] == "date":
		p = ToDate(Unit(parts[0]))
	case len(parts) == 3 && parts[0] == "last":
		n, _ := strconv.Atoi(parts[1])
		p, _ = LastUnits(n, Unit(strings.TrimSuffix(parts[2], "s")))
	}
	switch p.unit {
	case Day, Week, Month, Quarter, Year:
		return p, p.String() == name
	}
	return Period{}, false
}
