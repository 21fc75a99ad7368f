package verdict

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"readiness/domain/verdict/statistics"

	"github.com/google/go-cmp/cmp"
)

var (
	assistant = Side{Kind: PlatformAssistant, Label: "Before"}
	agent     = Side{Kind: DataAgent, Label: "After"}
)

// question returns a question asked once of each side.
func question(id string, a, b Verdict) AskedQuestion {
	return AskedQuestion{QuestionID: id, Text: "How much was " + id + "?", A: asks(a), B: asks(b)}
}

// questions returns as many questions as both sides, only A, only B, or neither
// answered correctly.
func questions(both, onlyA, onlyB, neither int) []AskedQuestion {
	var all []AskedQuestion
	add := func(n int, a, b Verdict) {
		for range n {
			all = append(all, question(fmt.Sprintf("q%03d", len(all)), a, b))
		}
	}
	add(both, Correct, Correct)
	add(onlyA, Correct, Incorrect)
	add(onlyB, Incorrect, Correct)
	add(neither, Unclear, Refused)
	return all
}

// The example of docs/evaluation.md, except for the values of bootstrap and repeats.
func TestExampleComparison(t *testing.T) {
	t.Parallel()
	all := questions(14, 1, 4, 1)
	silent := question("q999", Correct, Errored)
	c := Compare("example", assistant, agent, append(all, silent))
	if got, want := *c.A.AccuracyCI, (Interval{"wilson95", Rate(0.5313), Rate(0.8881), "question_verdicts", new(15), new(20)}); !cmp.Equal(got, want, near4) {
		t.Errorf("side A: %s", cmp.Diff(want, got, near4))
	}
	want := Agreement{20, 14, 1, 4, 1, new(Rate(0.75)), new(Rate(0.70)), new(Rate(0.1667)), AnswerAgreement{20, 14, 0, 6}, "question_verdict"}
	if diff := cmp.Diff(want, c.Agreement, near4); diff != "" {
		t.Errorf("agreement: -want +got\n%s", diff)
	}
	g := c.Aggregate
	if diff := cmp.Diff(McNemarTest{1, 4, 0.375, true, new(0.21875), false, ""}, g.McNemar); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if *g.AccuracyDifference.BMinusA != 0.15 || g.Comparable != 20 || g.Excluded != 1 || g.Conclusion != NoDifferenceShown || *g.Scores.A != 75 || *g.Scores.B != 90 {
		t.Errorf("got %+v", g)
	}
	if !slices.Equal(g.Improvements, []string{"q015", "q016", "q017", "q018"}) || !slices.Equal(g.Regressions, []string{"q014"}) {
		t.Errorf("got improvements %v, regressions %v", g.Improvements, g.Regressions)
	}
	if diff := cmp.Diff([]ExcludedQuestion{{"q999", "side_b_error", silent.B[0].Error}}, c.Excluded); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := c.Questions[20].Change; got != NotComparable {
		t.Errorf("the silent question: got %s", got)
	}
}

// near4 compares shares rounded as in JSON.
var near4 = cmp.Comparer(func(a, b Rate) bool { return round4(float64(a)) == round4(float64(b)) })

// The conclusions of docs/evaluation.md.
func TestConclusion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		both, onlyA, onlyB, neither int
		want                        Conclusion
		underpowered                bool
	}{
		{0, 0, 0, 0, Inconclusive, true},
		{20, 0, 0, 0, NoDifferenceShown, true},
		{10, 0, 5, 0, BBetter, false},
		{10, 5, 0, 0, ABetter, false},
		{8, 0, 4, 0, NoDifferenceShown, true},     // only the interval excludes 0
		{250, 0, 5, 45, NoDifferenceShown, false}, // only the test is significant
		{10, 0, 6, 0, BBetter, false},
		{10, 6, 0, 0, ABetter, false},
		{10, 1, 6, 3, NoDifferenceShown, false},
		{10, 1, 8, 3, BBetter, false},
		{10, 8, 1, 3, ABetter, false},
		{10, 2, 9, 3, BBetter, false},
		{0, 10, 10, 0, NoDifferenceShown, false},
	} {
		c := Compare("c", assistant, agent, questions(tt.both, tt.onlyA, tt.onlyB, tt.neither))
		if c.Aggregate.Conclusion != tt.want || c.Aggregate.McNemar.Underpowered != tt.underpowered || (c.Aggregate.McNemar.Note != "") != tt.underpowered {
			t.Errorf("%+v: got %+v", tt, c.Aggregate)
		}
		if gap := c.Agreement.Gap(); gap != tt.onlyB-tt.onlyA {
			t.Errorf("%+v: the gap is %d", tt, gap)
		}
	}
	// The verdicts favor B, the pass rates do not: questions are counted.
	all := questions(0, 0, 6, 0)
	for i := range all {
		all[i].A, all[i].B = asks(Correct, Incorrect), asks(Correct, Correct, Incorrect)
	}
	for i := range 6 {
		q := question(fmt.Sprint("worse", i), Correct, Incorrect)
		q.A, q.B = asks(Correct, Incorrect), asks(Incorrect)
		all = append(all, q)
	}
	c := Compare("c", assistant, agent, all)
	if *c.Aggregate.McNemar.MidP >= statistics.Alpha || c.Aggregate.Conclusion != BBetter || *c.Aggregate.AccuracyDifference.BMinusA > 0.1 {
		t.Errorf("against the pass rates: got %+v", c.Aggregate)
	}
}

