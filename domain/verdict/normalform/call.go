package normalform

import (
	"slices"
	"strings"
	"time"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// Functions of a column that aggregate it, and the iterators that do the same with an expression.
var (
	aggregating = strings.Fields("SUM AVERAGE MIN MAX COUNT COUNTA COUNTBLANK DISTINCTCOUNT DISTINCTCOUNTNOBLANK MEDIAN PRODUCT " +
		"AVERAGEA MINA MAXA STDEV.P STDEV.S VAR.P VAR.S")
	iterating = strings.Fields("SUMX AVERAGEX MINX MAXX COUNTX COUNTAX MEDIANX PRODUCTX")
	// plain are functions of scalars whose value depends on their arguments alone.
	plain = strings.Fields("DIVIDE ABS ROUND ROUNDUP ROUNDDOWN INT TRUNC MOD POWER SQRT EXP LN LOG LOG10 SIGN IF SWITCH COALESCE " +
		"ISBLANK AND OR NOT FORMAT CONCATENATE LEFT RIGHT MID UPPER LOWER TRIM LEN YEAR MONTH DAY QUARTER WEEKDAY WEEKNUM DATEDIFF " +
		"VALUE CURRENCY IFERROR CEILING FLOOR MIN MAX DATE EOMONTH EDATE")
)

// call reads a call of a function that returns a scalar.
func (r *reader) call(n *dax.Node, in scope) (*value, error) {
	switch name := n.Text; {
	case (name == "TRUE" || name == "FALSE") && len(n.Parts) == 0:
		return truth(name == "TRUE"), nil
	case name == "BLANK" && len(n.Parts) == 0:
		return &value{op: "blank"}, nil
	case name == "TODAY" && len(n.Parts) == 0:
		return numberOf(serial(r.today.Year(), int(r.today.Month()), r.today.Day())), nil
	case slices.Contains(aggregating, name) && len(n.Parts) == 1:
		return r.aggregation(n, in)
	case name == "COUNTROWS" && len(n.Parts) == 1:
		return r.counted(n, in)
	case slices.Contains(iterating, name) && len(n.Parts) == 2:
		return r.iteration(n, in)
	case name == "CALCULATE" && len(n.Parts) > 0:
		at, err := r.applied(n.Parts[1:], in)
		if err != nil {
			return nil, err
		}
		return r.scalar(n.Parts[0], scope{at: at, vars: in.vars, level: in.level})
	case len(name) == 8 && strings.HasPrefix(name, "TOTAL") && strings.HasSuffix(name, "TD") && len(n.Parts) >= 2:
		return r.total(n, in)
	case name == "RELATED" && len(n.Parts) == 1 && n.Parts[0].Kind == dax.ColumnNode:
		c := r.column(n.Parts[0].Reference, in)
		for row := in.row; row != nil && c != nil; row = row.outer {
			if row.table != nil && slices.Contains(r.model.finds(row.table), c.table) {
				return &value{op: "column", text: c.String()}, nil
			}
		}
		return nil, r.fail(n, "%s is not found from the row", shown(n.Parts[0].Reference))
	case name == "SELECTEDVALUE", name == "HASONEVALUE", name == "ISINSCOPE", name == "ISFILTERED":
		return nil, r.fail(n, "%s depends on how many values are selected", name)
	case slices.Contains(plain, name):
		return r.plain(n, in)
	}
	return nil, r.fail(n, "the function %s is not read", n.Text)
}

// plain reads a function of scalars, and computes those of dates.
func (r *reader) plain(n *dax.Node, in scope) (*value, error) {
	v := &value{op: n.Text}
	for _, p := range n.Parts {
		if p.Kind == dax.OmittedNode {
			return nil, r.fail(p, "an argument of %s is left out", n.Text)
		}
		a, err := r.scalar(p, in)
		if err != nil {
			return nil, err
		}
		v.args = append(v.args, a)
	}
	if x, ok := dated(v); ok {
		return numberOf(x), nil
	}
	return v, nil
}

// dated computes a function of constant days and numbers.
func dated(v *value) (float64, bool) {
	var n []int
	for _, a := range v.args {
		if a.op != "number" || a.number != float64(int(a.number)) || a.number < -1e6 || 1e6 < a.number {
			return 0, false
		}
		n = append(n, int(a.number))
	}
	day := func(i int) time.Time { return dayOf(float64(n[i])) }
	switch {
	case v.op == "DATE" && len(n) == 3 && 1900 <= n[0] && n[0] <= 9999:
		return serial(n[0], n[1], n[2]), true
	case v.op == "YEAR" && len(n) == 1:
		return float64(day(0).Year()), true
	case v.op == "MONTH" && len(n) == 1:
		return float64(day(0).Month()), true
	case v.op == "DAY" && len(n) == 1:
		return float64(day(0).Day()), true
	case v.op == "QUARTER" && len(n) == 1:
		return float64((day(0).Month() + 2) / 3), true
	case v.op == "WEEKDAY" && len(n) == 2 && n[1] == 2:
		return float64((int(day(0).Weekday())+6)%7 + 1), true
	case v.op == "EOMONTH" && len(n) == 2:
		return serial(day(0).Year(), int(day(0).Month())+n[1]+1, 0), true
	case v.op == "EDATE" && len(n) == 2:
		last := dayOf(serial(day(0).Year(), int(day(0).Month())+n[1]+1, 0))
		return serial(last.Year(), int(last.Month()), min(day(0).Day(), last.Day())), true
	}
	return 0, false
}

// aggregate returns an aggregation in the filter context of the scope.
func (r *reader) aggregate(n *dax.Node, text string, over *table, of *column, in scope) (*value, error) {
	r.refers = true
	at := in.at
	alone := in.level < r.level
	for row := in.row; row != nil; row = row.outer {
		alone = alone || row.query && !row.grouped
	}
	if alone {
		at = at.copied()
		at.alone = true
	}
	for _, t := range at.of {
		if t != over && !slices.Contains(r.model.finds(over), t) {
			return nil, r.fail(n, "a filter by rows of '%s' reaches '%s' in a way that is not read", t.name, over.name)
		}
	}
	return &value{op: "aggregation", text: text, over: over, column: of, at: at}, nil
}

// finds returns the tables that a table finds along relationships, many to one.
func (m *Model) finds(from *table) []*table {
	var all []*table
	for one, many := range m.ends {
		for _, c := range many {
			if c.table == from && !slices.Contains(all, one.table) && one.table != from {
				all = append(all, one.table)
			}
		}
	}
	for i := 0; i < len(all); i++ {
		for one, many := range m.ends {
			found := slices.ContainsFunc(many, func(c *column) bool { return c.table == all[i] })
			if found && !slices.Contains(all, one.table) && one.table != from {
				all = append(all, one.table)
			}
		}
	}
	return all
}

func (r *reader) aggregation(n *dax.Node, in scope) (*value, error) {
	p := n.Parts[0]
	if p.Kind != dax.ColumnNode || len(p.Variables) > 0 {
		return nil, r.fail(p, "%s is read of a column only", n.Text)
	}
	c := r.column(p.Reference, in)
	if c == nil {
		return nil, r.fail(p, "the model has no column %s", shown(p.Reference))
	}
	return r.aggregate(n, n.Text+" "+c.String(), c.table, c, in)
}

// counted reads COUNTROWS of a table, or of the values of a column.
func (r *reader) counted(n *dax.Node, in scope) (*value, error) {
	p := n.Parts[0]
	if p.Kind == dax.CallNode && (p.Text == "VALUES" || p.Text == "DISTINCT") && len(p.Parts) == 1 && p.Parts[0].Kind == dax.ColumnNode {
		c := r.column(p.Parts[0].Reference, in)
		if c == nil {
			return nil, r.fail(p, "the model has no column %s", shown(p.Parts[0].Reference))
		}
		if p.Text == "DISTINCT" { // the same, by https://dax.guide/distinctcount/
			return r.aggregate(n, "DISTINCTCOUNT "+c.String(), c.table, c, in)
		}
		return r.aggregate(n, "COUNTROWS "+p.Text+" "+c.String(), c.table, c, in)
	}
	t, at, err := r.rows(p, in)
	if err != nil {
		return nil, err
	}
	in.at = at
	return r.aggregate(n, "COUNTROWS '"+spelling.Fold(t.name)+"'", t, nil, in)
}

// iteration reads an iterator over a table, or over the values of a column.
func (r *reader) iteration(n *dax.Node, in scope) (*value, error) {
	p := n.Parts[0]
	inner := &row{outer: in.row}
	var over *table
	var text string
	at := in.at
	if p.Kind == dax.CallNode && (p.Text == "VALUES" || p.Text == "DISTINCT") && len(p.Parts) == 1 && p.Parts[0].Kind == dax.ColumnNode {
		c := r.column(p.Parts[0].Reference, in)
		if c == nil {
			return nil, r.fail(p, "the model has no column %s", shown(p.Parts[0].Reference))
		}
		inner.columns, over, text = []*column{c}, c.table, p.Text+" "+c.String()
	} else {
		t, filtered, err := r.rows(p, in)
		if err != nil {
			return nil, err
		}
		inner.table, over, at, text = t, t, filtered, "'"+spelling.Fold(t.name)+"'"
	}
	body, err := r.scalar(n.Parts[1], scope{at: in.at, row: inner, vars: in.vars, level: in.level})
	if err != nil {
		return nil, err
	}
	in.at = at
	simple := strings.TrimSuffix(n.Text, "X")
	if c := over.named(body); c != nil && inner.table != nil && slices.Contains([]string{"SUM", "AVERAGE", "MIN", "MAX"}, simple) {
		return r.aggregate(n, simple+" "+c.String(), over, c, in)
	}
	return r.aggregate(n, n.Text+" "+text+" "+body.key(r.groups), over, nil, in)
}

// named returns the table's column that the value is, or nil.
func (t *table) named(v *value) *column {
	if v.op == "column" {
		for _, c := range t.columns {
			if c.String() == v.text {
				return c
			}
		}
	}
	return nil
}

// rows reads a table of the model, or the rows of it that meet a condition, which limits the filter context.
func (r *reader) rows(n *dax.Node, in scope) (*table, *place, error) {
	n, in = resolved(n, in)
	switch {
	case n.Kind == dax.NameNode:
		if t := r.model.tables[spelling.Fold(n.Text)]; t != nil {
			return t, in.at, nil
		}
	case n.Kind == dax.CallNode && n.Text == "FILTER" && len(n.Parts) == 2:
		t, at, err := r.rows(n.Parts[0], in)
		if err != nil {
			return nil, nil, err
		}
		limits, err := r.condition(n.Parts[1], scope{at: at, row: &row{table: t}, vars: in.vars})
		if err != nil {
			return nil, nil, err
		}
		at = at.copied()
		for _, l := range limits {
			if l.column.table != t {
				return nil, nil, r.fail(n, "a condition on another table than '%s' is not read", t.name)
			}
			at.limit(l.column, l.set)
		}
		return t, at, nil
	}
	return nil, nil, r.fail(n, "rows are read of a table, or of FILTER over one")
}

// resolved follows variables to the table that they were declared as.
func resolved(n *dax.Node, in scope) (*dax.Node, scope) {
	for range mostNested {
		in = declare(n, in)
		v := in.vars.find(spelling.Fold(n.Text))
		if n.Kind != dax.NameNode || n.Quoted || v == nil {
			break
		}
		n, in = v.tree, v.in
	}
	return n, in
}

// total reads TOTALYTD and its like: CALCULATE with DATESYTD.
func (r *reader) total(n *dax.Node, in scope) (*value, error) {
	dates := &dax.Node{Kind: dax.CallNode, Text: "DATES" + n.Text[5:], Parts: n.Parts[1:2], At: n.At}
	filters := []*dax.Node{dates}
	for _, p := range n.Parts[2:] {
		if p.Kind == dax.TextNode {
			dates.Parts = append(dates.Parts, p)
			continue
		}
		filters = append(filters, p)
	}
	at, err := r.applied(filters, in)
	if err != nil {
		return nil, err
	}
	return r.scalar(n.Parts[0], scope{at: at, vars: in.vars, level: in.level})
}
