package comparison

import "slices"

// Ask is one time that a question was asked of a side.
type Ask struct {
	N int `json:"n"` // from 1
	Decision
	Answer
	// DurationMS is from the ask to the last token, without what was waited while
	// throttled or between attempts.
	DurationMS int64      `json:"durationMs"`
	Attempts   int        `json:"attempts"`
	Error      *Failure   `json:"error"`
	Judge      *Judgement `json:"judge,omitempty"`
	Remote     *Remote    `json:"remote,omitempty"`
	// Usage is what the provider counted, nil where none does.
	Usage *TokenUsage `json:"usage,omitempty"`
}

// Remote are the platform's own ids of an ask.
type Remote struct {
	RunID     string `json:"runId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// Tally is what the asks of one question of one side came to (regime D.2). Rates
// are from 0 to 1, with 4 decimals in JSON, null without an ask that was answered.
type Tally struct {
	// Verdict is that of more than half of the answered asks, else Unclear; Errored
	// where none was answered.
	Verdict Verdict `json:"verdict"`
	Passes  int     `json:"passes"`
	// Answered counts the asks that are no errors.
	Answered int   `json:"answered"`
	PassRate *Rate `json:"passRate"`
	// Stability is the share of the answered asks that have the commonest verdict.
	Stability *Rate `json:"stability"`
	// AnswerStability is the share of the pairs of answers that are equal, null with fewer
	// than two.
	AnswerStability *Rate `json:"answerStability"`
	// Flaky is that some asks passed and some did not.
	Flaky bool `json:"flaky"`
	// MedianMS is of the answered asks.
	MedianMS *int64 `json:"medianMs"`
	Asks     []Ask  `json:"asks"`

	median float64 // before rounding
	// modal is the answer that the most others are equal to.
	modal *known
}

// NewTally counts the asks of a question on one side.
func NewTally(asks []Ask) Tally {
	t := Tally{Verdict: Errored, Asks: append([]Ask{}, asks...)} // never null
	counts := make(map[Verdict]int)
	var durations []float64
	var answers []*known
	for _, a := range asks {
		if a.Verdict == Errored {
			continue
		}
		t.Answered++
		counts[a.Verdict]++
		durations = append(durations, float64(a.DurationMS))
		answers = append(answers, know(a.Answer))
	}
	if t.Answered == 0 {
		return t
	}
	t.Passes = counts[Correct]
	t.Flaky = t.Passes > 0 && t.Passes < t.Answered
	t.Verdict = Unclear
	most := 0
	for v, n := range counts {
		most = max(most, n)
		if 2*n > t.Answered {
			t.Verdict = v
		}
	}
	t.PassRate, t.Stability = share(t.Passes, t.Answered), share(most, t.Answered)
	t.median = median(durations)
	t.MedianMS = new(milliseconds(t.median))
	t.modal, t.AnswerStability = commonest(answers)
	return t
}

// commonest is the first of the answers that the most others are equal to, and the
// share of pairs that are equal.
func commonest(answers []*known) (modal *known, equal *Rate) {
	likes := make([]int, len(answers))
	pairs := 0
	for i, a := range answers {
		for j := range i {
			if a.compare(answers[j]) == Equal {
				likes[i]++
				likes[j]++
				pairs++
			}
		}
	}
	return answers[slices.Index(likes, slices.Max(likes))], share(pairs, len(answers)*(len(answers)-1)/2)
}