// Questions that one side never answered are listed with the reason.
func TestExcluded(t *testing.T) {
	t.Parallel()
	unasked := AskedQuestion{QuestionID: "unasked", A: asks(Correct)}
	never := AskedQuestion{QuestionID: "never"}
	c := Compare("c", assistant, agent, []AskedQuestion{question("a", Errored, Correct), question("b", Correct, Errored), question("both", Errored, Errored), unasked, never})
	got := ""
	for _, x := range c.Excluded {
		got += fmt.Sprintln(x.QuestionID, x.Reason, x.Error != nil)
	}
	if want := "a side_a_error true\nb side_b_error true\nboth both_sides_error true\nunasked side_b_not_asked false\nnever both_sides_not_asked false\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if c.A.Accuracy != nil || c.A.Score != nil || c.A.ResponseTime != nil || c.Agreement.Observed != nil || c.Aggregate.AccuracyDifference.CI != nil || c.Aggregate.McNemar.P != 1 {
		t.Errorf("nothing is comparable: got %+v", c)
	}
}

// Repeats, weights and response times.
func TestSides(t *testing.T) {
	t.Parallel()
	all := []AskedQuestion{
		{QuestionID: "heavy", Weight: 3, A: asks(Correct, Correct, Incorrect, Errored), B: asks(Correct)},
		{QuestionID: "light", Weight: math.Inf(1), A: asks(Refused, Unclear, Incorrect), B: asks(Correct, Incorrect)},
	}
	c := Compare("c", assistant, agent, all)
	if diff := cmp.Diff(Counts{2, 2, 1, 1, 1}, c.A.Verdicts); diff != "" {
		t.Errorf("verdicts: -want +got\n%s", diff)
	}
	want := ComparisonSide{
		Name: "a", Side: assistant, AnsweredBy: "semanticModelQueryService", Questions: 2, Asks: 7, AsksPerQuestion: 4, Verdicts: c.A.Verdicts,
		Accuracy: new(Rate(0.5)), AccuracyCI: c.A.AccuracyCI, PassAll: new(Rate(0)), PassAny: new(Rate(0.5)), MeanStability: new(Rate(0.5)), FlakyQuestions: 1, Score: new(50),
		ResponseTime: &ResponseTime{6, 1, 2000, 2000, 3000, 3000, 1000, 3000, "ask_to_last_token", []string{"judging", "queue_wait_429", "retries_wait"}},
	}
	if diff := cmp.Diff(want, c.A, near4); diff != "" {
		t.Errorf("side A: -want +got\n%s", diff)
	}
	if *c.B.Accuracy != 0.875 || *c.B.Score != 88 || *c.B.PassAll != 0.5 || *c.B.PassAny != 1 {
		t.Errorf("side B: got %+v", c.B)
	}
	if got := *c.Aggregate.AccuracyDifference.BMinusA; got != 0.375 {
		t.Errorf("difference: got %v, want 0.375", got)
	}
	// The medians are 2000 and 2000 on side A, 1000 and 1500 on side B.
	if got := c.Aggregate.ResponseTimeDifference; got.MedianBMinusA != -750 || got.MeanBMinusA != -750 || got.CI != nil {
		t.Errorf("response times: got %+v", got)
	}
}

// A half is rounded up, although in floating point the accuracy is below it.
func TestScore(t *testing.T) {
	t.Parallel()
	if got := *Compare("c", assistant, agent, questions(23, 0, 0, 17)).A.Score; got != 58 {
		t.Errorf("23 of 40: got %d, want 58", got)
	}
}

func TestSumIgnoresTheOrder(t *testing.T) {
	t.Parallel()
	if a, b := sum([]float64{0.1, 0.2, 0.3}), sum([]float64{0.3, 0.2, 0.1}); a != b {
		t.Errorf("got %v and %v", a, b)
	}
}

func TestAnswerer(t *testing.T) {
	t.Parallel()
	for want, side := range map[string]Side{
		"generateQuery (experimental: a tool of Power BI wrote the queries; Copilot was not asked)":   {Kind: PlatformAssistant, Target: Target{Transport: "generateQuery"}},
		"embedded (simulated by the rules engine; no AI was asked)":                                   {Kind: DataAgent, Target: Target{Transport: "embedded", Model: "answering/7"}},
		"dataAgent (preview runtime; its answers are texts without queries, and are judged as texts)": {Kind: DataAgent, Target: Target{Transport: ByMCP, Runtime: "preview"}},
		"dataAgent (its answers are texts without queries, and are judged as texts)":                  {Kind: DataAgent, Target: Target{Transport: ByMCP}},
		"Copilot (imported: these answers were given elsewhere)":                                      {Kind: Imported, Target: Target{Who: "Copilot"}},
		"dataAgent":                 {Kind: DataAgent},
		"semanticModelQueryService": {Kind: PlatformAssistant},
		"languageModel small-1":     {Kind: ServiceTestAgent, Target: Target{Model: "small-1"}},
		"languageModel":             {Kind: GenericAgent},
	} {
		if got := side.Answerer(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
