package rules

import (
	"slices"
	"strconv"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
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

var isoWords = prose.SetOf("iso")

var fiscalWords = prose.SetOf("fiscal fy financial")

// aboutTime says which dates and years are meant, as far as the definition shows it and a text does not say.
func (f *facts) aboutTime(current string) []string {
	switch {
	case slices.ContainsFunc(f.tables, (*table).turned):
		return nil
	case !slices.ContainsFunc(f.allFields(), (*field).isDay):
		return f.withoutDates()
	}
	var lines []string
	calendars := f.calendars()
	several := f.severalCalendars()
	cut := false // a filter on a calendar would stay where measures shift the date of a fact, and cut their periods
	for x := range f.shifted() {
		cut = cut || x.table.role == fact
	}
	said := map[*table]bool{} // with another calendar, which is of the same date
	for _, t := range calendars[:min(len(calendars), mostCalendars)] {
		of := slices.DeleteFunc(f.wantedTables(t.facts), func(of *table) bool { return several[of] != "" || said[of] })
		for _, fact := range of {
			said[fact] = true
		}
		filtered := tableNames(of)
		switch line := f.periodLine(t, filtered, len(calendars) > 1 || f.misses(t)); {
		case line == "", cut,
			!t.related && slices.ContainsFunc(f.tables, func(of *table) bool { return of != t && len(of.columns) > 0 }): // it filters nothing
		case len(calendars) == 1:
			lines = append(append(lines, line), f.yearLine(t)...)
		default:
			lines = append(lines, line)
		}
	}
	for _, t := range f.tables {
		if several[t] != "" {
			lines = append(lines, several[t])
		}
	}
	lines = append(lines, f.defaultDates(current)...)
	if len(f.calendars()) > 0 {
		return lines
	}
	return append(lines, f.datesOfTables()...)
}

// shifted returns the dates that measures shift.
func (f *facts) shifted() map[*field]bool {
	all := map[*field]bool{}
	for _, x := range f.allMeasures() {
		for _, c := range x.dax.Calls {
			if !x.exposed || !periodFunctions[strings.ToUpper(c.Name)] {
				continue
			}
			for _, r := range c.References { // the date that a function shifts is the first that it names
				if to := f.resolve(r, x.table); to != nil && to.column != nil && to.isDay() {
					all[to] = true
					break
				}
			}
		}
	}
	return all
}

// misses reports whether a calendar does not filter a table of facts that has dates, periods or keys of dates of its own.
func (f *facts) misses(calendar *table) bool {
	return slices.ContainsFunc(f.wantedTables(f.tables), func(t *table) bool {
		return (t.role == fact || t.role == plain || f.inactive(t, calendar)) && !slices.Contains(t.reached(), calendar) &&
			slices.ContainsFunc(t.columns, func(x *field) bool {
				return x.isDay() && !x.technical() || dateWords.Meets(x.words) && keyWords.Meets(x.words) ||
					t.role == fact && slices.ContainsFunc(periods, func(p period) bool { return p.words.Meets(x.words) })
			})
	})
}

// inactive reports whether an inactive relationship joins a table to a calendar.
func (f *facts) inactive(t, calendar *table) bool {
	return slices.ContainsFunc(f.relations, func(r relation) bool {
		return !r.src.IsActive && r.from.table == t && r.to.table == calendar
	})
}

// turned reports whether a calendar is on the many side only: its relationships were drawn the wrong way, and it filters nothing.
func (t *table) turned() bool {
	named := prose.Words(t.src.Name)
	return t.many && !t.one && slices.ContainsFunc(t.columns, (*field).isDate) && len(named) > 0 &&
		!slices.ContainsFunc(named, func(w string) bool { return !dateWords[w] && !identifying[w] })
}

// withoutDates returns a line for a model without dates, which may have years or other periods all the same; nothing if it is not known
// which column holds them.
func (f *facts) withoutDates() []string {
	var held []*field
	for _, x := range f.allFields() {
		if x.column != nil && slices.ContainsFunc(periods, func(p period) bool { return p.words.Meets(x.words) }) {
			held = append(held, x)
		}
	}
	if len(held) == 1 && f.written(held[0]) != "" {
		return []string{"Take the " + held[0].unit() + " from " + f.written(held[0]) + "; no column is a date."}
	}
	return nil
}

// relatesByDate reports whether another table with dates filters a table: its periods are asked for there, by another date perhaps.
func (t *table) relatesByDate() bool {
	return slices.ContainsFunc(t.reached(), func(of *table) bool {
		return of != t && slices.ContainsFunc(of.columns, (*field).isDay) && of.role != fact
	})
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
		if several && t.role != fact { // the date of a dimension says when it began, and an unrelated one filters nothing
			continue
		}
		if len(dates) != 1 || f.written(dates[0]) == "" || t.relatesByDate() || prose.Generic(dates[0].name) || len(lines) == mostDated ||
			!t.related && f.onlyWanted(dates[0]) {
			continue
		}
		what := "period"
		if unit := dates[0].unit(); unit != "day" {
			what = unit
		}
		switch {
		case !several && what == "period": // the structure says it
		case !several:
			lines = append(lines, "For a "+what+" filter "+f.written(dates[0])+unmarked)
		case prose.Mentionable(t.src.Name):
			lines = append(lines, "For a "+what+" of "+t.src.Name+" filter "+f.written(dates[0])+unmarked)
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

// dayColumn returns the column of the days of a date table, as instructions name it; "" for none. A table of months has the
// column of their first days.
func (f *facts) dayColumn(t *table) (name, unit string) {
	for _, x := range t.columns {
		if !x.isDay() || f.written(x) == "" {
			continue
		}
		of := x.unit()
		if name == "" || x.key && of == "day" || of == "day" && unit != "day" {
			name, unit = f.written(x), of
		}
	}
	return name, unit
}

// unit returns the period that a column of dates holds the first days of, by its name, or day.
func (x *field) unit() string {
	unit := "day"
	for _, p := range periods {
		if p.words.Meets(x.words) {
			unit = p.unit
		}
	}
	return unit
}

// period is what calendars group days by, with the words of its columns' names.
type period struct {
	unit  string
	words prose.Set
}

// periods are what calendars group days by, the longest first.
var periods = []period{
	{"year", prose.SetOf("year yr jahr année annee año ano anno jaar")},
	{"quarter", prose.SetOf("quarter qtr quartal trimestre kwartaal")},
	{"month", prose.SetOf("month mth monat mois mes mês mese maand")},
	{"week", prose.SetOf("week wk woche kw semaine semana settimana")},
}

// numbered are words of columns that hold the number of a period; apart are those of columns that hold something else.
var (
	numbered = prose.SetOf("number no nr num nummer numero número numéro")
	apart    = prose.SetOf("day days start end begin first last index offset sort order key id current relative previous prior next is " +
		"flag to date short weekday half working hour in completed full remaining ago bin bucket label sequence rank")
)

// groupColumn returns the column of a calendar that groups by a period, as instructions name it, and whether it needs the year
// beside it; "" for none. Names and the year among their words come first.
func (f *facts) groupColumn(t *table, unit string) (name string, inYear bool) {
	best := 0
	for _, x := range t.columns {
		has := func(unit string) bool {
			return slices.ContainsFunc(periods, func(p period) bool { return p.unit == unit && p.words.Meets(x.words) })
		}
		other := slices.ContainsFunc(periods, func(p period) bool { return p.unit != unit && p.unit != "year" && p.words.Meets(x.words) })
		isoWeek := unit == "week" && isoWords.Meets(x.words) && !has("year") // it belongs to an ISO year, which may be another one
		if !has(unit) || other || isoWeek || fiscalWords.Meets(x.words) || apart.Meets(x.words) || f.written(x) == "" {
			continue
		}
		cost := len(x.words) + 1
		if numbered.Meets(x.words) {
			cost += 8
		}
		if x.isNumber() && unit != "year" {
			cost += 2
		}
		if !has("year") {
			cost += 4
		}
		if best == 0 || cost < best {
			best, name, inYear = cost, f.written(x), (!has("year") || ofYear(x)) && !x.isDay()
		}
	}
	return name, inYear
}

// ofYear reports whether a column numbers the periods of each year, as its name says: "Week of Year".
func ofYear(x *field) bool {
	at := slices.Index(x.words, "of")
	return at > 0 && at+1 < len(x.words) && periods[0].words[x.words[at+1]]
}

// periodLine says which column of a calendar filters by day and which ones group by longer periods, "" for a calendar without
// either. Of several calendars it says for which tables.
func (f *facts) periodLine(t *table, filtered []string, several bool) string {
	day, unit := f.dayColumn(t)
	var groups []string
	year, _ := f.groupColumn(t, "year")
	for _, p := range periods {
		name, inYear := f.groupColumn(t, p.unit)
		if name == "" || name == day || p.unit == unit || inYear && year == "" { // its values would take all years together
			continue
		}
		group := "by " + p.unit + " with " + name
		if inYear && name != year {
			group += " within a year"
		}
		groups = append(groups, group)
	}
	group := ""
	if len(groups) > 0 {
		group = "group " + prose.List(groups, 0)
	}
	switch {
	case several && (len(filtered) == 0 || day == "" && group == ""):
		return ""
	case several && day == "":
		return "For the periods of " + prose.List(filtered, 5) + " " + group + "."
	case several && group == "":
		return "For a period of " + prose.List(filtered, 5) + " filter " + day + "."
	case several:
		return "For a period of " + prose.List(filtered, 5) + " filter " + day + "; " + group + "."
	case day == "" && group == "":
		return ""
	case day == "":
		return prose.Capital(group) + "."
	case group == "" && unit == "day" && !slices.ContainsFunc(t.columns, func(x *field) bool { return f.written(x) != "" && f.written(x) != day }):
		return "Use " + day + " for every question about a day, month or other period."
	case group == "":
		return "Use " + day + " for every question about a " + unit + " or a range of " + unit + "s."
	}
	return "Use " + day + " for every question about a " + unit + " or a range of " + unit + "s; " + group + "."
}

// severalCalendars returns, for tables that relate to several calendars, a line that says by which of their dates, and which
// relationship is only used where a measure asks for it.
func (f *facts) severalCalendars() map[*table]string {
	lines := map[*table]string{}
	for _, t := range f.wantedTables(f.tables) {
		var calendars []*table
		var dates []*field
		var names []string
		active := 0
		for _, r := range f.relations { // active ones first
			of := r.to.table
			if r.from.table != t || of.role != dateTable || of == t || slices.Contains(calendars, of) || slices.Contains(dates, r.from) ||
				!prose.Mentionable(of.src.Name) || !prose.Mentionable(r.from.name) {
				continue
			}
			calendars, dates = append(calendars, of), append(dates, r.from)
			name := of.src.Name + " by " + r.from.name
			if r.src.IsActive {
				active++
			} else {
				name += onRequest
			}
			names = append(names, name)
		}
		if len(calendars) < 2 || !prose.Mentionable(t.src.Name) {
			continue
		}
		line := t.src.Name + " has " + strconv.Itoa(len(calendars)) + " calendars: " + prose.List(names, 4)
		if active > 1 {
			line += "; use the one whose date the question is about, and say which"
		}
		lines[t] = line + "."
	}
	return lines
}

// noPeriod are words of dates that say when a row was copied, not when something happened, besides those of wording.RecordWord.
var noPeriod = prose.SetOf("load loaded loading ingest import imported extracted inserted processed")

// keepsRecords reports whether the name of a date says when someone was born or a row was copied, not when something happened.
func (x *field) keepsRecords() bool {
	return noPeriod.Meets(x.words) || wording.RecordWord(x.words) != ""
}

// days returns the columns of a table that hold dates, without those that keep records.
func (f *facts) days(t *table) []*field {
	var all []*field
	for _, x := range t.columns {
		if x.isDay() && !x.isTimeOfDay() && !x.technical() && !x.keepsRecords() && f.hideViolations()[violationKey{rule: "VIS-02", field: x}] == 0 {
			all = append(all, x)
		}
	}
	return all
}

// periodDates returns the columns of a table that can say when something happened: its days, and ends of relationships with date tables.
func (f *facts) periodDates(t *table) []*field {
	days := f.days(t)
	return lists.Where(t.columns, func(x *field) bool { return x.dateEnd && !x.keepsRecords() || slices.Contains(days, x) })
}

// isTimeOfDay reports whether a column shows a time without its day.
func (x *field) isTimeOfDay() bool {
	format := strings.ToLower(x.column.FormatString)
	return len(x.words) == 1 && x.words[0] == "time" || format == "long time" || format == "short time" ||
		strings.Contains(format, "h:") && !strings.ContainsAny(format, "dy")
}

// withinYear are words in the names of periods of a year.
var withinYear = prose.SetOf("month mth quarter qtr week wk day half")

// yearLine returns a line that says which year is meant when there are two kinds, or only a fiscal one.
func (f *facts) yearLine(t *table) []string {
	calendar, _ := f.groupColumn(t, "year")
	fiscal := ""
	for _, x := range t.columns {
		if fiscal == "" && fiscalWords.Meets(x.words) && (slices.Contains(x.words, "year") || slices.Contains(x.words, "fy")) &&
			!withinYear.Meets(x.words) {
			fiscal = f.written(x)
		}
	}
	switch {
	case calendar != "" && fiscal != "":
		return []string{"A year is the calendar year " + calendar + " unless the question says fiscal; then use " + fiscal + "."}
	case fiscal != "":
		return []string{"A year is the fiscal year " + fiscal + "."}
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
	const together = 5 // tables of one line
	var lines, further, dates []string
	of, shifted := map[string][]string{}, f.shifted()
	for _, t := range f.tables {
		x := t.defaultDate()
		if !t.hasDates() || x == nil || noPeriod.Meets(x.words) || !prose.Mentionable(t.src.Name) || !f.undecidedIn(t, text) {
			continue
		}
		if !slices.ContainsFunc(t.columns, func(other *field) bool { return other != x && shifted[other] }) {
			date := f.defaultDate(t, x, !shifted[x])
			if of[date] == nil {
				dates = append(dates, date)
			}
			of[date] = append(of[date], t.src.Name)
		}
		for _, other := range t.columns {
			if other == x || !prose.Mentionable(other.name) {
				continue
			}
			var by []string
			for _, m := range f.activators(other) {
				if name := f.bracketed(m); name != "" {
					if _, alone := f.goesBy(m, other); alone {
						by = append(by, name)
					}
				}
			}
			switch about := "Questions about " + dateRole(other) + " of " + t.src.Name + " need "; {
			case len(by) > mostActivating:
				further = append(further, about+"a measure that goes by it, such as "+by[0]+".")
			case len(by) > 0:
				further = append(further, about+strings.Join(by, " or ")+".")
			}
		}
	}
	for _, date := range dates {
		for tables := range slices.Chunk(of[date], together) {
			lines = append(lines, "By default the date of "+prose.List(tables, 0)+" is "+date)
		}
	}
	return append(lines, further...)
}

// mostActivating is how many measures that go by another date a line names.
const mostActivating = 3

// mostOther is how many other dates a line about the default date names.
const mostOther = 3

// defaultDate says which date of a table counts by default, which ones do not, and, by a calendar, what to filter. Rule INS-05 looks for the words of
// the column, which are written without brackets, since its calendar is to be filtered.
func (f *facts) defaultDate(t *table, x *field, byCalendar bool) (line string) {
	plain := func(x *field) string { return prose.OneLine(strings.NewReplacer("[", " ", "]", " ").Replace(x.name)) }
	if !x.dates() {
		line = "that of the key "
	}
	line += plain(x)
	var others []string
	for _, other := range f.periodDates(t) {
		if other != x && prose.Mentionable(other.name) && len(others) < mostOther {
			others = append(others, other.name)
		}
	}
	if len(others) > 0 {
		line += ", not " + strings.Join(others, " or ")
	}
	for _, r := range x.relations {
		calendar := r.to.table
		if calendar == t {
			calendar = r.from.table
		}
		if day, unit := f.dayColumn(calendar); byCalendar && r.src.IsActive && calendar.role == dateTable && unit == "day" {
			return line + ": filter " + day + "."
		}
	}
	return line + "."
}

// dates reports whether a column holds dates, rather than keys of a date table. A calculated column may have no type; its
// relationship has one.
func (x *field) dates() bool {
	return x.isDay() || x.column.DataType == "" && slices.ContainsFunc(x.relations, func(r relation) bool { return r.from.isDay() || r.to.isDay() })
}

// dateRole returns a date of a table as people say it: the name of a key without what makes it one.
func dateRole(x *field) string {
	words := prose.Cut(x.name, true)
	for !x.dates() && len(words) > 1 && keyWords[strings.ToLower(words[len(words)-1])] {
		words = words[:len(words)-1]
	}
	if len(words) == len(prose.Cut(x.name, true)) {
		return x.name
	}
	return prose.InWords(words)
}

// askAboutModel asks what instructions should say and the definition does not.
func (f *facts) askAboutModel(a *answers) {
	model := proposal.Object{Type: proposal.Model}
	current := f.currentInstructions()
	if len(f.aboutTerms()) == 0 && !termPattern.MatchString(current) {
		a.ask(model, "Which words do people use that no table, column or measure is called, and what do they mean?")
	}
	for _, t := range f.tables {
		dates, by := f.periodDates(t), t.defaultDate()
		switch {
		case !t.hasDates() || !f.undecidedIn(t, current):
			continue
		case by != nil && !noPeriod.Meets(by.words):
			continue
		case by != nil:
			dates = append(dates, by) // the model goes by when rows were loaded
		}
		if names := lists.Map(dates, func(x *field) string { return called(x.name) }); len(names) > 1 {
			a.ask(model, "Which date of "+called(t.src.Name)+" counts when a question names a period: "+prose.List(names, 4)+"?")
		}
	}
}
