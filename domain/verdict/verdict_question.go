package verdict

import (
	"slices"

	"readiness/domain/verdict/statistics"
)

// Ask is one time that a question was asked of a side.
type Ask struct {
	N int `json:"n"` // from 1
	Decision
	// Machine is what the service decided; nil unless a person gave another or the same verdict (Overruled).
	Machine *Decision `json:"machine,omitempty"`
	Answer
	// DurationMS is the time from the ask to the last token, without waits for
	// throttling and between attempts.
	DurationMS int64      `json:"durationMs"`
	Attempts   int        `json:"attempts"`
	Error      *Failure   `json:"error"`
	Judge      *Judgement `json:"judge,omitempty"`
	Remote     *Remote    `json:"remote,omitempty"`
	// Usage is the provider's token count; nil when it reports none.
	Usage *TokenUsage `json:"usage,omitempty"`
}

// Remote holds the platform's own ids of an ask.
type Remote struct {
	RunID     string `json:"runId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// Tally summarizes the asks of one question on one side. Rates are 0 to 1, rounded to 4
// decimals in JSON, and null when no ask was answered.
type Tally struct {
	// Verdict is the verdict of more than half of the answered asks, else Unclear;
	// Errored when none was answered.
	Verdict Verdict `json:"verdict"`
	Passes  int     `json:"passes"`
	// Answered counts the asks that are not errors.
	Answered int   `json:"answered"`
	PassRate *Rate `json:"passRate"`
	// Stability is the share of the answered asks that have the commonest verdict.
	Stability *Rate `json:"stability"`
	// AnswerStability is the share of pairs of answers that are equal; null with fewer
	// than two answers.
	AnswerStability *Rate `json:"answerStability"`
	// Flaky is true when some answered asks passed and others did not.
	Flaky bool `json:"flaky"`
	// MedianMS is the median duration of the answered asks.
	MedianMS *int64 `json:"medianMs"`
	Asks     []Ask  `json:"asks"`

	median float64 // before rounding
	// modal is the answer to which the most others are equal.
	modal *known
}

// NewTally summarizes the asks of a question on one side.
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
	t.median = statistics.Median(durations)
	t.MedianMS = new(milliseconds(t.median))
	t.modal, t.AnswerStability = commonest(answers)
	return t
}

// commonest returns the first of the answers to which the most others are equal, and
// the share of pairs that are equal. There must be at least one answer.
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
