package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
)

// setAside begins the clause that names the filters that do not count.
const setAside = "regardless of "

// calculate returns CALCULATE: a value with conditions, a period, and filters that are set aside.
func (e *explainer) calculate(n *dax.Node) (explanation, bool) {
	if len(n.Parts) == 0 || e.unselected { // in a calculated column, the row becomes a filter
		return explanation{}, false
	}
	of := e
	if len(n.Parts) > 1 {
		of = e.inner()
	}
	s, ok := of.value(n.Parts[0])
	if !ok {
		return explanation{}, false
	}
	s.outer, s.filtered, s.dated, s.reaching = append(slices.Clip(s.outer), s.filtered...), nil, nil, nil
	if s.compound || len(s.tail) > 0 {
		s = explanation{text: s.operand(false), about: s.about, outer: e.columnsWithin(n.Parts[0])}
	}
	for _, filter := range n.Parts[1:] {
		if !e.filter(filter, &s) {
			return explanation{}, false
		}
	}
	return s.dropReplaced(), e.holds(n, s)
}

// dropReplaced leaves out that filters on a calendar are set aside where a period of it takes their place.
func (s explanation) dropReplaced() explanation {
	s.tail = slices.DeleteFunc(slices.Clone(s.tail), func(text string) bool {
		return slices.ContainsFunc(s.dated, func(c *field) bool { return text == setAside+"filters on "+c.table.src.Name })
	})
	return s
}

// filter adds a filter argument to a value.
func (e *explainer) filter(n *dax.Node, s *explanation) bool {
	if n.Kind == dax.NameNode && !n.Quoted {
		v := e.lookUp(n.Text)
		return v != nil && v.in.level == e.level && v.value.Kind == dax.CallNode && v.in.filter(v.value, s)
	}
	if n.Variables != nil {
		return false
	}
	if n.Kind == dax.CallNode {
		switch n.Text {
		case "KEEPFILTERS":
			tail := s.tail
			ok := len(n.Parts) == 1 && e.filter(n.Parts[0], s)
			s.tail = tail // nothing is set aside
			return ok
		case "ALL", "REMOVEFILTERS", "ALLNOBLANKROW", "ALLSELECTED", "ALLEXCEPT":
			text, ok := e.cleared(n)
			s.tail = append(slices.Clip(s.tail), text)
			return ok
		case "USERELATIONSHIP":
			return e.otherRelationship(n, s)
		case "FILTER":
			return e.filterTable(n, s)
		}
		if when, ok := e.period(n); ok {
			c := e.column(n.Parts[0])
			if n.Text != "LASTDATE" && n.Text != "FIRSTDATE" {
				s.dated = append(slices.Clip(s.dated), c)
			}
			s.reaching = append(slices.Clip(s.reaching), c)
			return s.at(when)
		}
	}
	return e.predicate(n, s)
}

// at sets the period of a value that has none.
func (s *explanation) at(when string) bool {
	if s.when != "" {
		return false
	}
	s.when = when
	return true
}

// predicate adds a condition on columns.
func (e *explainer) predicate(n *dax.Node, s *explanation) bool {
	if when, ok := e.runningTotal(n); ok {
		s.reaching = append(slices.Clip(s.reaching), e.column(n.Parts[0]))
		return s.at(when)
	}
	return e.filtering(s.about, nil).conditionOn(n, s)
}

// limit adds a condition on columns. It is false for one without columns, and for one on a column that
// a filter within the value replaces.
func (s *explanation) limit(n *dax.Node, text string, columns []*field) bool {
	if len(columns) == 0 || slices.ContainsFunc(columns, func(x *field) bool { return slices.Contains(s.outer, x) }) {
		return false
	}
	if c := s.counts; c != nil && len(columns) == 1 && columns[0] == c && strings.HasPrefix(text, c.name+` is "`) {
		s.text = strings.TrimSuffix(s.text, withValue+c.name) // such rows have one
	}
	if n.Kind == dax.OperationNode && n.Text == "||" {
		text = "(" + text + ")"
	}
	s.where, s.filtered = append(slices.Clip(s.where), text), append(slices.Clip(s.filtered), columns...)
	s.reaching = append(slices.Clip(s.reaching), columns...)
	return true
}

