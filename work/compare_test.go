package work_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/verdict"
	"readiness/eventstore"
)

func side(model uuid.UUID) abtest.SideRequest {
	return abtest.SideRequest{SemanticModelID: model, WorkspaceID: workspace, AnsweredBy: assistant}
}

// create creates a test of good against gone with good's saved questions and
// returns its operation and id.
func (b *bench) create(t *testing.T, change func(*abtest.CreateRequest)) (operationID, testID uuid.UUID) {
	t.Helper()
	r := abtest.CreateRequest{
		Words: abtest.Words{Name: "Before and after"}, SideA: side(good), SideB: side(gone), Source: abtest.SourceRequest{Kind: string(abtest.FromQuestions)},
	}
	if change != nil {
		change(&r)
	}
	got, err := b.ABTests.Create(t.Context(), b.ana(), r)
	check(t, err)
	return got.OperationID, b.abRun(t, got.OperationID).AbTestID
}

func (b *bench) abRun(t *testing.T, id uuid.UUID) abtest.Run {
	t.Helper()
	past := eventstore.Fold(operation.Stream(id), abtest.EvolveRun)
	check(t, b.Store.Load(t.Context(), past))
	return past.State
}

func (b *bench) abTest(t *testing.T, id uuid.UUID) abtest.Test {
	t.Helper()
	past := eventstore.Fold(abtest.Stream(id), abtest.Evolve)
	check(t, b.Store.Load(t.Context(), past))
	return past.State
}

// positions returns how many events the log has.
func (b *bench) positions(t *testing.T) (n int) {
	t.Helper()
	check(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n))
	return n
}

func (b *bench) carried(t *testing.T, r *respondent) {
	t.Helper()
	check(t, b.carryAsk(t, r))
}

// sideBIsBetter answers Q1 on side B only.
func sideBIsBetter(s benchmark.Side, q string, _ int) (benchmark.Reply, error) {
	if q == "Q1" && s.SemanticModelID == good {
		return benchmark.Reply{Answer: verdict.Answer{CannotAnswer: true}, DurationMS: 20, Attempts: 1}, nil
	}
	return right(q), nil
}

// proves: 3.2/side-b-starts 4.6/run-again/owner
func TestAbRunWaitsForItsOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 3, 1)
	id, testID := b.create(t, nil)
	r := &respondent{reply: sideBIsBetter}
	b.carried(t, r)
	if run := b.abRun(t, id); run.A.Status != abtest.SideDone || run.B.Status != abtest.SideWaiting || run.Stage() != abtest.StageB || !run.WaitsForOwner() {
		t.Fatalf("after side A: %s and %s, stage %s", run.A.Status, run.B.Status, run.Stage())
	}
	if test := b.abTest(t, testID); test.Frozen == nil || test.Frozen.Count != 3 {
		t.Errorf("the test froze %+v", test.Frozen)
	}
	if _, kept, _ := b.Vault.Token(t.Context(), id, b.Now()); kept {
		t.Error("side A's token is stored while the run waits")
	}

	// Another person's read does not move it, nor the owner's with a read-only
	// token, nor one while AI features are off.
	before := b.positions(t)
	other, reading, off := b.ana(), b.ana(), b.ana()
	other.PersonID, other.Person = "ben", item.Person{ID: "ben"}
	reading.MayWrite = false
	off.Settings.AIFeatures = false
	for _, who := range []commands.Caller{other, reading, off} {
		check(t, b.resume(t.Context(), who, id))
	}
	if n := b.positions(t); n != before || len(b.ask) != 1 {
		t.Fatalf("another person's read appended %d events and enqueued %d steps", n-before, len(b.ask)-1)
	}

	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			owner := b.ana()
			owner.Token = "eyJ.second"
			if err := b.resume(t.Context(), owner, id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(b.ask) != 2 {
		t.Fatalf("ten reads of the owner enqueued %d steps, want 1", len(b.ask)-1)
	}
	b.carried(t, r)
	if want := []string{"eyJ.token", "eyJ.second"}; !slices.Equal(r.tokens, want) {
		t.Errorf("the sides were asked with %v, want %v", r.tokens, want)
	}
	if len(r.asked) != 6 {
		t.Errorf("asked %v", r.asked)
	}
	run, op := b.abRun(t, id), b.operation(t, id)
	if run.Stage() != abtest.Done || op.Status != operation.StatusSucceeded || *op.Impact.BenchmarkRuns != 2 || *op.Impact.TrackedItems != 2 || b.runsUsed(t) != 2 {
		t.Errorf("the run is at %s, its operation %+v, %d benchmark runs are counted", run.Stage(), op, b.runsUsed(t))
	}
	body, err := b.Work.Documents.Get(t.Context(), run.Compared.Document)
	check(t, err)
	var d verdict.Document
	check(t, json.Unmarshal(body, &d))
	if g := d.Aggregate; *g.Scores.A != 67 || *g.Scores.B != 100 || g.Comparable != 3 || !slices.Equal(g.Improvements, []string{"Q1"}) || g.Conclusion != verdict.NoDifferenceShown {
		t.Errorf("the comparison is %+v", g)
	}
	if d.ID != id.String() || d.Benchmark.Hash != b.abTest(t, testID).Frozen.SetHash || d.RequestedBy != "ana" || d.Plan.AsksPerQuestion != 1 {
		t.Errorf("the comparison's header is %+v", d.Header)
	}
	standing := b.abTest(t, testID).Standing()
	if standing.Runs != 1 || *standing.Succeeded != id || !slices.Equal(standing.Gaps, []int{1}) || standing.Latest.Status != operation.StatusSucceeded {
		t.Errorf("the test's standing is %+v", standing)
	}
}

