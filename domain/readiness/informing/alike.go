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
func (t *texts) compare(x *model.Scope) {
	groups := map[uint64][]*model.Object{}
	signatures := map[int][]uint64{} // by Object.Index
	for _, o := range x.Objects {
		if t.faults[o.Index] != Informs {
			continue
		}
		all := model.Pure(x, signed{o.Name, o.Table.Src.Name, o.Description}, func(signed) []uint64 { return t.signatures(o) })
		for _, s := range all {
			groups[s] = append(groups[s], o)
		}
		signatures[o.Index] = all
	}
	t.alike = map[int]alike{}
	for _, o := range x.Objects {
		for i, s := range signatures[o.Index] {
			group := groups[s]
			if others := len(group) - 1; others > t.alike[o.Index].others && (i == 0 || len(group) >= fewestAlike) {
				t.faults[o.Index] = Repeated
				t.alike[o.Index] = alike{others, group[(slices.Index(group, o)+1)%len(group)]}
			}
		}
	}
}

// signed is an object by what its signatures depend on.
type signed struct{ name, table, description string }

// signatures returns those of an object's description: of the whole text first, then of nearly equal ones.
func (t *texts) signatures(o *model.Object) []uint64 {
	all := []uint64{signature([]string{wording.Norm(o.Description)}, -1)}
	if words := t.compared(o); len(words) >= leastAlike {
		all = append(all, signature(words, -1))
		for but := range words {
			if len(words) >= leastNear {
				all = append(all, signature(words, but))
			}
		}
	}
	return all
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
		if k := known(t.kinds, w); k != function && k != asking && !slices.Contains(own, w) && (w[0] < '0' || '9' < w[0]) {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
