package modelquery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/definition/dax"
)

// Parse parses a query in the form that Query.DAX writes, with any white space and any case of keywords, and
// reports whether it has that form. Measures have no table, because the query names none. Types that DAX writes alike are
// parsed as one: the values of a day column of type text come back as texts.
func Parse(query string) (q Query, ok bool) {
	parsed, _, ok := dax.ParseQuery(query)
	if !ok || len(parsed.Defined) > 0 || len(parsed.Evaluated) != 1 || dax.WithoutComments(query) != query {
		return Query{}, false
	}
	e := parsed.Evaluated[0]
	isOther := func(o dax.Order) bool { return o.By.Kind != dax.ColumnNode } // a column says no more than the rank
	if len(e.StartAt) > 0 || slices.ContainsFunc(e.Order, isOther) || declares(e.Table) || !q.readTable(e.Table) {
		return Query{}, false
	}
	return q, true
}

func declares(n *dax.Node) bool {
	return len(n.Variables) > 0 || slices.ContainsFunc(n.Parts, declares)
}

func isCall(n *dax.Node, function string, arguments int) bool {
	return n.Kind == dax.CallNode && n.Text == function && len(n.Parts) == arguments
}

// readTable reads a table of rows into q.
func (q *Query) readTable(n *dax.Node) bool {
	a := n.Parts
	switch {
	case isCall(n, "TOPN", 4):
		by, ok := field(a[2])
		f := Filter{Field: value(by), Operator: Top, Values: []string{a[0].Text}, Type: NumberValue}
		if strings.EqualFold(a[3].Text, "ASC") {
			f.Operator = Bottom
		} else if !strings.EqualFold(a[3].Text, "DESC") {
			return false
		}
		if !ok || a[0].Kind != dax.NumberNode || a[3].Kind != dax.NameNode || !q.readTable(a[1]) {
			return false
		}
		q.Filters = append(q.Filters, f)
		return slices.ContainsFunc(q.Measures, func(m Field) bool { return strings.EqualFold(m.Name, f.Name) })
	case isCall(n, "FILTER", 2):
		f, ok := readCondition(a[1])
		if !ok || !q.readTable(a[0]) {
			return false
		}
		f.Field = value(f.Field)
		q.Filters = append(q.Filters, f)
		return true
	case isCall(n, "ROW", len(a)):
		return q.readRow(a)
	}
	return isCall(n, "SUMMARIZECOLUMNS", len(a)) && q.readSummary(a)
}

func (q *Query) readSummary(arguments []*dax.Node) bool {
	for len(arguments) > 0 {
		a := arguments[0]
		arguments = arguments[1:]
		switch a.Kind {
		case dax.TextNode:
			if len(arguments) == 0 || !q.measure(arguments[0]) {
				return false
			}
			arguments = arguments[1:]
		case dax.CallNode:
			f, ok := filter(a)
			if !ok {
				return false
			}
			q.Filters = append(q.Filters, f)
		default:
			f, ok := field(a)
			if !ok || f.Table == "" {
				return false
			}
			q.Groupings = append(q.Groupings, f)
		}
	}
	return len(q.Measures)+len(q.Groupings) > 0
}

// readRow reads a value for each measure. All of them must have the same filters.
func (q *Query) readRow(arguments []*dax.Node) bool {
	for pair := range slices.Chunk(arguments, 2) {
		if len(pair) < 2 || pair[0].Kind != dax.TextNode {
			return false
		}
		of, conditions := pair[1], []*dax.Node(nil)
		if of.Kind == dax.CallNode && of.Text == "CALCULATE" && len(of.Parts) > 0 {
			of, conditions = of.Parts[0], of.Parts[1:]
		}
		var filters []Filter
		for _, c := range conditions {
			f, ok := filter(c)
			if !ok {
				return false
			}
			filters = append(filters, f)
		}
		if len(q.Measures) == 0 {
			q.Filters = filters
		}
		if !q.measure(of) || !slices.EqualFunc(q.Filters, filters, equalFilters) {
			return false
		}
	}
	return len(q.Measures) > 0
}

func equalFilters(a, b Filter) bool {
	return a.Field == b.Field && a.Operator == b.Operator && a.Type == b.Type && slices.Equal(a.Values, b.Values)
}

func (q *Query) measure(n *dax.Node) bool {
	f, ok := field(n)
	q.Measures = append(q.Measures, Field{Name: f.Name})
	return ok
}

// field reads a measure, or a column with its table.
func field(n *dax.Node) (Field, bool) {
	return Field{n.Reference.Table, n.Reference.Name}, n.Kind == dax.ColumnNode
}

// value returns the measure whose values a column of the query holds.
func value(f Field) Field { return Field{f.Table, strings.TrimPrefix(f.Name, valuePrefix)} }

// filter reads all values of a column that meet a condition.
func filter(n *dax.Node) (f Filter, ok bool) {
	if !isCall(n, "FILTER", 2) || !isCall(n.Parts[0], "ALL", 1) {
		return f, false
	}
	column, ok := field(n.Parts[0].Parts[0])
	if !ok || column.Table == "" {
		return f, false
	}
	f, ok = readCondition(n.Parts[1])
	return f, ok && f.Field == column
}

