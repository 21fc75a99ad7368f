package dates

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they find more date tables, and say which table to mark (docs/regime.md
// H.3).
var December2026 = rule.Amended(November2026,
	rule.Rule{ID: "TIM-01", Weight: 3, Severity: finding.High, Check: rule.OnModel(rule.Always, unmarkedDates)},
	rule.Rule{ID: "TIM-04", Weight: 2, Severity: finding.Low, Check: rule.Each(rule.Where(rule.AllTables, needsDates), undatedFact)},
)

func unmarkedDates(x *model.Scope) rule.Verdict {
	v := unmarkedModel(x)
	if v.Violation == 0 {
		return v
	}
	if i := slices.IndexFunc(x.Tables, isDate); i >= 0 {
		if c := firstDate(x.Tables[i]); c != nil {
			v.Message = "mark " + wording.Quoted(x.Tables[i].Src.Name) + " as the date table, with " + model.QuotedColumn(c) + " as its key"
		}
		return v
	}
	switch t, day := unmarkedCalendar(x); {
	case t == nil:
		return undatedModel(x)
	case calendarDate(t) == day:
		return rule.Fails(0.5, "join "+wording.Quoted(t.Src.Name)+" by "+model.QuotedColumn(day)+
			" and mark it as the date table, with this column as its key",
			"table %s is in no active relationship that makes it a date table", wording.Quoted(t.Src.Name))
	default:
		v := rule.Fails(1, "mark "+wording.Quoted(t.Src.Name)+" as the date table, with "+model.QuotedColumn(day)+
			" as its key, if it has a row for each day; else add one and join the facts to it", "no date table")
		v.Severity = finding.Medium
		return v
	}
}

// ToMark returns the table that is no date table and that TIM-01 wants to be marked as one, or nil
// (docs/regime-precision.md P2, P14).
func ToMark(x *model.Scope) *model.Table {
	if unmarkedModel(x).Violation < 1 {
		return nil
	}
	t, _ := unmarkedCalendar(x)
	return t
}

// unmarkedCalendar returns the first table that looks like a calendar by its name, else by its columns, with its day.
func unmarkedCalendar(x *model.Scope) (*model.Table, *model.Column) {
	for _, looks := range []func(*model.Table) *model.Column{calendarDate, daysLikely} {
		for _, t := range x.Tables {
			if day := looks(t); day != nil {
				return t, day
			}
		}
	}
	return nil, nil
}

// undatedModel is the verdict on a model without a table that looks like a calendar. A date table helps less where
// nothing is joined, or where the only table has parts of dates itself (docs/regime-precision.md P14).
func undatedModel(x *model.Scope) rule.Verdict {
	by := ""
	if dates := datesToJoin(x); len(dates) > 0 {
		by = " by " + wording.Listed(dates, mostDates)
	}
	v := rule.Fails(1, "add a date table with a row for each day, mark it as one and join the facts to it"+by, "no date table")
	only := slices.IndexFunc(x.Tables, func(t *model.Table) bool { return t.Starred })
	if x.Disconnected() || x.Starred == 1 && hasParts(x.Tables[only]) {
		v.Severity = finding.Medium
	}
	return v
}

// datesToJoin returns the dates that an AI sees, without those of records and loads.
func datesToJoin(x *model.Scope) (dates []string) {
	for _, c := range x.C {
		if w, _ := visibility.TechnicalWord(c); w == "" && c.Is(semanticmodel.DateTime) {
			dates = append(dates, model.QuotedColumn(c))
		}
	}
	return dates
}

var calendarWords = wording.SetOf("date,day,dow,week,wk,month,mth,quarter,qtr,year,yr,fiscal,period")

// calendarDate returns the first dateTime column with another column of a calendar, in a table whose name says that it
// is one; nil for another table (docs/regime-precision.md P14).
func calendarDate(t *model.Table) *model.Column {
	if !t.Starred || !model.DateWords.Meets(t.Words) {
		return nil
	}
	var named []*model.Column // the first two columns of a calendar
	for _, c := range t.Columns {
		if len(named) < 2 && calendarWords.Meets(c.Words) {
			named = append(named, c)
		}
	}
	i := slices.IndexFunc(t.Columns, func(c *model.Column) bool {
		return c.Is(semanticmodel.DateTime) && (len(named) == 2 || len(named) == 1 && named[0] != c)
	})
	if i < 0 {
		return nil
	}
	return t.Columns[i]
}

// fewestParts is how many columns besides its day make a dimension of another name look like a calendar.
const fewestParts = 2

// daysLikely returns the first dateTime column of a dimension that looks like a calendar by its columns; nil for another
// table (docs/regime-precision.md P14).
func daysLikely(t *model.Table) *model.Column {
	if !t.Dimension() || !hasParts(t) {
		return nil
	}
	return firstDay(t)
}

// hasParts reports whether a table has a dateTime column and at least fewestParts others of a calendar.
func hasParts(t *model.Table) bool {
	day, parts := firstDay(t), 0
	for _, c := range t.Columns {
		if c != day && calendarWords.Meets(c.Words) {
			parts++
		}
	}
	return day != nil && parts >= fewestParts
}

// firstDay returns the first dateTime column of a table, or nil.
func firstDay(t *model.Table) *model.Column {
	if i := slices.IndexFunc(t.Columns, func(c *model.Column) bool { return c.Is(semanticmodel.DateTime) }); i >= 0 {
		return t.Columns[i]
	}
	return nil
}

func isDate(t *model.Table) bool { return t.Date }

// hasDateTable reports whether any table is a date table.
func hasDateTable(x *model.Scope) bool { return slices.ContainsFunc(x.Tables, isDate) }

// needsDates selects the facts that are joined to a date table or have a date
// column, if there is a date table at all.
func needsDates(x *model.Scope, t *model.Table) bool {
	return t.Fact() && hasDateTable(x) && slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return c.DateEnd || datesRows(x, c) })
}