// proves: 3.2/side-b-not-started 2.7/error/SideBNotStarted
func TestAbRunUnreadLapses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, testID := b.create(t, nil)
	b.carried(t, &respondent{})
	last := noon.Add(operation.Life - abtest.LastStart)
	b.Clock.Set(last) // the last instant at which it may be started
	check(t, b.Operations.LapseOverdue(t.Context()))
	if run := b.abRun(t, id); !run.WaitsForOwner() {
		t.Fatalf("the run lapsed at its last instant: %+v", run.Operation.Failure)
	}
	b.Clock.Set(last.Add(time.Second))
	if err := b.resume(t.Context(), b.ana(), id); err != nil { // the owner reads too late
		t.Fatal(err)
	}
	check(t, b.Operations.LapseOverdue(t.Context()))
	op := b.operation(t, id)
	if op.Status != operation.StatusFailed || op.Failure.Code != domain.SideBNotStarted || len(b.ask) != 1 || *op.Impact.BenchmarkRuns != 1 {
		t.Errorf("the operation is %+v, %d steps were enqueued", op, len(b.ask))
	}
	b.Clock.Set(noon)
	if n := b.runsUsed(t); n != 1 {
		t.Errorf("%d benchmark runs are counted, want side A's only", n)
	}
	if run := b.abTest(t, testID).Standing(); run.Latest.Failure == nil || run.Latest.Failure.Code != domain.SideBNotStarted {
		t.Errorf("the test's standing is %+v", run)
	}
	// It can be run again.
	if _, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{}); err != nil {
		t.Error(err)
	}
}