// excludes reports whether a condition says which values do not count, and not which do.
func excludes(n *dax.Node) bool {
	if n.Kind == dax.OperationNode && (n.Text == "&&" || n.Text == "||") {
		return slices.ContainsFunc(n.Parts, excludes)
	}
	return n.Kind == dax.OperationNode && slices.Contains([]string{"<", ">", "<=", ">=", "<>"}, n.Text)
}

// columnsWithin returns all columns that an expression names.
func (e *explainer) columnsWithin(n *dax.Node) (all []*field) {
	for _, v := range n.Variables {
		all = append(all, e.columnsWithin(v.Value)...)
	}
	if c := e.column(n); c != nil {
		all = append(all, c)
	}
	for _, p := range n.Parts {
		all = append(all, e.columnsWithin(p)...)
	}
	return all
}

// filtering returns an explainer for conditions on the rows of a table, or of any table if row is nil.
func (e *explainer) filtering(about, row *table) *explainer {
	next := *e
	next.about, next.row, next.rowColumns, next.aliases = about, row, nil, nil
	next.level++
	return &next
}

// columnsIn returns the columns on the left sides of the conditions of a predicate.
func columnsIn(e *explainer, n *dax.Node) (all []*field) {
	switch {
	case n.Kind == dax.OperationNode && (n.Text == "&&" || n.Text == "||"), n.Kind == dax.SignNode:
		for _, p := range n.Parts {
			all = append(all, columnsIn(e, p)...)
		}
	case len(n.Parts) > 0 && n.Kind != dax.ColumnNode:
		return columnsIn(e, n.Parts[0])
	default:
		if c := e.column(n); c != nil {
			all = append(all, c)
		}
	}
	return all
}

// cleared says which filters a modifier sets aside.
func (e *explainer) cleared(n *dax.Node) (string, bool) {
	if n.Text == "ALLEXCEPT" {
		return e.clearedExcept(n)
	}
	if len(n.Parts) == 0 {
		if n.Text == "ALLSELECTED" {
			return "for everything that is selected in the report", true
		}
		return setAside + "all filters", n.Text != "ALLNOBLANKROW"
	}
	if t := e.table(n.Parts[0]); t != nil && len(n.Parts) == 1 {
		if n.Text == "ALLSELECTED" {
			return "for all rows of " + t.src.Name + " selected in the report", true
		}
		return setAside + "filters on " + expanded(t), true
	}
	var names []string
	var of *table
	for _, p := range n.Parts {
		c := e.column(p)
		if c == nil || of != nil && c.table != of {
			return "", false
		}
		of = c.table
		names = append(names, c.name)
	}
	columns := prose.List(names, 0) + " of " + of.src.Name
	if n.Text == "ALLSELECTED" {
		return "for all values of " + columns + " selected in the report", true
	}
	return setAside + "filters on " + columns, true
}

func (e *explainer) clearedExcept(n *dax.Node) (string, bool) {
	if len(n.Parts) < 2 {
		return "", false
	}
	t := e.table(n.Parts[0])
	if t == nil {
		return "", false
	}
	var names []string
	for _, p := range n.Parts[1:] {
		c := e.column(p)
		if c == nil || c.table != t {
			return "", false
		}
		names = append(names, c.name)
	}
	return setAside + "filters on " + expanded(t) + " other than those on " + prose.List(names, 0), true
}

// mostExpanded is how many tables of an expanded table a text names.
const mostExpanded = 4

// expanded names the tables whose filters ALL and the like set aside with those of a table: itself, and what it refers to along
// relationships to their one side.
func expanded(t *table) string {
	names := []string{t.src.Name}
	for _, other := range t.reached() {
		names = append(names, other.src.Name)
	}
	if shown := prose.Mentions(names); len(shown) == len(names) && len(names) <= mostExpanded {
		return prose.List(names, 0)
	}
	return t.src.Name + " and on all tables that it refers to"
}

