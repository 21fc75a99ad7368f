package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
)

// replaced are the outer filters that an expression replaces: conditions on columns, and tables that
// count in full.
type replaced struct {
	columns []*field
	tables  []*table
}

func (r *replaced) add(other replaced) {
	r.columns, r.tables = append(r.columns, other.columns...), append(r.tables, other.tables...)
}

// splitBy returns the tables by which a measure can be split, as a text names them. A table is without the columns on
// which the measure replaces filters: by these each group has the same value. It is left out if the divisor of a
// ratio does so, as then groups that the divisor does not count have no share.
func (f *facts) splitBy(x *field) []string {
	set, divisors := f.replacedBy(x)
	var by []string
	for _, t := range f.wantedTables(f.groupedBy(x)) {
		if !prose.Mentionable(t.src.Name) || slices.Contains(set.tables, t) || slices.Contains(divisors.tables, t) ||
			slices.ContainsFunc(divisors.columns, func(c *field) bool { return c.table == t }) {
			continue
		}
		var columns []string
		for _, c := range t.columns {
			if slices.Contains(set.columns, c) {
				columns = append(columns, c.name)
			}
		}
		switch without := prose.Mentions(columns); {
		case len(columns) == 0:
			by = append(by, t.src.Name)
		case len(without) == len(columns) && f.hasOthers(t, columns):
			by = append(by, t.src.Name+" (not by "+strings.Join(without, " or ")+")")
		}
	}
	return by
}

// hasOthers reports whether an AI should see a column of a table that is none of those named and no key.
func (f *facts) hasOthers(t *table, names []string) bool {
	return slices.ContainsFunc(t.columns, func(c *field) bool { return !c.key && f.wantedThen(c) && !slices.Contains(names, c.name) })
}

// replacedBy returns the filters that a measure and those that it is computed from replace, and those that the divisors
// among them do.
func (f *facts) replacedBy(x *field) (set, divisors replaced) {
	for _, m := range f.reached(x) {
		n, ok := dax.Parse(m.measure.Expression)
		if !ok {
			continue
		}
		e := &explainer{facts: f, home: m.table}
		set.add(e.replacing(n))
		for _, divisor := range divisorsIn(n) {
			divisors.add(e.replacing(divisor))
			for _, c := range e.fieldsWithin(divisor, true) {
				for _, of := range f.reached(c) {
					if n, ok := dax.Parse(of.measure.Expression); ok {
						divisors.add((&explainer{facts: f, home: of.table}).replacing(n))
					}
				}
			}
		}
	}
	return set, divisors
}

// children returns the parts of a node and the values of its variables.
func children(n *dax.Node) []*dax.Node {
	all := slices.Clone(n.Parts)
	for _, v := range n.Variables {
		all = append(all, v.Value)
	}
	return all
}

// replacing returns the filters that CALCULATE and CALCULATETABLE replace anywhere within an expression. Variables may
// hold filters for them.
func (e *explainer) replacing(n *dax.Node) (set replaced) {
	if n.Kind == dax.CallNode && (n.Text == "CALCULATE" || n.Text == "CALCULATETABLE") {
		for _, filter := range n.Parts[min(1, len(n.Parts)):] {
			set.add(e.filteredBy(filter))
		}
	}
	for _, v := range n.Variables {
		if v.Value.Kind == dax.CallNode {
			set.add(e.filteredBy(v.Value))
		}
	}
	for _, p := range children(n) {
		set.add(e.replacing(p))
	}
	return set
}

// filteredBy returns what a filter argument replaces. Periods and other relationships replace filters on dates; people
// split such measures by dates nevertheless.
func (e *explainer) filteredBy(n *dax.Node) (set replaced) {
	switch {
	case n.Kind == dax.OperationNode || n.Kind == dax.SignNode:
		set.columns = e.fieldsWithin(n, false)
	case n.Kind != dax.CallNode:
	case n.Text == "ALL" || n.Text == "REMOVEFILTERS" || n.Text == "ALLNOBLANKROW":
		for _, p := range n.Parts {
			if t := e.named[strings.ToLower(p.Text)]; p.Kind == dax.NameNode && t != nil {
				set.tables = append(set.tables, t)
			}
		}
		set.columns = e.fieldsWithin(n, false)
	case n.Text == "FILTER" && len(n.Parts) > 0:
		set = e.filteredBy(n.Parts[0])
	case n.Text == "TREATAS":
		for _, p := range n.Parts[min(1, len(n.Parts)):] {
			set.columns = append(set.columns, e.fieldsWithin(p, false)...)
		}
	}
	return set
}

// divisorsIn returns what an expression divides by.
func divisorsIn(n *dax.Node) (all []*dax.Node) {
	switch {
	case n.Kind == dax.OperationNode && n.Text == "/", n.Kind == dax.CallNode && n.Text == "DIVIDE" && len(n.Parts) > 1:
		all = append(all, n.Parts[1])
	}
	for _, p := range children(n) {
		all = append(all, divisorsIn(p)...)
	}
	return all
}

// fieldsWithin returns the measures, or the columns, that an expression names.
func (e *explainer) fieldsWithin(n *dax.Node, measures bool) (all []*field) {
	if n.Kind == dax.ColumnNode {
		if to := e.resolve(n.Reference, e.home); to != nil && (to.measure != nil) == measures {
			all = append(all, to)
		}
	}
	for _, p := range children(n) {
		all = append(all, e.fieldsWithin(p, measures)...)
	}
	return all
}