var changeEndings = wording.SetOf("modified,updated,changed,refreshed,loaded")

// datesRows reports whether a column is an exposed date of what a row stands for, and not of its record
// (docs/regime-precision.md P15).
func datesRows(x *model.Scope, c *model.Column) bool {
	if !x.In(&c.Object) || !c.Is(semanticmodel.DateTime) || changeEndings.Meets(c.Words) {
		return false
	}
	w, _ := visibility.TechnicalWord(c)
	return w == ""
}

// mostDates is how many dates of a fact a message names.
const mostDates = 5

func undatedFact(x *model.Scope, t *model.Table) rule.Verdict {
	if t.Dated {
		return rule.Verdict{}
	}
	var dates []string
	for _, c := range t.Columns {
		if datesRows(x, c) {
			dates = append(dates, "["+wording.Shown(c.Name, wording.ShownName)+"]")
		}
	}
	from := ""
	switch len(dates) {
	case 0:
	case 1:
		from = " from " + dates[0]
	default:
		from = " from one of " + wording.Listed(dates, mostDates)
	}
	i := slices.IndexFunc(x.Tables, isDate)
	to := wording.Quoted(x.Tables[i].Src.Name)
	if c := dateColumn(x.Tables[i]); c != nil {
		to = model.QuotedColumn(c)
	}
	return rule.Fails(1, "join it to "+to+" by an active relationship"+from, "no active relationship with a date table")
}

// dateColumn returns the column of a date table that facts should be joined to, nil if it has none
// (docs/regime-precision.md P15).
func dateColumn(t *model.Table) *model.Column {
	date := firstDate(t)
	if date != nil && date.OneOfActive {
		return date
	}
	if i := slices.IndexFunc(t.Columns, func(c *model.Column) bool { return c.Src.IsKey }); i >= 0 {
		return t.Columns[i]
	}
	return date
}

// firstDate returns the dateTime column of a table on the one side of an active relationship, else its first one; nil if
// it has none.
func firstDate(t *model.Table) *model.Column {
	i := slices.IndexFunc(t.Columns, func(c *model.Column) bool { return c.Is(semanticmodel.DateTime) && c.OneOfActive })
	if i >= 0 {
		return t.Columns[i]
	}
	return firstDay(t)
}
