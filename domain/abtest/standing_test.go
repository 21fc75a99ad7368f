package abtest_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

var (
	test1 = uuid.UUID{15: 1}
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

const contoso = "contoso"

func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func runID(n byte) uuid.UUID { return uuid.UUID{14: 1, 15: n} }

// fold folds the events of commands, and fails when a command is refused.
func fold[S any](t testing.TB, evolve func(S, domain.Event) S, s S, all ...domain.Command[S]) S {
	t.Helper()
	for _, c := range all {
		events, err := c.Decide(s)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, e := range events {
			s = evolve(s, e)
		}
	}
	return s
}

// created returns a test from saved questions, created at noon.
func created() abtest.CreateABTest {
	return abtest.CreateABTest{Created: abtest.Created{
		AbTestID: test1, AccountID: contoso, Words: abtest.Words{Name: "One"}, Source: abtest.Source{Kind: abtest.FromQuestions},
		CorrectAnswers: abtest.Preserve, Repeats: 1, Questions: abtest.Questions{Document: "d", SetHash: "h", Count: 2}, At: noon,
	}}
}

// Before the first success of a test, the discordance is assumed; afterwards it is that of the newest. Paraphrases always count once.
func TestNextDetectable(t *testing.T) {
	t.Parallel()
	last := &verdict.Aggregate{Comparable: 9, McNemar: verdict.McNemarTest{N10: 1, N01: 1}}
	for name, tt := range map[string]struct {
		questions   abtest.Questions
		last        *verdict.Aggregate
		n           int
		discordance verdict.Rate
	}{
		"first run":                     {abtest.Questions{Count: 11, Clusters: 11}, nil, 11, 0.3},
		"first run with paraphrases":    {abtest.Questions{Count: 11, Clusters: 7}, nil, 7, 0.3},
		"next run with paraphrases":     {abtest.Questions{Count: 11, Clusters: 7}, last, 7, 3. / 11},
		"event without the clusters":    {abtest.Questions{Count: 11}, nil, 11, 0.3},
		"last run compared nothing":     {abtest.Questions{Count: 11, Clusters: 7}, &verdict.Aggregate{}, 7, 0.3},
		"paraphrases of four questions": {abtest.Questions{Count: 20, Clusters: 4}, nil, 4, 0.3},
	} {
		got := tt.questions.NextDetectable(tt.last)
		if got.N != tt.n || got.Discordance != tt.discordance || got.LastRun != (tt.discordance != 0.3) || (got.Difference == nil) != (tt.n < 5) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func add(n byte, at time.Time) abtest.AddRun {
	return abtest.AddRun{RunAdded: abtest.RunAdded{RunID: runID(n), At: at}}
}

func succeeded(n byte, gap int, at time.Time) abtest.EndRun {
	return abtest.EndRun{RunEnded: abtest.RunEnded{
		RunID: runID(n), Status: operation.StatusSucceeded, Aggregate: &verdict.Aggregate{Comparable: int(n)}, Gap: &gap, Document: "comparison of " + runID(n).String(), At: at,
	}}
}

func failed(n byte, at time.Time) abtest.EndRun {
	return abtest.EndRun{RunEnded: abtest.RunEnded{
		RunID: runID(n), Status: operation.StatusFailed, Failure: &operation.Failure{Code: domain.BenchmarkRunFailed, Message: "no"}, At: at,
	}}
}

func cancelled(n byte, at time.Time) abtest.EndRun {
	return abtest.EndRun{RunEnded: abtest.RunEnded{RunID: runID(n), Status: operation.StatusCancelled, At: at}}
}

// proves: 2.11/test/runCount 2.11/test/latestRun 2.11/test/latestSucceededRunId 2.11/test/latestSucceededRunAggregate 2.11/test/runGaps 4.6/delete/run
func TestStanding(t *testing.T) {
	t.Parallel()
	type commands = []domain.Command[abtest.Test]
	type standing struct {
		runs      int
		latest    byte
		status    operation.Status
		sorted    time.Time
		succeeded byte
		gaps      []int
	}
	three := commands{add(1, minute(1)), succeeded(1, 4, minute(2)), add(2, minute(3)), succeeded(2, -1, minute(4)), add(3, minute(5)), failed(3, minute(6))}
	for name, test := range map[string]struct {
		commands commands
		want     standing
	}{
		"no run":                 {nil, standing{0, 0, "", noon, 0, []int{}}},
		"a run goes on":          {commands{add(1, minute(1))}, standing{1, 1, operation.StatusRunning, minute(1), 0, []int{}}},
		"it succeeded":           {three[:2], standing{1, 1, operation.StatusSucceeded, minute(2), 1, []int{4}}},
		"the next goes on":       {three[:3], standing{2, 2, operation.StatusRunning, minute(3), 1, []int{4}}},
		"the newest failed":      {three, standing{3, 3, operation.StatusFailed, minute(6), 2, []int{4, -1}}},
		"the newest was stopped": {append(three[:4:4], add(3, minute(5)), cancelled(3, minute(7))), standing{3, 3, operation.StatusCancelled, minute(7), 2, []int{4, -1}}},
		"the newest is deleted":  {append(three[:6:6], abtest.RemoveRun{RunID: runID(3)}), standing{2, 2, operation.StatusSucceeded, minute(4), 2, []int{4, -1}}},
		"the newest two are":     {append(three[:6:6], abtest.RemoveRun{RunID: runID(3)}, abtest.RemoveRun{RunID: runID(2)}), standing{1, 1, operation.StatusSucceeded, minute(2), 1, []int{4}}},
		"the oldest is":          {append(three[:6:6], abtest.RemoveRun{RunID: runID(1)}), standing{2, 3, operation.StatusFailed, minute(6), 2, []int{-1}}},
		"all are":                {append(three[:2:2], abtest.RemoveRun{RunID: runID(1)}), standing{0, 0, "", noon, 0, []int{}}},
		"only failures":          {commands{add(1, minute(1)), failed(1, minute(2))}, standing{1, 1, operation.StatusFailed, minute(2), 0, []int{}}},
		"the older of two ends last": {
			commands{add(1, minute(1)), add(2, minute(2)), succeeded(2, 2, minute(3)), succeeded(1, 1, minute(9))},
			standing{2, 2, operation.StatusSucceeded, minute(3), 2, []int{1, 2}},
		},
		"a run without a gap": {
			commands{add(1, minute(1)), abtest.EndRun{RunEnded: abtest.RunEnded{RunID: runID(1), Status: operation.StatusSucceeded, At: minute(2)}}},
			standing{1, 1, operation.StatusSucceeded, minute(2), 1, []int{}},
		},
	} {
		state := fold(t, abtest.Evolve, abtest.Test{}, append(commands{created()}, test.commands...)...)
		s := state.Standing()
		got := standing{runs: s.Runs, sorted: s.SortedAt, gaps: s.Gaps}
		if s.Latest != nil {
			got.latest, got.status = s.Latest.RunID[15], s.Latest.Status
			if ended := s.Latest.FinishedAt != nil; ended != s.Latest.Status.Ended() || ended && !s.Latest.FinishedAt.Equal(s.SortedAt) {
				t.Errorf("%s: the newest run is %s and finished at %v", name, s.Latest.Status, s.Latest.FinishedAt)
			}
			if (s.Latest.Failure != nil) != (s.Latest.Status == operation.StatusFailed) || s.Latest.Aggregate != nil && s.Latest.Status != operation.StatusSucceeded {
				t.Errorf("%s: the newest run is %s with failure %v and aggregate %v", name, s.Latest.Status, s.Latest.Failure, s.Latest.Aggregate)
			}
		}
		if s.Succeeded != nil {
			got.succeeded = s.Succeeded[15]
			if s.Aggregate != nil && s.Aggregate.Comparable != int(got.succeeded) {
				t.Errorf("%s: run %d succeeded last, and the aggregate is that of run %d", name, got.succeeded, s.Aggregate.Comparable)
			}
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(standing{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// An event of a run carries the test's standing after it.
func TestEventsCarryTheStanding(t *testing.T) {
	t.Parallel()
	state := fold(t, abtest.Evolve, abtest.Test{}, created(), add(1, minute(1)), succeeded(1, 3, minute(2)), add(2, minute(3)))
	for name, c := range map[string]domain.Command[abtest.Test]{
		"a start": add(3, minute(4)), "an end": succeeded(2, -2, minute(4)), "a failure": failed(2, minute(4)), "a removal": abtest.RemoveRun{RunID: runID(1)}, "a removal of a run that goes on": abtest.RemoveRun{RunID: runID(2)},
	} {
		events, err := c.Decide(state)
		if err != nil || len(events) != 1 {
			t.Fatalf("%s: %v, %v", name, events, err)
		}
		var carried abtest.Standing
		switch e := events[0].(type) {
		case abtest.RunAdded:
			carried = e.Standing
		case abtest.RunEnded:
			carried = e.Standing
		case abtest.RunRemoved:
			carried = e.Standing
		}
		after := abtest.Evolve(state, events[0]).Standing()
		if diff := cmp.Diff(after, carried, cmp.AllowUnexported(abtest.LatestRun{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if again := state.Standing(); again.Runs != 2 || again.Latest.Status != operation.StatusRunning {
			t.Errorf("%s: the state before it is %+v now", name, again)
		}
	}
}

// proves: 4.6/run-again/nothing-frozen 4.6/run-again/records
func TestQuestionsAreFrozenOnce(t *testing.T) {
	t.Parallel()
	first, second := abtest.Questions{Document: "d1", SetHash: "h1", Count: 1}, abtest.Questions{Document: "d2", SetHash: "h2", Count: 2}
	state := fold(t, abtest.Evolve, abtest.Test{}, created())
	if state.Frozen != nil {
		t.Fatalf("before side A answered, %+v are frozen", *state.Frozen)
	}
	state = fold(t, abtest.Evolve, state, abtest.Freeze{Questions: first}, abtest.Freeze{Questions: second})
	if state.Frozen == nil || *state.Frozen != first {
		t.Errorf("%+v are frozen, want %+v", state.Frozen, first)
	}
	run := created()
	run.Source, run.Questions = abtest.Source{Kind: abtest.FromRun, RunID: new(runID(9))}, second
	state = fold(t, abtest.Evolve, abtest.Test{}, run, abtest.Freeze{Questions: first})
	if state.Frozen == nil || *state.Frozen != second {
		t.Errorf("%+v are frozen of a stored run, want %+v", state.Frozen, second)
	}
	state = fold(t, abtest.Evolve, abtest.Test{}, created(), abtest.Delete{}, abtest.Freeze{Questions: first})
	if state.Frozen != nil {
		t.Error("a deleted test froze questions")
	}
}

// proves: 4.6/delete/test 2.11/DeletedAbTest
func TestDeletedTestRefuses(t *testing.T) {
	t.Parallel()
	state := fold(t, abtest.Evolve, abtest.Test{}, created(), add(1, minute(1)), succeeded(1, 1, minute(2)), add(2, minute(3)))
	events, err := abtest.Delete{}.Decide(state)
	if diff := cmp.Diff([]domain.Event{abtest.Deleted{Runs: 2}}, events); diff != "" || err != nil {
		t.Fatalf("deleting two runs: %s, %v", diff, err)
	}
	if !state.BelongsTo(contoso) || state.BelongsTo("fabrikam") || (abtest.Test{}).BelongsTo("") {
		t.Error("a test belongs to an account other than its own")
	}
	gone := abtest.Evolve(state, events[0])
	if gone.BelongsTo(contoso) || len(gone.Unfinished()) != 0 || gone.Has(runID(1)) || len(gone.Documents(nil)) != 0 {
		t.Errorf("the deleted test has runs: %+v", gone)
	}
	for name, test := range map[string]struct {
		command domain.Command[abtest.Test]
		code    domain.Code // "" when there is nothing to do
	}{
		"deleted again":    {abtest.Delete{}, domain.AbTestNotFound},
		"run again":        {add(3, minute(4)), domain.AbTestNotFound},
		"a run is deleted": {abtest.RemoveRun{RunID: runID(1)}, domain.RunNotFound},
		"a run ends":       {succeeded(2, 0, minute(5)), ""},
		"a run fails":      {failed(2, minute(5)), ""},
		"reworded":         {abtest.Reword{Words: abtest.Words{Name: "Two"}}, domain.AbTestNotFound},
	} {
		events, err := test.command.Decide(gone)
		if len(events) != 0 || test.code == "" && err != nil || test.code != "" && !domain.IsRefused(err, test.code) {
			t.Errorf("%s: %v, %v, want %q", name, events, err, test.code)
		}
	}
}

// A run ends once, and a deleted run does not end.
func TestARunOfATestEndsOnce(t *testing.T) {
	t.Parallel()
	going := fold(t, abtest.Evolve, abtest.Test{}, created(), add(1, minute(1)), add(2, minute(1)))
	for name, state := range map[string]abtest.Test{
		"ended":   fold(t, abtest.Evolve, going, succeeded(1, 1, minute(2))),
		"stopped": fold(t, abtest.Evolve, going, cancelled(1, minute(2))),
		"deleted": fold(t, abtest.Evolve, going, abtest.RemoveRun{RunID: runID(1)}),
	} {
		if events, err := failed(1, minute(3)).Decide(state); len(events) != 0 || err != nil {
			t.Errorf("%s: %v, %v", name, events, err)
		}
		if diff := cmp.Diff([]uuid.UUID{runID(2)}, state.Unfinished()); diff != "" {
			t.Errorf("%s: open runs: %s", name, diff)
		}
	}
	if _, err := (abtest.RemoveRun{RunID: runID(7)}).Decide(going); !domain.IsRefused(err, domain.RunNotFound) {
		t.Errorf("deleting an unknown run: %v", err)
	}
	ended := fold(t, abtest.Evolve, going, succeeded(1, 1, minute(2)), succeeded(2, 1, minute(3)))
	if diff := cmp.Diff([]string{"comparison of " + runID(1).String(), "comparison of " + runID(2).String()}, ended.Documents(nil)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"comparison of " + runID(2).String()}, ended.Documents(new(runID(2)))); diff != "" {
		t.Error(diff)
	}
}

// proves: 7.2/AbTestNotFound 7.2/RunNotFound
func TestRefusalsNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	long := "x" + runID(1).String() + "and more of what a caller sent"
	for _, test := range []struct {
		refusal *domain.Refusal
		code    domain.Code
		param   domain.Param
	}{
		{abtest.NotFound(test1.String()), domain.AbTestNotFound, domain.Param{Name: "abTestId", Value: test1.String()}},
		{abtest.RunNotFound(runID(1).String()), domain.RunNotFound, domain.Param{Name: "runId", Value: runID(1).String()}},
		{abtest.NotFound(long), domain.AbTestNotFound, domain.Param{Name: "abTestId", Value: long[:36]}},
		{abtest.RunNotFound(""), domain.RunNotFound, domain.Param{Name: "runId", Value: ""}},
	} {
		if test.refusal.Code != test.code || len(test.refusal.Params) != 1 || test.refusal.Params[0] != test.param {
			t.Errorf("%v about %v, want %s about %v", test.refusal, test.refusal.Params, test.code, test.param)
		}
	}
}
