package readiness

import (
	"cmp"
	"math/bits"
	"slices"

	"readiness/definition/dax"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Lineage counts how often the fields of a semantic model are viewed. A look counts for
// the fields that it names, and for those that its measures refer to, directly or
// through measures. Names of objects that the model lacks or that are
// dropped are ignored.
type Lineage struct {
	snapshot *model.Snapshot
	tables   map[string]*model.Table // by norm
	levels   map[level]*model.Object // the columns of hierarchy levels
	next     [][]int                 // the references of each measure; both by Object.Index
	views    []int64                 // by Object.Index
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
	s := model.NewSnapshot(m)
	l := &Lineage{
		snapshot: s, tables: map[string]*model.Table{}, levels: map[level]*model.Object{},
		next: make([][]int, len(s.Objects)), views: make([]int64, len(s.Objects)),
	}
	for _, t := range s.Tables {
		l.tables[t.Norm] = cmp.Or(l.tables[t.Norm], t)
		for _, h := range t.Hierarchies {
			for _, of := range h.Src.Levels {
				name := level{t.Norm, h.Norm, wording.Norm(of.Name)}
				if column := s.LookUp(t.Src.Name, of.Column); column != nil && l.levels[name] == nil {
					l.levels[name] = column
				}
			}
		}
	}
	for _, m := range s.Measures {
		for _, o := range m.Refs {
			l.next[m.Index] = append(l.next[m.Index], o.Index)
		}
	}
	return l
}

// Count adds the views of each look to every field that the look uses, once. All looks
// are at one report. own are the measures that the report itself defines; they take
// precedence over measures of the model with the same names.
func (l *Lineage) Count(own []report.Measure, looks []Look) {
	r := l.with(own)
	groups := model.Components(r.next)
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
				l.views[i] = model.AddViews(l.views[i], some[bits.TrailingZeros64(rest)].Views)
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
		o := l.snapshot.Objects[i]
		table := o.Table.Src.Name
		if views[table] == nil {
			views[table] = map[string]int64{}
		}
		views[table][o.Name] = n
	}
	return views
}

// withOwn is a lineage extended by the measures that a report defines. Their nodes
// follow those of the model, which never refer to them.
type withOwn struct {
	*Lineage
	next   [][]int
	fields map[model.Ref]int // own measures, by names under norm
	bare   map[string]int    // own measures, by bare name
}

func (l *Lineage) with(own []report.Measure) withOwn {
	r := withOwn{l, slices.Grow(slices.Clone(l.next), len(own)), map[model.Ref]int{}, map[string]int{}}
	for i, m := range own {
		name, node := wording.Norm(m.Name), len(l.next)+i
		r.bare[name], r.fields[model.Ref{Table: wording.Norm(m.Table), Field: name}] = node, node
	}
	for _, m := range own {
		home := l.tables[wording.Norm(m.Table)]
		var to []int
		for _, d := range dax.Read(m.Expression).References {
			node, mine := r.bare[wording.Norm(d.Name)]
			if d.Qualified {
				node, mine = r.fields[model.Ref{Table: wording.Norm(d.Table), Field: wording.Norm(d.Name)}]
			}
			if mine {
				to = append(to, node)
			} else if o := l.snapshot.Names.Resolve(d, home); o != nil {
				to = append(to, o.Index)
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
		if node, mine := r.fields[model.Ref{Table: wording.Norm(f.Table), Field: wording.Norm(f.Name)}]; mine {
			nodes = append(nodes, node)
		} else if o := r.snapshot.LookUp(f.Table, f.Name); o != nil {
			nodes = append(nodes, o.Index)
		}
	}
	for _, of := range names.Levels {
		if o := r.levels[level{wording.Norm(of.Table), wording.Norm(of.Hierarchy), wording.Norm(of.Level)}]; o != nil {
			nodes = append(nodes, o.Index)
		}
	}
	return nodes
}
