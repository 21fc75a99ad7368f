package benchmark_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

func TestCheckAnswerer(t *testing.T) {
	t.Parallel()
	unasked := func(u benchmark.Unasked) benchmark.Unmatched {
		return benchmark.Unmatched{Answers: []benchmark.Unasked{u}}
	}
	for name, c := range map[string]struct {
		named     string
		answerers []string
		none      benchmark.Unmatched
		at        int
		refused   string // part of the message; "" if accepted
	}{
		"the only one":           {"", []string{"Copilot"}, benchmark.Unmatched{}, 0, ""},
		"another name for it":    {"Sales Analyst", []string{"answers.csv"}, benchmark.Unmatched{}, 0, ""},
		"one of several":         {"B", []string{"A", "B"}, benchmark.Unmatched{}, 1, ""},
		"several":                {"", []string{"A", "B"}, benchmark.Unmatched{}, 0, `must be one of "A", "B"`},
		"none of several":        {"C", []string{"A", "B"}, benchmark.Unmatched{}, 0, `must be one of "A", "B"`},
		"nothing":                {"", nil, benchmark.Unmatched{}, 0, "nothing to import"},
		"nothing, but near":      {"", nil, unasked(benchmark.Unasked{Text: "What?", Nearest: "What is it?"}), 0, `such as "What?"; the nearest saved one is "What is it?"`},
		"nothing, for a reason":  {"", nil, unasked(benchmark.Unasked{Text: "What?", Why: "it was asked after others"}), 0, `such as "What?": it was asked after others`},
		"many who answered":      {"", strings.Split("ABCDEFG", ""), benchmark.Unmatched{}, 0, `answers of 7 who answered`},
		"many, of which some":    {"", strings.Split("ABCDEFG", ""), benchmark.Unmatched{}, 0, `"E"`},
		"one that is not listed": {"G", strings.Split("ABCDEFG", ""), benchmark.Unmatched{}, 6, ""},
	} {
		at, err := benchmark.CheckAnswerer(c.named, c.answerers, c.none)
		if c.refused == "" && (err != nil || at != c.at) {
			t.Errorf("%s: got %d, %v", name, at, err)
		}
		if c.refused != "" && (!domain.IsRefused(err, domain.InvalidRequest) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestImportedRun: a run over imported answers asks as many as there are, never stops for lack of answers, and counts none.
func TestImportedRun(t *testing.T) {
	t.Parallel()
	set := benchmark.Set{Questions: []benchmark.Question{{QuestionID: "q1"}, {QuestionID: "q2"}, {QuestionID: "q3"}}}
	answers := benchmark.ImportedAnswers{Replies: map[string][]benchmark.ImportedReply{
		"q1": {{Answer: verdict.Answer{Text: "1"}}, {Answer: verdict.Answer{Text: "2"}, DurationMS: 9}},
		"q3": {{Failure: &verdict.Failure{Message: "no"}}},
	}}
	counts := answers.Counts(set)
	r := benchmark.EvolveRun(benchmark.Run{}, benchmark.RunAccepted{RunID: uuid.New(), Count: 3, Repeats: 2,
		Side: benchmark.Side{AnsweredBy: benchmark.AnsweredBy{Kind: verdict.Imported}}, Imported: &benchmark.Imported{Counts: counts}})
	if left := r.Left(set); r.Total() != 3 || len(left) != 3 || left[2] != (benchmark.AskKey{QuestionID: "q3", N: 1}) {
		t.Errorf("got %d in all, left %v", r.Total(), left)
	}
	for n := range 3 {
		r.Asks = append(r.Asks, benchmark.Asked{QuestionID: "q1", N: n, Verdict: verdict.Errored, Made: n + 1, Errors: n + 1})
	}
	if why, stops := r.Unanswered(set); stops || r.Spent(domain.PlatformAccessDenied) != 0 {
		t.Errorf("stops: %v (%s), spent %d", stops, why, r.Spent(domain.PlatformAccessDenied))
	}
	if got := answers.Reply("q1", 2); got.Answer.Text != "2" || got.DurationMS != 9 || got.Failure != nil {
		t.Errorf("got %+v", got)
	}
	for id, want := range map[string]string{"q2": "no answer", "q3": "only 1"} {
		if got := answers.Reply(id, 2); got.Failure == nil || !strings.Contains(got.Failure.Message, want) {
			t.Errorf("%s: got %+v", id, got)
		}
	}
}