// proves: 3.2/cancel-while-asking 3.2/cancel-while-waiting 4.2/cancel/asked-nothing 4.2/cancel/ab-run 2.11/run/cancel
func TestAbRunCancelled(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		// until carries the run to the point at which stop cancels it.
		until     func(b *bench, t *testing.T, id uuid.UUID, stop func())
		side      *abtest.SideName
		asked     int
		runs      int
		a, b      abtest.SideStatus
		asksAfter int
	}{
		"before anything": {
			func(_ *bench, _ *testing.T, _ uuid.UUID, stop func()) { stop() },
			nil, 0, 0, abtest.SideCancelled, abtest.SideWaiting, 0,
		},
		"while side A asks": {
			func(b *bench, t *testing.T, _ uuid.UUID, stop func()) {
				b.carried(t, &respondent{reply: func(_ benchmark.Side, q string, _ int) (benchmark.Reply, error) {
					if q == "Q5" { // other asks have been recorded by then, because four run at once
						stop()
					}
					return right(q), nil
				}})
			},
			new(abtest.A), -1, 1, abtest.SideCancelled, abtest.SideWaiting, 0,
		},
		"while it waits": {
			func(b *bench, t *testing.T, id uuid.UUID, stop func()) {
				b.carried(t, &respondent{})
				stop()
				check(t, b.resume(t.Context(), b.ana(), id))
			},
			nil, 6, 1, abtest.SideDone, abtest.SideWaiting, 0,
		},
		"when side B is to begin": {
			func(b *bench, t *testing.T, id uuid.UUID, stop func()) {
				b.carried(t, &respondent{})
				check(t, b.resume(t.Context(), b.ana(), id))
				stop()
			},
			nil, 6, 1, abtest.SideDone, abtest.SideCancelled, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.saveQuestions(t, good, 6, 1)
			id, _ := b.create(t, nil)
			tt.until(b, t, id, func() {
				if _, err := b.Operations.Cancel(t.Context(), b.ana(), id); err != nil {
					t.Error(err)
				}
			})
			steps := len(b.ask)
			r := &respondent{}
			b.carried(t, r) // the step that is left asks nothing
			run, op := b.abRun(t, id), b.operation(t, id)
			if op.Status != operation.StatusCancelled || run.A.Status != tt.a || run.B.Status != tt.b || len(r.asked) != 0 || len(b.ask) != steps {
				t.Fatalf("the operation is %s, the sides %s and %s; asked %v", op.Status, run.A.Status, run.B.Status, r.asked)
			}
			s := run.Stopped
			if (s.Side == nil) != (tt.side == nil) || s.Side != nil && *s.Side != *tt.side || s.Counted != (tt.runs > 0) || s.Total != 12 || tt.asked >= 0 && s.Asked != tt.asked {
				t.Errorf("frozen at the stop: %+v", s)
			}
			if n := b.runsUsed(t); n != tt.runs || *op.Impact.BenchmarkRuns != tt.runs {
				t.Errorf("%d benchmark runs are counted and the impact says %d, want %d", n, *op.Impact.BenchmarkRuns, tt.runs)
			}
			before := b.positions(t)
			if _, err := b.Operations.Cancel(t.Context(), b.ana(), id); err != nil || b.positions(t) != before {
				t.Errorf("cancelling an ended run: %v, %d events", err, b.positions(t)-before)
			}
		})
	}
}

// A failed side fails the run; a side that never began is refunded.
func TestAbRunFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, _ := b.create(t, nil)
	b.carried(t, &respondent{})
	check(t, b.resume(t.Context(), b.ana(), id))
	b.carried(t, &respondent{refuse: func(benchmark.Side) error { return domain.Refuse(domain.CapacityPaused, "it sleeps") }})
	run, op := b.abRun(t, id), b.operation(t, id)
	if op.Status != operation.StatusFailed || op.Failure.Code != domain.CapacityPaused || run.A.Status != abtest.SideDone || run.B.Status != abtest.SideBroken {
		t.Errorf("the operation is %+v, the sides %s and %s", op, run.A.Status, run.B.Status)
	}
	if f := run.B.Failure; f == nil || f.CapacityWorkspaceID == nil || *f.CapacityWorkspaceID != workspace {
		t.Errorf("side B failed with %+v", run.B.Failure)
	}
	if n := b.runsUsed(t); n != 1 {
		t.Errorf("%d benchmark runs are counted, want side A's only", n)
	}
}

