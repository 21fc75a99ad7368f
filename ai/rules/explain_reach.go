package rules

import (
	"slices"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
)

// holds reports whether a call's filters do what a text about them says: each reaches everything that the first argument is
// computed from, and no filter that stays on a calendar cuts the period of another table's dates.
func (e *explainer) holds(call *dax.Node, s explanation) bool {
	from := e.computedFrom(call.Parts[0])
	inactive := slices.ContainsFunc(call.Parts[1:], func(p *dax.Node) bool { return p.Kind == dax.CallNode && activations[p.Text] }) ||
		slices.ContainsFunc(e.measuresWithin(call.Parts[0]), func(m *field) bool { return e.baseOf(m).activates })
	for _, c := range s.reaching {
		if !e.reaches(c.table, from, inactive) {
			return false
		}
	}
	for _, c := range s.dated {
		if slices.ContainsFunc(c.table.around, func(t *table) bool { return t.role == dateTable && !e.clears(call, t) }) {
			return false
		}
	}
	return true
}

// clears reports whether a call sets aside the filters on a table.
func (e *explainer) clears(call *dax.Node, t *table) bool {
	return slices.ContainsFunc(call.Parts[1:], func(p *dax.Node) bool {
		return p.Kind == dax.CallNode && (p.Text == "ALL" || p.Text == "REMOVEFILTERS") &&
			(len(p.Parts) == 0 || len(p.Parts) == 1 && (e.table(p.Parts[0]) == t || e.expands(p.Parts[0], t)))
	})
}

// expands reports whether a node names a table that refers to another one, so that ALL sets aside the filters on both.
func (e *explainer) expands(n *dax.Node, t *table) bool {
	of := e.table(n)
	return of != nil && slices.Contains(of.reached(), t)
}

// measuresWithin returns the measures that an expression names.
func (e *explainer) measuresWithin(n *dax.Node) (all []*field) {
	e.visit(n, func(n *dax.Node) {
		if n.Kind == dax.ColumnNode {
			if x := e.resolve(n.Reference, e.home); x != nil && x.measure != nil {
				all = append(all, x)
			}
		}
	})
	return all
}

// visit calls a function for a node, its parts and the variables that it names.
func (e *explainer) visit(n *dax.Node, each func(*dax.Node)) {
	each(n)
	for _, v := range n.Variables {
		e.visit(v.Value, each)
	}
	if n.Kind == dax.NameNode && !n.Quoted {
		if v := e.lookUp(n.Text); v != nil {
			v.in.visit(v.value, each)
		}
	}
	for _, p := range n.Parts {
		e.visit(p, each)
	}
}

// computedFrom returns the tables that an expression is computed from, directly or through measures, without those that no
// filter is meant to reach: what-if parameters and tables of measures.
func (e *explainer) computedFrom(n *dax.Node) []*table {
	var all []*table
	note := func(t *table) {
		apart := t.isSeries || t.role == measureTable || t.role == calculationGroup || t.role == fieldParameter
		if !apart && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	e.visit(n, func(n *dax.Node) {
		switch n.Kind {
		case dax.ColumnNode:
			if x := e.resolve(n.Reference, e.home); x != nil && x.column != nil {
				note(x.table)
			}
		case dax.NameNode:
			if t := e.table(n); t != nil {
				note(t)
			}
		default:
		}
	})
	for _, m := range e.measuresWithin(n) {
		for _, t := range e.baseOf(m).tables {
			note(t)
		}
	}
	return all
}

// base is what a measure is computed from, directly or through measures, and whether that activates relationships.
type base struct {
	tables    []*table
	activates bool
}

func (f *facts) baseOf(m *field) base {
	b, known := f.based[m]
	if known {
		return b
	}
	for _, of := range f.reached(m) {
		b.activates = b.activates || of.calls(activations)
		for _, to := range of.refs {
			if to.column != nil && !slices.Contains(b.tables, to.table) {
				b.tables = append(b.tables, to.table)
			}
		}
		for _, t := range of.counts {
			if !slices.Contains(b.tables, t) {
				b.tables = append(b.tables, t)
			}
		}
	}
	if f.based == nil {
		f.based = map[*field]base{}
	}
	f.based[m] = b
	return b
}

// reaches reports whether filters on a table reach tables: each of them, or one that refers to it.
func (f *facts) reaches(filtered *table, from []*table, inactive bool) bool {
	return !slices.ContainsFunc(from, func(t *table) bool {
		below := slices.ContainsFunc(from, func(other *table) bool { return other != t && slices.Contains(other.reached(), t) })
		return t != filtered && !below && !slices.Contains(f.filtering(t, inactive), filtered)
	})
}

// filtering is a table with or without its inactive relationships.
type filtering struct {
	of       *table
	inactive bool
}

// filtering returns a table and those whose filters reach it along relationships.
func (f *facts) filtering(t *table, inactive bool) []*table {
	if all, known := f.filtered[filtering{t, inactive}]; known {
		return all
	}
	all := []*table{t}
	for at := 0; at < len(all); at++ {
		for _, r := range f.relations {
			if !r.src.IsActive && !inactive {
				continue
			}
			both := r.src.CrossFilteringBehavior == "bothDirections" || r.src.FromCardinality == semanticmodel.One
			for _, end := range [][2]*table{{r.from.table, r.to.table}, {r.to.table, r.from.table}} {
				along := end[0] == r.from.table || both
				if end[0] == all[at] && along && !slices.Contains(all, end[1]) {
					all = append(all, end[1])
				}
			}
		}
	}
	if f.filtered == nil {
		f.filtered = map[filtering][]*table{}
	}
	f.filtered[filtering{t, inactive}] = all
	return all
}
