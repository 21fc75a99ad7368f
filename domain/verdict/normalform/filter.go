package normalform

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// limit is what a condition says about a column.
type limit struct {
	column *column
	set    set
}

// applied returns the filter context that CALCULATE and CALCULATETABLE make: rows become filters, then functions that
// remove filters apply, and then the filters, each evaluated outside and replacing those on its columns.
func (r *reader) applied(filters []*dax.Node, in scope) (*place, error) {
	at := in.transition().copied()
	all, removed, err := r.changes(filters, in, at)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if err := r.clears(c, at, filters); err != nil {
			return nil, err
		}
	}
	if err := r.together(all, filters); err != nil {
		return nil, err
	}
	replaces := removed || slices.ContainsFunc(all, func(c change) bool { return !c.keeps })
	finds := (len(r.groups) > 0 || len(in.at.filters) > 0) && slices.ContainsFunc(all, func(c change) bool { return c.found })
	if replaces && (finds || in.at.found) { // values are found under all filters, and keep them
		return nil, r.fail(filters[0], "a filter that replaces others is not read with a filter by the values or rows that there are")
	}
	return at, r.set(at, all, filters)
}

// changes reads the filter arguments of a call. It applies those that remove filters to the filter context.
func (r *reader) changes(filters []*dax.Node, in scope, at *place) (all []change, removed bool, err error) {
	var rest []*dax.Node
	for _, f := range filters {
		of, outer := resolved(f, in)
		done, err := r.removes(of, outer, at)
		if err != nil {
			return nil, false, err
		}
		removed = removed || done
		if !done {
			rest = append(rest, f)
		}
	}
	for _, f := range rest {
		c, err := r.filter(f, in)
		if err != nil {
			return nil, false, err
		}
		if in.row != nil && c.found {
			return nil, false, r.fail(f, "a filter by the values that there are is not read in a row")
		}
		if removed && c.keeps {
			return nil, false, r.fail(f, "a filter that keeps others is not read together with one that removes some")
		}
		all = append(all, c)
	}
	for _, c := range all { // filters of one call apply together: where one keeps the values that there are, all do
		for i := range all {
			if !c.keeps || all[i].keeps || !all[i].shares(c) {
				continue
			}
			if !c.found {
				return nil, false, r.fail(rest[i], "a filter that keeps others is not read together with one that replaces them")
			}
			all[i].keeps = true
		}
	}
	return all, removed, nil
}

// set applies the changes to the filter context, after it was cleared of what they replace.
func (r *reader) set(at *place, all []change, filters []*dax.Node) error {
	before := map[*column]bool{}
	for _, c := range all {
		for _, l := range c.limits {
			if at.on[l.column.table] {
				return r.fail(filters[0], "a filter on '%s' inside of one that moves in time is not read", l.column.table.name)
			}
			if c.keeps || before[l.column] {
				at.limit(l.column, l.set)
			} else {
				at.filters[l.column] = l.set
			}
			before[l.column] = true
		}
		if c.of != nil {
			at.of = append(at.of, c.of)
		}
		at.found = at.found || c.found
	}
	for _, c := range all {
		if c.step != "" {
			at.step(c.step, c.on)
		}
	}
	return nil
}

// shares reports whether two changes limit the same column.
func (c change) shares(d change) bool {
	return slices.ContainsFunc(c.limits, func(l limit) bool {
		return slices.ContainsFunc(d.limits, func(m limit) bool { return l.column == m.column })
	})
}

// together refuses a change that depends on the days of the filter context in a call with another filter on the calendar:
// both are evaluated outside.
func (r *reader) together(all []change, filters []*dax.Node) error {
	for i, c := range all {
		for j, d := range all {
			onIt := func(l limit) bool { return l.column.table == c.on }
			if c.on != nil && i != j && (d.on == c.on || slices.ContainsFunc(d.limits, onIt)) {
				return r.fail(filters[0], "a move in time and another filter on the calendar '%s' are not read together", c.on.name)
			}
		}
	}
	return nil
}

// change is what a filter argument does to the filter context.
type change struct {
	limits []limit
	keeps  bool // the filters that are there stay
	found  bool // it is made of the values that there are, before rows become filters
	// clears are columns whose filters it removes, in addition to those of its limits.
	clears []*column
	// of is the table whose rows the filter is, nil for a filter by columns.
	of *table
	// step is a change that depends on the filters so far, on the calendar on.
	step string
	on   *table
}

