package evaluate

import (
	"maps"
	"math"

	"readiness/definition/dax"
)

// aggregate folds values into one.
type aggregate struct {
	kind    string // the function without its X
	rows    int    // values added, BLANK or not
	count   int    // those that are not BLANK
	sum, c  float64
	best    Value
	present bool
}

// add adds a value. The sum is compensated, so that it hardly depends on the order.
func (a *aggregate) add(s *session, n *dax.Node, v Value) {
	a.rows++
	if v.isBlank() {
		return
	}
	a.count++
	switch a.kind {
	case "SUM", "AVERAGE":
		if v.kind != Number {
			s.refuse(n, "%s of values that are not numbers", n.Text)
		}
		t := a.sum + v.number
		if math.Abs(a.sum) >= math.Abs(v.number) {
			a.c += a.sum - t + v.number
		} else {
			a.c += v.number - t + a.sum
		}
		a.sum = t
	case "MIN", "MAX":
		if v.kind == Boolean || v.kind == Text && !v.sortsPlainly() || a.present && v.kind != a.best.kind {
			s.refuse(n, "%s of truth values, of different types, or of texts whose order depends on the language", n.Text)
		}
		if order := v.compare(a.best); !a.present || (order < 0) == (a.kind == "MIN") && order != 0 {
			a.best, a.present = v, true
		}
	case "COUNT":
		if v.kind == Boolean {
			s.refuse(n, "%s of truth values", n.Text)
		}
	}
}

// result returns the aggregate; without values it is BLANK.
func (a *aggregate) result(s *session, n *dax.Node) Value {
	switch a.kind {
	case "COUNTBLANK":
		if a.rows > 0 {
			return OfNumber(float64(a.rows - a.count))
		}
		return Value{}
	case "COUNT", "COUNTA":
		if a.rows > 0 && a.count == 0 {
			s.refuse(n, "%s of rows that are all BLANK", n.Text)
		}
	}
	if a.count == 0 {
		return Value{}
	}
	switch a.kind {
	case "SUM":
		return OfNumber(a.sum + a.c)
	case "AVERAGE":
		return OfNumber((a.sum + a.c) / float64(a.count))
	case "MIN", "MAX":
		return a.best
	}
	return OfNumber(float64(a.count))
}

// aggregates returns SUM(column), SUMX(table, expression) and the like.
func aggregates() map[string]scalarFunction {
	all := map[string]scalarFunction{
		"COUNTROWS":            {call: (*session).countRows, least: 0, most: 1},
		"DISTINCTCOUNT":        {call: (*session).distinctCount, least: 1, most: 1},
		"DISTINCTCOUNTNOBLANK": {call: (*session).distinctCount, least: 1, most: 1},
	}
	for _, kind := range []string{"SUM", "AVERAGE", "MIN", "MAX", "COUNT", "COUNTA", "COUNTBLANK"} {
		all[kind] = scalarFunction{least: 1, most: 1, call: func(s *session, sc scope, n *dax.Node) Value {
			return s.aggregate(sc, n, kind)
		}}
		if kind != "COUNTBLANK" {
			all[kind+"X"] = scalarFunction{least: 2, most: 2, call: func(s *session, sc scope, n *dax.Node) Value {
				return s.iterate(sc, n, kind)
			}}
		}
	}
	maps.Copy(all, map[string]scalarFunction{
		"MIN": {least: 1, most: 2, call: func(s *session, sc scope, n *dax.Node) Value { return s.extreme(sc, n, "MIN") }},
		"MAX": {least: 1, most: 2, call: func(s *session, sc scope, n *dax.Node) Value { return s.extreme(sc, n, "MAX") }},
	})
	return all
}

// aggregate aggregates a column over the rows that the context shows.
func (s *session) aggregate(sc scope, n *dax.Node, kind string) Value {
	c := s.columnOf(s.qualified(sc, n.Parts[0]))
	rows := s.shown(sc.context, c.table, n).rows
	s.spend(n, len(rows))
	a := aggregate{kind: kind}
	for _, row := range rows {
		a.add(s, n, c.values[c.codes[row]])
	}
	return a.result(s, n)
}

// qualified returns a column's name with the table of the current row, where it is
// written without.
func (s *session) qualified(sc scope, n *dax.Node) *dax.Node {
	if n.Kind != dax.ColumnNode || n.Reference.Qualified || sc.row == nil {
		return n
	}
	if at := sc.row.grid.named(n.Reference.Name); at >= 0 {
		if c := sc.row.grid.columns[at].of; c != nil {
			return &dax.Node{Kind: dax.ColumnNode, Reference: dax.Reference{Qualified: true, Table: c.table.name, Name: c.name}, At: n.At}
		}
	}
	return n
}

// iterate aggregates an expression over the rows of a table.
func (s *session) iterate(sc scope, n *dax.Node, kind string) Value {
	g := s.table(sc, n.Parts[0])
	a := aggregate{kind: kind}
	for row := range g.len() {
		a.add(s, n, s.scalar(sc.at(g, row), n.Parts[1]))
	}
	return a.result(s, n)
}

// extreme is MIN or MAX of a column, or of two values.
func (s *session) extreme(sc scope, n *dax.Node, kind string) Value {
	if len(n.Parts) == 1 {
		return s.aggregate(sc, n, kind)
	}
	a := aggregate{kind: kind}
	for _, p := range n.Parts {
		v := s.scalar(sc, p)
		if v.isBlank() {
			s.refuse(n, "%s of BLANK and another value", n.Text)
		}
		a.add(s, n, v)
	}
	return a.result(s, n)
}

// countRows returns BLANK for no rows (learn.microsoft.com/dax/countrows-function-dax).
func (s *session) countRows(sc scope, n *dax.Node) Value {
	if len(n.Parts) == 0 {
		s.refuse(n, "COUNTROWS is known with a table only")
	}
	if rows := s.table(sc, n.Parts[0]).len(); rows > 0 {
		return OfNumber(float64(rows))
	}
	return Value{}
}

// distinctCount counts BLANK as a value, for DISTINCTCOUNTNOBLANK not.
func (s *session) distinctCount(sc scope, n *dax.Node) Value {
	values := s.columnValues(sc, s.columnOf(n.Parts[0]), false, n)
	count := values.len()
	for row := range values.len() {
		if n.Text == "DISTINCTCOUNTNOBLANK" && values.value(row, 0).isBlank() {
			count--
		}
	}
	if count > 0 {
		return OfNumber(float64(count))
	}
	return Value{}
}
