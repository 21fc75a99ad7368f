package statistics

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The vectors of docs/evaluation.md.
func TestMcNemar(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		onlyA, onlyB int
		want         float64
	}{
		{1, 8, 0.0390625}, {2, 9, 0.0654296875}, {0, 5, 0.0625}, {0, 6, 0.03125}, {3, 3, 1}, {0, 0, 1}, {1, 4, 0.375}, {0, 1, 1}, {1, 2, 1},
		{0, 2000, 0}, {1000, 1000, 1}, {0, 1074, math.Exp2(-1073)}, // beyond the range of float64
	} {
		for _, got := range []float64{McNemar(tt.onlyA, tt.onlyB), McNemar(tt.onlyB, tt.onlyA)} {
			if got != tt.want {
				t.Errorf("%d, %d: got %v, want %v", tt.onlyA, tt.onlyB, got, tt.want)
			}
		}
	}
	for n := range 40 {
		for k := range n + 1 {
			if p := McNemar(k, n-k); p > 1 || p <= 0 || McNemarMidP(k, n-k) < Alpha && n < LeastDiffering {
				t.Errorf("%d of %d: got %v", k, n, p)
			}
		}
	}
	if McNemarMidP(0, LeastDiffering) >= Alpha {
		t.Error("five to one side are too few")
	}
}

// The vectors of docs/evaluation.md.
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x, n      int
		low, high float64
	}{
		{17, 20, 0.639581, 0.947631}, {41, 50, 0.692039, 0.902298}, {0, 10, 0, 0.277533}, {10, 10, 0.722467, 1}, {15, 20, 0.5313, 0.8881},
	} {
		low, high := Wilson(tt.x, tt.n)
		within := 0.5e-6
		if tt.low == 0.5313 { // docs/evaluation.md, with 4 decimals
			within = 0.5e-4
		}
		if math.Abs(low-tt.low) > within || math.Abs(high-tt.high) > within {
			t.Errorf("%d/%d: got %v, %v, want %v, %v", tt.x, tt.n, low, high, tt.low, tt.high)
		}
	}
	for n := 1; n < 60; n++ {
		for x := range n + 1 {
			low, high := Wilson(x, n)
			otherLow, otherHigh := Wilson(n-x, n)
			rate := float64(x) / float64(n)
			if low < 0 || low > rate || high < rate || high > 1 || math.Abs(low-(1-otherHigh)) > 1e-12 || math.Abs(high-(1-otherLow)) > 1e-12 {
				t.Errorf("%d/%d: got %v, %v; the others %v, %v", x, n, low, high, otherLow, otherHigh)
			}
			if x == 0 && low != 0 || x == n && high != 1 {
				t.Errorf("%d/%d: got %v, %v", x, n, low, high)
			}
		}
	}
}

// The vector of docs/evaluation.md, and its example.
func TestKappa(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		both, onlyA, onlyB, neither int
		observed, expected, kappa   float64 // NaN is null
	}{
		{12, 2, 4, 2, 0.70, 0.62, 0.210526}, {14, 1, 4, 1, 0.75, 0.70, 0.166667},
		{5, 0, 0, 0, 1, 1, math.NaN()}, {0, 0, 0, 5, 1, 1, math.NaN()},
		{5, 0, 0, 5, 1, 0.5, 1}, {0, 5, 5, 0, 0, 0.5, -1}, {0, 5, 0, 0, 0, 0, 0},
	} {
		observed, expected, kappa := Kappa(tt.both, tt.onlyA, tt.onlyB, tt.neither)
		null := math.IsNaN(tt.kappa)
		if observed != tt.observed || expected != tt.expected || (kappa == nil) != null || !null && math.Abs(*kappa-tt.kappa) > 0.5e-6 {
			t.Errorf("%+v: got %v, %v, %v", tt, observed, expected, kappa)
		}
	}
}

// Packages of domain do not import the standard library's generator; Draws draws the same
// numbers.
func TestDrawsAreThoseOfTheStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Draw(t, "id")
		seed := sha256.Sum256([]byte(id))
		want := rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:8]), binary.BigEndian.Uint64(seed[8:16])))
		got := NewDraws(id)
		for range 50 {
			n := rapid.OneOf(rapid.IntRange(1, 2000), rapid.IntRange(1, math.MaxInt)).Draw(t, "n") // large ones are often drawn again
			if w, g := want.IntN(n), got.Below(n); g != w {
				t.Fatalf("below %d: got %d, want %d", n, g, w)
			}
		}
	})
}

func TestNearestRank(t *testing.T) {
	t.Parallel()
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, tt := range []struct {
		values        []int64
		p50, p90, p95 int64
	}{
		{[]int64{7}, 7, 7, 7}, {[]int64{1, 2}, 1, 2, 2}, {hundred[:10], 5, 9, 10}, {hundred[:20], 10, 18, 19}, {hundred[:21], 11, 19, 20}, {hundred, 50, 90, 95},
	} {
		if a, b, c := NearestRank(tt.values, 50), NearestRank(tt.values, 90), NearestRank(tt.values, 95); a != tt.p50 || b != tt.p90 || c != tt.p95 {
			t.Errorf("%d values: got %d, %d, %d, want %d, %d, %d", len(tt.values), a, b, c, tt.p50, tt.p90, tt.p95)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.values, got, tt.want)
		}
	}
}
