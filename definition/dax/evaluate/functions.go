package evaluate

import (
	"maps"

	"readiness/definition/dax"
)

// scalarFunction is a function that returns a value. least and most are how many
// arguments it has, most -1 for any number.
type scalarFunction struct {
	call        func(s *session, sc scope, n *dax.Node) Value
	least, most int
	// plain is true when all arguments are evaluated for the current row alone, so that
	// the columns they name are those of a condition.
	plain bool
}

// tableFunction is a function that returns a table.
type tableFunction struct {
	call        func(s *session, sc scope, n *dax.Node) *grid
	least, most int
}

// of returns a plain function of the values of its arguments.
func of(least, most int, f func(s *session, n *dax.Node, v []Value) Value) scalarFunction {
	return scalarFunction{least: least, most: most, plain: true, call: func(s *session, sc scope, n *dax.Node) Value {
		values := make([]Value, len(n.Parts))
		for i, p := range n.Parts {
			values[i] = s.scalar(sc, p)
		}
		return f(s, n, values)
	}}
}

func scalarFunctions() map[string]scalarFunction {
	all := map[string]scalarFunction{
		"TRUE":  of(0, 0, func(*session, *dax.Node, []Value) Value { return OfBoolean(true) }),
		"FALSE": of(0, 0, func(*session, *dax.Node, []Value) Value { return OfBoolean(false) }),
		"BLANK": of(0, 0, func(*session, *dax.Node, []Value) Value { return Value{} }),
		"ISBLANK": of(1, 1, func(_ *session, _ *dax.Node, v []Value) Value {
			return OfBoolean(v[0].isBlank())
		}),
		"AND": of(2, 2, func(s *session, n *dax.Node, v []Value) Value { return OfBoolean(s.truth(n, v[0]) && s.truth(n, v[1])) }),
		"OR":  of(2, 2, func(s *session, n *dax.Node, v []Value) Value { return OfBoolean(s.truth(n, v[0]) || s.truth(n, v[1])) }),
		"NOT": of(1, 1, func(s *session, n *dax.Node, v []Value) Value { return OfBoolean(!s.truth(n, v[0])) }),

		"IF":       {plain: true, call: (*session).choose, least: 2, most: 3},
		"SWITCH":   {plain: true, call: (*session).choices, least: 3, most: -1},
		"COALESCE": {plain: true, call: (*session).coalesce, least: 2, most: -1},
		"DIVIDE":   of(2, 3, (*session).divide),

		"ROUND": of(2, 2, (*session).round), "ABS": of(1, 1, (*session).absolute), "INT": of(1, 1, (*session).integer),
		"MOD": of(2, 2, (*session).modulo), "POWER": of(2, 2, (*session).power), "SQRT": of(1, 1, (*session).root),

		"CONCATENATE": of(2, 2, func(s *session, n *dax.Node, v []Value) Value { return s.joined(n, v[0], v[1]) }),
		"LEN":         of(1, 1, (*session).length), "LEFT": of(1, 2, (*session).left), "RIGHT": of(1, 2, (*session).right),
		"UPPER": of(1, 1, (*session).upper), "LOWER": of(1, 1, (*session).lower),
		"CONTAINSSTRING": of(2, 2, (*session).containsString), "FORMAT": of(2, 2, (*session).format),

		"CALCULATE": {call: func(s *session, sc scope, n *dax.Node) Value {
			return s.scalar(s.calculated(sc, n.Parts[1:], n), n.Parts[0])
		}, least: 1, most: -1},
		"RELATED":       {plain: true, call: (*session).relatedValue, least: 1, most: 1},
		"HASONEVALUE":   {call: (*session).hasOneValue, least: 1, most: 1},
		"SELECTEDVALUE": {call: (*session).selectedValue, least: 1, most: 2},
		"ISEMPTY": {call: func(s *session, sc scope, n *dax.Node) Value {
			return OfBoolean(s.table(sc, n.Parts[0]).len() == 0)
		}, least: 1, most: 1},
	}
	maps.Copy(all, dateFunctions())
	maps.Copy(all, aggregates())
	maps.Copy(all, totals())
	return all
}

