package crossmodel_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"readiness/domain/crossmodel"
	"readiness/domain/readiness"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// texts are the texts of one model by name; a name's key is its first letter.
type texts map[string]readiness.Hash

func marks(of texts) []readiness.Mark {
	var all []readiness.Mark
	for name, text := range of {
		all = append(all, readiness.Mark{Name: name, Key: readiness.Hash(name[0]), Text: text})
	}
	return all
}

func variant(models ...int) crossmodel.Variant {
	return crossmodel.Variant{Count: len(models), First: models}
}

// Names with different texts are listed with the models that agree; names with one text
// are not.
func TestDifferences(t *testing.T) {
	t.Parallel()
	difference := func(name string, models int, variants ...crossmodel.Variant) crossmodel.Difference {
		return crossmodel.Difference{Name: name, Key: readiness.Hash(name[0]), Models: models, Texts: crossmodel.List[crossmodel.Variant]{Count: len(variants), First: variants}}
	}
	for name, tt := range map[string]struct {
		models []texts
		want   []crossmodel.Difference
	}{
		"nothing":            {nil, nil},
		"one model":          {[]texts{{"a": 1, "b": 2}}, nil},
		"equal texts":        {[]texts{{"a": 1}, {"a": 1}, {"b": 2}}, nil},
		"two texts":          {[]texts{{"a": 1}, {"a": 2}}, []crossmodel.Difference{difference("a", 2, variant(0), variant(1))}},
		"the most first":     {[]texts{{"a": 1}, {"a": 2}, {}, {"a": 2}}, []crossmodel.Difference{difference("a", 3, variant(1, 3), variant(0))}},
		"the first spelling": {[]texts{{"ab": 1}, {"aB": 2}}, []crossmodel.Difference{difference("ab", 2, variant(0), variant(1))}},
		"by models, then name": {
			[]texts{{"c": 1, "b": 1, "a": 1}, {"c": 2, "b": 2, "a": 2}, {"c": 1}},
			[]crossmodel.Difference{difference("c", 3, variant(0, 2), variant(1)), difference("a", 2, variant(0), variant(1)), difference("b", 2, variant(0), variant(1))},
		},
	} {
		var measures, tables []readiness.Fingerprint
		for _, of := range tt.models {
			measures, tables = append(measures, readiness.Fingerprint{Measures: marks(of)}), append(tables, readiness.Fingerprint{Tables: marks(of)})
		}
		want := crossmodel.Result{Compared: len(tt.models)}
		want.Measures = crossmodel.List[crossmodel.Difference]{Count: len(tt.want), First: tt.want}
		if diff := cmp.Diff(want, crossmodel.Compare(measures), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: measures (-want +got):\n%s", name, diff)
		}
		want.Measures, want.Tables = want.Tables, want.Measures
		if diff := cmp.Diff(want, crossmodel.Compare(tables), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: tables (-want +got):\n%s", name, diff)
		}
	}
}

// objects returns a model with the objects from first to last.
func objects(first, last int) readiness.Fingerprint {
	var f readiness.Fingerprint
	for i := first; i <= last; i++ {
		f.Objects = append(f.Objects, readiness.Hash(i))
	}
	return f
}

