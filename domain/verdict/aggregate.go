package verdict

import (
	"encoding/json"

	"readiness/domain/verdict/statistics"
)

// Agreement is how far the two sides agree: in their verdicts on the questions, and in
// their answers, right or wrong. Observed, Expected and Kappa are null without a
// question; Kappa is also null when agreement by chance is complete.
type Agreement struct {
	// N is how many questions are compared.
	N int `json:"n"`
	// BothCorrect is how many questions both answered correctly.
	BothCorrect int `json:"bothCorrect"`
	// OnlyA is how many questions only A answered correctly.
	OnlyA int `json:"onlyA"`
	// OnlyB is how many questions only B answered correctly.
	OnlyB int `json:"onlyB"`
	// Neither is how many questions no side answered correctly.
	Neither int `json:"neither"`
	// Observed is the agreement that was seen, 0 to 1.
	Observed *Rate `json:"observed"`
	Expected *Rate `json:"expected"`
	Kappa    *Rate `json:"kappa"`
	// AnswerAgreement compares the answers themselves.
	AnswerAgreement AnswerAgreement `json:"answerAgreement"`
	// Method is what was compared.
	Method string `json:"method"`
}

// AnswerAgreement counts the questions by whether the commonest answers of the two
// sides are equal.
type AnswerAgreement struct {
	// N is how many questions are compared.
	N int `json:"n"`
	// Equal is how many questions have equal answers.
	Equal int `json:"equal"`
	// Different is how many have different ones.
	Different int `json:"different"`
	// Undecided is how many have answers that cannot be compared.
	Undecided int `json:"undecided"`
}

// Gap returns the number of side B's correct questions minus side A's.
func (g Agreement) Gap() int { return g.OnlyB - g.OnlyA }

// count adds a comparable question.
func (g *Agreement) count(q ComparedQuestion) {
	g.N++
	switch q.Change {
	case SameCorrect:
		g.BothCorrect++
	case Regressed:
		g.OnlyA++
	case Improved:
		g.OnlyB++
	default:
		g.Neither++
	}
	likeness := q.A.modal.compare(q.B.modal)
	if likeness == Undecided && q.Judged != "" {
		likeness = q.Judged
	}
	g.AnswerAgreement.N++
	switch likeness {
	case Equal:
		g.AnswerAgreement.Equal++
	case Different:
		g.AnswerAgreement.Different++
	default:
		g.AnswerAgreement.Undecided++
	}
}

func (g *Agreement) conclude() {
	g.Method = "question_verdict"
	if g.N == 0 {
		return
	}
	observed, expected, kappa := statistics.Kappa(g.BothCorrect, g.OnlyA, g.OnlyB, g.Neither)
	g.Observed, g.Expected = new(Rate(observed)), new(Rate(expected))
	if kappa != nil {
		g.Kappa = new(Rate(*kappa))
	}
}

// Aggregate is the summary of a comparison, with the scores and response times of both
// sides. Members that were added since the first results are absent in those that lack
// them: what was never computed is not shown as 0.
type Aggregate struct {
	// Comparable is how many questions both sides have a verdict for.
	Comparable int `json:"nComparable"`
	// Excluded is how many questions do not count.
	Excluded int `json:"nExcluded"`
	// Scores are the sides' scores.
	Scores Scores `json:"scores"`
	// ResponseTimes are how long the sides took.
	ResponseTimes ResponseTimes `json:"responseTimes"`
	// Difference is what is concluded from; absent without a question.
	Difference *Difference `json:"verdictDifference,omitempty"`
	// AccuracyDifference is the difference of correct answers.
	AccuracyDifference AccuracyDifference `json:"accuracyDifference"`
	// McNemar is the test of the questions that only one side answered correctly.
	McNemar McNemarTest `json:"mcnemar"`
	// ResponseTimeDifference is how much longer B took, in milliseconds; null if unknown.
	ResponseTimeDifference *DurationDifference `json:"responseTimeDifferenceMs"`
	// Improvements and Regressions are question ids, in the order of the questions.
	Improvements []string `json:"improvements" pii:"text"`
	Regressions  []string `json:"regressions" pii:"text"`
	// Conclusion is what is shown.
	Conclusion Conclusion `json:"conclusion"`
	// Sentence says why; "" in older results.
	Sentence string `json:"sentence,omitempty"`
	// Alpha is the level of significance.
	Alpha float64 `json:"alpha"`
	// Corrections names the correction for many tests: "holm", or "none" for one that stands alone.
	Corrections string `json:"corrections"`
	// Holm is the test corrected for the model's other tests; absent without others.
	Holm *HolmTest `json:"holm,omitempty"`
	// MinimumDetectable is what a test of so many questions can find.
	MinimumDetectable *Detectable `json:"minimumDetectableEffect,omitempty"`
	// SmallSample says that few questions are compared.
	SmallSample *bool `json:"smallSample,omitempty"`
}

// UnmarshalJSON reads an aggregate. Events that carry the aggregate of an older run can have
// 0 for what that run did not compute: mid-p is above 0, and whether a sample is small is
// known only together with what it can find.
func (g *Aggregate) UnmarshalJSON(text []byte) error {
	type stored Aggregate
	if err := json.Unmarshal(text, (*stored)(g)); err != nil {
		return err
	}
	if p := g.McNemar.MidP; p != nil && *p == 0 {
		g.McNemar.MidP = nil
	}
	if g.MinimumDetectable == nil {
		g.SmallSample = nil
	}
	return nil
}