// proves: 3.1/test-deleted 4.6/delete/test
func TestAbTestDeletedWhileItRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	id, testID := b.create(t, nil)
	b.carried(t, &respondent{})
	again, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{}) // its side A has not begun
	check(t, err)
	spent := b.runsUsed(t)
	runs, err := b.ABTests.Delete(t.Context(), b.ana(), testID.String())
	if err != nil || runs != 2 {
		t.Fatal(runs, err)
	}
	for _, id := range []uuid.UUID{id, again.OperationID} {
		if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != domain.BenchmarkRunFailed {
			t.Errorf("the operation is %+v", op)
		}
	}
	if spent != 4 || b.runsUsed(t) != spent {
		t.Errorf("%d benchmark runs are counted after %d", b.runsUsed(t), spent)
	}
	var together int
	if err := b.Pool.QueryRow(t.Context(), `SELECT count(DISTINCT stream) FROM events WHERE stream = ANY($1) AND xmin = (SELECT xmin FROM events WHERE type = 'abtest.deleted')`,
		[]string{operation.Stream(id), operation.Stream(again.OperationID)}).Scan(&together); err != nil || together != 2 {
		t.Errorf("%d of 2 operations ended in the append that deleted the test; %v", together, err)
	}
	kept := b.asking(t, *b.abRun(t, id).A.BenchmarkRunID).Run
	if kept.Deleted || kept.Status != operation.StatusSucceeded {
		t.Errorf("side A's benchmark run is %s", kept.Status)
	}
	before := b.positions(t)
	if err := b.resume(t.Context(), b.ana(), id); err != nil || b.positions(t) != before {
		t.Errorf("a read after the delete: %v, %d events", err, b.positions(t)-before)
	}
	if _, err := b.ABTests.Delete(t.Context(), b.ana(), testID.String()); !domain.IsRefused(err, domain.AbTestNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

// proves: 4.6/create/2 4.6/create/4
func TestAbTestKeepsAStoredRunAsSideA(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 3, 2)
	stored := b.benchmarkRun(t)
	r := &respondent{reply: sideBIsBetter}
	b.carried(t, r)
	b.saveQuestions(t, good, 1, 1) // these saved questions are not asked
	r.asked = nil
	id, testID := b.create(t, func(c *abtest.CreateRequest) {
		c.Source = abtest.SourceRequest{Kind: string(abtest.FromRun), RunID: &stored}
		c.ReuseSideA = true
	})
	b.carried(t, r)
	run, op := b.abRun(t, id), b.operation(t, id)
	if op.Status != operation.StatusSucceeded || run.A.Status != abtest.SideReused || *run.A.BenchmarkRunID != stored || len(r.asked) != 6 {
		t.Errorf("the operation is %s, side A %s, asked %v", op.Status, run.A.Status, r.asked)
	}
	if *op.Impact.BenchmarkRuns != 1 || b.runsUsed(t) != 2 {
		t.Errorf("the run spent %d, in all %d", *op.Impact.BenchmarkRuns, b.runsUsed(t))
	}
	if g := b.abTest(t, testID).Standing().Gaps; !slices.Equal(g, []int{1}) {
		t.Errorf("gaps %v", g)
	}
}

// If the first run of a test failed before side A had answered, the test freezes
// the questions of the next run with questionSet Current. Otherwise it could never
// run with frozen questions.
func TestAbTestFreezesAfterFailedFirstRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	_, testID := b.create(t, nil)
	current := abtest.RunAgain{QuestionSet: new(string(abtest.Current))}
	// While the first run is in progress, its questions are those that will be
	// frozen.
	going, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), current)
	if err != nil || b.abRun(t, going.OperationID).Freezes {
		t.Fatal(going, err)
	}
	if _, err := b.Operations.Cancel(t.Context(), b.ana(), going.OperationID); err != nil {
		t.Fatal(err)
	}
	b.ask = b.ask[:1]
	b.carried(t, &respondent{refuse: func(benchmark.Side) error { return domain.Refuse(domain.CapacityPaused, "it sleeps") }})
	if _, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{}); !domain.IsRefused(err, domain.ResultNotReady) {
		t.Fatalf("nothing is frozen: %v", err)
	}
	if _, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), current); err != nil {
		t.Fatal(err)
	}
	b.carried(t, &respondent{})
	if test := b.abTest(t, testID); test.Frozen == nil || test.Frozen.Count != 2 {
		t.Fatalf("the test froze %+v", test.Frozen)
	}
	b.saveQuestions(t, good, 3, 1) // the questions are frozen only once
	again, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), current)
	if err != nil || b.abRun(t, again.OperationID).Freezes {
		t.Error(again, err)
	}
	if _, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{}); err != nil {
		t.Error(err)
	}
}

// If the correct answers cannot be computed, the call is refused and leaves no
// trace.
func TestAbTestUpdatesNothingUnreadable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.saveQuestions(t, good, 2, 1)
	_, testID := b.create(t, func(c *abtest.CreateRequest) { c.CorrectAnswers = new(string(abtest.Update)) })
	b.carried(t, &respondent{})
	b.Remove(t, "Retail", good.String()+".SemanticModel", "definition")
	before := b.positions(t)
	if _, err := b.ABTests.RunAgain(t.Context(), b.ana(), testID.String(), abtest.RunAgain{}); !domain.IsRefused(err, domain.InvalidRequest) || b.positions(t) != before {
		t.Errorf("got %v and %d events", err, b.positions(t)-before)
	}
}
