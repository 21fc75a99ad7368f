package informing

import (
	"hash/fnv"
	"slices"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Texts are nearly equal if they have the same words without the names of their objects and without numbers. Texts of
// at least leastNear such words may differ in one. Two objects with the very same text are enough to fault it; of nearly
// equal texts it takes fewestAlike, as a few columns are often described in parallel. Fewer words than leastAlike are not
// compared, as in "One row per customer".
const (
	fewestAlike = 4
	leastAlike  = 3
	leastNear   = 6
)

// compare faults the texts that inform but are repeated.
func (t *texts) compare(objects []*model.Object) {
	groups := map[uint64][]*model.Object{}
	signatures := map[int][]uint64{} // by Object.Index: of the whole text first, then of nearly equal ones
	for _, o := range objects {
		if t.faults[o.Index] != Informs {
			continue
		}
		all := []uint64{signature([]string{wording.Norm(o.Description)}, -1)}
		if words := t.compared(o); len(words) >= leastAlike {
			all = append(all, signature(words, -1))
			for but := range words {
				if len(words) >= leastNear {
					all = append(all, signature(words, but))
				}
			}
		}
		for _, s := range all {
			groups[s] = append(groups[s], o)
		}
		signatures[o.Index] = all
	}
	t.alike = map[int]alike{}
	for _, o := range objects {
		for i, s := range signatures[o.Index] {
			group := groups[s]
			if others := len(group) - 1; others > t.alike[o.Index].others && (i == 0 || len(group) >= fewestAlike) {
				t.faults[o.Index] = Repeated
				t.alike[o.Index] = alike{others, group[(slices.Index(group, o)+1)%len(group)]}
			}
		}
	}
}

// signature returns a hash of words without one of them; -1 leaves out none.
func signature(words []string, but int) uint64 {
	h := fnv.New64a()
	for i, w := range words {
		if i != but {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
	}
	return h.Sum64()
}

// compared returns the words of an object's description that are compared with others: sorted, once each, without names
// of the object and of its table, numbers and function words.
func (t *texts) compared(o *model.Object) []string {
	var own []string
	for _, n := range slices.Concat(o.Words, o.Table.Words) {
		own = append(own, wording.Forms(n)...)
	}
	var words []string
	for _, w := range wording.Words(wording.FirstRunes(o.Description, longestRead)) {
		if k := t.kinds[w]; k != function && k != asking && !slices.Contains(own, w) && (w[0] < '0' || '9' < w[0]) {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
