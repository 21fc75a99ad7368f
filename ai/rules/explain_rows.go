package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
)

// rows are the rows of a table expression.
type rows struct {
	row     *table
	columns []*field               // the columns of a row, if not those of row
	aliases map[string]explanation // columns that the expression adds
	counted string                 // what they are as something to count: "rows of Sales"
	over    string                 // what they are as something to iterate: "rows of Sales"
	where   []string
	all     string // the filters that do not count for which rows there are
	other   bool   // whether where depends on more than columns of the rows
}

// tail says of the rows of ALL which filters do not count for what is computed for each of them: none for their own columns; what else
// there is, filters other than on the rows reach.
func (r rows) tail(own bool) []string {
	switch {
	case r.all == "":
		return nil
	case own && !r.other:
		return []string{setAside + "filters"}
	}
	return []string{r.all}
}

// isOwn reports whether an expression is computed from columns of the current row alone.
func (e *explainer) isOwn(n *dax.Node) bool {
	own := true
	e.visit(n, func(n *dax.Node) {
		switch n.Kind {
		case dax.ColumnNode:
			c := e.column(n)
			own = own && c != nil && e.inRow(c)
		case dax.CallNode:
			own = own && n.Text != "CALCULATE" && aggregates[n.Text] == "" && iterators[n.Text] == "" && !strings.HasPrefix(n.Text, "COUNT")
		default:
		}
	})
	return own
}

// rowsOf returns the rows that a table expression has.
func (e *explainer) rowsOf(n *dax.Node) (rows, bool) {
	e = e.declare(n)
	if n.Kind == dax.NameNode && !n.Quoted {
		if v := e.lookUp(n.Text); v != nil {
			r, ok := v.in.rowsOf(v.value)
			return r, ok && v.in.level == e.level
		}
	}
	if t := e.table(n); t != nil {
		return rows{row: t, counted: "rows of " + t.src.Name, over: "rows of " + t.src.Name}, true
	}
	if n.Kind != dax.CallNode {
		return rows{}, false
	}
	switch n.Text {
	case "FILTER":
		return e.filteredRows(n)
	case "VALUES", "DISTINCT", "ALL", "ALLNOBLANKROW":
		return e.valueRows(n)
	case "SUMMARIZE", "SUMMARIZECOLUMNS", "ADDCOLUMNS":
		return e.groupedRows(n)
	}
	return rows{}, false
}

// each returns an explainer for what is computed for each of the rows.
func (e *explainer) each(r rows) *explainer {
	next := *e
	next.row, next.rowColumns, next.aliases, next.about = r.row, r.columns, r.aliases, r.row
	next.level++
	return &next
}

func (e *explainer) filteredRows(n *dax.Node) (rows, bool) {
	if len(n.Parts) != 2 {
		return rows{}, false
	}
	r, ok := e.rowsOf(n.Parts[0])
	if !ok || r.row == nil {
		return rows{}, false
	}
	text, ok := e.each(r).condition(n.Parts[1])
	if n.Parts[1].Kind == dax.OperationNode && n.Parts[1].Text == "||" {
		text = "(" + text + ")"
	}
	r.where = append(slices.Clip(r.where), text)
	r.other = r.other || !e.each(r).isOwn(n.Parts[1])
	return r, ok
}

// valueRows returns the different values of a column, or all rows of a table.
func (e *explainer) valueRows(n *dax.Node) (rows, bool) {
	if len(n.Parts) != 1 {
		return rows{}, false
	}
	all := n.Text == "ALL" || n.Text == "ALLNOBLANKROW"
	var r rows
	if t := e.table(n.Parts[0]); t != nil {
		r = rows{row: t, counted: "rows of " + t.src.Name, over: "rows of " + t.src.Name}
	} else if c := e.column(n.Parts[0]); c != nil {
		r = rows{row: c.table, columns: []*field{c}, counted: "different values of " + c.name + " in " + c.table.src.Name,
			over: "values of " + c.name + " of " + c.table.src.Name}
	} else {
		return rows{}, false
	}
	if all {
		r.all = setAside + "filters on " + expanded(r.row)
		if r.columns != nil {
			r.all = setAside + "filters on " + r.columns[0].name + " of " + r.row.src.Name
		}
	}
	return r, true
}