// clears removes the filters that a change replaces.
func (r *reader) clears(c change, at *place, filters []*dax.Node) error {
	at.clear(c.clears...)
	for _, l := range c.limits {
		t := l.column.table
		switch {
		case t.date == l.column && t.ruling && c.keeps:
			for other := range at.filters {
				if other.table == t && other != l.column {
					return r.fail(filters[0], "a filter that keeps others is not read on the days of a calendar")
				}
			}
		case t.date == l.column && t.ruling:
			for _, other := range t.columns {
				at.clear(other)
			}
		case !c.keeps:
			at.clear(l.column)
		}
	}
	return nil
}

// removes applies a function that removes filters; false for any other filter.
func (r *reader) removes(n *dax.Node, in scope, at *place) (bool, error) {
	if n.Kind != dax.CallNode {
		return false, nil
	}
	switch n.Text {
	case "USERELATIONSHIP", "CROSSFILTER":
		var ends []string
		for _, p := range n.Parts {
			if p.Kind != dax.ColumnNode || r.column(p.Reference, in) == nil {
				if n.Text == "CROSSFILTER" && p.Kind == dax.NameNode {
					ends = append(ends, spelling.Fold(p.Text))
					continue
				}
				return false, r.fail(p, "%s names a column that the model does not have", n.Text)
			}
			ends = append(ends, r.column(p.Reference, in).String())
		}
		slices.Sort(ends)
		at.step(n.Text+" "+strings.Join(ends, " "), nil)
		return true, nil
	case "ALL", "REMOVEFILTERS", "ALLNOBLANKROW":
		return true, r.removesAll(n, in, at)
	case "ALLEXCEPT":
		return true, r.removesExcept(n, in, at)
	}
	return false, nil
}

func (r *reader) removesAll(n *dax.Node, in scope, at *place) error {
	if len(n.Parts) == 0 {
		return r.fail(n, "%s without arguments is not read", n.Text)
	}
	for _, p := range n.Parts {
		switch {
		case p.Kind == dax.NameNode && r.model.tables[spelling.Fold(p.Text)] != nil:
			t := r.model.tables[spelling.Fold(p.Text)]
			for _, one := range append(r.model.finds(t), t) {
				for _, c := range one.columns {
					at.clear(c)
				}
			}
		case p.Kind == dax.ColumnNode && r.column(p.Reference, in) != nil:
			c := r.column(p.Reference, in)
			at.clear(c)
			if t := c.table; t.date == c && t.ruling {
				return r.fail(p, "%s of the days of a calendar is not read", n.Text)
			}
		default:
			return r.fail(p, "%s is read of tables and columns", n.Text)
		}
	}
	return nil
}

func (r *reader) removesExcept(n *dax.Node, in scope, at *place) error {
	if len(n.Parts) == 0 || n.Parts[0].Kind != dax.NameNode || r.model.tables[spelling.Fold(n.Parts[0].Text)] == nil {
		return r.fail(n, "ALLEXCEPT is read of a table of the model")
	}
	t := r.model.tables[spelling.Fold(n.Parts[0].Text)]
	var kept []*column
	for _, p := range n.Parts[1:] {
		if p.Kind != dax.ColumnNode || r.column(p.Reference, in) == nil {
			return r.fail(p, "ALLEXCEPT is read with columns")
		}
		kept = append(kept, r.column(p.Reference, in))
	}
	for _, one := range append(r.model.finds(t), t) {
		for _, c := range one.columns {
			if !slices.Contains(kept, c) {
				at.clear(c)
			}
		}
	}
	return nil
}

// filter reads a filter argument: a condition, or a table of values.
func (r *reader) filter(n *dax.Node, in scope) (change, error) {
	of, outer := resolved(n, in)
	c, err := r.filterOf(of, outer)
	if err == nil && of != n && c.keeps && len(c.limits) > 0 { // made of the values that there were at the variable
		if c.of != nil || len(outer.at.filters) > 0 {
			return change{}, r.fail(n, "a variable that holds filtered values is not read as a filter")
		}
		c.keeps = false
	}
	return c, err
}

