package verdict

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// set returns rows of values; nil is BLANK.
func set(rows ...[]any) ResultSet {
	var r ResultSet
	for _, row := range rows {
		var values []Value
		for _, v := range row {
			switch v := v.(type) {
			case nil:
				values = append(values, Value{})
			case bool:
				values = append(values, Boolean(v))
			case int:
				values = append(values, Number(float64(v)))
			case float64:
				values = append(values, Number(v))
			case string:
				values = append(values, Text(v))
			case time.Time:
				values = append(values, Instant(v))
			}
		}
		r.Rows = append(r.Rows, values)
	}
	return r
}

type row = []any

// The rules of docs/evaluation.md.
func TestCompareResultSets(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	wide := func(values ...any) row { return append(row{1, 2, 3, 4, 5, 6, 7}, values...) }
	for name, tt := range map[string]struct {
		reference, answer ResultSet
		ordered           bool
		want              Likeness
		note              Note
	}{
		"the same":            {set(row{"A", 1}, row{"B", 2}), set(row{"A", 1}, row{"B", 2}), true, Equal, ""},
		"other order of rows": {set(row{"A", 1}, row{"B", 2}), set(row{"B", 2}, row{"A", 1}), false, Equal, ""},
		"order matters":       {set(row{"A", 1}, row{"B", 2}), set(row{"B", 2}, row{"A", 1}), true, Different, ""},
		"columns, in order":   {set(row{"A", 1}, row{"B", 2}), set(row{1, "A"}, row{2, "B"}), true, Equal, ""},
		"bags":                {set(row{"A"}, row{"A"}, row{"B"}), set(row{"A"}, row{"B"}, row{"B"}), false, Different, ""},
		"pairs, not as often": {
			set(row{"A", 1}, row{"A", 1}, row{"A", 2}, row{"B", 1}, row{"B", 2}, row{"B", 2}),
			set(row{"A", 1}, row{"A", 2}, row{"A", 2}, row{"B", 1}, row{"B", 1}, row{"B", 2}), false, Different, "",
		},
		"rows less":            {set(row{"A"}, row{"A"}), set(row{"A"}), false, Different, ""},
		"columns less":         {set(row{"A", 1}), set(row{"A"}), false, Different, ""},
		"columns permuted":     {set(row{1, "A", true}, row{2, "B", false}), set(row{true, 1, "A"}, row{false, 2, "B"}), false, Equal, ""},
		"values, not rows":     {set(row{1, 2}, row{2, 1}, row{3, 3}), set(row{1, 1}, row{2, 2}, row{3, 3}), false, Different, ""},
		"extra column":         {set(row{"A", 1}, row{"B", 2}), set(row{2, "x", "B"}, row{1, "y", "A"}), false, Superset, ExtraColumns},
		"extra, in order":      {set(row{"A"}, row{"B"}), set(row{1, "A"}, row{2, "B"}), true, Superset, ExtraColumns},
		"extra, but another":   {set(row{"A", 1}, row{"B", 2}), set(row{"A", 2, 7}, row{"B", 1, 7}), false, Different, ""},
		"extra rows too":       {set(row{"A"}), set(row{"A", 1}, row{"A", 2}), false, Different, ""},
		"both empty":           {set(), set(), false, Equal, BothEmpty},
		"reference empty":      {set(), set(row{1}), false, Different, ""},
		"answer empty":         {set(row{1}), set(), false, Different, ""},
		"blank and missing":    {set(row{"A", nil}, row{"B", 1}), set(row{"A"}, row{"B", 1}), false, Equal, ""},
		"blank is not empty":   {set(row{nil}), set(row{""}), false, Different, ""},
		"blank is not 0":       {set(row{nil}), set(row{0}), false, Different, ""},
		"texts trimmed, NFC":   {set(row{"Café "}), set(row{" Cafe\u0301"}), false, Equal, ""},
		"texts by case":        {set(row{"a"}), set(row{"A"}), false, Different, ""},
		"text is no number":    {set(row{"1"}), set(row{1}), false, Different, ""},
		"boolean is no number": {set(row{true}), set(row{1}), false, Different, ""},
		"booleans":             {set(row{true}), set(row{false}), false, Different, ""},
		"instants":             {set(row{noon}), set(row{noon.In(time.FixedZone("", 3600))}), false, Equal, ""},
		"other instants":       {set(row{noon}), set(row{noon.Add(time.Second)}), false, Different, ""},
		"integer and decimal":  {set(row{3}), set(row{3.0000000001}), false, Equal, ""},
		"relative, within":     {set(row{1_000_000}), set(row{1_000_001}), false, Equal, ""},
		"relative, beyond":     {set(row{1_000_000}), set(row{1_000_001.1}), false, Different, ""},
		"absolute, within":     {set(row{0}), set(row{1e-9}), false, Equal, ""},
		"absolute, beyond":     {set(row{0}), set(row{1.1e-9}), false, Different, ""},
		"infinity":             {set(row{math.Inf(1)}), set(row{math.Inf(1)}), false, Equal, ""},
		"near infinity":        {set(row{math.Inf(1)}), set(row{5}), false, Different, ""},
		"infinities":           {set(row{math.Inf(1)}), set(row{math.Inf(-1)}), false, Different, ""},
		"not a number":         {set(row{math.NaN()}), set(row{math.NaN()}), false, Equal, ""},
		"not a number, 0":      {set(row{math.NaN()}), set(row{0}), false, Different, ""},
		"8 columns permuted":   {set(wide(8)), set(append(row{8}, wide()...)), false, Equal, ""},
		"9 columns in order":   {set(wide(8, 9)), set(wide(8, 9)), false, Equal, ""},
		"9 columns permuted":   {set(wide(8, 9)), set(append(row{9}, wide(8)...)), false, Different, ""},
		"2 of 9 in order":      {set(row{3, 9}), set(wide(8, 9)), false, Superset, ExtraColumns},
		"2 of 9 permuted":      {set(row{9, 3}), set(wide(8, 9)), false, Different, ""},
		"truncated":            {ResultSet{Rows: set(row{1}).Rows, Truncated: true}, set(row{1}), false, Undecided, ""},
		"answer truncated":     {set(row{1}), ResultSet{Rows: set(row{1}).Rows, Truncated: true}, false, Undecided, ""},
		"too many rows":        {ResultSet{Rows: make([][]Value, maxRows+1)}, set(), false, Undecided, ""},
		"too many values":      {set(), ResultSet{Rows: [][]Value{make([]Value, maxValues+1)}}, false, Undecided, ""},
		"as many as there are": {ResultSet{Rows: make([][]Value, maxRows)}, ResultSet{Rows: make([][]Value, maxRows)}, false, Equal, ""},
		"one of too many":      {set(row{1}), ResultSet{Rows: [][]Value{make([]Value, maxChosen+1)}}, false, Undecided, ""},
		// Equality within a tolerance is not transitive: 1 and 3 are not equal, but 2
		// equals both.
		"a chain":                    {set(row{1e6}, row{1e6 + 0.8}), set(row{1e6 + 1.6}, row{1e6 + 0.8}), false, Equal, ""},
		"a chain that does not pair": {set(row{1e6}, row{1e6 + 0.1}), set(row{1e6 + 0.9}, row{1e6 + 1.8}), false, Different, ""},
		// In the order of either column the first pairs are not equal.
		"a chain of two columns": {
			set(row{1e6, 2e6 + 3}, row{1e6 + 0.5, 2e6}, row{1e6 + 1, 2e6 + 1.5}),
			set(row{1e6 + 0.5, 2e6 + 1.5}, row{1e6, 2e6 + 1.5}, row{1e6 + 1.2, 2e6 + 2}), false, Equal, "",
		},
		// The row that is paired first must be paired again.
		"a chain with a detour": {
			set(row{1e6, 1e6}, row{1e6, 1e6}, row{1e6, 1e6 + 0.6}, row{1e6 + 0.6, 1e6}, row{1e6, 1e6}),
			set(row{1e6, 1e6}, row{1e6, 1e6}, row{1e6, 1e6}, row{1e6, 1e6 + 1.2}, row{1e6 + 1.2, 1e6}), false, Equal, "",
		},
		"noise before the key": {set(row{1e9, "A", 1}, row{1e9 + 1, "B", 5}), set(row{1e9 + 1, "A", 1}, row{1e9, "B", 5}), false, Equal, ""},
	} {
		got, note := CompareResultSets(tt.reference, tt.answer, tt.ordered)
		if got != tt.want || note != tt.note {
			t.Errorf("%s: got %s %q, want %s %q", name, got, note, tt.want, tt.note)
		}
	}
}

