package statistics

import (
	"math"
	"math/big"
	"slices"
)

const (
	// power is the probability with which a test finds its minimum detectable effect.
	power = 0.8
	// negligibleWeight is the probability below which a number of differing questions
	// does not change the power.
	negligibleWeight = 1e-16
)

// McNemarMidP returns the two-sided mid-p-value of McNemar's test: 2·P(X ≤ min) −
// P(X = min), which is 1 for equal counts and for none.
func McNemarMidP(onlyA, onlyB int) float64 {
	n := int64(onlyA + onlyB)
	choose, sum := big.NewInt(1), big.NewInt(1)
	for i := int64(1); i <= int64(min(onlyA, onlyB)); i++ {
		choose.Mul(choose, big.NewInt(n-i+1)).Quo(choose, big.NewInt(i))
		sum.Add(sum, choose)
	}
	sum.Lsh(sum, 1).Sub(sum, choose)
	p, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return p
}

// Newcombe returns the 95 % interval of the share correct on side B minus that on side A,
// for paired verdicts: the hybrid score interval, method 10 of Newcombe, Stat Med
// 1998;17:2635. The number of questions must be above 0.
func Newcombe(both, onlyA, onlyB, neither int) (low, high float64) {
	n := both + onlyA + onlyB + neither
	a, b := both+onlyA, both+onlyB
	lowA, highA := Wilson(a, n)
	lowB, highB := Wilson(b, n)
	rateA, rateB := float64(a)/float64(n), float64(b)/float64(n)
	phi := correlation(both, onlyA, onlyB, neither)
	difference := float64(onlyB-onlyA) / float64(n)
	low = difference - distance(rateB-lowB, highA-rateA, phi)
	high = difference + distance(highB-rateB, rateA-lowA, phi)
	return max(-1, low), min(1, high)
}

// correlation returns phi of the verdicts; a positive one is corrected for continuity. It
// is 0 where a side's verdicts are all equal.
func correlation(both, onlyA, onlyB, neither int) float64 {
	n := float64(both + onlyA + onlyB + neither)
	product := float64(both+onlyA) * float64(onlyB+neither) * float64(both+onlyB) * float64(onlyA+neither)
	if product == 0 {
		return 0
	}
	excess := float64(both)*float64(neither) - float64(onlyA)*float64(onlyB)
	if excess > 0 {
		excess = max(excess-n/2, 0)
	}
	return excess / math.Sqrt(product)
}

// distance combines the distances of two limits from their rates.
func distance(x, y, phi float64) float64 {
	return math.Sqrt(max(0, x*x-2*phi*x*y+y*y)) // rounding may take it below 0
}

// HolmOfAll returns each value of a family, adjusted by Holm's method.
func HolmOfAll(family []float64) []float64 {
	adjusted := make([]float64, len(family))
	for i, p := range family {
		adjusted[i] = Holm(p, slices.Delete(slices.Clone(family), i, i+1))
	}
	return adjusted
}

// Holm returns p adjusted by Holm's method over the family of p and others.
func Holm(p float64, others []float64) float64 {
	family := append(slices.Clone(others), p)
	slices.Sort(family)
	adjusted := 0.0
	for i, q := range family {
		if q > p {
			break
		}
		adjusted = max(adjusted, float64(len(family)-i)*q)
	}
	return min(1, adjusted)
}

// DetectableDifference returns the smallest difference of the shares correct that
// McNemar's mid-p test of n questions finds with a power of 0.8, where the share
// discordance of them differs or, if it is larger, the difference itself. ok is false
// below five questions, which can show nothing.
func DetectableDifference(n int, discordance float64) (difference float64, ok bool) {
	if n < LeastDiffering {
		return 0, false
	}
	critical := criticalCounts(n)
	low, high := 0.0, 1.0
	for range 50 { // the power grows with the difference
		if middle := (low + high) / 2; powerAt(critical, discordance, middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high, true
}

// QuestionsFor returns a round number of questions of which the test finds the difference with a power of 0.8, where the share
// discordance of them differs or, if it is larger, the difference itself; 0 if a hundred are too few.
func QuestionsFor(difference, discordance float64) int {
	for n := 10; n <= 100; n += 10 {
		if powerAt(criticalCounts(n), discordance, difference) >= power {
			return n
		}
	}
	return 0
}

// criticalCounts returns for each number of differing questions, up to n, the largest
// count of the smaller side that is still significant; -1 for none.
func criticalCounts(n int) []int {
	all := make([]int, n+1)
	for m := range all {
		all[m] = -1
		below := 0.0
		for k := 0; 2*k <= m; k++ {
			at := binomial(m, k, 0.5)
			if 2*below+at >= Alpha {
				break
			}
			below += at
			all[m] = k
		}
	}
	return all
}

// powerAt returns the probability that the test is significant, whichever side is better.
func powerAt(critical []int, discordance, difference float64) float64 {
	n := len(critical) - 1
	discordance = max(discordance, difference)
	if discordance == 0 {
		return 0
	}
	better := (discordance + difference) / (2 * discordance)
	total := 0.0
	for m, k := range critical {
		weight := binomial(n, m, discordance)
		if k < 0 || weight < negligibleWeight {
			continue
		}
		tails := 0.0
		for i := range k + 1 {
			tails += binomial(m, i, better) + binomial(m, i, 1-better)
		}
		total += weight * tails
	}
	return total
}

// binomial returns the probability of k successes in n trials.
func binomial(n, k int, p float64) float64 {
	switch {
	case p <= 0 && k == 0, p >= 1 && k == n:
		return 1
	case p <= 0 || p >= 1:
		return 0
	}
	logs := logFactorial(n) - logFactorial(k) - logFactorial(n-k)
	return math.Exp(logs + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func logFactorial(n int) float64 {
	value, _ := math.Lgamma(float64(n) + 1)
	return value
}
