// Package statistics has the tests and intervals of paired verdicts: exact, and the same on every machine.
package statistics

import (
	"math"
	"math/big"
	"slices"
)

const (
	// Alpha is the significance level at which a difference between two sides is concluded.
	Alpha = 0.05
	// LeastDiffering is the least number of differing questions that can reach Alpha:
	// five, all in favor of one side, give a mid-p of 1/32.
	LeastDiffering = 5
	// z is the normal quantile of a two-sided 95 % interval.
	z = 1.959963984540054
)

// McNemar returns the exact two-sided p-value of McNemar's test. onlyA and onlyB are
// the numbers of questions that only that side answered correctly.
func McNemar(onlyA, onlyB int) float64 {
	n := int64(onlyA + onlyB)
	choose, sum := big.NewInt(1), big.NewInt(1)
	for i := int64(1); i <= int64(min(onlyA, onlyB)); i++ {
		choose.Mul(choose, big.NewInt(n-i+1)).Quo(choose, big.NewInt(i))
		sum.Add(sum, choose)
	}
	p, _ := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return min(1, p)
}

// Wilson returns the 95 % score interval of the rate x/n; n must be above 0.
func Wilson(x, n int) (low, high float64) {
	total, rate := float64(n), float64(x)/float64(n)
	center := rate + z*z/(2*total)
	half := z * math.Sqrt(rate*(1-rate)/total+z*z/(4*total*total))
	low, high = (center-half)/(1+z*z/total), (center+half)/(1+z*z/total)
	if x == 0 {
		low = 0 // exactly, despite rounding in the square root
	}
	if x == n {
		high = 1
	}
	return low, high
}

// Kappa returns the observed and the expected share of questions on which the verdicts
// of both sides agree, and Cohen's kappa. kappa is nil when the expected share is 1.
// The number of questions, both + onlyA + onlyB + neither, must be above 0.
func Kappa(both, onlyA, onlyB, neither int) (observed, expected float64, kappa *float64) {
	n, a, b := both+onlyA+onlyB+neither, both+onlyA, both+onlyB
	agreeing := a*b + (n-a)*(n-b) // n² times the share expected by chance
	observed, expected = float64(both+neither)/float64(n), float64(agreeing)/float64(n*n)
	if agreeing < n*n {
		kappa = new(float64((both+neither)*n-agreeing) / float64(n*n-agreeing))
	}
	return observed, expected, kappa
}

// NearestRank returns the percentile of sorted values; there must be at least one.
func NearestRank(sorted []int64, percent int) int64 {
	return sorted[(percent*len(sorted)+99)/100-1]
}

// Median returns the middle value, or the mean of the two in the middle; there must be
// at least one.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