func readCondition(n *dax.Node) (f Filter, ok bool) {
	if isCall(n, "CONTAINSSTRING", 2) {
		f.Field, ok = field(n.Parts[0])
		f.Operator, f.Values = Contains, []string{n.Parts[1].Text}
		return f, ok && n.Parts[1].Kind == dax.TextNode
	}
	if n.Kind != dax.OperationNode {
		return f, false
	}
	if n.Text == "&&" {
		return bounded(n.Parts[0], n.Parts[1])
	}
	f.Field, ok = field(n.Parts[0])
	f.Operator = n.Text
	to := n.Parts[1]
	switch day := dayBefore(to); {
	case !ok:
		return f, false
	case n.Text == "IN" && to.Kind == dax.ListNode:
		f.Operator = In
		return f, f.read(to.Parts...)
	case n.Text == Less && day != nil:
		f.Operator, to = LessOrEqual, day
	case n.Text == GreaterOrEqual && day != nil:
		f.Operator, to = Greater, day
	}
	return f, slices.Contains([]Operator{Equal, NotEqual, LessOrEqual, GreaterOrEqual, Less, Greater}, f.Operator) && f.read(to)
}

// bounded reads a condition with a lower and an upper bound: a period, days, or other values.
func bounded(lower, upper *dax.Node) (f Filter, ok bool) {
	if lower.Kind != dax.OperationNode || lower.Text != GreaterOrEqual || upper.Kind != dax.OperationNode {
		return f, false
	}
	f.Field, ok = field(lower.Parts[0])
	if again, also := field(upper.Parts[0]); !ok || !also || again != f.Field {
		return f, false
	}
	from, to := lower.Parts[1], upper.Parts[1]
	f.Operator = Between
	if upper.Text == LessOrEqual {
		return f, f.read(from, to) && f.Type != DateValue
	}
	if upper.Text != Less {
		return f, false
	}
	if p, ok := period(from, to); ok {
		f.Operator, f.Values = InPeriod, []string{p.String()}
		return f, true
	}
	last := dayBefore(to)
	if last == nil || !f.read(from, last) {
		return f, false
	}
	if f.Values[0] == f.Values[1] {
		f.Operator, f.Values = Equal, f.Values[:1]
	}
	return f, true
}

// dayBefore returns the day to which n adds one; nil if it does not.
func dayBefore(n *dax.Node) *dax.Node {
	if n.Kind == dax.OperationNode && n.Text == "+" && isCall(n.Parts[0], "DATE", 3) && n.Parts[1].Kind == dax.NumberNode && n.Parts[1].Text == "1" {
		return n.Parts[0]
	}
	return nil
}

// read reads the values of f, which must have one type.
func (f *Filter) read(all ...*dax.Node) bool {
	for i, n := range all {
		v, t, ok := literal(n)
		if !ok || i > 0 && t != f.Type {
			return false
		}
		f.Values, f.Type = append(f.Values, v), t
	}
	return len(f.Values) > 0
}

func literal(n *dax.Node) (v string, t ValueType, ok bool) {
	switch {
	case n.Kind == dax.TextNode:
		return n.Text, TextValue, true
	case isCall(n, "TRUE", 0), isCall(n, "FALSE", 0):
		return strings.ToLower(n.Text), BooleanValue, true
	case isCall(n, "DATE", 3):
		var parts [3]int
		for i, p := range n.Parts {
			parts[i], _ = strconv.Atoi(p.Text)
		}
		v = fmt.Sprintf("%04d-%02d-%02d", parts[0], parts[1], parts[2])
		_, ok = readDay(v)
		return v, DateValue, ok
	case n.Kind == dax.SignNode && n.Text == "-":
		v, n = "-", n.Parts[0]
	}
	v += n.Text
	return v, NumberValue, n.Kind == dax.NumberNode && number.MatchString(v)
}

// period reads a named period by its bounds.
func period(from, to *dax.Node) (Period, bool) {
	for _, u := range []Unit{Day, Week, Month, Quarter, Year} {
		all := []Period{This(u), Last(u), ToDate(u)}
		for _, n := range numbers(from) {
			if p, ok := LastUnits(n, u); ok && n > 1 {
				all = append(all, p)
			}
		}
		for _, p := range all {
			first, end := p.bounds()
			if is(from, first) && is(to, end) {
				return p, true
			}
		}
	}
	return Period{}, false
}

func numbers(n *dax.Node) (all []int) {
	if i, err := strconv.Atoi(n.Text); err == nil && n.Kind == dax.NumberNode {
		all = append(all, i)
	}
	for _, p := range n.Parts {
		all = append(all, numbers(p)...)
	}
	return all
}

// is reports whether n is what expression is.
func is(n *dax.Node, expression string) bool {
	other, ok := dax.Parse(expression)
	return ok && equal(n, other)
}

func equal(a, b *dax.Node) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Reference == b.Reference && slices.EqualFunc(a.Parts, b.Parts, equal)
}