// Difference is the share of questions, or clusters, that side B answers correctly minus that of side A, with
// Newcombe's paired interval.
type Difference struct {
	// BMinusA is the share of B less that of A; null without questions.
	BMinusA *Rate `json:"bMinusA"`
	// CI is its confidence interval.
	CI Interval `json:"ci"`
}

// Scores are the scores of both sides; null where no question counts.
type Scores struct {
	// A is the score of side A, 0 to 100; null for none.
	A *int `json:"a"`
	// B is the score of side B, 0 to 100; null for none.
	B *int `json:"b"`
}

// ResponseTimes are the response times of both sides; null where no question counts.
type ResponseTimes struct {
	// A is that of side A; null if unknown.
	A *ResponseTime `json:"a"`
	// B is that of side B; null if unknown.
	B *ResponseTime `json:"b"`
}

// AccuracyDifference is the accuracy of side B minus that of side A, from the pass
// rates. CI is a bootstrap interval; null where fewer than ten questions differ.
type AccuracyDifference struct {
	// BMinusA is the share of correct questions of B less that of A; null without questions.
	BMinusA *Rate     `json:"bMinusA"`
	CI      *Interval `json:"ci"`
}

// McNemarTest is McNemar's test on the questions, or clusters, whose verdicts differ.
type McNemarTest struct {
	N10 int     `json:"n10"` // only side A correct
	N01 int     `json:"n01"` // only side B correct
	P   float64 `json:"p"`   // exact
	// Exact says that p is exact, not approximated.
	Exact bool `json:"exact"`
	// MidP is what is concluded from.
	MidP *float64 `json:"midP,omitempty"`
	// Underpowered is true when too few questions differ to conclude anything; Note
	// then says so.
	Underpowered bool `json:"underpowered"`
	// Note says what limits the test.
	Note string `json:"note,omitempty"`
}

// DurationDifference is the difference of the questions' median response times, in ms.
type DurationDifference struct {
	// MedianBMinusA is the headline value, which CI covers, because times have heavy
	// tails.
	MedianBMinusA int64 `json:"medianBMinusA"`
	// MeanBMinusA is the difference of the means, in milliseconds.
	MeanBMinusA int64 `json:"meanBMinusA"`
	// CI is null where the times of fewer than ten questions differ.
	CI *DurationInterval `json:"ci"`
}

// DurationInterval is a 95 % interval, in ms.
type DurationInterval struct {
	// Method is how it was computed.
	Method string `json:"method"`
	// Low is the lower end, in milliseconds.
	Low int64 `json:"low"`
	// High is the upper end, in milliseconds.
	High int64 `json:"high"`
}

// negligible is how far floating-point error may move a difference of 0.
const negligible = 1e-9

// aggregate summarizes a comparison whose other members are computed already.
func (c *Comparison) aggregate(id string, d differences) Aggregate {
	p := c.pairs
	g := Aggregate{
		Comparable: len(d), Excluded: len(c.Excluded),
		Scores: Scores{c.A.Score, c.B.Score}, ResponseTimes: ResponseTimes{c.A.ResponseTime, c.B.ResponseTime},
		McNemar: McNemarTest{N10: p.OnlyA, N01: p.OnlyB, P: statistics.McNemar(p.OnlyA, p.OnlyB), Exact: true,
			MidP: new(statistics.McNemarMidP(p.OnlyA, p.OnlyB))},
		Improvements: []string{}, Regressions: []string{},
		Alpha: statistics.Alpha, Corrections: "none", MinimumDetectable: new(NewDetectable(p.N(), nil)),
	}
	g.SmallSample = new(g.MinimumDetectable.SmallSample)
	if p.Differing() < statistics.LeastDiffering {
		g.McNemar.Underpowered, g.McNemar.Note = true, "too few differing questions"
	}
	for _, q := range c.Questions {
		if q.Change == Improved {
			g.Improvements = append(g.Improvements, q.QuestionID)
		}
		if q.Change == Regressed {
			g.Regressions = append(g.Regressions, q.QuestionID)
		}
	}
	if len(d) == 0 {
		return g
	}
	n := p.N()
	low, high := statistics.Newcombe(p.Both, p.OnlyA, p.OnlyB, p.Neither)
	g.Difference = &Difference{new(Rate(float64(p.OnlyB-p.OnlyA) / float64(n))),
		Interval{Method: "newcombe95", Low: Rate(low), High: Rate(high), Of: counted(n, len(d)), N: &n}}
	g.AccuracyDifference.BMinusA = new(Rate(d.rate(nil)))
	timed := c.A.ResponseTime != nil && c.B.ResponseTime != nil
	if timed {
		g.ResponseTimeDifference = &DurationDifference{
			MedianBMinusA: milliseconds(statistics.Median(d.times())), MeanBMinusA: milliseconds(sum(d.times()) / float64(len(d))),
		}
	}
	d.sort()
	ofRates, ofTimes := d.differing()
	if ofRates < leastResampled && ofTimes < leastResampled {
		return g
	}
	rate, time := d.bootstrap(id)
	if ofRates >= leastResampled {
		g.AccuracyDifference.CI = &Interval{Method: bootstrapMethod, Low: Rate(rate.low), High: Rate(rate.high)}
	}
	if timed && ofTimes >= leastResampled {
		g.ResponseTimeDifference.CI = &DurationInterval{bootstrapMethod, milliseconds(time.low), milliseconds(time.high)}
	}
	return g
}