func (r *reader) filterOf(n *dax.Node, in scope) (change, error) {
	if n.Kind != dax.CallNode {
		limits, err := r.condition(n, in)
		return change{limits: limits}, err
	}
	switch n.Text {
	case "KEEPFILTERS":
		if len(n.Parts) != 1 {
			return change{}, r.fail(n, "KEEPFILTERS has one argument")
		}
		c, err := r.filter(n.Parts[0], in)
		if err == nil && (c.step != "" || len(c.clears) > 0) {
			err = r.fail(n, "KEEPFILTERS is read of conditions")
		}
		c.keeps = true
		return c, err
	case "FILTER":
		return r.filtered(n, in)
	case "TREATAS":
		return r.treated(n, in)
	case "VALUES", "DISTINCT":
		if len(n.Parts) == 1 && n.Parts[0].Kind == dax.ColumnNode && r.column(n.Parts[0].Reference, in) != nil {
			c := r.column(n.Parts[0].Reference, in)
			if r.model.both {
				return change{}, r.fail(n, "%s is not read as a filter where relationships filter both ways", n.Text)
			}
			if n.Text == "DISTINCT" && r.model.partnered(c.table) {
				return change{}, r.fail(n, "DISTINCT leaves out the rows without a partner, and is not read as a filter")
			}
			return change{limits: []limit{{c, everything(c.numeric())}}, keeps: true, found: true}, nil
		}
	case "CALCULATETABLE":
		return change{}, r.fail(n, "CALCULATETABLE as a filter is not read")
	}
	if c, isTime, err := r.moves(n, in); isTime || err != nil {
		return c, err
	}
	limits, err := r.condition(n, in)
	return change{limits: limits}, err
}

// partnered reports whether the table is at the one side of a relationship. Rows at the many side whose key matches nothing then
// belong to a row of BLANK that the table itself, DISTINCT and ALLNOBLANKROW do not have.
func (m *Model) partnered(t *table) bool {
	for one := range m.ends {
		if one.table == t {
			return true
		}
	}
	return false
}

// keepsUnpartnered reports whether the conditions on a table or columns hold for that row of BLANK.
func (m *Model) keepsUnpartnered(over *row, limits []limit) bool {
	of := over.table
	if of == nil {
		of = over.columns[0].table
	}
	return m.partnered(of) && !slices.ContainsFunc(limits, func(l limit) bool { return !l.set.blank })
}

// filtered reads FILTER as a filter argument.
func (r *reader) filtered(n *dax.Node, in scope) (change, error) {
	if len(n.Parts) != 2 {
		return change{}, r.fail(n, "FILTER has two arguments")
	}
	of, outer := resolved(n.Parts[0], in)
	var c change
	inner := &row{outer: in.row}
	switch {
	case of.Kind == dax.NameNode && r.model.tables[spelling.Fold(of.Text)] != nil:
		c.of, c.keeps, c.found = r.model.tables[spelling.Fold(of.Text)], true, true
		inner.table = c.of
	case of.Kind == dax.CallNode && (of.Text == "ALL" || of.Text == "ALLNOBLANKROW") && len(of.Parts) == 1 &&
		of.Parts[0].Kind == dax.NameNode && r.model.tables[spelling.Fold(of.Parts[0].Text)] != nil:
		c.of = r.model.tables[spelling.Fold(of.Parts[0].Text)]
		inner.table = c.of
		for _, one := range append(r.model.finds(c.of), c.of) {
			for _, x := range one.columns {
				c.clears = append(c.clears, x)
			}
		}
	case of.Kind == dax.CallNode && slices.Contains([]string{"ALL", "ALLNOBLANKROW", "VALUES", "DISTINCT"}, of.Text) && len(of.Parts) > 0:
		for _, p := range of.Parts {
			if p.Kind != dax.ColumnNode || r.column(p.Reference, outer) == nil {
				return change{}, r.fail(p, "%s is read of columns here", of.Text)
			}
			inner.columns = append(inner.columns, r.column(p.Reference, outer))
		}
		c.found = of.Text == "VALUES" || of.Text == "DISTINCT"
		c.keeps = c.found
	default:
		return change{}, r.fail(of, "FILTER is read over a table, ALL, VALUES or DISTINCT")
	}
	limits, err := r.condition(n.Parts[1], scope{at: in.at, row: inner, vars: in.vars, level: in.level})
	if err != nil {
		return change{}, err
	}
	for _, l := range limits {
		if l.column.table != inner.table && !slices.Contains(inner.columns, l.column) {
			return change{}, r.fail(n, "the condition of FILTER is on another column than it filters")
		}
	}
	whole := inner.table != nil && of.Kind == dax.NameNode || of.Text == "ALLNOBLANKROW" || of.Text == "DISTINCT"
	if whole && r.model.keepsUnpartnered(inner, limits) {
		return change{}, r.fail(n, "FILTER leaves out the rows without a partner, for which its condition holds, and is not read so")
	}
	for _, x := range inner.columns {
		if !c.keeps && !slices.ContainsFunc(limits, func(l limit) bool { return l.column == x }) {
			if r.model.both {
				return change{}, r.fail(n, "all values of a column are not read as a filter where relationships filter both ways")
			}
			limits = append(limits, limit{x, everything(x.numeric())})
		}
	}
	c.limits = limits
	return c, nil
}