// groupedRows returns the combinations of columns that an expression groups by.
func (e *explainer) groupedRows(n *dax.Node) (rows, bool) {
	r := rows{aliases: map[string]explanation{}}
	parts := n.Parts
	if n.Text == "ADDCOLUMNS" {
		if len(parts) == 0 {
			return rows{}, false
		}
		of, ok := e.rowsOf(parts[0])
		if !ok || of.aliases != nil {
			return rows{}, false
		}
		of.aliases = r.aliases
		r, parts = of, parts[1:]
	}
	var of *table // whose rows are grouped
	if n.Text == "SUMMARIZE" {
		if len(parts) == 0 {
			return rows{}, false
		}
		if of = e.table(parts[0]); of == nil {
			return rows{}, false
		}
		parts = parts[1:]
	}
	var names []string
	for len(parts) > 0 && n.Text != "ADDCOLUMNS" {
		c := e.column(parts[0])
		if c == nil {
			break
		}
		names = append(names, c.name+" of "+c.table.src.Name)
		r.columns, parts = append(r.columns, c), parts[1:]
	}
	if n.Text != "ADDCOLUMNS" {
		if len(names) == 0 {
			return rows{}, false
		}
		r.over = "combinations of " + prose.List(names, 0)
		if len(names) == 1 {
			r.over = "values of " + names[0]
		}
		if of != nil && slices.ContainsFunc(r.columns, func(c *field) bool { return c.table != of }) {
			r.over += " that occur in " + of.src.Name
		}
		r.counted = strings.Replace(r.over, "combinations", "different combinations", 1)
		r.counted = strings.Replace(r.counted, "values", "different values", 1)
	}
	for len(parts) >= 2 && parts[0].Kind == dax.TextNode {
		s, ok := e.inner().value(parts[1])
		if !ok {
			return rows{}, false
		}
		r.aliases[strings.ToLower(parts[0].Text)] = s
		parts = parts[2:]
	}
	return r, len(parts) == 0
}

// rowCount returns COUNTROWS.
func (e *explainer) rowCount(n *dax.Node) (explanation, bool) {
	if len(n.Parts) > 1 {
		return explanation{}, false
	}
	if len(n.Parts) == 0 {
		if e.row != nil || !prose.Mentionable(e.home.src.Name) {
			return explanation{}, false
		}
		return explanation{text: "number of rows of " + e.home.src.Name, the: true, about: e.home, of: "number"}, true
	}
	if t := n.Parts[0]; t.Kind == dax.CallNode && t.Text == "RELATEDTABLE" && len(t.Parts) == 1 && e.row != nil {
		of := e.table(t.Parts[0])
		if of == nil {
			return explanation{}, false
		}
		return explanation{text: "number of rows of " + of.src.Name + " that belong to the row", the: true, compound: true}, true
	}
	r, ok := e.rowsOf(n.Parts[0])
	of := "number"
	if strings.HasPrefix(r.counted, "different") {
		of = "different"
	}
	return explanation{text: "number of " + r.counted, the: true, about: r.row, of: of, where: r.where, tail: r.tail(true)}, ok
}

// iterate returns SUMX and the other iterators.
func (e *explainer) iterate(n *dax.Node) (explanation, bool) {
	if len(n.Parts) != 2 {
		return explanation{}, false
	}
	r, ok := e.rowsOf(n.Parts[0])
	if !ok {
		return explanation{}, false
	}
	if n.Text == "SUMX" {
		if s, ok := e.each(r).countedRows(n.Parts[1], r); ok {
			return s, true
		}
	}
	s, ok := e.each(r).value(n.Parts[1])
	if !ok || s.constant {
		return explanation{}, false
	}
	tail := r.tail(e.each(r).isOwn(n.Parts[1]))
	if n.Text == "COUNTX" {
		return explanation{
			text: "number of " + r.counted + " with a value of " + s.operand(false), the: true, about: r.row, where: r.where,
			tail: tail,
		}, true
	}
	if n.Text == "AVERAGEX" && len(r.columns) > 0 && n.Parts[1].Kind == dax.ColumnNode && strings.HasPrefix(s.text, "[") {
		tail = append(slices.Clip(tail), "not counting those where it is empty")
	}
	return explanation{
		text: iterators[n.Text] + " " + s.operand(true) + " over the " + r.over, the: true, about: r.row, where: r.where, tail: tail,
	}, true
}

// rank returns RANKX over the values of a column or the rows of a table.
func (e *explainer) rank(n *dax.Node) (explanation, bool) {
	if len(n.Parts) < 2 || len(n.Parts) > 5 || len(n.Parts) > 2 && n.Parts[2].Kind != dax.OmittedNode && !isBlank(n.Parts[2]) {
		return explanation{}, false
	}
	among := *n.Parts[0]
	all := among.Kind == dax.CallNode && among.Text == "ALL"
	if among.Kind == dax.CallNode && among.Text == "ALLSELECTED" {
		among.Text = "VALUES"
	}
	r, ok := e.rowsOf(&among)
	if !ok || len(r.where) > 0 {
		return explanation{}, false
	}
	order := "highest first"
	if len(n.Parts) > 3 && n.Parts[3].Kind != dax.OmittedNode {
		switch by := strings.ToUpper(n.Parts[3].Text); by {
		case "ASC", "1":
			order = "lowest first"
		case "DESC", "0":
		default:
			return explanation{}, false
		}
	}
	s, ok := e.each(r).value(n.Parts[1])
	which := " among the "
	if all {
		which = " among all "
	}
	return explanation{text: "rank by " + s.operand(false) + which + r.over, the: true, compound: true, tail: []string{order}}, ok
}

