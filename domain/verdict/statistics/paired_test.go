package statistics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The figures at a discordance of 0.3.
func TestDetectableDifference(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]float64{20: 0.313, 50: 0.205, 100: 0.151} {
		if got, ok := DetectableDifference(n, 0.3); !ok || math.Abs(got-want) > 0.0005 {
			t.Errorf("%d questions: got %v, %v, want %v", n, got, ok, want)
		}
	}
	for n := range 5 {
		if got, ok := DetectableDifference(n, 0.3); ok {
			t.Errorf("%d questions: got %v", n, got)
		}
	}
	if got, ok := DetectableDifference(5, 0.3); !ok || math.Abs(got-math.Pow(0.8, 0.2)) > 1e-9 {
		t.Errorf("five questions: got %v, %v", got, ok)
	}
}

func TestQuestionsFor(t *testing.T) {
	t.Parallel()
	for discordance, want := range map[float64]int{0: 40, 0.2: 40, 0.3: 60, 0.9: 0} {
		if got := QuestionsFor(0.2, discordance); got != want {
			t.Errorf("%v differ: got %d, want %d", discordance, got, want)
		}
	}
}

// Five of five is significant by mid-p, four of four is not.
func TestMcNemarMidP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		onlyA, onlyB int
		want         float64
	}{{0, 0, 1}, {3, 3, 1}, {0, 4, 0.0625}, {0, 5, 0.03125}, {1, 8, 0.021484375}, {0, 1, 0.5}} {
		for _, got := range []float64{McNemarMidP(tt.onlyA, tt.onlyB), McNemarMidP(tt.onlyB, tt.onlyA)} {
			if got != tt.want {
				t.Errorf("%d, %d: got %v, want %v", tt.onlyA, tt.onlyB, got, tt.want)
			}
		}
	}
}

// midPByOutcomes weighs every outcome by how extreme it is; equally extreme ones count half.
func midPByOutcomes(onlyA, onlyB int) float64 {
	n, sum := int64(onlyA+onlyB), new(big.Rat)
	gap := max(onlyA-onlyB, onlyB-onlyA)
	for k := range int(n) + 1 {
		count := new(big.Rat).SetInt(new(big.Int).Binomial(n, int64(k)))
		switch other := max(2*k-int(n), int(n)-2*k); {
		case other == gap && gap > 0:
			sum.Add(sum, count.Mul(count, big.NewRat(1, 2)))
		case other >= gap:
			sum.Add(sum, count)
		}
	}
	p, _ := sum.Quo(sum, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))).Float64()
	return p
}

