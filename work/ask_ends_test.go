package work_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/verdict"
)

// A side without answers stops early: its run fails and is refunded, and side B does not start.
func TestSilentSideStops(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		questions, repeats int
		most               int // asks that are made at most: four are made at once
		why                string
	}{
		{1, 1, 1, "its only ask got no answer, because: nobody answered"},
		{1, 2, 2, "none of the first 2 asks got an answer"},
		{5, 1, 6, "asks got an answer"},
		{20, 1, 13, "10 questions in a row got no answer"},
		{5, 20, 13, "10 questions in a row got no answer"},
	} {
		t.Run(fmt.Sprint(tt.questions, " times ", tt.repeats), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.saveQuestions(t, good, tt.questions, tt.repeats)
			id, testID := b.create(t, nil)
			r := &respondent{reply: unanswered}
			b.carried(t, r)
			run, op := b.abRun(t, id), b.operation(t, id)
			if op.Status != operation.StatusFailed || op.Failure.Code != domain.BenchmarkRunFailed || !strings.Contains(op.Failure.Message, tt.why) {
				t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
			}
			if run.A.Status != abtest.SideBroken || run.B.Status != abtest.SideWaiting || len(r.asked) > tt.most || len(b.ask) != 1 {
				t.Errorf("the sides are %s and %s; %d asks, %d steps", run.A.Status, run.B.Status, len(r.asked), len(b.ask))
			}
			if n := b.runsUsed(t); n != 0 || *op.Impact.BenchmarkRuns != 0 || *op.Impact.TrackedItems != 0 {
				t.Errorf("%d benchmark runs are counted, the impact is %+v", n, op.Impact)
			}
			if standing := b.abTest(t, testID).Standing(); standing.Latest.Status != operation.StatusFailed || standing.Succeeded != nil {
				t.Errorf("the test's standing is %+v", standing)
			}
			check(t, b.resume(t.Context(), b.ana(), id))
			if len(b.ask) != 1 {
				t.Error("a read of the owner starts side B")
			}
		})
	}
}

// Every second ask fails: the side stops at its 20th.
func TestHalfSilentSideStops(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 40, 1)
	id := b.benchmarkRun(t)
	var mu sync.Mutex
	n := 0
	check(t, b.carryAsk(t, &respondent{reply: func(s benchmark.Side, q string, k int) (benchmark.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%2 == 0 {
			return unanswered(s, q, k)
		}
		return right(q), nil
	}}))
	run, op := b.asking(t, id).Run, b.operation(t, id)
	if made := len(run.Asks); op.Status != operation.StatusFailed || made < 20 || made > 24 || *op.Impact.BenchmarkRuns != 1 {
		t.Errorf("the operation is %s after %d asks: %+v", op.Status, made, op.Failure)
	}
}

// Sides that answer different questions compare nothing: the run fails, and both sides are refunded.
func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, testID := b.create(t, nil)
	r := &respondent{reply: func(s benchmark.Side, q string, n int) (benchmark.Reply, error) {
		if (q == "Q1") == (s.SemanticModelID == good) {
			return right(q), nil
		}
		return unanswered(s, q, n)
	}}
	b.carried(t, r)
	check(t, b.resume(t.Context(), b.ana(), id))
	b.carried(t, r)
	run, op := b.abRun(t, id), b.operation(t, id)
	if op.Status != operation.StatusFailed || op.Failure.Code != domain.BenchmarkRunFailed || run.Compared != nil || len(r.asked) != 4 {
		t.Errorf("the operation is %s: %+v", op.Status, op.Failure)
	}
	if n := b.runsUsed(t); n != 0 || *op.Impact.BenchmarkRuns != 0 {
		t.Errorf("%d benchmark runs are counted, the impact is %+v", n, op.Impact)
	}
	if standing := b.abTest(t, testID).Standing(); standing.Succeeded != nil || len(standing.Gaps) != 0 {
		t.Errorf("the test's standing is %+v", standing)
	}
}

// More than a third that cannot be compared: the run succeeds and concludes nothing. What
// fails may be recorded before what is answered, which stops no side.
func TestInconclusiveRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 10, 1)
	id, _ := b.create(t, nil)
	r := &respondent{reply: func(s benchmark.Side, q string, n int) (benchmark.Reply, error) {
		if s.SemanticModelID != good && strings.Contains("Q2 Q4 Q6 Q8", q) {
			return unanswered(s, q, n)
		}
		return right(q), nil
	}}
	b.carried(t, r)
	check(t, b.resume(t.Context(), b.ana(), id))
	b.carried(t, r)
	run := b.abRun(t, id)
	if run.Compared == nil {
		t.Fatalf("nothing is compared: side B is %s, the operation %+v", run.B.Status, b.operation(t, id).Failure)
	}
	if g := run.Compared.Aggregate; g.Conclusion != verdict.Inconclusive || g.Excluded != 4 {
		t.Errorf("got %+v", g)
	}
}

// Turning AI features off stops a run at its next ask: it ends as a cancel would end it.
func TestFeaturesOffStopRuns(t *testing.T) {
	t.Parallel()
	for name, ab := range map[string]bool{"a benchmark run": false, "a side of an A/B run": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			declare := func(on bool) {
				_, err := b.Accounts.Apply(t.Context(), []account.Declaration{{
					AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "west",
					Settings: account.Settings{AIFeatures: on, DefinitionCopies: account.CopiesNone},
					People:   []account.Person{{Person: b.ana().Person, Role: account.Admin}},
				}})
				check(t, err)
			}
			declare(true)
			b.saveQuestions(t, good, 30, 1)
			id := b.benchmarkRunOr(t, ab)
			var once sync.Once
			var off atomic.Bool
			var late atomic.Int32 // asks after it was turned off
			r := &respondent{reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
				if off.Load() {
					late.Add(1)
				}
				if q == "Q5" {
					once.Do(func() { declare(false); off.Store(true) })
				}
				return right(q), nil
			}}
			b.carried(t, r)
			op := b.operation(t, id)
			if op.Status != operation.StatusCancelled || *op.Impact.BenchmarkRuns != 1 || late.Load() > 3 { // the others of four at once
				t.Errorf("the operation is %s, with %d asks after it: %+v, impact %+v", op.Status, late.Load(), op.Failure, op.Impact)
			}
			if ab {
				if run := b.abRun(t, id); run.A.Status != abtest.SideCancelled || run.B.Status != abtest.SideWaiting || run.Stopped.Asked == 0 {
					t.Errorf("the sides are %s and %s, stopped %+v", run.A.Status, run.B.Status, run.Stopped)
				}
			}
			before := b.positions(t)
			b.carried(t, r)
			if b.positions(t) != before {
				t.Error("the stopped run continued")
			}
		})
	}
}

// benchmarkRunOr starts a benchmark run, or a run of an A/B test.
func (b *bench) benchmarkRunOr(t *testing.T, ab bool) (id [16]byte) {
	t.Helper()
	if !ab {
		return b.benchmarkRun(t)
	}
	run, _ := b.create(t, nil)
	return run
}
