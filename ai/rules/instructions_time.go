package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/domain/proposal"
)

func (f *facts) calendars() []*table {
	var all []*table
	for _, t := range f.tables {
		if t.role == dateTable {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *table) int { return len(b.facts) - len(a.facts) })
	return all
}

var fiscalWords = prose.SetOf("fiscal fy financial")

// noDates is worth no instructions of its own.
const noDates = "The model has no dates: say so when a question names a period or year."

// aboutTime says which dates and years are meant, as far as the definition shows it.
func (f *facts) aboutTime() []string {
	if !slices.ContainsFunc(f.allFields(), (*field).isDay) {
		return []string{noDates}
	}
	var lines []string
	calendars := f.calendars()
	for _, t := range calendars[:min(len(calendars), mostCalendars)] {
		day := f.dayColumn(t)
		smallest := "day, month"
		for _, part := range []string{"week", "month", "quarter"} {
			if slices.Contains(prose.Words(day[strings.LastIndex(day, "[")+1:]), part) {
				smallest = part // its start, as each row of the table is one
			}
		}
		filtered := tableNames(f.wantedTables(t.facts))
		switch {
		case day == "":
		case len(calendars) == 1:
			lines = append(lines, "Use "+day+" for every question about a "+smallest+" or other period.")
			lines = append(lines, f.yearLine(t)...)
		case len(filtered) > 0:
			lines = append(lines, "For a period of "+prose.List(filtered, 5)+" filter "+day+".")
		}
	}
	lines = append(lines, f.defaultDates("")...)
	if len(f.calendars()) > 0 {
		return lines
	}
	return append(lines, f.datesOfTables()...)
}

// mostDated is how many tables with a date column the instructions name, in a model without a date table.
const mostDated = 5

// datesOfTables says which column holds the only date of a table. The date of a table does not filter
// unrelated tables, so the table is named if there are several. A date without anything to filter is left out.
func (f *facts) datesOfTables() (lines []string) {
	const unmarked = "; no table is marked as a date table."
	several := len(f.wantedTables(f.tables)) > 1
	for _, t := range f.tables {
		dates := f.days(t)
		if len(dates) != 1 || f.written(dates[0]) == "" || len(lines) == mostDated || !t.related && f.onlyWanted(dates[0]) {
			continue
		}
		switch {
		case !several:
			lines = append(lines, "For a period filter "+f.written(dates[0])+unmarked)
		case prose.Mentionable(t.src.Name):
			lines = append(lines, "For a period of "+t.src.Name+" filter "+f.written(dates[0])+unmarked)
		}
	}
	return lines
}

// onlyWanted reports whether an AI should see no other field of a column's table.
func (f *facts) onlyWanted(x *field) bool {
	return !slices.ContainsFunc(x.table.fields(), func(other *field) bool { return other != x && f.wantedThen(other) })
}

// mostCalendars is how many date tables the instructions name.
const mostCalendars = 3

// dayColumn returns the column of the days of a date table, as instructions name it; "" for none.
func (f *facts) dayColumn(t *table) string {
	day := ""
	for _, x := range t.columns {
		if x.isDay() && (x.key || day == "") && f.written(x) != "" {
			day = f.written(x)
		}
	}
	return day
}

// noPeriod are words of dates that say when someone was born or a row was copied, not when something happened.
var noPeriod = prose.SetOf("birth birthday birthdate dob born sync synced load loaded loading refresh refreshed ingest ingested ingestion " +
	"import imported etl dwh updated modified extracted inserted processed")

// days returns the columns of a table that hold dates, without those that keep records.
func (f *facts) days(t *table) []*field {
	var all []*field
	for _, x := range t.columns {
		if x.isDay() && !x.technical() && !noPeriod.Meets(x.words) && f.hideViolations()[violationKey{rule: "VIS-02", field: x}] == 0 {
			all = append(all, x)
		}
	}
	return all
}

// withinYear are words in the names of periods of a year.
var withinYear = prose.SetOf("month mth quarter qtr week wk day half")