// anySet draws a small result set of few values, some of them equal only within the
// tolerance.
func anySet(rows, columns int) *rapid.Generator[ResultSet] {
	values := []Value{{}, Text("A"), Text("B"), Boolean(true), Number(0), Number(1), Number(1e6), Number(1e6 + 0.7), Number(1e6 + 1.4)}
	return rapid.Custom(func(t *rapid.T) ResultSet {
		var r ResultSet
		for range rows {
			r.Rows = append(r.Rows, rapid.SliceOfN(rapid.SampledFrom(values), columns, columns).Draw(t, "row"))
		}
		return r
	})
}

// The search gives the same result as trying every pairing of rows under every choice
// of columns.
func TestResultSetsAgainstEveryPairing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, width := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		reference := anySet(rows, width).Draw(t, "reference")
		answer := anySet(rows, width+rapid.IntRange(0, 1).Draw(t, "extra")).Draw(t, "answer")
		if rapid.Bool().Draw(t, "alike") { // else few rows are equal
			answer = disturbed(t, reference, len(answer.Rows[0])-width)
		}
		ordered := rapid.Bool().Draw(t, "ordered")
		want := Different
		if everyPairing(reference, answer, ordered, nil) {
			want = Equal
			if len(answer.Rows[0]) > width {
				want = Superset
			}
		}
		if got, _ := CompareResultSets(reference, answer, ordered); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

