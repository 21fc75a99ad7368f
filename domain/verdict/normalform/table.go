package normalform

import (
	"slices"

	"readiness/definition/dax"
	"readiness/definition/spelling"
)

// result is a table expression: its rows, and the columns that are computed for each.
type result struct {
	// rows says which rows there are: one (a single row), nonblank (the groups with a value), or another text.
	rows   string
	groups []*column
	// at is the filter context in which the rows are found.
	at *place
	// table is the table of the model whose rows they are, or nil; chosen is true if only some of its columns are shown.
	table  *table
	chosen bool
	values []extension
	// steps keep some of the rows, in order: conditions on values, and the first rows by an order.
	steps []step
}

const (
	oneRow   = "one"
	nonblank = "nonblank"
)

// extension is a computed column.
type extension struct {
	name  string
	value *value
}

// step keeps the rows for which a condition holds, or the first rows by an order.
type step struct {
	text string
	by   []*value
}

// row is the row of the result in which further expressions are read.
func (t *result) row(grouped bool) *row {
	w := &row{columns: t.groups, table: t.table, named: map[string]*value{}, query: true, grouped: grouped}
	for _, e := range t.values {
		w.named[spelling.Fold(e.name)] = e.value
	}
	return w
}

// read reads a table expression.
func (r *reader) table(n *dax.Node, in scope) (*result, error) {
	if r.parts++; r.parts > mostParts {
		return nil, r.fail(n, "the query has too many parts")
	}
	n, in = resolved(n, in)
	switch n.Kind {
	case dax.NameNode:
		if t := r.model.tables[spelling.Fold(n.Text)]; t != nil {
			r.refers = true
			return &result{rows: "table '" + spelling.Fold(t.name) + "'", at: in.at, table: t}, nil
		}
		return nil, r.fail(n, "the model has no table %s", n.Text)
	case dax.ListNode:
		return r.constructed(n, in)
	case dax.CallNode:
		if read := tableReaders[n.Text]; read != nil {
			return read(r, n, in)
		}
		return nil, r.fail(n, "the function %s is not read as a table", n.Text)
	default:
		return nil, r.fail(n, "the expression is no table that is read")
	}
}

var tableReaders map[string]func(*reader, *dax.Node, scope) (*result, error)

func init() { // the readers read tables inside of tables
	tableReaders = map[string]func(*reader, *dax.Node, scope) (*result, error){
		"SUMMARIZECOLUMNS": (*reader).summarizeColumns, "SUMMARIZE": (*reader).summarize, "ADDCOLUMNS": (*reader).addColumns,
		"SELECTCOLUMNS": (*reader).selectColumns, "CALCULATETABLE": (*reader).calculateTable, "FILTER": (*reader).filterRows,
		"TOPN": (*reader).topN, "ROW": (*reader).oneRow, "VALUES": (*reader).columnValues, "DISTINCT": (*reader).columnValues,
		"ALL": (*reader).columnValues, "ALLNOBLANKROW": (*reader).columnValues,
	}
}

// constructed reads { value } and { (value, value) } as a single row.
func (r *reader) constructed(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) != 1 {
		return nil, r.fail(n, "a table of several rows is not read")
	}
	parts := []*dax.Node{n.Parts[0]}
	if n.Parts[0].Kind == dax.TupleNode {
		parts = n.Parts[0].Parts
	}
	t := &result{rows: oneRow, at: in.at}
	for _, p := range parts {
		v, err := r.scalar(p, in)
		if err != nil {
			return nil, err
		}
		t.values = append(t.values, extension{"", v})
	}
	return t, nil
}

func (r *reader) oneRow(n *dax.Node, in scope) (*result, error) {
	t := &result{rows: oneRow, at: in.at}
	return t, r.extend(t, n, n.Parts, in)
}

// each reads what is computed for each row or group of a result. Variables from outside are not computed for each.
func (r *reader) each(t *result, in scope, read func(scope) error) error {
	if len(t.groups) > 0 || t.table != nil {
		r.level++
		defer func() { r.level-- }()
		in.level = r.level
	}
	return read(in)
}

