// Package dates has the rules that judge whether an AI can compute periods.
package dates

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// Rules judge whether an AI can compute periods. They do not apply to a model
// without a dateTime column.
var Rules = []rule.Rule{
	// TIM-01: a table is marked as the date table, or joined by its dates.
	{ID: "TIM-01", Weight: 3, Severity: finding.High, Check: rule.OnModel(rule.Always, unmarkedDates)},
	// TIM-02: a table that is a date table by its name is marked as one, beside the marked one that TIM-01 asks for.
	{ID: "TIM-02", Weight: 1, Severity: finding.Low,
		Check: rule.Each(rule.Where(rule.ExposedTables, func(x *model.Scope, t *model.Table) bool { return t.DateByName && unmarkedModel(x).Violation == 0 }),
			unmarkedTable)},
	// TIM-03: no automatic date tables.
	{ID: "TIM-03", Weight: 2, Severity: finding.Medium, Check: rule.OnModel(rule.Always, automaticDates)},
	// TIM-04: facts are related to a date table.
	{ID: "TIM-04", Weight: 2, Severity: finding.Low, Check: rule.Each(rule.Where(rule.AllTables, needsDates), undatedFact)},
	// TIM-05: date tables have a hierarchy; hidden ones count.
	{ID: "TIM-05", Weight: 1, Severity: finding.Low,
		Check: rule.Each(rule.Where(rule.ExposedTables, func(_ *model.Scope, t *model.Table) bool { return t.Date }),
			noDateHierarchy)},
	// TIM-06: measures compare periods.
	{ID: "TIM-06", Weight: 1, Severity: finding.Low,
		Check: rule.OnModel(func(x *model.Scope) bool { return len(x.M) > 0 }, noTimeIntelligence)},
}

// HasTime reports whether the rules apply to a model: it has a dateTime column.
func HasTime(x *model.Scope) bool { return x.HasDateTime }

func unmarkedModel(x *model.Scope) rule.Verdict {
	found := ""
	for _, t := range x.Tables {
		if len(t.Src.Calendars) > 0 || joinedByDates(t) || t.MarkedAsDate() && slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
			return c.Src.IsKey &&
				c.Is(semanticmodel.DateTime)
		}) {
			return rule.Verdict{}
		}
		if t.Date && found == "" {
			found = wording.Quoted(t.Src.Name)
		}
	}
	if found == "" {
		return rule.Fails(1, "add a date table, mark it as one and relate it to the facts", "no date table")
	}
	return rule.Fails(0.5, "mark "+found+" as the date table, with a dateTime column as its key",
		"date table %s is not marked with a dateTime key", found)
}

func unmarkedTable(_ *model.Scope, t *model.Table) rule.Verdict {
	if t.MarkedAsDate() {
		return rule.Verdict{}
	}
	return rule.Fails(0.3, "mark it as a date table (data category Time)", "data category: %q",
		wording.Shown(t.Src.DataCategory, wording.ShownText))
}

func automaticDates(x *model.Scope) rule.Verdict {
	if !x.AutoDate {
		return rule.Verdict{}
	}
	v := rule.Fails(1, "switch auto date/time off and use one date table", "it has automatic date tables")
	if i := slices.IndexFunc(x.Automatic, func(c *model.Column) bool { return c.Table.Date }); i >= 0 {
		date := model.QuotedColumn(x.Automatic[i])
		v.Message += ", and write " + date + " for " + date + ".[Date] in measures, as filters on " + wording.Quoted(x.Automatic[i].Table.Src.Name) +
			" do not reach the automatic table"
		v.Evidence += ", one of which measures ask by " + date
	}
	return v
}

func noDateHierarchy(_ *model.Scope, t *model.Table) rule.Verdict {
	if slices.ContainsFunc(t.Hierarchies, func(h *model.Hierarchy) bool { return len(h.Src.Levels) >= 2 }) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "add a hierarchy such as Year, Quarter, Month", "no hierarchy with two levels")
}

func noTimeIntelligence(x *model.Scope) rule.Verdict {
	if x.TimeIntelligence || slices.ContainsFunc(x.M, func(m *model.Measure) bool { return comparesPeriods(x, m) }) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "add measures for periods, such as year to date and last year",
		"no measure calls a time-intelligence function such as TOTALYTD or DATEADD")
}

