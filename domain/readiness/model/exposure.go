package model

import (
	"math"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Expose reads the AI data schema into the objects and computes the exposed set X of
// the model. Entries are matched to objects by name under
// norm; the first of several entries for an object counts.
func (s *Snapshot) Expose() {
	entries := map[string]*semanticmodel.AITable{}
	if schema := s.Src.Copilot.Schema; schema != nil {
		for i := range schema.Tables {
			t := &schema.Tables[i]
			if name := wording.Norm(t.Name); entries[name] == nil {
				entries[name] = t
			}
		}
	}
	for _, t := range s.Tables {
		entry := entries[t.Norm]
		if entry == nil {
			continue
		}
		s.list(&t.Object, entry.Visibility, entry.Synonyms)
		columns, measures := fieldEntries(entry.Columns), fieldEntries(entry.Measures)
		for _, c := range t.Columns {
			if f := columns[c.Norm]; f != nil {
				s.list(&c.Object, f.Visibility, f.Synonyms)
			}
		}
		for _, m := range t.Measures {
			if f := measures[m.Norm]; f != nil {
				s.list(&m.Object, f.Visibility, f.Synonyms)
			}
		}
		hierarchies := fieldEntries(entry.Hierarchies)
		for _, h := range t.Hierarchies {
			if f := hierarchies[h.Norm]; f != nil {
				h.visibility = f.Visibility
			}
		}
	}
	for _, t := range s.Tables {
		for _, h := range t.Hierarchies {
			h.Exposed = s.Configured && s.fieldExposed(&h.Object) || !s.Configured && !h.Hidden
		}
	}
	s.Exposed = make([]bool, len(s.Objects))
	for _, o := range s.Objects {
		switch {
		case !s.Configured:
			s.Exposed[o.Index] = !o.Hidden
		case o.Kind != TableKind && s.fieldExposed(o):
			s.Exposed[o.Index] = true
			s.Exposed[o.Table.Index] = true
		}
	}
}

// list applies an object's entry of the AI data schema.
func (s *Snapshot) list(o *Object, visibility string, synonyms []string) {
	o.visibility = visibility
	o.Terms = synonyms
	s.Configured = s.Configured || visibility == "Visible" || visibility == "Hidden"
}

// fieldExposed reports whether a configured AI data schema exposes a field or a
// hierarchy.
func (s *Snapshot) fieldExposed(o *Object) bool {
	if o.Table.visibility == "Hidden" {
		return false
	}
	switch o.visibility {
	case "Visible":
		return true
	case "", "Auto":
		return !o.Hidden
	}
	return false
}

func fieldEntries(list []semanticmodel.AIField) map[string]*semanticmodel.AIField {
	m := make(map[string]*semanticmodel.AIField, len(list))
	for i := range list {
		if name := wording.Norm(list[i].Name); m[name] == nil {
			m[name] = &list[i]
		}
	}
	return m
}

// Selection returns what an agent that selected the tables sees of the model: the exposed fields of a table that a configured AI data schema
// exposes, and all fields of any other table. hidden reports whether hidden fields are
// among them.
func (s *Snapshot) Selection(selected func(*Table) bool) (exposed []bool, hidden bool) {
	exposed = make([]bool, len(s.Objects))
	for _, o := range s.Objects {
		switch {
		case !selected(o.Table):
		case o.Kind == TableKind || !s.Configured || !s.Exposed[o.Table.Index]:
			exposed[o.Index] = true
			hidden = hidden || o.Kind != TableKind && o.Hidden
		default:
			exposed[o.Index] = s.Exposed[o.Index]
		}
	}
	return exposed, hidden
}

// Scope is a snapshot as one consumer sees it: the exposed objects and their usage.
type Scope struct {
	*Snapshot
	exposed []bool    // by Object.Index
	Views   []int64   // by Object.Index; nil without a usage map
	weights []float64 // by Object.Index; nil without a usage map

	T         []*Table
	C         []*Column
	M         []*Measure
	F         []*Object // columns and measures
	All       []*Object // tables, columns and measures
	Described []*Object // all but key columns: what DSC-05 judges
	Keys      []bool    // key columns in C, by Object.Index

	Offer Offer // of a model by itself

	// Done ends own rules early when it is closed; nil never does.
	Done <-chan struct{}

	// Memory is that of earlier assessments of the model; nil without one.
	Memory *Memory

	memo map[any]any // by key, see remembered
}

// NewScope returns a snapshot as a consumer sees it. exposed is by Object.Index; usage is the number of
// views by table and field, nil if it is unknown.
func NewScope(s *Snapshot, exposed []bool, usage map[string]map[string]int64) *Scope {
	x := &Scope{Snapshot: s, exposed: exposed}
	for _, t := range s.Tables {
		if x.In(&t.Object) {
			x.T = append(x.T, t)
		}
	}
	for _, c := range s.Columns {
		if x.In(&c.Object) {
			x.C = append(x.C, c)
		}
	}
	for _, m := range s.Measures {
		if x.In(&m.Object) {
			x.M = append(x.M, m)
		}
	}
	x.Keys = make([]bool, len(s.Objects))
	for _, c := range x.C {
		x.Keys[c.Index] = c.Key
	}
	for _, o := range s.Objects {
		if !x.In(o) {
			continue
		}
		x.All = append(x.All, o)
		if o.Kind != TableKind {
			x.F = append(x.F, o)
		}
		if !x.Keys[o.Index] {
			x.Described = append(x.Described, o)
		}
	}
	if usage != nil {
		x.weigh(usage)
	}
	return x
}

// In reports whether the consumer sees an object that has an index.
func (x *Scope) In(o *Object) bool { return x.exposed[o.Index] }

// weigh computes views and weights from a usage map. Names
// compare under norm, and entries with equal names are added. A table has the views of
// its most viewed field.
func (x *Scope) weigh(usage map[string]map[string]int64) {
	views := map[Ref]int64{}
	for table, fields := range usage {
		table = wording.Norm(table)
		for field, n := range fields {
			r := Ref{table, wording.Norm(field)}
			views[r] = AddViews(views[r], n)
		}
	}
	x.Views = make([]int64, len(x.Objects))
	var most int64
	for _, o := range x.F {
		n := views[Ref{o.Table.Norm, o.Norm}]
		x.Views[o.Index] = n
		x.Views[o.Table.Index] = max(x.Views[o.Table.Index], n)
		most = max(most, n)
	}
	x.weights = make([]float64, len(x.Objects))
	for i, n := range x.Views {
		x.weights[i] = 1
		if most > 0 {
			x.weights[i] += 3 * math.Log2(1+float64(n)) / math.Log2(1+float64(most))
		}
	}
}

// AddViews adds counts without overflow; negative counts are ignored.
func AddViews(sum, n int64) int64 {
	n = max(n, 0)
	if sum > math.MaxInt64-n {
		return math.MaxInt64
	}
	return sum + n
}

// Weight returns the weight of a judged object: 1 for objects without
// usage and for tables outside X. A relationship has the weight of its heavier table.
func (x *Scope) Weight(j Judged) float64 {
	if x.weights == nil {
		return 1
	}
	switch r := j.(type) {
	case *Relationship:
		return max(x.Weight(r.From.Table), x.Weight(r.To.Table))
	case *Broken:
		most := 1.0 // the weight of a missing table
		for _, t := range []*Table{r.From, r.To} {
			if t != nil {
				most = max(most, x.Weight(t))
			}
		}
		return most
	}
	if o := j.Base(); o.Index >= 0 && x.In(o) {
		return x.weights[o.Index]
	}
	return 1
}

// synonyms gives each object its authored terms: those of the linguistic schemas of all
// cultures and of schema.json, under norm, without duplicates and without the object's
// own name.
func (s *Snapshot) synonyms() {
	authored := map[Ref][]string{}
	for i := range s.Src.Cultures {
		for _, e := range s.Src.Cultures[i].Entities {
			if e.OfHierarchy {
				continue
			}
			r := Ref{wording.Norm(e.Table), wording.Norm(e.Property)}
			for _, t := range e.Terms {
				switch t.State {
				case "", "Authored", "User":
					authored[r] = append(authored[r], t.Text)
				}
			}
		}
	}
	for _, o := range s.Objects {
		r := Ref{Table: o.Table.Norm}
		if o.Kind != TableKind {
			r.Field = o.Norm
		}
		var terms []string
		for _, t := range slices.Concat(o.Terms, authored[r]) {
			if t = wording.Norm(t); t != "" && t != o.Norm {
				terms = append(terms, t)
			}
		}
		slices.Sort(terms)
		o.Terms = slices.Compact(terms)
	}
}

// LookUp finds a field by names under norm, hidden or not; nil when there is none.
func (s *Snapshot) LookUp(table, field string) *Object {
	return s.ByNorm[Ref{wording.Norm(table), wording.Norm(field)}]
}

// SelectedBy reports which tables the names select. Letter case does not matter, and
// unknown names are ignored.
func SelectedBy(tables []string) func(*Table) bool {
	selected := lists.SetOf(tables, strings.ToLower)
	return func(t *Table) bool { return selected[strings.ToLower(t.Src.Name)] }
}

type neededKey struct{}

// NeededBy reports whether an exposed measure, or a calculation item, refers to an object directly.
func (x *Scope) NeededBy(o *Object) bool {
	return Remembered(x, neededKey{}, func() []bool {
		needed := make([]bool, len(x.Objects))
		for _, m := range x.M {
			for _, o := range m.Refs {
				needed[o.Index] = true
			}
		}
		for _, t := range x.Tables {
			for _, i := range t.Items {
				for _, o := range i.Refs {
					needed[o.Index] = true
				}
			}
		}
		return needed
	})[o.Index]
}
