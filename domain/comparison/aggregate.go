package comparison

// Agreement is how far the two sides agree: in their verdicts on the questions, and in
// their answers, right or wrong. Observed, Expected and Kappa are null without a
// question; Kappa is also null when agreement by chance is complete (docs/regime.md D.4 (9,
// 10)).
type Agreement struct {
	N               int             `json:"n"`
	BothCorrect     int             `json:"bothCorrect"`
	OnlyA           int             `json:"onlyA"`
	OnlyB           int             `json:"onlyB"`
	Neither         int             `json:"neither"`
	Observed        *Rate           `json:"observed"`
	Expected        *Rate           `json:"expected"`
	Kappa           *Rate           `json:"kappa"`
	AnswerAgreement AnswerAgreement `json:"answerAgreement"`
	Method          string          `json:"method"`
}

// AnswerAgreement counts the questions by whether the commonest answers of the two
// sides are equal.
type AnswerAgreement struct {
	N         int `json:"n"`
	Equal     int `json:"equal"`
	Different int `json:"different"`
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
	observed, expected, kappa := Kappa(g.BothCorrect, g.OnlyA, g.OnlyB, g.Neither)
	g.Observed, g.Expected = new(Rate(observed)), new(Rate(expected))
	if kappa != nil {
		g.Kappa = new(Rate(*kappa))
	}
}

// Aggregate is the summary of a comparison, with the scores and response times of both
// sides.
type Aggregate struct {
	Comparable             int                 `json:"nComparable"`
	Excluded               int                 `json:"nExcluded"`
	Scores                 Scores              `json:"scores"`
	ResponseTimes          ResponseTimes       `json:"responseTimes"`
	AccuracyDifference     AccuracyDifference  `json:"accuracyDifference"`
	McNemar                McNemarTest         `json:"mcnemar"`
	ResponseTimeDifference *DurationDifference `json:"responseTimeDifferenceMs"`
	// Improvements and Regressions are question ids, in the order of the questions.
	Improvements []string   `json:"improvements"`
	Regressions  []string   `json:"regressions"`
	Conclusion   Conclusion `json:"conclusion"`
	Alpha        float64    `json:"alpha"`
	// Corrections names the correction for multiple comparisons; "none" is made.
	Corrections string `json:"corrections"`
}

// Scores are the scores of both sides; null where no question counts.
type Scores struct {
	A *int `json:"a"`
	B *int `json:"b"`
}

// ResponseTimes are the response times of both sides; null where no question counts.
type ResponseTimes struct {
	A *ResponseTime `json:"a"`
	B *ResponseTime `json:"b"`
}

// AccuracyDifference is the accuracy of side B minus that of side A, from the pass
// rates.
type AccuracyDifference struct {
	BMinusA *Rate     `json:"bMinusA"`
	CI      *Interval `json:"ci"`
}

// McNemarTest is McNemar's test on the questions whose verdicts differ.
type McNemarTest struct {
	N10   int     `json:"n10"` // only side A correct
	N01   int     `json:"n01"` // only side B correct
	P     float64 `json:"p"`
	Exact bool    `json:"exact"`
	// Underpowered is true when too few questions differ to conclude anything; Note
	// then says so.
	Underpowered bool   `json:"underpowered"`
	Note         string `json:"note,omitempty"`
}

// DurationDifference is the difference of the questions' median response times, in ms.
type DurationDifference struct {
	// MedianBMinusA is the headline value, which CI covers, because times have heavy
	// tails.
	MedianBMinusA int64            `json:"medianBMinusA"`
	MeanBMinusA   int64            `json:"meanBMinusA"`
	CI            DurationInterval `json:"ci"`
}

// DurationInterval is a 95 % interval, in ms.
type DurationInterval struct {
	Method string `json:"method"`
	Low    int64  `json:"low"`
	High   int64  `json:"high"`
}

// Conclusion is what a comparison concludes. It never concludes that the sides are
// equal.
type Conclusion string

// The conclusions.
const (
	ABetter           Conclusion = "a_better"
	BBetter           Conclusion = "b_better"
	NoDifferenceShown Conclusion = "no_difference_shown"
)

// negligible is how far floating-point error may move a difference of 0.
const negligible = 1e-9

// aggregate summarizes a comparison whose other members are computed already.
func (c Comparison) aggregate(id string, d differences) Aggregate {
	onlyA, onlyB := c.Agreement.OnlyA, c.Agreement.OnlyB
	g := Aggregate{
		Comparable: len(d), Excluded: len(c.Excluded),
		Scores: Scores{c.A.Score, c.B.Score}, ResponseTimes: ResponseTimes{c.A.ResponseTime, c.B.ResponseTime},
		McNemar:      McNemarTest{N10: onlyA, N01: onlyB, P: McNemar(onlyA, onlyB), Exact: true},
		Improvements: []string{}, Regressions: []string{},
		Conclusion: NoDifferenceShown, Alpha: Alpha, Corrections: "none",
	}
	if onlyA+onlyB < minDiffering {
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
	d.sort()
	rate, time := d.bootstrap(id)
	g.AccuracyDifference = AccuracyDifference{new(Rate(d.rate(nil))),
		&Interval{Method: bootstrapMethod, Low: Rate(rate.low), High: Rate(rate.high)}}
	g.ResponseTimeDifference = &DurationDifference{
		milliseconds(median(d.times())), milliseconds(sum(d.times()) / float64(len(d))),
		DurationInterval{bootstrapMethod, milliseconds(time.low), milliseconds(time.high)},
	}
	g.Conclusion = g.McNemar.conclude(rate)
	return g
}

// conclude names a better side only when the test and the interval of the accuracy
// difference agree (docs/regime.md D.4 (11)).
func (t McNemarTest) conclude(rate interval) Conclusion {
	switch {
	case t.P >= Alpha:
	case t.N01 > t.N10 && rate.low > negligible:
		return BBetter
	case t.N10 > t.N01 && rate.high < -negligible:
		return ABetter
	}
	return NoDifferenceShown
}
