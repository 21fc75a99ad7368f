package benchmark_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

var (
	runOne = uuid.UUID{15: 1}
	noon   = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	// three questions are asked twice each: six asks.
	three = benchmark.Set{Questions: []benchmark.Question{{QuestionID: "q1"}, {QuestionID: "q2"}, {QuestionID: "q3"}}, Repeats: 5}
)

type step = domain.Command[benchmark.Run]

var (
	accepts       = benchmark.StartRun{RunAccepted: benchmark.RunAccepted{RunID: runOne, AccountID: "contoso", OperationID: runOne, Count: 3, Repeats: 2, At: noon}}
	begins   step = benchmark.BeginRun{At: noon}
	stops    step = benchmark.StopRun{At: noon}
	fails    step = benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: operation.Failure{Code: domain.ItemNotFound}, At: noon}}
	complete step = benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{Outcome: benchmark.Outcome{DocumentHash: "d"}, At: noon}}
	deletes  step = benchmark.DeleteRun{}
)

func asked(id string, n int) step { return judged(id, n, verdict.Correct) }

func judged(id string, n int, v verdict.Verdict) step {
	return benchmark.RecordAsk{Asked: benchmark.Asked{QuestionID: id, N: n, Verdict: v}}
}

// askedAll returns all asks of the run.
func askedAll() (all []step) {
	for _, q := range three.Questions {
		all = append(all, asked(q.QuestionID, 1), asked(q.QuestionID, 2))
	}
	return all
}

func runAfter(t *testing.T, steps ...step) benchmark.Run {
	t.Helper()
	var r benchmark.Run
	for _, c := range append([]step{accepts}, steps...) {
		events, err := c.Decide(r)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, e := range events {
			r = benchmark.EvolveRun(r, e)
		}
	}
	return r
}

// proves: 4.2/cancel/stops 4.2/cancel/finished-before 4.2/cancel/asked-nothing
func TestRunTransitions(t *testing.T) {
	t.Parallel()
	const began, oneMore, completed, failed, cancelled, deleted = "run-started", "asked", "run-completed", "run-failed", "run-cancelled", "run-deleted"
	every := map[string]step{"begin": begins, "ask": asked("q3", 2), "complete": complete, "fail": fails, "stop": stops}
	for name, test := range map[string]struct {
		steps   []step
		status  operation.Status
		records map[string]string // by step; a step that is not listed changes nothing
	}{
		"accepted":          {nil, operation.StatusNotStarted, map[string]string{"begin": began, "fail": failed, "stop": cancelled}},
		"begun":             {[]step{begins}, operation.StatusRunning, map[string]string{"ask": oneMore, "fail": failed, "stop": cancelled}},
		"one ask is left":   {append([]step{begins}, askedAll()[:5]...), operation.StatusRunning, map[string]string{"ask": oneMore, "fail": failed, "stop": cancelled}},
		"everything asked":  {append([]step{begins}, askedAll()...), operation.StatusRunning, map[string]string{"complete": completed, "fail": failed, "stop": cancelled}},
		"completed":         {append(append([]step{begins}, askedAll()...), complete), operation.StatusSucceeded, nil},
		"failed":            {[]step{begins, asked("q1", 1), fails}, operation.StatusFailed, nil},
		"failed at once":    {[]step{fails}, operation.StatusFailed, nil},
		"cancelled":         {[]step{begins, asked("q1", 1), stops}, operation.StatusCancelled, nil},
		"cancelled at once": {[]step{stops}, operation.StatusCancelled, nil},
	} {
		r := runAfter(t, test.steps...)
		if r.Status != test.status {
			t.Errorf("%s: it is %s, want %s", name, r.Status, test.status)
		}
		if (r.Outcome != nil) != (r.Status == operation.StatusSucceeded) || (r.Failure != nil) != (r.Status == operation.StatusFailed) || r.EndedAt.IsZero() == r.Status.Ended() {
			t.Errorf("%s: it has outcome %v, failure %v, and ended at %s", name, r.Outcome, r.Failure, r.EndedAt)
		}
		for word, c := range every {
			events, err := c.Decide(r)
			want := test.records[word]
			if err != nil || len(events) != min(1, len(want)) || len(events) == 1 && events[0].EventType() != "benchmark."+want {
				t.Errorf("%s, %s: %v, %v, want %q", name, word, events, err, want)
			}
		}
		switch events, err := deletes.Decide(r); {
		case !r.Status.Ended() && (!domain.IsRefused(err, domain.OperationInProgress) || len(events) > 0):
			t.Errorf("%s: it has not ended, and deleting it records %v, %v", name, events, err)
		case r.Status.Ended() && (err != nil || len(events) != 1 || events[0].EventType() != "benchmark."+deleted):
			t.Errorf("%s: it has ended, and deleting it records %v, %v", name, events, err)
		}
	}
}

