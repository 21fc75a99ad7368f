package readiness

import (
	"math/bits"
	"slices"

	"readiness/definition/dax"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
)

// Lineage counts how often the fields of a semantic model are used by what names
// some of them: those named, and those that a measure so used refers to, directly
// or through measures (regime C.5). What names nothing of the model, or what is
// dropped from it (regime C.1), is left out.
type Lineage struct {
	snapshot *snapshot
	names    *names
	tables   map[string]*table // by norm
	levels   map[level]*object // the columns of the levels of hierarchies
	next     [][]int           // what a measure refers to; both by object.index
	views    []int64           // by object.index
}

// level names a level of a hierarchy, under norm.
type level struct{ table, hierarchy, name string }

// Look is how often something was looked at that names parts of the model.
type Look struct {
	Views int64
	Names []report.References
}

// NewLineage reads what the fields of the model refer to.
func NewLineage(m *semanticmodel.Model) *Lineage {
	s := newSnapshot(m)
	l := &Lineage{
		snapshot: s, names: newNames(s), tables: map[string]*table{}, levels: map[level]*object{},
		next: make([][]int, len(s.objects)), views: make([]int64, len(s.objects)),
	}
	for _, t := range s.tables {
		if l.tables[t.norm] == nil {
			l.tables[t.norm] = t
		}
		for _, h := range t.hierarchies {
			for _, of := range h.src.Levels {
				name := level{t.norm, h.norm, norm(of.Name)}
				if column := s.lookUp(t.src.Name, of.Column); column != nil && l.levels[name] == nil {
					l.levels[name] = column
				}
			}
		}
	}
	for _, m := range s.measures {
		for _, o := range m.refs {
			l.next[m.index] = append(l.next[m.index], o.index)
		}
	}
	return l
}

// Count adds to every field the views of the looks that use it, each look once.
// The looks are at one report; own are the measures that it defines itself, which
// go before those of the model with their names.
func (l *Lineage) Count(own []report.Measure, looks []Look) {
	r := l.with(own)
	groups := components(r.next)
	seen := make([]uint64, len(r.next)) // which of 64 looks use it
	for some := range slices.Chunk(looks, 64) {
		clear(seen)
		for i, look := range some {
			for _, names := range look.Names {
				for _, node := range r.named(names) {
					seen[node] |= 1 << i
				}
			}
		}
		for _, members := range slices.Backward(groups) { // users first
			var by uint64
			for _, node := range members {
				by |= seen[node]
			}
			for _, node := range members { // each of a circle is referred to by another
				for _, to := range r.next[node] {
					seen[to] |= by
				}
			}
		}
		for i := range l.views {
			for rest := seen[i]; rest != 0; rest &= rest - 1 {
				l.views[i] = addViews(l.views[i], some[bits.TrailingZeros64(rest)].Views)
			}
		}
	}
}

// Views are the views of every field that has any: table, field, views, as
// Options.Usage, named as the model spells them.
func (l *Lineage) Views() map[string]map[string]int64 {
	views := map[string]map[string]int64{}
	for i, n := range l.views {
		if n == 0 {
			continue
		}
		o := l.snapshot.objects[i]
		table := o.table.src.Name
		if views[table] == nil {
			views[table] = map[string]int64{}
		}
		views[table][o.name] = n
	}
	return views
}

// withOwn is a lineage with the measures that a report defines: nodes after those
// of the model, of which none refers to them.
type withOwn struct {
	*Lineage
	next   [][]int
	fields map[ref]int    // own measures, names under norm
	bare   map[string]int // likewise, whatever their table
}

func (l *Lineage) with(own []report.Measure) withOwn {
	r := withOwn{l, slices.Grow(slices.Clone(l.next), len(own)), map[ref]int{}, map[string]int{}}
	for i, m := range own {
		name, node := norm(m.Name), len(l.next)+i
		r.bare[name], r.fields[ref{norm(m.Table), name}] = node, node
	}
	for _, m := range own {
		home := l.tables[norm(m.Table)]
		var to []int
		for _, d := range dax.Read(m.Expression).References {
			node, mine := r.bare[norm(d.Name)]
			if d.Qualified {
				node, mine = r.fields[ref{norm(d.Table), norm(d.Name)}]
			}
			if mine {
				to = append(to, node)
			} else if o := l.names.resolve(d, home); o != nil {
				to = append(to, o.index)
			}
		}
		r.next = append(r.next, to)
	}
	return r
}

// named are the nodes that the references name. A level of a hierarchy is its
// column, and so is a date's own hierarchy.
func (r withOwn) named(names report.References) (nodes []int) {
	for _, f := range slices.Concat(names.Fields, names.Variations) {
		if node, mine := r.fields[ref{norm(f.Table), norm(f.Name)}]; mine {
			nodes = append(nodes, node)
		} else if o := r.snapshot.lookUp(f.Table, f.Name); o != nil {
			nodes = append(nodes, o.index)
		}
	}
	for _, of := range names.Levels {
		if o := r.levels[level{norm(of.Table), norm(of.Hierarchy), norm(of.Level)}]; o != nil {
			nodes = append(nodes, o.index)
		}
	}
	return nodes
}
