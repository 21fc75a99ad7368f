package benchmark

import (
	"slices"

	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/stock"
)

// Reach says which tables of a model can divide which measures, and which are about stock. Names are folded; FilteredBy and
// Over look them up.
type Reach struct {
	over, filteredBy map[string][]string
	// Stocks are the measures and tables that are about stock.
	stock.Stocks
}

// NewReach reads the reach of a model's relationships and measures.
func NewReach(m *semanticmodel.Model) Reach {
	s := newStar(m, Wanted{})
	r := Reach{Stocks: s.stocks, over: make(map[string][]string, len(s.measures)), filteredBy: make(map[string][]string, len(s.tables))}
	for name, x := range s.measures {
		for _, b := range x.bases {
			r.over[name] = append(r.over[name], b.name)
		}
		slices.Sort(r.over[name])
	}
	for name, t := range s.tables {
		t.reaches(t)
		for other := range t.reach {
			r.filteredBy[name] = append(r.filteredBy[name], other.name)
		}
		slices.Sort(r.filteredBy[name])
	}
	return r
}

// Over returns the tables whose rows a measure reads, without those that filter another one of them; none when it names too many.
func (r Reach) Over(measure string) []string { return r.over[spelling.Fold(measure)] }

// FilteredBy returns the tables whose filters reach a table along active relationships, and the table.
func (r Reach) FilteredBy(table string) []string { return r.filteredBy[spelling.Fold(table)] }