// yearLine returns a line that says which year is meant when there are two kinds, only a fiscal one, or several columns
// of years if the name of the first is more than Year.
func (f *facts) yearLine(t *table) []string {
	var calendar, fiscal string
	plain, years := false, 0 // the name is Year, which needs no line
	for _, x := range t.columns {
		w := f.written(x)
		switch {
		case w == "" || !slices.Contains(x.words, "year") && !slices.Contains(x.words, "fy"):
		case fiscalWords.Meets(x.words) && fiscal == "":
			fiscal = w
		case fiscalWords.Meets(x.words) || withinYear.Meets(x.words):
		default:
			years++
			if calendar == "" && len(x.words) <= 2 {
				calendar, plain = w, len(x.words) == 1
			}
		}
	}
	switch {
	case calendar != "" && fiscal != "":
		return []string{"A year is the calendar year " + calendar + " unless the question says fiscal; then use " + fiscal + "."}
	case fiscal != "":
		return []string{"A year is the fiscal year " + fiscal + "."}
	case calendar != "" && !plain && years > 1:
		return []string{"Take the year from " + calendar + "."}
	}
	return nil
}

// hasDates reports whether rule INS-05 wants instructions to say which date of a table counts.
func (t *table) hasDates() bool {
	if t.one || !t.many || t.role == calculationGroup || t.role == fieldParameter || t.role == dateTable {
		return false
	}
	dates := 0
	for _, x := range t.columns {
		if x.dateEnd || x.isDate() {
			dates++
		}
	}
	return dates >= 2
}

// defaultDate returns the date that counts by default: the only one in an active relationship with a date table.
func (t *table) defaultDate() *field {
	var found *field
	for _, x := range t.columns {
		for _, r := range x.relations {
			if !r.src.IsActive || r.from.table.role != dateTable && r.to.table.role != dateTable || r.from.table == r.to.table {
				continue
			}
			if found != nil && found != x {
				return nil
			}
			found = x
		}
	}
	return found
}

// defaultDates returns lines that say which of several dates of a fact is meant (rule INS-05), unless the text says so, and
// which measures use another one.
func (f *facts) defaultDates(text string) []string {
	var lines []string
	for _, t := range f.tables {
		x := t.defaultDate()
		if !t.hasDates() || x == nil || !prose.Mentionable(t.src.Name) || !f.undecidedIn(t, text) {
			continue
		}
		name := f.written(x)
		if name == "" {
			// Without brackets: rule INS-05 looks for its words, and a reference would name what an AI does not see.
			name = prose.OneLine(strings.NewReplacer("[", " ", "]", " ").Replace(x.name))
		}
		lines = append(lines, "By default the date of "+t.src.Name+" is "+name+".")
		for _, other := range t.columns {
			if other == x || !prose.Mentionable(other.name) {
				continue
			}
			for _, m := range other.usedBy {
				if m.calls(activations) && f.bracketed(m) != "" {
					lines = append(lines, "Questions about "+other.name+" of "+t.src.Name+" need "+f.bracketed(m)+".")
					break
				}
			}
		}
	}
	return lines
}

// askAboutModel asks what instructions should say and the definition does not.
func (f *facts) askAboutModel(a *answers) {
	model := proposal.Object{Type: proposal.Model}
	current := f.currentInstructions()
	if len(f.aboutTerms()) == 0 && !termPattern.MatchString(current) {
		a.ask(model, "Which words do people use that no table, column or measure is called, and what do they mean?")
	}
	for _, t := range f.tables {
		if !t.hasDates() || t.defaultDate() != nil || !f.undecidedIn(t, current) {
			continue
		}
		var names []string
		for _, x := range t.columns {
			if x.dateEnd || x.isDate() {
				names = append(names, called(x.name))
			}
		}
		a.ask(model, "Which date of "+called(t.src.Name)+" counts when a question names a period: "+prose.List(names, 4)+"?")
	}
}