// lessened is an expression, as the key of the references that it takes something from.
type lessened string

// comparesPeriods reports whether a measure takes something from the latest or chosen period, as in MAX('Date'[Year]) - 1.
func comparesPeriods(x *model.Scope, m *model.Measure) bool {
	references := model.Pure(x, lessened(m.Src.Expression), func(e lessened) []dax.Reference {
		n, ok := dax.Parse(string(e))
		if !ok {
			return nil
		}
		return lessenedIn(n, nil)
	})
	return slices.ContainsFunc(references, func(r dax.Reference) bool {
		o := x.Names.Resolve(r, m.Table)
		return o != nil && o.Kind == model.ColumnKind && (o.Table.Date || calendarWords.Meets(o.Words))
	})
}

// choosing are functions that choose one value of a column.
var choosing = wording.SetOf("MAX,MIN,SELECTEDVALUE,VALUES,LASTDATE,FIRSTDATE")

// lessenedIn returns the columns of which a node takes something from a chosen value. known are the variables before it.
func lessenedIn(n *dax.Node, known []dax.Variable) (all []dax.Reference) {
	for _, v := range n.Variables {
		all = append(all, lessenedIn(v.Value, known)...)
		known = append(known[:len(known):len(known)], v)
	}
	if n.Kind == dax.OperationNode && n.Text == "-" {
		from := n.Parts[0]
		for _, v := range slices.Backward(known) {
			if from.Kind == dax.NameNode && strings.EqualFold(v.Name, from.Text) {
				from = v.Value
			}
		}
		if from.Kind == dax.CallNode && choosing[from.Text] && len(from.Parts) > 0 && from.Parts[0].Kind == dax.ColumnNode {
			all = append(all, from.Parts[0].Reference)
		}
	}
	for _, part := range n.Parts {
		all = append(all, lessenedIn(part, known)...)
	}
	return all
}

func unmarkedDates(x *model.Scope) rule.Verdict {
	v := unmarkedModel(x)
	if v.Violation == 0 {
		return v
	}
	if i := slices.IndexFunc(x.Tables, isDate); i >= 0 {
		return unmarkedTableOf(x, x.Tables[i], v)
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

// unmarkedTableOf is the verdict on the first date table of a model without a marked one.
func unmarkedTableOf(x *model.Scope, t *model.Table, v rule.Verdict) rule.Verdict {
	c := firstDate(t)
	if c == nil {
		return v
	}
	v.Message = "mark " + wording.Quoted(t.Src.Name) + " as the date table, with " + model.QuotedColumn(c) + " as its key"
	if x.TimeIntelligence && t.Dimension() {
		v.Severity = finding.High
		v.Evidence = fmt.Sprintf("date table %s is neither marked nor joined by %s: time-intelligence functions keep filters on its other "+
			"columns, such as months, so their periods are wrong", wording.Quoted(t.Src.Name), model.QuotedColumn(c))
	}
	return v
}

// joinedByDates reports whether a table is a date table whose relationships are all by one dateTime column. Over such a table periods are
// computed as over a marked one.
func joinedByDates(t *model.Table) bool {
	joined := func(c *model.Column) bool { return c.OneOfActive }
	i := slices.IndexFunc(t.Columns, joined)
	return t.Date && i >= 0 && t.Columns[i].Is(semanticmodel.DateTime) && !slices.ContainsFunc(t.Columns[i+1:], joined)
}

// ToMark returns the table that is no date table and that TIM-01 wants to be marked as one, or nil.
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
// nothing is joined, or where the only table has parts of dates itself.
func undatedModel(x *model.Scope) rule.Verdict {
	by := ""
	if dates := datesToJoin(x); len(dates) > 0 {
		by = " by " + wording.Listed(dates, mostDates)
	}
	v := rule.Fails(1, "add a date table with a row for each day, mark it as one and join the facts to it"+by, "no date table")
	only := slices.IndexFunc(x.Tables, func(t *model.Table) bool { return t.Starred })
	if x.Disconnected() || x.Starred == 1 && hasParts(x.Tables[only]) {
		v.Violation, v.Severity = 0.6, finding.Medium
	}
	return v
}

// hired are words of dates of a dimension's rows that start no period of a fact.
var hired = wording.SetOf("hire,hired,hiring,eintritt,eintrittsdatum,einstellungsdatum,embauche,admissão,contratación")

// datesToJoin returns the dates that an AI sees and that say when something happened: those of facts, else those of dimensions. The
// creation of a row is one in a table that has no other.
func datesToJoin(x *model.Scope) (dates []string) {
	var facts, dimensions []*model.Column
	other := map[*model.Table]bool{}
	for _, c := range x.C {
		switch {
		case !c.Is(semanticmodel.DateTime) || visibility.KeepsRecords(c):
			continue
		case !c.Table.Dimension():
			facts = append(facts, c)
		case !hired.Meets(c.Words):
			dimensions = append(dimensions, c)
		}
		other[c.Table] = other[c.Table] || !wording.SaysCreated(c.Words)
	}
	if len(facts) == 0 {
		facts = dimensions
	}
	for _, c := range facts {
		if !other[c.Table] || !wording.SaysCreated(c.Words) {
			dates = append(dates, model.QuotedColumn(c))
		}
	}
	return dates
}

var calendarWords = wording.SetOf("date,day,dow,week,wk,month,mth,quarter,qtr,year,yr,fiscal,period")

// calendarDate returns the first dateTime column with another column of a calendar, in a table whose name says that it
// is one; nil for another table.
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
		return c.Is(semanticmodel.DateTime) && isDay(c) && (len(named) == 2 || len(named) == 1 && named[0] != c)
	})
	if i < 0 {
		return nil
	}
	return t.Columns[i]
}

