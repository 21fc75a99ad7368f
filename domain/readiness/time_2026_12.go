package readiness

import (
	"slices"

	"readiness/definition/semanticmodel"
)

// decemberTimeRules find more date tables, and say which table to mark (docs/regime.md
// H.3).
var decemberTimeRules = amended(timeRules,
	rule{id: "TIM-01", k: 3, severity: High, check: onModel(always, unmarkedDates)},
	rule{id: "TIM-04", k: 2, severity: Low, check: each(where(allTables, needsDates), undatedFact)},
)

func unmarkedDates(x *scope) verdict {
	if v := unmarkedModel(x); v.violation < 1 {
		return v
	}
	for _, t := range x.tables {
		if c := t.calendarDate(); c != nil {
			return fails(0.5, "join "+quoted(t.src.Name)+" by "+quotedColumn(c)+
				" and mark it as the date table, with this column as its key",
				"table %s is in no active relationship that makes it a date table", quoted(t.src.Name))
		}
	}
	return fails(1, "add a date table with a row for each day, mark it as one and join the facts to it", "no date table")
}

var calendarWords = setOf("date,day,dow,week,wk,month,mth,quarter,qtr,year,yr,fiscal,period")

// calendarDate returns the first dateTime column with another column of a calendar, in a table whose name says that it
// is one; nil for another table (docs/regime-precision.md P14).
func (t *table) calendarDate() *column {
	if !t.starred || !dateWords.meets(t.words) {
		return nil
	}
	var named []*column // the first two columns of a calendar
	for _, c := range t.columns {
		if len(named) < 2 && calendarWords.meets(c.words) {
			named = append(named, c)
		}
	}
	i := slices.IndexFunc(t.columns, func(c *column) bool {
		return c.is(semanticmodel.DateTime) && (len(named) == 2 || len(named) == 1 && named[0] != c)
	})
	if i < 0 {
		return nil
	}
	return t.columns[i]
}

// hasDateTable reports whether any table is a date table.
func (x *scope) hasDateTable() bool {
	return slices.ContainsFunc(x.tables, func(t *table) bool { return t.date })
}

// needsDates selects the facts that are joined to a date table or have a date of their
// own, if there is a date table at all.
func needsDates(x *scope, t *table) bool {
	return t.fact() && x.hasDateTable() && slices.ContainsFunc(t.columns, func(c *column) bool { return c.dateEnd || x.datesRows(c) })
}

var changeEndings = setOf("modified,updated,changed,refreshed,loaded")

// datesRows reports whether a column is an exposed date of what a row stands for, and not of its record
// (docs/regime-precision.md P15).
func (x *scope) datesRows(c *column) bool {
	if !x.in(&c.object) || !c.is(semanticmodel.DateTime) || changeEndings.meets(c.words) {
		return false
	}
	w, _ := c.technicalWord()
	return w == ""
}

// mostDates is how many dates of a fact a message names.
const mostDates = 5

func undatedFact(x *scope, t *table) verdict {
	if t.dated {
		return verdict{}
	}
	var dates []string
	for _, c := range t.columns {
		if x.datesRows(c) {
			dates = append(dates, "["+shown(c.name, shownName)+"]")
		}
	}
	from := ""
	switch len(dates) {
	case 0:
	case 1:
		from = " from " + dates[0]
	default:
		from = " from one of " + listed(dates, mostDates)
	}
	i := slices.IndexFunc(x.tables, func(t *table) bool { return t.date })
	to := quoted(x.tables[i].src.Name)
	if c := x.tables[i].dateColumn(); c != nil {
		to = quotedColumn(c)
	}
	return fails(1, "join it to "+to+" by an active relationship"+from, "no active relationship with a date table")
}

// dateColumn returns the column of a date table that facts should be joined to, nil if it has none
// (docs/regime-precision.md P15).
func (t *table) dateColumn() *column {
	var key, date *column
	for _, c := range t.columns {
		switch isDate := c.is(semanticmodel.DateTime); {
		case isDate && c.oneOfActive:
			return c
		case c.src.IsKey && key == nil:
			key = c
		case isDate && date == nil:
			date = c
		}
	}
	if key == nil {
		return date
	}
	return key
}
