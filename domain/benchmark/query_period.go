package benchmark

import (
	"strconv"
	"strings"
)

// Period is a period that is named from today, as the value of an InPeriod filter:
//
//	today, yesterday
//	this week, this month, this quarter, this year
//	last week, last month, last quarter, last year
//	week to date, month to date, quarter to date, year to date
//	last 2 days, last 2 weeks, last 12 months, last 8 quarters, last 3 years
//
// Weeks begin on Monday. "Last month" is the whole month before this one; "last 12
// months" are those that end today, today counted.
type Period struct {
	kind  periodKind
	unit  Unit
	count int // of units back from today, 0 where the kind has none
}

type periodKind int

const (
	noPeriod periodKind = iota
	thisUnit
	lastUnit
	toDate
	lastUnits
)

// Unit is what a period is counted in.
type Unit string

// The units.
const (
	Day     Unit = "day"
	Week    Unit = "week"
	Month   Unit = "month"
	Quarter Unit = "quarter"
	Year    Unit = "year"
)

// maxPeriod is how many units back a period may reach.
const maxPeriod = 10_000

// This is the unit that today is in.
func This(u Unit) Period { return Period{kind: thisUnit, unit: u} }

// Last is the unit before the one that today is in.
func Last(u Unit) Period { return Period{kind: lastUnit, unit: u} }

// ToDate is from the beginning of the unit to today.
func ToDate(u Unit) Period {
	if u == Day {
		return This(Day)
	}
	return Period{kind: toDate, unit: u}
}

// LastUnits is so many units back from today; one is Last. ok is false when that is
// none, or more than anybody means.
func LastUnits(n int, u Unit) (p Period, ok bool) {
	switch {
	case n < 1 || n > maxPeriod:
		return Period{}, false
	case n == 1:
		return Last(u), true
	}
	return Period{lastUnits, u, n}, true
}

// String is the period's one name.
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

// ParsePeriod reads the name of a period as String writes it.
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