// A question whose ask was recorded is not asked again, whichever process resumes.
func TestAskIsRecordedOnce(t *testing.T) {
	t.Parallel()
	steps := []step{begins}
	left := []benchmark.AskKey{{QuestionID: "q1", N: 1}, {QuestionID: "q1", N: 2}, {QuestionID: "q2", N: 1}, {QuestionID: "q2", N: 2}, {QuestionID: "q3", N: 1}, {QuestionID: "q3", N: 2}}
	for made, c := range askedAll() {
		r := runAfter(t, steps...)
		if diff := cmp.Diff(left[made:], r.Left(three)); diff != "" {
			t.Errorf("after %d asks: %s", made, diff)
		}
		if want := made * 100 / 6; r.Percent() != want || r.Counts() != (made > 0) || r.Total() != 6 {
			t.Errorf("after %d asks it is at %d %% of %d, counts: %v", made, r.Percent(), r.Total(), r.Counts())
		}
		steps = append(steps, c, c)
	}
	r := runAfter(t, steps...)
	if len(r.Asks) != 6 || len(r.Left(three)) != 0 || r.Percent() != 99 {
		t.Errorf("%d asks were recorded and %d are left, at %d %%", len(r.Asks), len(r.Left(three)), r.Percent())
	}
	if events, err := judged("q1", 1, verdict.Incorrect).Decide(r); len(events) != 0 || err != nil {
		t.Errorf("another answer to the same ask records %v, %v", events, err)
	}
}

// An ask carries how many asks the run has made, including it, and how many of them got
// no answer.
func TestAsksAreCounted(t *testing.T) {
	t.Parallel()
	r := runAfter(t, begins, judged("q1", 1, verdict.Errored), judged("q1", 2, verdict.Correct), judged("q2", 1, verdict.Errored))
	var got [][2]int
	for _, a := range r.Asks {
		got = append(got, [2]int{a.Made, a.Errors})
	}
	if diff := cmp.Diff([][2]int{{1, 1}, {2, 1}, {3, 2}}, got); diff != "" {
		t.Error(diff)
	}
}

// proves: 7.2/RunNotFound
func TestDeletedRun(t *testing.T) {
	t.Parallel()
	r := runAfter(t, append(append([]step{begins}, askedAll()...), complete)...)
	if !r.BelongsTo("contoso") || r.BelongsTo("fabrikam") || (benchmark.Run{}).BelongsTo("") {
		t.Error("a run belongs to an account other than its own")
	}
	r = runAfter(t, append(append([]step{begins}, askedAll()...), complete, deletes)...)
	if r.BelongsTo("contoso") || !r.Deleted {
		t.Error("a deleted run still belongs to its account")
	}
	for _, c := range []step{deletes, begins, asked("q1", 1), complete, fails, stops} {
		if events, err := c.Decide(r); len(events) != 0 || err != nil {
			t.Errorf("%T of a deleted run: %v, %v", c, events, err)
		}
	}
}

// A run that fails after it asked something counts, whatever it failed with
// (docs/decisions.md 5).
func TestFailedRunImpact(t *testing.T) {
	t.Parallel()
	idle, busy := runAfter(t, begins), runAfter(t, begins, asked("q1", 1))
	for code, want := range map[domain.Code]int{
		domain.PlatformUnavailable: 0, domain.CapacityPaused: 0, domain.CapacityBusy: 0, domain.ItemNotFound: 1, domain.ItemNotReadable: 1, domain.PlatformAccessDenied: 1,
	} {
		if got := idle.Spent(code); got != want {
			t.Errorf("failed with %s before it asked anything it spends %d, want %d", code, got, want)
		}
		if got := busy.Spent(code); got != 1 {
			t.Errorf("failed with %s after it asked it spends %d, want 1", code, got)
		}
	}
}

// proves: 2.7/error/BenchmarkRunFailed
func TestOperationCodesOfARun(t *testing.T) {
	t.Parallel()
	for code, want := range map[domain.Code]domain.Code{
		domain.CapacityPaused: domain.CapacityPaused, domain.CapacityBusy: domain.CapacityBusy, domain.ItemNotFound: domain.ItemNotFound, domain.ItemNotReadable: domain.ItemNotReadable,
		domain.PlatformAccessDenied: domain.PlatformAccessDenied, domain.PlatformUnavailable: domain.PlatformUnavailable,
		domain.WorkspaceNotFound: domain.ItemNotFound, domain.PlatformConsentRequired: domain.PlatformAccessDenied,
		domain.BenchmarkRunFailed: domain.BenchmarkRunFailed, domain.AiProviderNotFound: domain.BenchmarkRunFailed, domain.AiCredentialNotFound: domain.BenchmarkRunFailed,
		domain.InvalidRequest: domain.BenchmarkRunFailed, domain.RequestBlocked: domain.BenchmarkRunFailed, "": domain.BenchmarkRunFailed,
	} {
		if got := benchmark.OperationCode(code); got != want {
			t.Errorf("%q fails as %s, want %s", code, got, want)
		}
	}
}
