package rules

import (
	"slices"
	"strings"

	"readiness/definition/dax"
)

// toDatePeriods are the periods that start with the year, quarter or month.
var toDatePeriods = map[string]string{
	"TOTALYTD": "from the start of the year", "DATESYTD": "from the start of the year",
	"TOTALQTD": "from the start of the quarter", "DATESQTD": "from the start of the quarter",
	"TOTALMTD": "from the start of the month", "DATESMTD": "from the start of the month",
}

// otherPeriods are the periods that need only a date column.
var otherPeriods = map[string]string{
	"SAMEPERIODLASTYEAR": "in the same period one year earlier",
	"PREVIOUSYEAR":       "in the previous year", "PREVIOUSQUARTER": "in the previous quarter", "PREVIOUSMONTH": "in the previous month",
	"PREVIOUSDAY": "on the previous day", "NEXTYEAR": "in the next year", "NEXTQUARTER": "in the next quarter",
	"NEXTMONTH": "in the next month",
	"NEXTDAY":   "on the next day", "LASTDATE": "on the last date selected", "FIRSTDATE": "on the first date selected",
	"ENDOFMONTH": "on the last day of the month", "ENDOFQUARTER": "on the last day of the quarter",
	"ENDOFYEAR":    "on the last day of the year",
	"STARTOFMONTH": "on the first day of the month", "STARTOFQUARTER": "on the first day of the quarter",
	"STARTOFYEAR": "on the first day of the year",
}

// period returns the period that a time-intelligence function selects, for example "in the previous month".
func (e *explainer) period(n *dax.Node) (string, bool) {
	if len(n.Parts) == 0 || !e.isDayOf(n.Parts[0]) || e.unselected {
		return "", false
	}
	switch when := toDatePeriods[n.Text]; {
	case when != "" && len(n.Parts) == 1:
		return when + " to the latest date selected", true
	case when != "" && len(n.Parts) == 2 && n.Text == "DATESYTD":
		return e.yearThatEnds(n.Parts[1])
	case otherPeriods[n.Text] != "" && len(n.Parts) == 1:
		return otherPeriods[n.Text], true
	case n.Text == "DATEADD" && len(n.Parts) == 3:
		return shifted(n.Parts[1], n.Parts[2])
	case n.Text == "PARALLELPERIOD" && len(n.Parts) == 3:
		return parallel(n.Parts[1], n.Parts[2])
	case n.Text == "DATESINPERIOD" && len(n.Parts) == 4:
		return e.rolling(n)
	}
	return "", false
}

// isDayOf reports whether a node is a column of dates.
func (e *explainer) isDayOf(n *dax.Node) bool {
	c := e.column(n)
	return c != nil && (c.isDay() || c.column.DataType == "")
}

// yearThatEnds returns the year to date of a year that ends on a given day.
func (e *explainer) yearThatEnds(end *dax.Node) (string, bool) {
	if end.Kind != dax.TextNode || quote(end.Text) == "" {
		return "", false
	}
	return "from the start of the year that ends on " + end.Text + " to the latest date selected", true
}

// amount returns a number of intervals, as in "3 months", and whether it lies in the past.
func amount(n, unit *dax.Node) (text string, past, ok bool) {
	if n.Kind == dax.SignNode && n.Text == "-" {
		past, n = true, n.Parts[0]
	}
	word := strings.ToLower(unit.Text)
	if n.Kind != dax.NumberNode || strings.Contains(n.Text, ".") || n.Text == "0" || unit.Kind != dax.NameNode ||
		!slices.Contains([]string{"day", "month", "quarter", "year"}, word) {
		return "", false, false
	}
	if n.Text == "1" {
		return "one " + word, past, true
	}
	return n.Text + " " + word + "s", past, true
}

func shifted(n, unit *dax.Node) (string, bool) {
	text, past, ok := amount(n, unit)
	if past {
		return "in the same period " + text + " earlier", ok
	}
	return "in the same period " + text + " later", ok
}

// parallel returns complete intervals before or after the selected ones.
func parallel(n, unit *dax.Node) (string, bool) {
	text, past, ok := amount(n, unit)
	word := strings.ToLower(unit.Text)
	if past {
		return "in the full " + word + "s that lie " + text + " earlier", ok
	}
	return "in the full " + word + "s that lie " + text + " later", ok
}

// rolling returns the last or next intervals from a date on.
func (e *explainer) rolling(n *dax.Node) (string, bool) {
	text, past, ok := amount(n.Parts[2], n.Parts[3])
	from := n.Parts[1]
	if from.Kind == dax.NameNode && !from.Quoted {
		v := e.lookUp(from.Text)
		if v == nil || v.in.level > e.level {
			return "", false
		}
		from = v.value
	}
	text = strings.TrimPrefix(text, "one ")
	switch {
	case !ok || from.Kind != dax.CallNode:
		return "", false
	case from.Text == "TODAY" && past:
		return "over the last " + text + " up to today", true
	case len(from.Parts) == 1 && e.column(from.Parts[0]) == e.column(n.Parts[0]) && past && (from.Text == "MAX" || from.Text == "LASTDATE"):
		return "over the last " + text + " up to the latest date selected", true
	}
	return "", false
}

// toDate returns TOTALYTD and similar functions.
func (e *explainer) toDate(n *dax.Node) (explanation, bool) {
	if len(n.Parts) < 2 || !e.isDayOf(n.Parts[1]) || e.unselected {
		return explanation{}, false
	}
	s, ok := e.inner().value(n.Parts[0])
	if !ok {
		return explanation{}, false
	}
	day := []*field{e.column(n.Parts[1])}
	s.dated, s.reaching = nil, nil
	if s.compound || len(s.tail) > 0 {
		s = explanation{text: s.operand(false), about: s.about, outer: e.columnsWithin(n.Parts[0])}
	}
	when := toDatePeriods[n.Text] + " to the latest date selected"
	for _, p := range n.Parts[2:] {
		if p.Kind == dax.TextNode && n.Text == "TOTALYTD" {
			if when, ok = e.yearThatEnds(p); !ok {
				return explanation{}, false
			}
			continue
		}
		if !e.filter(p, &s) {
			return explanation{}, false
		}
	}
	s.dated, s.reaching = day, append(slices.Clip(s.reaching), day...)
	ok = s.at(when)
	return s.dropReplaced(), ok && e.holds(n, s)
}