// disturbed shuffles the rows and columns of a result set, adds columns, and moves
// numbers within or beyond the tolerance.
func disturbed(t *rapid.T, r ResultSet, extra int) ResultSet {
	columns := make([]int, len(r.Rows[0])+extra)
	for i := range columns {
		columns[i] = i
	}
	columns = rapid.Permutation(columns).Draw(t, "columns")
	var out ResultSet
	for _, row := range rapid.Permutation(r.Rows).Draw(t, "rows") {
		var values []Value
		for _, c := range columns {
			v := Text("extra")
			if c < len(row) {
				v = row[c]
			}
			if v.kind == number {
				v = Number(v.number + rapid.SampledFrom([]float64{0, 0, 0.6, -0.6}).Draw(t, "noise")*max(1e-9, v.number*1e-6))
			}
			values = append(values, v)
		}
		out.Rows = append(out.Rows, values)
	}
	return out
}

// everyPairing is the definition, in factorial time.
func everyPairing(reference, answer ResultSet, ordered bool, of []int) bool {
	if len(of) < len(reference.Rows[0]) {
		for j := range answer.Rows[0] {
			if !slices.Contains(of, j) && everyPairing(reference, answer, ordered, append(slices.Clone(of), j)) {
				return true
			}
		}
		return false
	}
	equal := func(r, a int) bool {
		for i, j := range of {
			if !reference.Rows[r][i].equal(answer.Rows[a][j]) {
				return false
			}
		}
		return true
	}
	var pair func(r int, taken []int) bool
	pair = func(r int, taken []int) bool {
		if r == len(reference.Rows) {
			return true
		}
		for a := range answer.Rows {
			if (!ordered || a == r) && !slices.Contains(taken, a) && equal(r, a) && pair(r+1, append(slices.Clone(taken), a)) {
				return true
			}
		}
		return false
	}
	return pair(0, nil)
}

