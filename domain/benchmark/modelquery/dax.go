package modelquery

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// DAX returns a DAX query that answers the question, or "" for a query without measures
// and groupings. Rows are ordered only when they are ranked. Names and values are
// escaped, so none of them can change the query.
func (q Query) DAX() string {
	if len(q.Measures) == 0 && len(q.Groupings) == 0 {
		return ""
	}
	var kept, ranked []Filter // filters by the value of a measure
	var filters []string
	for _, f := range q.Filters {
		switch {
		case f.Operator == Top || f.Operator == Bottom:
			ranked = append(ranked, f)
		case slices.Contains(q.Measures, f.Field):
			kept = append(kept, f)
		default:
			filters = append(filters, f.DAX())
		}
	}
	depth := len(kept) + len(ranked)
	table := q.summary(depth, filters)
	for _, f := range kept {
		depth--
		table = call(depth, "FILTER", table, condition(valueRef(f.Field), f))
	}
	var order []string
	for _, f := range ranked {
		direction := "DESC"
		if f.Operator == Bottom {
			direction = "ASC"
		}
		count := TextValue.literal(strings.Join(f.Values, ","))
		if len(f.Values) == 1 {
			count = NumberValue.literal(f.Values[0])
		}
		depth--
		table = call(depth, "TOPN", count, table, valueRef(f.Field)+", "+direction)
		order = append(order, valueRef(f.Field)+" "+direction)
	}
	dax := "EVALUATE\n" + table
	if len(order) > 0 {
		for _, g := range q.Groupings {
			order = append(order, columnRef(g)+" ASC")
		}
		dax += "\nORDER BY " + strings.Join(order, ", ")
	}
	return dax
}

// DAX returns a filter by the values of a column as a table.
func (f Filter) DAX() string {
	return "FILTER(ALL(" + columnRef(f.Field) + "), " + condition(columnRef(f.Field), f) + ")"
}

// summary returns a table expression with one row for each combination of the
// groupings. Without groupings it is a single row, which exists even when all measures
// are blank.
func (q Query) summary(depth int, filters []string) string {
	var parts []string
	for _, g := range q.Groupings {
		parts = append(parts, columnRef(g))
	}
	function := "SUMMARIZECOLUMNS"
	if len(q.Groupings) > 0 {
		parts = append(parts, filters...)
	} else {
		function = "ROW"
	}
	for _, m := range q.Measures {
		value := measureRef(m)
		if function == "ROW" && len(filters) > 0 {
			value = "CALCULATE(" + value + ", " + strings.Join(filters, ", ") + ")"
		}
		name := m.Name
		if depth > 0 { // what is around refers to the values by their names, which are no measures
			name = valuePrefix + name
		}
		parts = append(parts, TextValue.literal(name)+", "+value)
	}
	return call(depth, function, parts...)
}

// call returns a function call with each argument on its own line.
func call(depth int, function string, arguments ...string) string {
	line := "\n" + strings.Repeat("    ", depth)
	return function + "(" + line + "    " + strings.Join(arguments, ","+line+"    ") + line + ")"
}

func columnRef(f Field) string {
	return "'" + strings.ReplaceAll(f.Table, "'", "''") + "'" + measureRef(f)
}

// measureRef refers to a measure without its table, because measure names are unique in
// a model.
func measureRef(f Field) string { return "[" + strings.ReplaceAll(f.Name, "]", "]]") + "]" }

// valuePrefix begins the name of a column of values that other parts of a query refer to. Without it the name would be
// the measure's, which is evaluated again, without the query's filters.
const valuePrefix = "@"

// valueRef refers to the column of a measure's values in the query.
func valueRef(f Field) string { return measureRef(Field{Name: valuePrefix + f.Name}) }