// Models are nearly identical from a share of 0.9 of at least 10 objects on, and pairs
// connect them into groups.
func TestGroups(t *testing.T) {
	t.Parallel()
	type group = crossmodel.Group
	for name, tt := range map[string]struct {
		models []readiness.Fingerprint
		want   []group
	}{
		"nothing":               {nil, nil},
		"identical":             {[]readiness.Fingerprint{objects(1, 10), objects(1, 10)}, []group{{variant(0, 1), 1}}},
		"too few objects":       {[]readiness.Fingerprint{objects(1, 9), objects(1, 9)}, nil},
		"nine of ten":           {[]readiness.Fingerprint{objects(1, 9), objects(1, 10)}, nil}, // one has too few
		"18 of 20":              {[]readiness.Fingerprint{objects(1, 18), objects(1, 20)}, []group{{variant(0, 1), 0.9}}},
		"17 of 19":              {[]readiness.Fingerprint{objects(1, 17), objects(1, 19)}, nil},
		"19 of 21, shifted":     {[]readiness.Fingerprint{objects(1, 20), objects(2, 21)}, []group{{variant(0, 1), 0.9047}}},
		"18 of 22, shifted":     {[]readiness.Fingerprint{objects(1, 20), objects(3, 22)}, nil},
		"a chain":               {[]readiness.Fingerprint{objects(1, 20), objects(3, 22), objects(2, 21)}, []group{{variant(0, 1, 2), 0.9047}}},
		"an identical third":    {[]readiness.Fingerprint{objects(1, 100), objects(1, 95), objects(1, 100)}, []group{{variant(0, 1, 2), 0.95}}},
		"two groups":            {[]readiness.Fingerprint{objects(1, 20), objects(101, 120), objects(1, 20), objects(102, 121), objects(101, 120)}, []group{{variant(1, 3, 4), 0.9047}, {variant(0, 2), 1}}},
		"a part of a large one": {[]readiness.Fingerprint{objects(1, 20), objects(1, 200)}, nil},
	} {
		got := crossmodel.Compare(tt.models).Groups
		if diff := cmp.Diff(crossmodel.List[group]{Count: len(tt.want), First: tt.want}, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Counts are true when lists end earlier.
func TestLimits(t *testing.T) {
	t.Parallel()
	const models, names = crossmodel.MaxModels + 7, 300
	var all []readiness.Fingerprint
	for i := range models {
		f := objects(i/2*100, i/2*100+20)
		for n := range names {
			f.Measures = append(f.Measures, readiness.Mark{Name: fmt.Sprintf("%03d", n), Key: readiness.Hash(n), Text: readiness.Hash(i / 20)})
		}
		all = append(all, f)
	}
	r := crossmodel.Compare(all)
	if r.Compared != crossmodel.MaxModels || r.LeftOut != 7 {
		t.Errorf("compared %d, left out %d", r.Compared, r.LeftOut)
	}
	one := r.Measures.First[0]
	for what, list := range map[string][4]int{ // count and length, and what they should be
		"measures": {r.Measures.Count, len(r.Measures.First), names, crossmodel.MaxListed},
		"texts":    {one.Texts.Count, len(one.Texts.First), crossmodel.MaxModels / 20, crossmodel.MaxNamed},
		"models":   {one.Texts.First[0].Count, len(one.Texts.First[0].First), 20, crossmodel.MaxNamed},
		"groups":   {r.Groups.Count, len(r.Groups.First), crossmodel.MaxModels / 2, crossmodel.MaxListed},
		"tables":   {r.Tables.Count, len(r.Tables.First), 0, 0},
	} {
		if list[0] != list[2] || list[1] != list[3] {
			t.Errorf("%s: got %d of %d, want %d of %d", what, list[1], list[0], list[3], list[2])
		}
	}
	if one.Models != crossmodel.MaxModels {
		t.Errorf("got %d models", one.Models)
	}
}

// The groups are those that comparing every pair finds.
func TestGroupsOfEveryPair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var models []readiness.Fingerprint
		for range rapid.IntRange(0, 12).Draw(t, "models") {
			f := objects(rapid.IntRange(0, 3).Draw(t, "first"), rapid.IntRange(8, 34).Draw(t, "last"))
			if len(models) > 0 && rapid.Bool().Draw(t, "again") {
				f.Objects = slices.Clone(models[rapid.IntRange(0, len(models)-1).Draw(t, "of")].Objects)
			}
			for range rapid.IntRange(0, 3).Draw(t, "without") {
				if i := rapid.IntRange(0, 40).Draw(t, "at"); i < len(f.Objects) {
					f.Objects = slices.Delete(f.Objects, i, i+1)
				}
			}
			models = append(models, f)
		}
		want := everyPair(models)
		if diff := cmp.Diff(want, crossmodel.Compare(models).Groups.First, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-every pair +got\n%s", diff)
		}
	})
}

// everyPair returns the groups by comparing every pair.
func everyPair(models []readiness.Fingerprint) []crossmodel.Group {
	of := make([]int, len(models)) // the smallest model of the group
	share := make([]float64, len(models))
	for i := range models {
		of[i] = i
	}
	for i, a := range models {
		for j, b := range models[:i] {
			both, either := 0, len(b.Objects)
			for _, h := range a.Objects {
				if slices.Contains(b.Objects, h) {
					both++
				} else {
					either++
				}
			}
			if len(a.Objects) < 10 || len(b.Objects) < 10 || 10*both < 9*either {
				continue
			}
			s := float64(both) / float64(either)
			share[i], share[j] = max(share[i], s), max(share[j], s)
			from, to := max(of[i], of[j]), min(of[i], of[j])
			for k := range of {
				if of[k] == from {
					of[k] = to
				}
			}
		}
	}
	var all []crossmodel.Group
	for first := range models {
		g := crossmodel.Group{Share: 1}
		for i := range models {
			if of[i] == first && share[i] > 0 {
				g.Models.First = append(g.Models.First, i)
				g.Share = min(g.Share, share[i])
			}
		}
		if g.Models.Count = len(g.Models.First); g.Models.Count > 0 {
			g.Models.First = g.Models.First[:min(g.Models.Count, crossmodel.MaxNamed)]
			g.Share = math.Floor(g.Share*10000) / 10000
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b crossmodel.Group) int {
		if n := b.Models.Count - a.Models.Count; n != 0 {
			return n
		}
		return int(1e6 * (b.Share - a.Share)) // a share has 4 decimals
	})
	return all
}

// Large folders: many different models, and as many copies of one.
func BenchmarkCompare(b *testing.B) {
	var different, copies []readiness.Fingerprint
	for i := range crossmodel.MaxModels {
		f := objects(1000*i, 1000*i+900)
		f.Objects = append(f.Objects, objects(1_000_001, 1_000_100).Objects...) // what all have in common
		g := objects(1, 1000)
		g.Objects[i] = readiness.Hash(2000 + i)
		slices.Sort(g.Objects)
		different, copies = append(different, f), append(copies, g)
	}
	for name, models := range map[string][]readiness.Fingerprint{"different": different, "copies": copies} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				crossmodel.Compare(models)
			}
		})
	}
}