// extend reads pairs of a name and an expression.
func (r *reader) extend(t *result, n *dax.Node, pairs []*dax.Node, in scope) error {
	if len(pairs)%2 != 0 {
		return r.fail(n, "%s has a name without an expression", n.Text)
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].Kind != dax.TextNode {
			return r.fail(pairs[i], "a name of %s is not in quotation marks", n.Text)
		}
		v, err := r.scalar(pairs[i+1], in)
		if err != nil {
			return err
		}
		t.values = append(t.values, extension{pairs[i].Text, v})
	}
	return nil
}

// group adds a column to the query's groups.
func (r *reader) group(t *result, n *dax.Node, in scope) error {
	c := r.named(n, in)
	if c == nil {
		return r.fail(n, "a group is a column of the model")
	}
	if slices.Contains(t.groups, c) {
		return r.fail(n, "%s is grouped by twice", c)
	}
	r.refers = true
	t.groups = append(t.groups, c)
	if !slices.Contains(r.groups, c) {
		r.groups = append(r.groups, c)
	}
	return nil
}

func (r *reader) summarizeColumns(n *dax.Node, in scope) (*result, error) {
	t := &result{rows: nonblank, at: in.at.copied()}
	i := 0
	for ; i < len(n.Parts) && n.Parts[i].Kind == dax.ColumnNode; i++ {
		if err := r.group(t, n.Parts[i], in); err != nil {
			return nil, err
		}
	}
	for ; i < len(n.Parts) && n.Parts[i].Kind != dax.TextNode; i++ {
		c, err := r.filter(n.Parts[i], in)
		if err != nil {
			return nil, err
		}
		if c.step != "" || len(c.clears) > 0 {
			return nil, r.fail(n.Parts[i], "SUMMARIZECOLUMNS is read with filters by constants")
		}
		for _, l := range c.limits {
			if _, outside := in.at.filters[l.column]; outside {
				return nil, r.fail(n.Parts[i], "a second filter around SUMMARIZECOLUMNS on %s is not read", l.column)
			}
			t.at.limit(l.column, l.set)
		}
		if c.of != nil {
			t.at.of = append(t.at.of, c.of)
		}
	}
	if len(t.groups) == 0 {
		t.rows = oneRow
	}
	if len(n.Parts[i:]) == 0 {
		t.rows = "groups" // without values, the groups that exist
	}
	at := t.at.copied()
	at.over = map[*column]bool{}
	return t, r.each(t, scope{at: at, vars: in.vars, level: in.level}, func(in scope) error { return r.extend(t, n, n.Parts[i:], in) })
}

// summarize reads SUMMARIZE of a table: the groups that the table's rows have.
func (r *reader) summarize(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) < 2 {
		return nil, r.fail(n, "SUMMARIZE has no group")
	}
	of, at, err := r.rows(n.Parts[0], in)
	if err != nil {
		return nil, err
	}
	if len(at.filters) != len(in.at.filters) {
		return nil, r.fail(n, "SUMMARIZE over FILTER is not read")
	}
	t := &result{rows: "groups of '" + spelling.Fold(of.name) + "'", at: in.at.copied()}
	i := 1
	for ; i < len(n.Parts) && n.Parts[i].Kind == dax.ColumnNode; i++ {
		if err := r.group(t, n.Parts[i], in); err != nil {
			return nil, err
		}
		if g := t.groups[len(t.groups)-1]; g.table != of && !slices.Contains(r.model.finds(of), g.table) {
			return nil, r.fail(n.Parts[i], "'%s' does not find %s", of.name, g)
		}
	}
	inner := t.at.copied()
	inner.over = map[*column]bool{}
	if err := r.each(t, scope{at: inner, row: t.row(true), vars: in.vars, level: in.level}, func(in scope) error {
		return r.extend(t, n, n.Parts[i:], in)
	}); err != nil {
		return nil, err
	}
	for _, e := range t.values { // clusters of SUMMARIZE filter more than the groups where a filter is removed
		for _, a := range e.value.aggregations() {
			if len(a.at.over) > 0 || len(a.at.steps) > 0 {
				return nil, r.fail(n, "a value of SUMMARIZE that changes filters is not read")
			}
		}
	}
	return t, nil
}

func (r *reader) addColumns(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) == 0 {
		return nil, r.fail(n, "ADDCOLUMNS has no table")
	}
	t, err := r.table(n.Parts[0], in)
	if err != nil {
		return nil, err
	}
	if t.rows == oneRow || t.rows == nonblank && len(n.Parts) > 1 && len(t.values) == 0 {
		return nil, r.fail(n, "ADDCOLUMNS is read over groups")
	}
	out := *t
	out.values = slices.Clone(t.values)
	return &out, r.each(t, scope{at: in.at, row: t.row(false), vars: in.vars, level: in.level}, func(in scope) error {
		return r.extend(&out, n, n.Parts[1:], in)
	})
}