// Sides may be swapped, and a result set is equal to itself in any order.
func TestResultSetsAreSymmetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := anySet(rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 8).Draw(t, "columns")).Draw(t, "one")
		other := disturbed(t, r, 0)
		there, _ := CompareResultSets(r, other, false)
		back, _ := CompareResultSets(other, r, false)
		if there != back {
			t.Fatalf("got %s, and %s when swapped", there, back)
		}
		shuffled := ResultSet{Rows: rapid.Permutation(r.Rows).Draw(t, "shuffled")}
		if got, _ := CompareResultSets(r, shuffled, false); got != Equal {
			t.Fatalf("shuffled: got %s", got)
		}
	})
}

// Searches that would take too much work are left undecided: a permutation of eight
// columns where any seven fit, and a pairing of rows that are similar in two columns.
func TestComparisonIsBounded(t *testing.T) {
	t.Parallel()
	var even, odd ResultSet
	for n := range 256 {
		var row []Value
		for bit := range 8 {
			row = append(row, Boolean(n>>bit&1 == 1))
		}
		if bits.OnesCount(uint(n))%2 == 0 {
			even.Rows = append(even.Rows, row)
		} else {
			odd.Rows = append(odd.Rows, row)
		}
	}
	if got, _ := CompareResultSets(even, odd, false); got != Undecided {
		t.Errorf("permutations: got %s, want undecided", got)
	}
	var near, far ResultSet
	for r := range 2000 {
		near.Rows = append(near.Rows, []Value{Number(1e9 + float64(r)*100), Number(2e9 + float64(r*7%2000)*100)})
		far.Rows = append(far.Rows, []Value{Number(1e9 + float64(r)*100 + 990), Number(2e9 + float64(r*11%2000)*100)})
	}
	if got, _ := CompareResultSets(near, far, false); got != Undecided {
		t.Errorf("similar rows: got %s, want undecided", got)
	}
}

// Among many rows that are similar in one column, those that are equal in all columns
// are paired.
func TestManyRowsAlike(t *testing.T) {
	t.Parallel()
	var reference, answer ResultSet
	for r := range 200 { // numbers of 1e9 are equal within 1000
		id, group, noise := 1e9+float64(500*r), 1e9+float64(2000*(r%50)), float64(400-r%2*800)
		reference.Rows = append(reference.Rows, []Value{Number(id), Number(group)})
		answer.Rows = append(answer.Rows, []Value{Number(id + noise), Number(group)})
	}
	slices.Reverse(answer.Rows)
	if got, _ := CompareResultSets(reference, answer, false); got != Equal {
		t.Errorf("got %s", got)
	}
	answer.Rows[100][1] = Number(1e9 + 1500)
	if got, _ := CompareResultSets(reference, answer, false); got == Equal {
		t.Errorf("one row differs: got %s", got)
	}
}

// Rows that are similar in two columns are paired if any pairing makes them equal.
func TestRowsAlikeAgainstEveryPairing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(3, 5).Draw(t, "rows")
		draw := func(label string) (r ResultSet) {
			for range rows {
				v := rapid.SliceOfN(rapid.IntRange(0, 4), 2, 2).Draw(t, label)
				r.Rows = append(r.Rows, []Value{Number(1e6 + 0.6*float64(v[0])), Number(1e6 + 0.6*float64(v[1]))})
			}
			return r
		}
		reference, answer := draw("reference"), draw("answer")
		got, _ := CompareResultSets(reference, answer, false)
		if want := everyPairing(reference, answer, false, nil); (got == Equal) != want {
			t.Fatalf("got %s, want equal %v", got, want)
		}
	})
}

func BenchmarkCompareResultSets(b *testing.B) {
	for _, rows := range []int{10, 1000, 100_000} {
		var reference, answer ResultSet
		for i := range rows {
			reference.Rows = append(reference.Rows, []Value{Text(fmt.Sprint("Product ", i)), Number(float64(i%365) * 1.1), Number(float64(1_000_000 + i)), Boolean(i%2 == 0)})
		}
		for i := range reference.Rows {
			row := reference.Rows[(i*7919+13)%rows]
			answer.Rows = append(answer.Rows, []Value{row[3], Number(row[1].number * (1 + 1e-12)), row[2], row[0]})
		}
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			for b.Loop() {
				CompareResultSets(reference, answer, false)
			}
		})
	}
}
