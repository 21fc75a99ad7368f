// Package verdict compares the answers of two sides to the same questions. It gives
// verdicts on answers, compares result sets and values in texts, summarizes the asks of
// a question, and computes statistics between the sides. The same input gives the same
// numbers, to the last byte of JSON.
package verdict

// AskedQuestion is a question with the asks of both sides.
type AskedQuestion struct {
	QuestionID string `json:"questionId"` // unique in a comparison
	Text       string `json:"text"`
	Expected   string `json:"expected"`
	// ClusterID is shared by paraphrases of one question; "" for a question without
	// any.
	ClusterID string `json:"clusterId,omitempty"`
	// Weight is the question's weight in accuracy: above 0 and at most 1000. Any other
	// value means 1.
	Weight float64 `json:"weight"`
	A      []Ask   `json:"-"`
	B      []Ask   `json:"-"`
	// Judged is a judge's decision on whether the commonest answers of the two sides
	// are equal, used when nothing else decides; "" without a judge.
	Judged Likeness `json:"-"`
}

const maxWeight = 1000

// Comparison is everything computed from the answers of both sides. Only comparable
// questions count: those that each side answered at least once.
type Comparison struct {
	A         ComparisonSide     `json:"a"`
	B         ComparisonSide     `json:"b"`
	Agreement Agreement          `json:"agreement"`
	Aggregate Aggregate          `json:"aggregate"`
	Questions []ComparedQuestion `json:"questions"` // all questions, in the order given
	Excluded  []ExcludedQuestion `json:"excluded"`
	pairs     Pairs
}

// ComparedQuestion is a question with the tallies of both sides.
type ComparedQuestion struct {
	AskedQuestion
	A      Tally  `json:"a"`
	B      Tally  `json:"b"`
	Change Change `json:"change"`
}

// Change is how the outcome of a question on side B differs from side A.
type Change string

// The changes.
const (
	Improved      Change = "improved"
	Regressed     Change = "regressed"
	SameCorrect   Change = "same_correct"
	SameWrong     Change = "same_wrong"
	NotComparable Change = "not_comparable"
)

// ExcludedQuestion is a question that is listed but does not count.
type ExcludedQuestion struct {
	QuestionID string   `json:"questionId"`
	Reason     string   `json:"reason"`
	Error      *Failure `json:"error"`
}

// Compare computes the comparison. id seeds its bootstrap intervals.
func Compare(id string, a, b Side, questions []AskedQuestion) Comparison {
	var compared []ComparedQuestion
	c := Comparison{Questions: make([]ComparedQuestion, 0, len(questions)), Excluded: []ExcludedQuestion{}}
	var sideA, sideB []WeighedTally
	var d differences
	var asksA, asksB []Ask
	for _, asked := range questions {
		if !(0 < asked.Weight && asked.Weight <= maxWeight) { // also excludes NaN
			asked.Weight = 1
		}
		q := ComparedQuestion{AskedQuestion: asked, A: a.Tally(asked.A), B: b.Tally(asked.B)}
		q.Change = change(q.A, q.B)
		asksA, asksB = append(asksA, asked.A...), append(asksB, asked.B...)
		if q.Change == NotComparable {
			c.Excluded = append(c.Excluded, exclude(q))
		} else {
			sideA, sideB = append(sideA, WeighedTally{q.A, q.Weight, q.ClusterID}), append(sideB, WeighedTally{q.B, q.Weight, q.ClusterID})
			compared = append(compared, q)
			d = append(d, difference{q.QuestionID, q.ClusterID, q.Weight, float64(*q.B.PassRate - *q.A.PassRate), q.B.median - q.A.median})
			c.Agreement.count(q)
		}
		c.Questions = append(c.Questions, q)
	}
	c.A, c.B = NewComparisonSide("a", a, sideA), NewComparisonSide("b", b, sideB)
	c.A.Spend(asksA)
	c.B.Spend(asksB)
	c.Agreement.conclude()
	c.pairs = pairsOf(compared)
	c.Aggregate = c.aggregate(id, d)
	c.conclude(false)
	return c
}

func change(a, b Tally) Change {
	switch {
	case a.Answered == 0 || b.Answered == 0:
		return NotComparable
	case a.Verdict == Correct && b.Verdict == Correct:
		return SameCorrect
	case a.Verdict == Correct:
		return Regressed
	case b.Verdict == Correct:
		return Improved
	}
	return SameWrong
}

// exclude says why a question is not comparable, for the side that did not answer; side
// A's error when neither did.
func exclude(q ComparedQuestion) ExcludedQuestion {
	sides, silent := "side_a", q.A
	switch {
	case q.A.Answered == 0 && q.B.Answered == 0:
		sides = "both_sides"
	case q.A.Answered > 0:
		sides, silent = "side_b", q.B
	}
	if len(silent.Asks) == 0 {
		return ExcludedQuestion{q.QuestionID, sides + "_not_asked", nil}
	}
	return ExcludedQuestion{q.QuestionID, sides + "_error", silent.Asks[len(silent.Asks)-1].Error}
}