// countedRows returns SUMX(rows, 1) and SUMX(rows, IF(condition, 1, 0)).
func (e *explainer) countedRows(n *dax.Node, r rows) (explanation, bool) {
	s := explanation{text: "number of " + r.counted, the: true, about: r.row, where: slices.Clip(r.where), tail: r.tail(n.Kind != dax.CallNode || e.isOwn(n))}
	if isNumber(n, "1") {
		return s, true
	}
	if n.Kind != dax.CallNode || n.Text != "IF" || len(n.Parts) < 2 || !isNumber(n.Parts[1], "1") ||
		len(n.Parts) == 3 && !isNumber(n.Parts[2], "0") && !isBlank(n.Parts[2]) {
		return explanation{}, false
	}
	text, ok := e.condition(n.Parts[0])
	s.where = append(s.where, text)
	return s, ok
}

// ofRelated follows the name of a column that a row takes from another table.
const ofRelated = " of the related "

// related returns a column of the row that the current one belongs to.
func (e *explainer) related(n *dax.Node) (explanation, bool) {
	if len(n.Parts) != 1 || e.row == nil {
		return explanation{}, false
	}
	c := e.column(n.Parts[0])
	if c == nil {
		return explanation{}, false
	}
	return explanation{text: c.name + ofRelated + c.table.src.Name + " row", the: true}, true
}

// dateParts are the functions that take a part of a date, with what they yield.
var dateParts = map[string][2]string{
	"YEAR": {"year", ""}, "QUARTER": {"quarter", "from 1 to 4"}, "MONTH": {"month", "from 1 to 12"},
	"DAY":  {"day of the month", "from 1 to 31"},
	"HOUR": {"hour", "from 0 to 23"},
}

// isDatePart reports whether a phrase is the number of a part of a date.
func isDatePart(s explanation) bool {
	for _, part := range dateParts {
		if strings.HasPrefix(s.text, part[0]+" of ") {
			return true
		}
	}
	return false
}

// weekdays are the kinds of numbers that WEEKDAY yields.
var weekdays = map[string]string{
	"": "from 1 for Sunday to 7", "1": "from 1 for Sunday to 7", "2": "from 1 for Monday to 7", "3": "from 0 for Monday to 6",
}

// datePart returns a part of a date in the row: its number, or its text in a format.
func (e *explainer) datePart(n *dax.Node) (explanation, bool) {
	if len(n.Parts) < 1 || len(n.Parts) > 2 || e.row == nil {
		return explanation{}, false
	}
	c := e.column(n.Parts[0])
	if c == nil || !e.inRow(c) {
		return explanation{}, false
	}
	of := " of " + e.columnName(c)
	switch {
	case n.Text == "FORMAT":
		if len(n.Parts) != 2 || n.Parts[1].Kind != dax.TextNode || !c.isDay() {
			return explanation{}, false
		}
		example := formatted(n.Parts[1].Text)
		return explanation{text: e.columnName(c) + asText + example, compound: true}, example != ""
	case n.Text == "WEEKDAY":
		kind := ""
		if len(n.Parts) == 2 {
			kind = n.Parts[1].Text
		}
		return explanation{text: "weekday" + of, the: true, tail: []string{weekdays[kind]}}, weekdays[kind] != ""
	case len(n.Parts) == 1:
		part := dateParts[n.Text]
		s := explanation{text: part[0] + of, the: true}
		if part[1] != "" {
			s.tail = []string{part[1]}
		}
		return s, true
	}
	return explanation{}, false
}

// asText is between a date and an example of how a format shows it.
const asText = ` as text, such as `

// formatted returns how a format of dates shows the 9th of February 2026, a Monday, in quotation marks; "" for a format
// with other signs.
func formatted(format string) string {
	parts := []struct{ code, shown string }{
		{"yyyy", "2026"}, {"yy", "26"}, {"MMMM", "February"}, {"mmmm", "February"}, {"MMM", "Feb"}, {"mmm", "Feb"}, {"MM", "02"},
		{"mm", "02"}, {"M", "2"}, {"m", "2"}, {"dddd", "Monday"}, {"ddd", "Mon"}, {"dd", "09"}, {"d", "9"}, {"YYYY", "2026"}, {"YY", "26"},
		{"q", "1"}, {"Q", "1"},
	}
	var b strings.Builder
	for rest := format; rest != ""; {
		i := slices.IndexFunc(parts, func(p struct{ code, shown string }) bool { return strings.HasPrefix(rest, p.code) })
		switch {
		case i >= 0:
			b.WriteString(parts[i].shown)
			rest = rest[len(parts[i].code):]
		case strings.ContainsRune(" -/.,()", rune(rest[0])):
			b.WriteByte(rest[0])
			rest = rest[1:]
		case strings.HasPrefix(rest, `\`) && len(rest) > 1 && rest[1] < 0x80:
			b.WriteByte(rest[1])
			rest = rest[2:]
		default:
			return ""
		}
	}
	if b.String() == format {
		return ""
	}
	return quote(b.String())
}