func tableFunctions() map[string]tableFunction {
	all := map[string]tableFunction{
		"FILTER": {func(s *session, sc scope, n *dax.Node) *grid {
			return s.filtered(sc, s.grid(sc, n.Parts[0]), n.Parts[1])
		}, 2, 2},
		"VALUES": {(*session).valuesTable, 1, 1}, "DISTINCT": {(*session).distinctTable, 1, 1},
		"ALL": {(*session).allTable, 1, -1}, "REMOVEFILTERS": {(*session).onlyModifier, 0, -1},
		"ALLEXCEPT": {(*session).onlyModifier, 0, -1}, "KEEPFILTERS": {(*session).onlyModifier, 0, -1},
		"USERELATIONSHIP": {(*session).onlyModifier, 0, -1},
		"ADDCOLUMNS":      {(*session).addColumns, 3, -1}, "SELECTCOLUMNS": {(*session).selectColumns, 2, -1},
		"SUMMARIZE": {(*session).summarize, 2, -1}, "SUMMARIZECOLUMNS": {(*session).summarizeColumns, 1, -1},
		"CALCULATETABLE": {func(s *session, sc scope, n *dax.Node) *grid {
			return s.grid(s.calculated(sc, n.Parts[1:], n), n.Parts[0])
		}, 1, -1},
		"RELATEDTABLE": {func(s *session, sc scope, n *dax.Node) *grid {
			return s.grid(s.calculated(sc, nil, n), n.Parts[0])
		}, 1, 1},
		"TOPN": {(*session).topN, 2, -1}, "ROW": {(*session).row, 2, -1}, "TREATAS": {(*session).treatAs, 2, -1},
		"CROSSJOIN": {(*session).crossJoin, 2, -1},
		"CALENDAR":  {(*session).calendar, 2, 2}, "CALENDARAUTO": {(*session).calendarAuto, 0, 0},
	}
	maps.Copy(all, timeFunctions())
	return all
}

// onlyModifier refuses a modifier of CALCULATE where a table is expected.
func (s *session) onlyModifier(_ scope, n *dax.Node) *grid {
	s.refuse(n, "%s is known as an argument of CALCULATE and CALCULATETABLE only", n.Text)
	return nil
}

func (s *session) choose(sc scope, n *dax.Node) Value {
	switch {
	case s.truth(n, s.scalar(sc, n.Parts[0])):
		return s.scalar(sc, n.Parts[1])
	case len(n.Parts) == 3:
		return s.scalar(sc, n.Parts[2])
	}
	return Value{}
}

func (s *session) choices(sc scope, n *dax.Node) Value {
	v := s.scalar(sc, n.Parts[0])
	at := 1
	for ; at+1 < len(n.Parts); at += 2 {
		if s.compared(n, v, s.scalar(sc, n.Parts[at])) == 0 {
			return s.scalar(sc, n.Parts[at+1])
		}
	}
	if at < len(n.Parts) {
		return s.scalar(sc, n.Parts[at])
	}
	return Value{}
}

func (s *session) coalesce(sc scope, n *dax.Node) Value {
	for _, p := range n.Parts {
		if v := s.scalar(sc, p); !v.isBlank() {
			return v
		}
	}
	return Value{}
}

// relatedValue returns the value that the row of a table finds along relationships.
func (s *session) relatedValue(sc scope, n *dax.Node) Value {
	if s.simple && !s.related {
		s.refuse(n, "RELATED needs relationships, which are not read yet")
	}
	c := s.columnOf(n.Parts[0])
	for row := sc.row; row != nil; row = row.outer {
		if row.grid.base == nil {
			continue
		}
		e := sc.context.relations.expansions[row.grid.base]
		if e.fault != "" {
			s.refuse(n, "%s", e.fault)
		}
		if via := e.rows[c.table]; via != nil {
			return c.values[c.codes[via[row.grid.ids[row.row]]]]
		}
	}
	s.refuse(n, "no current row finds %v along relationships", c)
	return Value{}
}

func (s *session) hasOneValue(sc scope, n *dax.Node) Value {
	return OfBoolean(s.settled(s.columnValues(sc, s.columnOf(n.Parts[0]), true, n), n).len() == 1)
}

func (s *session) selectedValue(sc scope, n *dax.Node) Value {
	if g := s.settled(s.columnValues(sc, s.columnOf(n.Parts[0]), true, n), n); g.len() == 1 {
		return g.value(0, 0)
	}
	if len(n.Parts) == 2 {
		return s.scalar(sc, n.Parts[1])
	}
	return Value{}
}