// condition returns the DAX condition of a filter on the column or measure reference.
func condition(of string, f Filter) string {
	at := func(i int) string {
		if i < len(f.Values) {
			return f.Type.literal(f.Values[i])
		}
		return `""`
	}
	all := make([]string, len(f.Values))
	for i := range f.Values {
		all[i] = at(i)
	}
	isDay := f.Type == DateValue && !slices.ContainsFunc(f.Values, func(v string) bool { _, ok := readDay(v); return !ok })
	switch {
	case f.Operator == InPeriod:
		if p, ok := ParsePeriod(strings.Join(f.Values, ",")); ok {
			from, to := p.bounds()
			return of + " >= " + from + " && " + of + " < " + to
		}
		return of + " = " + TextValue.literal(strings.Join(f.Values, ","))
	case f.Operator == Contains:
		return "CONTAINSSTRING(" + of + ", " + TextValue.literal(strings.Join(f.Values, ",")) + ")"
	case f.Operator == In:
		return of + " IN { " + strings.Join(all, ", ") + " }"
	case f.Operator == Between && isDay:
		return of + " >= " + at(0) + " && " + of + " < " + at(1) + " + 1" // a day lasts until the next one
	case f.Operator == Between:
		return of + " >= " + at(0) + " && " + of + " <= " + at(1)
	case f.Operator == Equal && isDay:
		return of + " >= " + at(0) + " && " + of + " < " + at(0) + " + 1"
	case f.Operator == LessOrEqual && isDay:
		return of + " < " + at(0) + " + 1"
	case f.Operator == Greater && isDay:
		return of + " >= " + at(0) + " + 1"
	}
	if !slices.Contains([]Operator{NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual}, f.Operator) {
		f.Operator = Equal
	}
	return of + " " + f.Operator + " " + at(0)
}

var number = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?$`)

// literal returns a value as a DAX literal; as a text when it is not of type t.
func (t ValueType) literal(v string) string {
	switch t {
	case NumberValue:
		if number.MatchString(v) {
			return v
		}
	case DateValue:
		if d, ok := readDay(v); ok {
			return fmt.Sprintf("DATE(%d, %d, %d)", d.Year(), d.Month(), d.Day())
		}
	case BooleanValue:
		if v == "true" || v == "false" {
			return strings.ToUpper(v) + "()"
		}
	case TextValue:
	}
	return `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
}

// readDay parses a day from 1900 on. DAX moves earlier years into the 20th century.
func readDay(v string) (time.Time, bool) {
	d, err := time.Parse(time.DateOnly, v)
	return d, err == nil && d.Year() >= 1900
}

// bounds returns DAX for the first day of the period and for the day after its last.
func (p Period) bounds() (from, to string) {
	start := func(back int) string { // of the unit that many before the current one
		switch p.unit {
		case Day:
			return "TODAY()" + plus(-back)
		case Week:
			return "TODAY() - WEEKDAY(TODAY(), 2)" + plus(1-7*back)
		case Month:
			return fmt.Sprintf("EOMONTH(TODAY(), %d) + 1", -1-back)
		case Quarter:
			return fmt.Sprintf("DATE(YEAR(TODAY()), 3 * QUARTER(TODAY())%s, 1)", plus(-2-3*back))
		case Year:
			return fmt.Sprintf("DATE(YEAR(TODAY())%s, 1, 1)", plus(-back))
		}
		return "TODAY()"
	}
	const tomorrow = "TODAY() + 1"
	switch p.kind {
	case thisUnit:
		return start(0), start(-1)
	case lastUnit:
		return start(1), start(0)
	case toDate:
		return start(0), tomorrow
	case lastUnits, noPeriod:
	}
	switch p.unit {
	case Week:
		return fmt.Sprintf("TODAY() - 7 * %d + 1", p.count), tomorrow
	case Month:
		return fmt.Sprintf("EDATE(TODAY(), -%d) + 1", p.count), tomorrow
	case Quarter:
		return fmt.Sprintf("EDATE(TODAY(), -3 * %d) + 1", p.count), tomorrow
	case Year:
		return fmt.Sprintf("EDATE(TODAY(), -12 * %d) + 1", p.count), tomorrow
	case Day:
	}
	return fmt.Sprintf("TODAY() - %d + 1", p.count), tomorrow
}

func plus(n int) string {
	switch {
	case n < 0:
		return fmt.Sprintf(" - %d", -n)
	case n > 0:
		return fmt.Sprintf(" + %d", n)
	}
	return ""
}
