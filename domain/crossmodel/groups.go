package crossmodel

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"readiness/domain/readiness"
	"readiness/internal/lists"
)

// Models are nearly identical from 9 tenths of common objects on, if each has at least
// fewestObjects.
const (
	nine, tenths  = 9, 10
	fewestObjects = 10
)

// similar reports whether two sets of a and b objects with common ones are nearly
// identical, and the share of those.
func similar(a, b, common int) (share float64, ok bool) {
	either := a + b - common
	return float64(common) / float64(either), tenths*common >= nine*either
}

// kind are models with the same objects.
type kind struct {
	objects readiness.Hashes
	models  []int
	// rare are some of its objects; a nearly identical kind has at least one of them.
	rare readiness.Hashes
	// share is the highest share with another kind, 1 with a second model of the same.
	share float64
	group int // index of a kind in the same group, or its own
}

// groups returns the groups of nearly identical models: those that pairs of nearly
// identical models connect. The largest come first.
func groups(models []readiness.Fingerprint) []Group {
	kinds := kindsOf(models)
	connect(kinds)
	byRoot := map[int]*Group{}
	for i := range kinds {
		k := &kinds[i]
		if k.share == 0 {
			continue
		}
		g := byRoot[root(kinds, i)]
		if g == nil {
			g = &Group{Share: 1}
			byRoot[root(kinds, i)] = g
		}
		g.Models.First = append(g.Models.First, k.models...)
		g.Share = min(g.Share, k.share)
	}
	all := make([]Group, 0, len(byRoot))
	for _, g := range byRoot {
		slices.Sort(g.Models.First)
		all = append(all, Group{first(g.Models.First, MaxNamed), math.Floor(g.Share*10000) / 10000})
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Models.Count, a.Models.Count), cmp.Compare(b.Share, a.Share),
			cmp.Compare(a.Models.First[0], b.Models.First[0]))
	})
	return all
}

// kindsOf returns the kinds of the models with enough objects, the smallest first.
func kindsOf(models []readiness.Fingerprint) []kind {
	byHash := map[[sha256.Size]byte]int{}
	var kinds []kind
	for i, m := range models {
		if len(m.Objects) < fewestObjects {
			continue
		}
		packed := make([]byte, 0, 8*len(m.Objects))
		for _, h := range m.Objects {
			packed = binary.BigEndian.AppendUint64(packed, uint64(h))
		}
		hash := sha256.Sum256(packed)
		if at, known := byHash[hash]; known {
			kinds[at].models, kinds[at].share = append(kinds[at].models, i), 1
			continue
		}
		byHash[hash] = len(kinds)
		kinds = append(kinds, kind{objects: m.Objects, models: []int{i}})
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(len(a.objects), len(b.objects)) })
	used := map[readiness.Hash]int{} // in how many kinds an object is
	for i := range kinds {
		kinds[i].group = i
		for _, h := range kinds[i].objects {
			used[h]++
		}
	}
	for i := range kinds {
		kinds[i].rare = rarest(kinds[i].objects, used)
	}
	return kinds
}

// rarest returns the objects of a kind before the last n-1, in the order of rareness; n are in a nearly identical kind.
func rarest(objects readiness.Hashes, used map[readiness.Hash]int) readiness.Hashes {
	type counted struct {
		used int
		hash readiness.Hash
	}
	all := lists.Map(objects, func(h readiness.Hash) counted { return counted{used[h], h} })
	slices.SortFunc(all, func(a, b counted) int { return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.hash, b.hash)) })
	n := (nine*len(all) + tenths - 1) / tenths
	rare := make(readiness.Hashes, len(all)-n+1)
	for i := range rare {
		rare[i] = all[i].hash
	}
	return rare
}

// connect puts nearly identical kinds into one group. It compares only kinds that share
// one of their rare objects: in the order of rareness, two sets with at least n common
// objects share one of those before their last n-1.
func connect(kinds []kind) {
	with := map[readiness.Hash][]int{} // the kinds before, by rare object
	compared := make([]int, len(kinds))
	for i := range kinds {
		k := &kinds[i]
		for _, h := range k.rare {
			for _, j := range with[h] {
				other := &kinds[j]
				if compared[j] == i || tenths*len(other.objects) < nine*len(k.objects) {
					continue
				}
				compared[j] = i
				if share, ok := similar(len(k.objects), len(other.objects), common(k.objects, other.objects)); ok {
					k.share, other.share = max(k.share, share), max(other.share, share)
					kinds[root(kinds, i)].group = root(kinds, j)
				}
			}
			with[h] = append(with[h], i)
		}
	}
}

// root returns the kind that stands for the group of a kind.
func root(kinds []kind, i int) int {
	for kinds[i].group != i {
		kinds[i].group = kinds[kinds[i].group].group
		i = kinds[i].group
	}
	return i
}

// common counts the hashes that two sorted lists share.
func common(a, b readiness.Hashes) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}
