package runreport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"readiness/domain/verdict"
)

// shownVerdict returns a question's verdict, with its passes if it was asked repeatedly.
func shownVerdict(t verdict.Tally, asked bool) string {
	if !asked || len(t.Asks) == 0 {
		return "not asked"
	}
	if len(t.Asks) > 1 {
		return fmt.Sprintf("%s (%d of %d correct)", t.Verdict, t.Passes, len(t.Asks))
	}
	return string(t.Verdict)
}

// time returns how long an ask took; "" if nobody knows.
func (c Column) time(a verdict.Ask) string {
	if c.untimed {
		return ""
	}
	return shownTime(&a.DurationMS)
}

func shownTime(ms *int64) string {
	if ms == nil {
		return ""
	}
	return (time.Duration(*ms) * time.Millisecond).String()
}

// shownTokens returns counted tokens; "not counted" if the answerer counts none.
func shownTokens(u *verdict.TokenUsage) string {
	if u == nil {
		return "not counted"
	}
	return fmt.Sprintf("%d in, %d out", u.InputTokens, u.OutputTokens)
}

// shownCost returns a cost; "unknown" without prices, because it is never guessed.
func shownCost(c *float64) string {
	if c == nil {
		return "unknown"
	}
	return strconv.FormatFloat(*c, 'f', 4, 64)
}

func verdictCounts(v verdict.Counts) string {
	var all []string
	for _, one := range []struct {
		n    int
		name verdict.Verdict
	}{{v.Correct, verdict.Correct}, {v.Incorrect, verdict.Incorrect}, {v.Unclear, verdict.Unclear},
		{v.Refused, verdict.Refused}, {v.Error, verdict.Errored}} {
		if one.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", one.n, one.name))
		}
	}
	return strings.Join(all, ", ")
}

// answerOf returns the text of an ask's answer, or why there is none.
func answerOf(a verdict.Ask) string {
	if a.Error != nil {
		return "no answer: " + a.Error.Message
	}
	return a.Text
}

// askOf returns the ask that stands for a question's answers: the first with the verdict
// of the question, else the first.
func askOf(t verdict.Tally) (verdict.Ask, bool) {
	for _, a := range t.Asks {
		if a.Verdict == t.Verdict {
			return a, true
		}
	}
	if len(t.Asks) > 0 {
		return t.Asks[0], true
	}
	return verdict.Ask{}, false
}

// usageOf returns the tokens of a question's asks; nil if none was counted.
func usageOf(t verdict.Tally) *verdict.TokenUsage {
	var all *verdict.TokenUsage
	for _, a := range t.Asks {
		all = all.Plus(a.Usage)
	}
	return all
}
