package evaluations

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"readiness/client"
	"readiness/domain/verdict"
	"readiness/http/console/chart"
)

// aggregate is the summary of a comparison; the zero value means that there is none.
type aggregate struct {
	known bool
	verdict.Aggregate
}

// aggregateOf returns the summary that the interface sent; the zero value without one, or if it cannot be read.
func aggregateOf(sent *client.AbAggregate) aggregate {
	if sent == nil {
		return aggregate{}
	}
	text, err := json.Marshal(sent)
	if err != nil {
		return aggregate{}
	}
	g := aggregate{known: true}
	if err := json.Unmarshal(text, &g.Aggregate); err != nil {
		return aggregate{}
	}
	return g
}

// Known reports whether there is a summary.
func (g aggregate) Known() bool { return g.known }

// points returns a share as points, with one decimal.
func points(r *verdict.Rate) float64 { return math.Round(float64(*r)*1000) / 10 }

// signed returns points with their sign.
func signed(p float64) string {
	if p > 0 {
		return "+" + chart.Decimal(p)
	}
	return chart.Decimal(p)
}

// Points returns the difference in points; "–" without one.
func (g aggregate) Points() string {
	if g.Aggregate.Difference == nil || g.Aggregate.Difference.BMinusA == nil {
		return "–"
	}
	return signed(points(g.Aggregate.Difference.BMinusA))
}

// verdicts are the conclusions in words.
var verdicts = map[verdict.Conclusion]string{verdict.ABetter: "A is better", verdict.BBetter: "B is better",
	verdict.NoDifferenceShown: "no difference is shown", verdict.Inconclusive: "inconclusive: too many questions have no answer"}

// Verdict returns what is concluded, in words; "" without a summary.
func (g aggregate) Verdict() string { return verdicts[g.Conclusion] }

// Tone returns how the conclusion is coloured.
func (g aggregate) Tone() chart.Tone {
	switch g.Conclusion {
	case verdict.BBetter:
		return chart.Good
	case verdict.ABetter:
		return chart.Poor
	case verdict.NoDifferenceShown, verdict.Inconclusive:
	}
	return chart.Plain
}

// Difference returns the plot of the difference and its interval; nil without one.
func (g aggregate) Difference() *chart.Intervals {
	c := &chart.Intervals{Caption: "Side B minus side A", LabelHead: "Measure", ValueHead: "Points, 95 % interval", Low: -100, High: 100,
		Unit: " points"}
	if d := g.Aggregate.Difference; d != nil && d.BMinusA != nil {
		c.Rows = append(c.Rows, chart.Interval{Label: "Questions answered correctly", Low: points(&d.CI.Low), Estimate: points(d.BMinusA),
			High: points(&d.CI.High), Note: g.Verdict(), Tone: g.Tone()})
	}
	if d := g.AccuracyDifference; d.BMinusA != nil && d.CI != nil {
		c.Rows = append(c.Rows, chart.Interval{Label: "Accuracy, by passes and weights",
			Low: points(&d.CI.Low), Estimate: points(d.BMinusA),
			High: points(&d.CI.High), Note: "bootstrap"})
	}
	if len(c.Rows) == 0 {
		return nil
	}
	return c
}

// Test returns the test that was made, in a sentence; "" without questions that differ.
func (g aggregate) Test() string {
	m := g.McNemar
	text := fmt.Sprintf("Only A was right about %d, only B about %d. McNemar ", m.N10, m.N01)
	if m.MidP != nil { // not in older results
		text += fmt.Sprintf("mid-p %s, ", written(*m.MidP))
	}
	text += fmt.Sprintf("exact p %s.", written(m.P))
	if g.Holm != nil && g.Holm.Tests > 1 {
		text += fmt.Sprintf(" Adjusted for the %d tests on this model in %d days (Holm): %s.", g.Holm.Tests, g.Holm.Days, written(g.Holm.P))
	}
	if m.Note != "" {
		text += " " + strings.ToUpper(m.Note[:1]) + m.Note[1:] + "."
	}
	return text
}

func written(p float64) string {
	if p < .001 {
		return "under 0.001"
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", p), "0"), ".")
}

// Shows returns what a sample can show, in a sentence; "" if it is not known.
func (g aggregate) Shows() string {
	if g.MinimumDetectable == nil {
		return ""
	}
	return shows(*g.MinimumDetectable)
}

func shows(d verdict.Detectable) string {
	if d.Difference == nil {
		return strings.TrimSuffix("With "+questions(d.N)+": "+d.Note, ".") + "."
	}
	text := fmt.Sprintf("With %s, a difference of %s points or more would be found in four of five tests", questions(d.N),
		chart.Decimal(points(d.Difference)))
	if d.LastRun {
		text += ", if as many differ as in the last run"
	}
	text += "."
	if d.SmallSample {
		text += " The sample is small: smaller differences stay unseen."
	}
	return text
}

func questions(n int) string {
	if n == 1 {
		return "1 question"
	}
	return fmt.Sprintf("%d questions", n)
}

// detectable returns what the next run can show, in a sentence; "" if it is not known.
func detectable(sent *client.AbMinimumDetectableEffect) string {
	if sent == nil {
		return ""
	}
	text, err := json.Marshal(sent)
	var d verdict.Detectable
	if err != nil || json.Unmarshal(text, &d) != nil {
		return ""
	}
	return shows(d)
}