// limitByRoot returns a limit of the score interval as the root of its definition, by
// bisection between the rate and an end.
func limitByRoot(rate, end float64, n int) float64 {
	inside, outside := rate, end
	for range 200 {
		middle := (inside + outside) / 2
		if (middle-rate)*(middle-rate) <= z*z*middle*(1-middle)/float64(n) {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside
}

func newcombeByRoots(both, onlyA, onlyB, neither int) (low, high float64) {
	n := both + onlyA + onlyB + neither
	a, b := float64(both+onlyA)/float64(n), float64(both+onlyB)/float64(n)
	phi := 0.0
	if variance := a * (1 - a) * b * (1 - b); variance > 1e-12 {
		covariance := float64(both)/float64(n) - a*b
		if covariance > 0 {
			covariance = math.Max(covariance-0.5/float64(n), 0)
		}
		phi = covariance / math.Sqrt(variance)
	}
	to := func(x, y float64) float64 {
		return math.Sqrt(math.Max(0, (x-phi*y)*(x-phi*y)+(1-phi*phi)*y*y))
	}
	low = b - a - to(b-limitByRoot(b, 0, n), limitByRoot(a, 1, n)-a)
	high = b - a + to(limitByRoot(b, 1, n)-b, a-limitByRoot(a, 0, n))
	return math.Max(low, -1), math.Min(high, 1)
}

// holmBySteps rejects hypotheses in turn, and returns the least level at which p is.
func holmBySteps(p float64, others []float64) float64 {
	level := 0.0
	smaller := 0
	for _, q := range others {
		if q < p {
			smaller++
			rank := 0
			for _, r := range others {
				if r < q {
					rank++
				}
			}
			level = math.Max(level, q*float64(len(others)+1-rank))
		}
	}
	return math.Min(1, math.Max(level, p*float64(len(others)+1-smaller)))
}

// powerByTables adds up the probabilities of all significant tables.
func powerByTables(n int, discordance, difference float64) float64 {
	discordance = math.Max(discordance, difference)
	a, b, total := (discordance-difference)/2, (discordance+difference)/2, 0.0
	for x := range n + 1 {
		for y := range n - x + 1 {
			if midPByOutcomes(x, y) < Alpha {
				ways := float64(new(big.Int).Binomial(int64(n), int64(x)).Int64() * new(big.Int).Binomial(int64(n-x), int64(y)).Int64())
				total += ways * math.Pow(a, float64(x)) * math.Pow(b, float64(y)) * math.Pow(1-discordance, float64(n-x-y))
			}
		}
	}
	return total
}

// A second implementation of each statistic, from its definition, gives the same numbers.
func TestPairedStatisticsTwice(t *testing.T) {
	t.Parallel()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 40)
		both, onlyA, onlyB, neither := count.Draw(t, "both"), count.Draw(t, "onlyA"), count.Draw(t, "onlyB"), count.Draw(t, "neither")
		if got, want := McNemarMidP(onlyA, onlyB), midPByOutcomes(onlyA, onlyB); !near(got, want) {
			t.Fatalf("mid-p: got %v, want %v", got, want)
		}
		if both+onlyA+onlyB+neither > 0 {
			low, high := Newcombe(both, onlyA, onlyB, neither)
			wantLow, wantHigh := newcombeByRoots(both, onlyA, onlyB, neither)
			if !near(low, wantLow) || !near(high, wantHigh) {
				t.Fatalf("Newcombe: got %v, %v, want %v, %v", low, high, wantLow, wantHigh)
			}
		}
		p := rapid.SampledFrom([]float64{0, 0.001, 0.01, 0.02, 0.04, 0.2, 1})
		own, others := p.Draw(t, "p"), rapid.SliceOfN(p, 0, 8).Draw(t, "others")
		if got, want := Holm(own, others), holmBySteps(own, others); !near(got, want) {
			t.Fatalf("Holm: got %v, want %v", got, want)
		}
		n, psi := rapid.IntRange(5, 14).Draw(t, "n"), float64(rapid.IntRange(1, 9).Draw(t, "psi"))/10
		d, _ := DetectableDifference(n, psi)
		if at := powerByTables(n, psi, d); !near(at, power) {
			t.Fatalf("%d questions at %v: the power at %v is %v", n, psi, d, at)
		}
	})
}

// The interval covers the true difference in at least 0.92 of the draws from 12 questions
// on, in 0.89 at five, and in 0.95 on average. Where only a tenth differs the least is 0.90.
func TestNewcombeCoverage(t *testing.T) {
	t.Parallel()
	const draws = 20000
	random := rand.New(rand.NewPCG(1, 2))
	sum, cases := 0.0, 0
	for _, n := range []int{5, 12, 20, 50, 100} {
		for _, psi := range []float64{0.1, 0.3, 0.5} {
			for _, difference := range []float64{0, psi / 2, psi} {
				for _, right := range []float64{0.5, 0.8} {
					covered := 0
					for range draws {
						var table [4]int // both, only A, only B, neither
						for range n {
							u := random.Float64()
							switch {
							case u < (psi-difference)/2:
								table[1]++
							case u < psi:
								table[2]++
							case u < psi+(1-psi)*right:
								table[0]++
							default:
								table[3]++
							}
						}
						if low, high := Newcombe(table[0], table[1], table[2], table[3]); low <= difference && difference <= high {
							covered++
						}
					}
					share, least := float64(covered)/draws, 0.92
					switch {
					case n < 12:
						least = 0.89
					case psi == 0.1: // 0.9045 at 20 questions that all differ to one side
						least = 0.90
					}
					if share < least {
						t.Errorf("%d questions, %v differing, %v apart, %v right: covered %v", n, psi, difference, right, share)
					}
					sum, cases = sum+share, cases+1
				}
			}
		}
	}
	if mean := sum / float64(cases); mean < 0.95 {
		t.Errorf("the mean coverage is %v", mean)
	}
}

func BenchmarkDetectableDifference(b *testing.B) {
	for b.Loop() {
		DetectableDifference(1000, 0.3)
	}
}
