package readiness

import (
	"math"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// expose reads the AI data schema into the objects and computes the exposed set X of
// the model (docs/regime.md C.1, C.9 (4, 21, 24)). Entries are matched to objects by name under
// norm; the first of several entries for an object counts.
func (s *snapshot) expose() {
	entries := map[string]*semanticmodel.AITable{}
	if schema := s.src.Copilot.Schema; schema != nil {
		for i := range schema.Tables {
			t := &schema.Tables[i]
			if name := norm(t.Name); entries[name] == nil {
				entries[name] = t
			}
		}
	}
	for _, t := range s.tables {
		entry := entries[t.norm]
		if entry == nil {
			continue
		}
		s.list(&t.object, entry.Visibility, entry.Synonyms)
		columns, measures := fieldEntries(entry.Columns), fieldEntries(entry.Measures)
		for _, c := range t.columns {
			if f := columns[c.norm]; f != nil {
				s.list(&c.object, f.Visibility, f.Synonyms)
			}
		}
		for _, m := range t.measures {
			if f := measures[m.norm]; f != nil {
				s.list(&m.object, f.Visibility, f.Synonyms)
			}
		}
		hierarchies := fieldEntries(entry.Hierarchies)
		for _, h := range t.hierarchies {
			if f := hierarchies[h.norm]; f != nil {
				h.visibility = f.Visibility
			}
		}
	}
	for _, t := range s.tables {
		for _, h := range t.hierarchies {
			h.exposed = s.configured && s.fieldExposed(&h.object) || !s.configured && !h.hidden
		}
	}
	s.exposed = make([]bool, len(s.objects))
	for _, o := range s.objects {
		switch {
		case !s.configured:
			s.exposed[o.index] = !o.hidden
		case o.kind != tableKind && s.fieldExposed(o):
			s.exposed[o.index] = true
			s.exposed[o.table.index] = true
		}
	}
}

// list applies an object's entry of the AI data schema.
func (s *snapshot) list(o *object, visibility string, synonyms []string) {
	o.visibility = visibility
	o.terms = synonyms
	s.configured = s.configured || visibility == "Visible" || visibility == "Hidden"
}

// fieldExposed reports whether a configured AI data schema exposes a field or a
// hierarchy.
func (s *snapshot) fieldExposed(o *object) bool {
	if o.table.visibility == "Hidden" {
		return false
	}
	switch o.visibility {
	case "Visible":
		return true
	case "", "Auto":
		return !o.hidden
	}
	return false
}

func fieldEntries(list []semanticmodel.AIField) map[string]*semanticmodel.AIField {
	m := make(map[string]*semanticmodel.AIField, len(list))
	for i := range list {
		if name := norm(list[i].Name); m[name] == nil {
			m[name] = &list[i]
		}
	}
	return m
}

// selection returns what an agent that selected the tables sees of the model (regime
// C.6 (2), C.9 (23)): the exposed fields of a table that a configured AI data schema
// exposes, and all fields of any other table. hidden reports whether hidden fields are
// among them.
func (s *snapshot) selection(selected func(*table) bool) (exposed []bool, hidden bool) {
	exposed = make([]bool, len(s.objects))
	for _, o := range s.objects {
		switch {
		case !selected(o.table):
		case o.kind == tableKind || !s.configured || !s.exposed[o.table.index]:
			exposed[o.index] = true
			hidden = hidden || o.kind != tableKind && o.hidden
		default:
			exposed[o.index] = s.exposed[o.index]
		}
	}
	return exposed, hidden
}

// scope is a snapshot as one consumer sees it: the exposed objects and their usage.
type scope struct {
	*snapshot
	exposed []bool    // by object.index
	views   []int64   // by object.index; nil without a usage map
	weights []float64 // by object.index; nil without a usage map

	t         []*table
	c         []*column
	m         []*measure
	f         []*object // columns and measures
	all       []*object // tables, columns and measures
	described []*object // all but key columns: what DSC-05 and DSC-06 judge
	keys      []bool    // key columns in C, by object.index

	memo map[any]any // by key, see remembered
}

func newScope(s *snapshot, exposed []bool, usage map[string]map[string]int64) *scope {
	x := &scope{snapshot: s, exposed: exposed}
	for _, t := range s.tables {
		if x.in(&t.object) {
			x.t = append(x.t, t)
		}
	}
	for _, c := range s.columns {
		if x.in(&c.object) {
			x.c = append(x.c, c)
		}
	}
	for _, m := range s.measures {
		if x.in(&m.object) {
			x.m = append(x.m, m)
		}
	}
	x.keys = make([]bool, len(s.objects))
	for _, c := range x.c {
		x.keys[c.index] = c.key
	}
	for _, o := range s.objects {
		if !x.in(o) {
			continue
		}
		x.all = append(x.all, o)
		if o.kind != tableKind {
			x.f = append(x.f, o)
		}
		if !x.keys[o.index] {
			x.described = append(x.described, o)
		}
	}
	if usage != nil {
		x.weigh(usage)
	}
	return x
}

func (x *scope) in(o *object) bool { return x.exposed[o.index] }

// weigh computes views and weights from a usage map (docs/regime.md C.5, C.9 (20, 25)). Names
// compare under norm, and entries with equal names are added. A table has the views of
// its most viewed field.
func (x *scope) weigh(usage map[string]map[string]int64) {
	views := map[ref]int64{}
	for table, fields := range usage {
		table = norm(table)
		for field, n := range fields {
			r := ref{table, norm(field)}
			views[r] = addViews(views[r], n)
		}
	}
	x.views = make([]int64, len(x.objects))
	var most int64
	for _, o := range x.f {
		n := views[ref{o.table.norm, o.norm}]
		x.views[o.index] = n
		x.views[o.table.index] = max(x.views[o.table.index], n)
		most = max(most, n)
	}
	x.weights = make([]float64, len(x.objects))
	for i, n := range x.views {
		x.weights[i] = 1
		if most > 0 {
			x.weights[i] += 3 * math.Log2(1+float64(n)) / math.Log2(1+float64(most))
		}
	}
}

// addViews adds counts without overflow; negative counts are ignored.
func addViews(sum, n int64) int64 {
	n = max(n, 0)
	if sum > math.MaxInt64-n {
		return math.MaxInt64
	}
	return sum + n
}

// weight returns the weight of a judged object: 1 for objects without usage of their
// own and for tables outside X. A relationship has the weight of its heavier table.
func (x *scope) weight(j judged) float64 {
	if x.weights == nil {
		return 1
	}
	switch r := j.(type) {
	case *relationship:
		return max(x.weight(r.from.table), x.weight(r.to.table))
	case *broken:
		most := 1.0 // the weight of a missing table
		for _, t := range []*table{r.from, r.to} {
			if t != nil {
				most = max(most, x.weight(t))
			}
		}
		return most
	}
	if o := j.base(); o.index >= 0 && x.in(o) {
		return x.weights[o.index]
	}
	return 1
}

// synonyms gives each object its authored terms: those of the linguistic schemas of all
// cultures and of schema.json, under norm, without duplicates and without the object's
// own name (docs/regime.md C.4 synonyms, C.9 (5, 15, 24)).
func (s *snapshot) synonyms() {
	authored := map[ref][]string{}
	for i := range s.src.Cultures {
		for _, e := range s.src.Cultures[i].Entities {
			if e.OfHierarchy {
				continue
			}
			r := ref{norm(e.Table), norm(e.Property)}
			for _, t := range e.Terms {
				switch t.State {
				case "", "Authored", "User":
					authored[r] = append(authored[r], t.Text)
				}
			}
		}
	}
	for _, o := range s.objects {
		r := ref{table: o.table.norm}
		if o.kind != tableKind {
			r.field = o.norm
		}
		var terms []string
		for _, t := range slices.Concat(o.terms, authored[r]) {
			if t = norm(t); t != "" && t != o.norm {
				terms = append(terms, t)
			}
		}
		slices.Sort(terms)
		o.terms = slices.Compact(terms)
	}
}

// lookUp finds a field by names under norm, hidden or not; nil when there is none.
func (s *snapshot) lookUp(table, field string) *object {
	return s.byNorm[ref{norm(table), norm(field)}]
}

// selectedBy reports which tables the names select. Letter case does not matter, and
// unknown names are ignored (docs/regime.md C.9 (23)).
func selectedBy(tables []string) func(*table) bool {
	selected := map[string]bool{}
	for _, name := range tables {
		selected[strings.ToLower(name)] = true
	}
	return func(t *table) bool { return selected[strings.ToLower(t.src.Name)] }
}