// fewestParts is how many columns besides its day make a dimension of another name look like a calendar.
const fewestParts = 2

// daysLikely returns the first dateTime column of a dimension that looks like a calendar by its columns: half of them are of a
// calendar, and none holds what facts hold. It returns nil for another table.
func daysLikely(t *model.Table) *model.Column {
	parts, others := calendarColumns(t)
	if !t.Dimension() || parts < fewestParts || others > parts || slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
		return c.Numeric() && !c.Key && c.Summed() && !calendarWords.Meets(c.Words)
	}) {
		return nil
	}
	return firstDay(t)
}

// hasParts reports whether a table has a day and at least fewestParts other columns of a calendar.
func hasParts(t *model.Table) bool {
	parts, _ := calendarColumns(t)
	return parts >= fewestParts && firstDay(t) != nil
}

// calendarColumns counts the columns of a table besides its days and keys: those of a calendar, and others.
func calendarColumns(t *model.Table) (parts, others int) {
	for _, c := range t.Columns {
		switch {
		case c.Is(semanticmodel.DateTime) && isDay(c), c.Key && !calendarWords.Meets(c.Words):
		case calendarWords.Meets(c.Words) && !c.Is(semanticmodel.DateTime):
			parts++
		default:
			others++
		}
	}
	return parts, others
}

// eventWords say that dates are those of something that happened once, as an order. No calendar has them.
var eventWords = wording.SetOf("hire,hired,death,loaded,load,inserted,timestamp,order,ship,due,invoice,payment,valid")

// isDay reports whether a column of dates may be the days of a calendar.
func isDay(c *model.Column) bool {
	return !visibility.KeepsRecords(c) && !wording.SaysCreated(c.Words) && !eventWords.Meets(c.Words)
}

// firstDay returns the first dateTime column of a table that may be the days of a calendar, or nil.
func firstDay(t *model.Table) *model.Column {
	i := slices.IndexFunc(t.Columns, func(c *model.Column) bool { return c.Is(semanticmodel.DateTime) && isDay(c) })
	if i >= 0 {
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

// datesRows reports whether a column is an exposed date of what a row stands for, and not of its record.
func datesRows(x *model.Scope, c *model.Column) bool {
	return x.In(&c.Object) && c.Is(semanticmodel.DateTime) && !visibility.KeepsRecords(c) && !slices.Contains(c.Words, "loaded")
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

// dateColumn returns the column of a date table that facts should be joined to, nil if it has none.
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
