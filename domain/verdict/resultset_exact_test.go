package verdict

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// exacts are rows of one exact number each.
func exacts(numbers ...string) (r ResultSet) {
	for _, n := range numbers {
		r.Rows = append(r.Rows, []Value{Exact(n)})
	}
	return r
}

// Exact numbers are equal only if they are the same; with an inexact one there is the tolerance, also within a column.
func TestExactNumbers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reference, answer ResultSet
		want              Likeness
	}{
		"the same":                  {exacts("12.5"), exacts("12.5000"), Equal},
		"an integer":                {exacts("100"), exacts("100.0000"), Equal},
		"one of a million":          {exacts("1000000"), exacts("1000001"), Different},
		"a ten-thousandth":          {exacts("123456789012345.6789"), exacts("123456789012345.6788"), Different},
		"beyond a double":           {exacts("9007199254740993"), exacts("9007199254740992"), Different},
		"another sign":              {exacts("-0.0100"), exacts("0.0100"), Different},
		"inexact, near":             {exacts("1000000"), set(row{1_000_001.0}), Equal},
		"inexact, beyond":           {exacts("1000000"), set(row{1_000_001.1}), Different},
		"rows in another order":     {exacts("1.01", "1.02", "1.03"), exacts("1.03", "1.01", "1.02"), Equal},
		"not as often":              {exacts("1.01", "1.01", "1.02"), exacts("1.01", "1.02", "1.02"), Different},
		"near, between exact ones":  {exacts("100000", "100000.01"), set(row{100000.05}, row{100000.06}), Equal},
		"an inexact one among them": {ResultSet{Rows: [][]Value{{Exact("1000000")}, {Number(5)}}}, exacts("1000001", "5"), Equal},
		"as texts":                  {exacts("1"), set(row{"1"}), Different},
		"none":                      {exacts("x"), set(row{nil}), Equal},
	} {
		if got, _ := CompareResultSets(tt.reference, tt.answer, false); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// Columns that are exact, or are not, on either side: the search gives the same as trying every pairing.
func TestExactColumnsAgainstEveryPairing(t *testing.T) {
	t.Parallel()
	near := []string{"0", "0.0001", "1", "1000000", "1000000.7", "1000001", "1000001.4"}
	rapid.Check(t, func(t *rapid.T) {
		rows, width := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		draw := func(label string) (r ResultSet) {
			are := rapid.SliceOfN(rapid.Bool(), width, width).Draw(t, label+" is exact")
			for range rows {
				var values []Value
				for c := range width {
					v := Exact(rapid.SampledFrom(near).Draw(t, label))
					if !are[c] {
						v = Number(v.number)
					}
					values = append(values, v)
				}
				r.Rows = append(r.Rows, values)
			}
			return r
		}
		reference, answer := draw("reference"), draw("answer")
		if rapid.Bool().Draw(t, "alike") {
			answer = ResultSet{Rows: rapid.Permutation(reference.Rows).Draw(t, "permuted")}
		}
		got, _ := CompareResultSets(reference, answer, false)
		if want := everyPairing(reference, answer, false, nil); (got == Equal) != want {
			t.Fatalf("got %s, want equal %v", got, want)
		}
	})
}

// Digits are read and written without loss.
func TestExactDigits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := exact{rapid.Int64().Draw(t, "integer"), rapid.Int16Range(0, 9999).Draw(t, "rest"), true}
		if v.integer < 0 {
			v.rest = -v.rest
		}
		if got := readExact(v.String()); got != v {
			t.Fatalf("%s is read as %+v, want %+v", v, got, v)
		}
		other := exact{v.integer, rapid.Int16Range(0, 9999).Draw(t, "other") * int16(max(-1, min(1, v.integer))), true}
		if all := []exact{v, other}; (v.compare(other) < 0) != (slices.MinFunc(all, exact.compare) == v && v != other) {
			t.Fatalf("%s and %s are not in order", v, other)
		}
	})
}

// One row with a 0 says nothing, exact or not.
func TestAnExactZeroSaysNothing(t *testing.T) {
	t.Parallel()
	for n, want := range map[string]bool{"0": true, "0.0000": true, "0.0001": false} {
		if r := exacts(n); r.saysNothing() != want {
			t.Errorf("%s says nothing: %t", n, !want)
		}
	}
}