// selectColumns reads a choice of columns that keeps every group.
func (r *reader) selectColumns(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) < 3 {
		return nil, r.fail(n, "SELECTCOLUMNS chooses no column")
	}
	t, err := r.table(n.Parts[0], in)
	if err != nil {
		return nil, err
	}
	chosen := &result{}
	if err := r.each(t, scope{at: in.at, row: t.row(false), vars: in.vars, level: in.level}, func(in scope) error {
		return r.extend(chosen, n, n.Parts[1:], in)
	}); err != nil {
		return nil, err
	}
	out := *t
	out.values, out.chosen = nil, true
	kept := map[string]bool{}
	for _, e := range chosen.values {
		if e.value.op == "column" && slices.ContainsFunc(t.groups, func(g *column) bool { return g.String() == e.value.text }) {
			kept[e.value.text] = true
			continue
		}
		out.values = append(out.values, e)
	}
	if len(kept) < len(t.groups) {
		return nil, r.fail(n, "SELECTCOLUMNS leaves out a column that groups")
	}
	return &out, nil
}

func (r *reader) calculateTable(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) == 0 {
		return nil, r.fail(n, "CALCULATETABLE has no table")
	}
	at, err := r.applied(n.Parts[1:], in)
	if err != nil {
		return nil, err
	}
	at.over = map[*column]bool{} // there is no group yet
	return r.table(n.Parts[0], scope{at: at, vars: in.vars, level: in.level})
}

// columnValues reads VALUES, DISTINCT and ALL of one column.
func (r *reader) columnValues(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) != 1 {
		return nil, r.fail(n, "%s is read of one column", n.Text)
	}
	t := &result{rows: n.Text, at: in.at}
	if n.Parts[0].Kind == dax.NameNode && r.model.tables[spelling.Fold(n.Parts[0].Text)] != nil {
		t.table = r.model.tables[spelling.Fold(n.Parts[0].Text)]
		t.rows += " '" + spelling.Fold(t.table.name) + "'"
		return t, nil
	}
	if n.Text == "ALL" && len(in.at.filters) > 0 {
		return nil, r.fail(n, "ALL inside of filters is not read as a table")
	}
	return t, r.group(t, n.Parts[0], in)
}

// filterRows reads FILTER over rows: a filter on groups, or a condition on values.
func (r *reader) filterRows(n *dax.Node, in scope) (*result, error) {
	if len(n.Parts) != 2 {
		return nil, r.fail(n, "FILTER has two arguments")
	}
	t, err := r.table(n.Parts[0], in)
	if err != nil {
		return nil, err
	}
	out := *t
	out.at, out.steps = t.at.copied(), slices.Clone(t.steps)
	return &out, r.each(t, scope{at: in.at, row: t.row(false), vars: in.vars, level: in.level}, func(in scope) error {
		return r.keep(&out, n.Parts[1], in)
	})
}

// keep adds a condition on the rows.
func (r *reader) keep(t *result, n *dax.Node, in scope) error {
	in = declare(n, in)
	if len(n.Parts) == 2 && (n.Kind == dax.OperationNode && n.Text == "&&" || n.Kind == dax.CallNode && n.Text == "AND") {
		if err := r.keep(t, n.Parts[0], in); err != nil {
			return err
		}
		return r.keep(t, n.Parts[1], in)
	}
	if limits, err := r.condition(n, in); err == nil && len(t.steps) == 0 && t.rows != oneRow {
		of := func(l limit) bool { return slices.Contains(t.groups, l.column) || t.table == l.column.table }
		if !slices.ContainsFunc(limits, func(l limit) bool { return !of(l) }) {
			for _, l := range limits {
				t.at.limit(l.column, l.set)
			}
			return nil
		}
	}
	v, err := r.scalar(n, in)
	if err != nil {
		return err
	}
	if t.rows == nonblank && len(t.values) == 1 && v.key(r.groups) == "sign NOT(ISBLANK("+t.values[0].value.key(r.groups)+"))" {
		return nil // such rows are all that there are
	}
	t.steps = append(t.steps, step{"where", []*value{v}})
	return nil
}
