package verdict

import (
	"fmt"
	"math"
	"slices"

	"readiness/domain/verdict/statistics"
)

// Conclusion is what a comparison concludes. It never concludes that the sides are equal.
type Conclusion string

// The conclusions. Inconclusive is a comparison in which more than a third of the questions cannot be compared.
const (
	ABetter           Conclusion = "a_better"
	BBetter           Conclusion = "b_better"
	NoDifferenceShown Conclusion = "no_difference_shown"
	Inconclusive      Conclusion = "inconclusive"
)

// HolmDays is for how many days the tests of an account on a model are one family.
const HolmDays = 30

// HolmTest is the mid-p adjusted by Holm's method for the tests of the account on the model whose comparisons were
// completed in the HolmDays days up to this one, which is one of them. It never changes later.
type HolmTest struct {
	// P is the corrected p.
	P float64 `json:"p"`
	// Tests is how many tests are corrected for.
	Tests int `json:"tests"`
	// Days is the window of the other tests, in days.
	Days int `json:"days"`
}

// Setting is what a conclusion takes into account in addition to the answers.
type Setting struct {
	// Last is the aggregate of the last run of the same sides; nil without one.
	Last *Aggregate
	// Others are the mid-p of the family's other tests.
	Others []float64
	// Generated is true if the program wrote all the questions.
	Generated bool
}

// Settle computes what depends on other runs: the minimum detectable effect and Holm's adjustment. It then concludes.
func (c *Comparison) Settle(s Setting) {
	g := &c.Aggregate
	g.MinimumDetectable = new(NewDetectable(c.pairs.N(), s.Last))
	g.Holm, g.Corrections = &HolmTest{statistics.Holm(*g.McNemar.MidP, s.Others), len(s.Others) + 1, HolmDays}, "holm"
	c.conclude(s.Generated)
}

// Revised concludes again after persons changed verdicts. What depends on other runs stays as it was settled in before: the
// family of tests and the minimum detectable effect.
func (c Comparison) Revised(before Aggregate, generated bool) Comparison {
	g := &c.Aggregate
	g.Holm, g.Corrections = before.Holm, before.Corrections
	if before.MinimumDetectable != nil {
		g.MinimumDetectable = before.MinimumDetectable
	}
	c.conclude(generated)
	if n := c.overruled(); n > 0 {
		g.Sentence += fmt.Sprintf(" Persons changed the verdicts of %d asks.", n)
		if g.Holm != nil {
			g.Sentence += " The adjusted p (Holm) is that of the verdicts before."
		}
	}
	return c
}

// overruled counts the asks to which a person gave another verdict.
func (c *Comparison) overruled() (n int) {
	for _, q := range c.Questions {
		for _, a := range slices.Concat(q.A.Asks, q.B.Asks) {
			n += one(a.Differs())
		}
	}
	return n
}

// conclude names a better side only where the test and the interval of the difference of verdicts agree, and says why.
func (c *Comparison) conclude(generated bool) {
	g := &c.Aggregate
	g.Conclusion, g.Sentence = c.concluded()
	if h := g.Holm; h != nil && (h.P < statistics.Alpha) != (*g.McNemar.MidP < statistics.Alpha) {
		g.Sentence += fmt.Sprintf(" Over the %d tests of the last %d days the adjusted p is %.4f, which is not significant (Holm).",
			h.Tests, h.Days, h.P)
	}
	if c.A.embedded() && c.B.embedded() {
		g.Sentence += " The rules engine simulated both sides and no AI was asked: this compares metadata only."
	}
	if unlike := UnlikeRuntimes(c.A.Side, c.B.Side); unlike != "" {
		g.Sentence += " " + unlike
	}
	if generated {
		g.Sentence += " All questions were generated; questions that people ask may show something else."
	}
}

// concluded returns the conclusion from the answers alone, and why.
func (c *Comparison) concluded() (Conclusion, string) {
	g := c.Aggregate
	n := g.Comparable + g.Excluded
	if 3*g.Excluded > n || g.Comparable == 0 {
		return Inconclusive, fmt.Sprintf("Nothing is concluded: %d of %d questions cannot be compared.", g.Excluded, n)
	}
	low, high := float64(g.Difference.CI.Low), float64(g.Difference.CI.High)
	figures := fmt.Sprintf("mid-p %.4f, a difference of %s points, 95 %% interval %s to %s", *g.McNemar.MidP,
		points(float64(*g.Difference.BMinusA)), points(low), points(high))
	significant, excludes := *g.McNemar.MidP < statistics.Alpha, low > negligible || high < -negligible
	switch {
	case significant && excludes && g.McNemar.N01 > g.McNemar.N10:
		return BBetter, "Side B answered more questions correctly: " + figures + "."
	case significant && excludes:
		return ABetter, "Side A answered more questions correctly: " + figures + "."
	case g.McNemar.Underpowered && !excludes:
		return NoDifferenceShown, fmt.Sprintf("Too few questions differ to tell (%d of %d).%s", c.pairs.Differing(), c.pairs.N(), c.pairs.needed())
	case significant:
		return NoDifferenceShown, "No difference is shown: the test is significant, and the interval includes 0 (" + figures + ")."
	case excludes:
		return NoDifferenceShown, "No difference is shown: the interval excludes 0, and the test is not significant (" + figures + ")."
	}
	return NoDifferenceShown, "No difference is shown: " + figures + "."
}

// telling is the difference that a test of few questions is measured by.
const telling = 0.2

// needed returns a sentence that says how many questions would show a difference.
func (p Pairs) needed() string {
	differing := float64(p.Differing()+1) / float64(p.N()+2)
	switch n := statistics.QuestionsFor(telling, differing); {
	case n == 0:
		return " A hundred questions would not show a difference of 20 points."
	case n <= p.N():
		return " A difference of 20 points would probably have shown."
	default:
		return fmt.Sprintf(" With %d questions you could see a difference of 20 points.", n)
	}
}

// points formats a difference in points with its sign.
func points(x float64) string { return fmt.Sprintf("%+.1f", math.Round(1000*x)/10+0) }