// table returns the table that a node names.
func (e *explainer) table(n *dax.Node) *table {
	if n.Kind != dax.NameNode || !n.Quoted && e.lookUp(n.Text) != nil {
		return nil
	}
	t := e.named[strings.ToLower(n.Text)]
	if t == nil || !prose.Mentionable(t.src.Name) {
		return nil
	}
	return t
}

// otherRelationship adds an inactive relationship that is used in place of the active one.
func (e *explainer) otherRelationship(n *dax.Node, s *explanation) bool {
	if len(n.Parts) != 2 {
		return false
	}
	a, b := e.column(n.Parts[0]), e.column(n.Parts[1])
	if a == nil || b == nil {
		return false
	}
	if a.table.role == dateTable {
		a, b = b, a
	}
	if b.table.role == dateTable && a.table.role != dateTable {
		s.tail = append(slices.Clip(s.tail), "dated by "+a.name+" of "+a.table.src.Name)
		return true
	}
	if !a.manySide {
		a, b = b, a
	}
	by := a.name
	if a.table != s.about {
		by += " of " + a.table.src.Name
	}
	s.tail = append(slices.Clip(s.tail), "joined to "+b.table.src.Name+" by "+by)
	return true
}

// filterTable adds FILTER over a table, or over the values of columns.
func (e *explainer) filterTable(n *dax.Node, s *explanation) bool {
	if len(n.Parts) != 2 {
		return false
	}
	over, condition := n.Parts[0], n.Parts[1]
	if when, ok := e.runningTotal(condition); ok {
		if over.Kind != dax.CallNode || over.Text != "ALL" && over.Text != "ALLSELECTED" {
			return false
		}
		if over.Text == "ALLSELECTED" {
			when += " within the dates selected in the report"
		}
		s.reaching = append(slices.Clip(s.reaching), e.column(condition.Parts[0]))
		return s.at(when)
	}
	if t := e.table(over); t != nil {
		return e.filtering(s.about, t).conditionOn(condition, s)
	}
	if over.Kind != dax.CallNode || over.Text != "ALL" && over.Text != "VALUES" && over.Text != "DISTINCT" || len(over.Parts) == 0 {
		return false
	}
	if t := e.table(over.Parts[0]); t != nil && len(over.Parts) == 1 {
		if !e.filtering(s.about, t).conditionOn(condition, s) {
			return false
		}
		if over.Text == "ALL" {
			s.tail = append(slices.Clip(s.tail), setAside+"other filters on "+expanded(t))
		}
		return true
	}
	in := e.filtering(s.about, nil)
	for _, p := range over.Parts {
		c := e.column(p)
		if c == nil {
			return false
		}
		in.row, in.rowColumns = c.table, append(in.rowColumns, c)
	}
	if !in.conditionOn(condition, s) {
		return false
	}
	if over.Text == "ALL" && excludes(condition) && len(over.Parts) == 1 { // "month is more than 0" alone sounds like nothing
		s.tail = append(slices.Clip(s.tail), setAside+"other filters on "+in.filtering(s.about, nil).columnName(in.rowColumns[0]))
	}
	return true
}

// conditionOn adds a condition on rows.
func (e *explainer) conditionOn(n *dax.Node, s *explanation) bool {
	text, ok := e.condition(n)
	return ok && s.limit(n, text, columnsIn(e, n))
}

// runningTotal reads a condition that a date is at most the latest one selected.
func (e *explainer) runningTotal(n *dax.Node) (string, bool) {
	if n.Kind != dax.OperationNode || n.Text != "<=" {
		return "", false
	}
	c := e.column(n.Parts[0])
	limit := n.Parts[1]
	if limit.Kind == dax.NameNode && !limit.Quoted {
		v := e.lookUp(limit.Text)
		if v == nil || v.in.level > e.level {
			return "", false
		}
		limit = v.value
	}
	if c == nil || !c.isDay() || limit.Kind != dax.CallNode || limit.Text != "MAX" && limit.Text != "LASTDATE" || len(limit.Parts) != 1 ||
		e.column(limit.Parts[0]) != c {
		return "", false
	}
	return "accumulated up to the latest " + c.name + " selected", true
}
