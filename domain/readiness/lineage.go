package readiness

import (
	"math/bits"
	"slices"

	"readiness/definition/dax"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
)

// Lineage counts how often the fields of a semantic model are viewed. A look counts for
// the fields that it names, and for those that its measures refer to, directly or
// through measures (docs/regime.md C.5). Names of objects that the model lacks or that are
// dropped (docs/regime.md C.1) are ignored.
type Lineage struct {
	snapshot *snapshot
	tables   map[string]*table // by norm
	levels   map[level]*object // the columns of hierarchy levels
	next     [][]int           // the references of each measure; both by object.index
	views    []int64           // by object.index
}

// level identifies a level of a hierarchy, under norm.
type level struct{ table, hierarchy, name string }

// Look is how often something that names parts of the model was viewed.
type Look struct {
	Views int64
	Names []report.References
}

// NewLineage returns a lineage of the model's fields without any views.
func NewLineage(m *semanticmodel.Model) *Lineage {
	s := newSnapshot(m, Current().reading)
	l := &Lineage{
		snapshot: s, tables: map[string]*table{}, levels: map[level]*object{},
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

// Count adds the views of each look to every field that the look uses, once. All looks
// are at one report. own are the measures that the report itself defines; they take
// precedence over measures of the model with the same names.
func (l *Lineage) Count(own []report.Measure, looks []Look) {
	r := l.with(own)
	groups := components(r.next)
	seen := make([]uint64, len(r.next)) // a bit per look that uses the node
	for some := range slices.Chunk(looks, 64) {
		clear(seen)
		for i, look := range some {
			for _, names := range look.Names {
				for _, node := range r.named(names) {
					seen[node] |= 1 << i
				}
			}
		}
		for _, members := range slices.Backward(groups) { // users before what they use
			var by uint64
			for _, node := range members {
				by |= seen[node]
			}
			for _, node := range members { // members of a cycle all reach each other
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

// Views returns the views of every viewed field by table and field, with the model's
// spelling, in the form of Options.Usage.
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

// withOwn is a lineage extended by the measures that a report defines. Their nodes
// follow those of the model, which never refer to them.
type withOwn struct {
	*Lineage
	next   [][]int
	fields map[ref]int    // own measures, by names under norm
	bare   map[string]int // own measures, by bare name
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
			} else if o := l.snapshot.names.resolve(d, home); o != nil {
				to = append(to, o.index)
			}
		}
		r.next = append(r.next, to)
	}
	return r
}

// named returns the nodes that the references name. A level of a hierarchy, or of a
// date's own hierarchy, counts as its column.
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
