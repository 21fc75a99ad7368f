package commands

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/vault"
)

// Runs records the outcomes of benchmark runs, standalone or sides of an A/B run,
// with all their consequences in one append: the operation, the test, tracked items
// and refunds.
type Runs struct {
	Store *eventstore.Store
	Vault *vault.Vault
	Now   func() time.Time
}

// Asking is a benchmark run with the operation that asks: Own for a standalone run,
// Ab for a side of an A/B run.
type Asking struct {
	Run benchmark.Run
	Own operation.Operation
	Ab  abtest.Run
}

// Ended reports whether the run's operation has ended.
func (a Asking) Ended() bool {
	if a.Run.AbTest != nil {
		return a.Ab.Operation.Status.Ended()
	}
	return a.Own.Status.Ended()
}

// Comparing reports whether both sides have answered and their comparison is due.
func (a Asking) Comparing() bool {
	return a.Run.AbTest != nil && !a.Ended() && a.Ab.Stage() == abtest.Comparing
}

// Sides returns both sides of an A/B run, or the only side of a standalone run.
func (a Asking) Sides() []benchmark.Side {
	if a.Run.AbTest == nil {
		return []benchmark.Side{a.Run.Side}
	}
	return []benchmark.Side{a.Ab.SideA, a.Ab.SideB}
}

// Load folds a benchmark run and its operation.
func (r Runs) Load(ctx context.Context, runID uuid.UUID) (Asking, error) {
	run := eventstore.Fold(benchmark.RunStream(runID), benchmark.EvolveRun)
	if err := r.Store.Load(ctx, run); err != nil {
		return Asking{}, err
	}
	f := r.pastsOf(run.State)
	if err := r.Store.Load(ctx, f.pasts...); err != nil {
		return Asking{}, err
	}
	return f.asking(), nil
}

// runPasts are the streams on which a benchmark run is recorded. A standalone run
// has own; a side has ab and test. The others are nil.
type runPasts struct {
	run       *eventstore.Past[benchmark.Run]
	own       *eventstore.Past[operation.Operation]
	ab        *eventstore.Past[abtest.Run]
	test      *eventstore.Past[abtest.Test]
	allowance *eventstore.Past[account.Usage]
	tracking  *Tracking
	pasts     []eventstore.Loadable
}

// pastsOf returns the streams of a run. They never change once the run is accepted.
func (r Runs) pastsOf(run benchmark.Run) *runPasts {
	f := &runPasts{run: eventstore.Fold(benchmark.RunStream(run.RunID), benchmark.EvolveRun)}
	f.pasts = append(f.pasts, f.run)
	if run.AbTest == nil {
		f.own = eventstore.Fold(operation.Stream(run.OperationID), operation.Evolve)
		f.pasts = append(f.pasts, f.own)
		return f
	}
	f.ab = eventstore.Fold(operation.Stream(run.OperationID), abtest.EvolveRun)
	f.pasts = append(f.pasts, f.ab)
	return f
}

// addSettlement adds the streams that the end of a run may change: the
// allowance, the tracked items and the test.
func (f *runPasts) addSettlement(a Asking) *runPasts {
	stream := a.Run.Allowance
	if f.ab != nil {
		stream = a.Ab.Allowance
		f.test = eventstore.FoldCached(abtest.Stream(a.Ab.AbTestID), abtest.Evolve)
		f.pasts = append(f.pasts, f.test)
	}
	f.allowance = eventstore.FoldLast[account.Usage](stream)
	f.tracking = trackRun(a)
	f.pasts = append(append(f.pasts, f.allowance), f.tracking.Pasts()...)
	return f
}

func (f *runPasts) asking() Asking {
	a := Asking{Run: f.run.State}
	if f.own != nil {
		a.Own = f.own.State
	} else {
		a.Ab = f.ab.State
	}
	return a
}

// operation returns the state of the operation.
func (f *runPasts) operation() operation.Operation {
	if f.own != nil {
		return f.own.State
	}
	return f.ab.State.Operation
}

// decideOperation decides own on a standalone run's operation, or ab on an A/B run.
func (f *runPasts) decideOperation(c *eventstore.Change, own domain.Command[operation.Operation], ab domain.Command[abtest.Run]) error {
	if f.own != nil {
		return eventstore.Decide(c, f.own, own)
	}
	return eventstore.Decide(c, f.ab, ab)
}

// Begin records that work on the run begins.
func (r Runs) Begin(ctx context.Context, meta eventstore.Metadata, a Asking) (Asking, error) {
	f := r.pastsOf(a.Run)
	err := r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		if f.operation().Status.Ended() {
			return nil
		}
		if err := f.decideOperation(c, operation.Begin{}, abtest.BeginSide{Side: abtest.SideName(sideName(a.Run))}); err != nil {
			return err
		}
		return eventstore.Decide(c, f.run, benchmark.BeginRun{At: r.now()})
	})
	return f.asking(), err
}

func sideName(run benchmark.Run) string {
	if run.AbTest == nil {
		return ""
	}
	return run.AbTest.Side
}

// RecordAsk records one ask and, with sql and args, stores its answer. It does
// nothing if the ask was recorded before or the run has ended.
func (r Runs) RecordAsk(ctx context.Context, meta eventstore.Metadata, a Asking, made benchmark.Asked, sql string, args []any) (Asking,
	error) {
	f := r.pastsOf(a.Run)
	err := r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.run, benchmark.RecordAsk{Asked: made}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(sql, args...)
		before := 0
		if f.ab != nil && f.ab.State.Reused == nil && abtest.SideName(sideName(a.Run)) == abtest.B {
			before = f.run.State.Total() // side A has made all its asks
		}
		return f.decideOperation(c, operation.Progress{Percent: f.run.State.Percent()},
			abtest.Progress{Asked: before + len(f.run.State.Asks)})
	})
	return f.asking(), err
}

// Complete ends a run whose asks were all made; sql and args store its document.
// After side A, the A/B run waits for its owner.
func (r Runs) Complete(ctx context.Context, meta eventstore.Metadata, a Asking, o benchmark.Outcome, sql string, args []any) (Asking,
	error) {
	return r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.run, benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{Outcome: o,
			At: r.now()}}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(sql, args...)
		if err := f.decideOperation(c, operation.Complete{}, abtest.CompleteSide{Side: abtest.SideName(sideName(a.Run))}); err != nil {
			return err
		}
		if f.ab == nil || abtest.SideName(sideName(a.Run)) != abtest.A || !f.ab.State.Freezes {
			return nil
		}
		return eventstore.Decide(c, f.test, abtest.Freeze{Questions: f.ab.State.Questions})
	})
}

// Fail ends a run that cannot continue, and its operation.
func (r Runs) Fail(ctx context.Context, meta eventstore.Metadata, a Asking, failure operation.Failure) error {
	_, err := r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		if f.ab != nil && f.ab.State.Stage() == abtest.Comparing {
			return eventstore.Decide(c, f.ab, abtest.FailComparison{Failure: failure})
		}
		if err := eventstore.Decide(c, f.run, benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure,
			At: r.now()}}); err != nil {
			return err
		}
		impact := f.operation().Impact
		impact.BenchmarkRuns = new(f.run.State.Spent(failure.Code))
		return f.decideOperation(c, operation.Fail{Broken: operation.Broken{Failure: failure, Impact: impact}},
			abtest.FailSide{Side: abtest.SideName(sideName(a.Run)), Failure: failure, Asked: f.run.State})
	})
	return err
}

// RecordComparison ends an A/B run with its comparison; sql and args store the
// comparison.
func (r Runs) RecordComparison(ctx context.Context, meta eventstore.Metadata, a Asking, made abtest.Compared, sql string,
	args []any) error {
	_, err := r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.ab, abtest.Finish{Compared: made}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(sql, args...)
		return nil
	})
	return err
}

// record decides a change of a run and records its consequences.
func (r Runs) record(ctx context.Context, meta eventstore.Metadata, a Asking, decide func(*eventstore.Change, *runPasts) error) (Asking,
	error) {
	f := r.pastsOf(a.Run).addSettlement(a)
	err := r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		before := f.operation()
		if err := decide(c, f); err != nil {
			return err
		}
		return r.settle(c, f, before)
	})
	return f.asking(), err
}

// settle records the consequences of the operation's new state.
func (r Runs) settle(c *eventstore.Change, f *runPasts, before operation.Operation) error {
	now := f.operation()
	if err := refundRuns(c, f.allowance, before, now); err != nil {
		return err
	}
	if err := r.track(c, f.tracking, now, f.run.State); err != nil {
		return err
	}
	ends, waits := !before.Status.Ended() && now.Status.Ended(), before.Waiting == nil && now.Waiting != nil
	if !ends && !waits {
		return nil // a late end must not delete the token of the next side
	}
	if ends {
		impact := operation.Correct{Impact: trackedImpact(f.tracking, now)}
		if err := f.decideOperation(c, impact, abtest.Correct(impact)); err != nil {
			return err
		}
	}
	sql, args := r.Vault.Forget(now.ID) // the step has ended, and its token is no longer needed
	c.Queue(sql, args...)
	if f.ab == nil || !ends {
		return nil
	}
	return endRun(c, f.test, f.ab.State, r.now())
}

// trackRun returns the tracking of the semantic models of the run's sides.
func trackRun(a Asking) *Tracking {
	sides := a.Sides()
	named := make([]*benchmark.Side, len(sides))
	for i := range sides {
		named[i] = &sides[i]
	}
	return trackSides(a.Run.AccountID, named...)
}

// track makes the model of each side that has ended after asking something a
// tracked item. When the operation has ended, it releases all its reservations.
func (r Runs) track(c *eventstore.Change, tracking *Tracking, now operation.Operation, sides ...benchmark.Run) error {
	for _, side := range sides {
		if !side.Counts() || !side.Status.Ended() && !now.Status.Ended() {
			continue
		}
		if err := tracking.Claim(c, now.ID, side.Side.SemanticModelID, trackeditem.ViaBenchmark, r.now()); err != nil {
			return err
		}
	}
	if !now.Status.Ended() {
		return nil
	}
	return tracking.Release(c, now.ID)
}

// trackedImpact returns the impact of an operation that has ended, with how many
// items became tracked items.
func trackedImpact(tracking *Tracking, now operation.Operation) operation.Impact {
	impact, n := now.Impact, tracking.ClaimedCount(now.ID)
	if impact.TrackedItem != nil {
		impact.TrackedItem = new(n > 0)
	}
	if impact.TrackedItems != nil {
		impact.TrackedItems = &n
	}
	return impact
}

// refundRuns refunds the runs that the operation spent before and no longer spends
// now.
func refundRuns(c *eventstore.Change, allowance *eventstore.Past[account.Usage], before, now operation.Operation) error {
	n := deref(before.Impact.BenchmarkRuns) - deref(now.Impact.BenchmarkRuns)
	if n <= 0 {
		return nil
	}
	return eventstore.Decide(c, allowance, account.Refund{Kind: account.BenchmarkRuns, OperationID: now.ID, Amount: n})
}

// endRun records on the test how its run ended.
func endRun(c *eventstore.Change, test *eventstore.Past[abtest.Test], run abtest.Run, at time.Time) error {
	ended := abtest.RunEnded{RunID: run.RunID, Status: run.Operation.Status, Failure: run.Operation.Failure, At: at}
	if made := run.Compared; made != nil {
		ended.Aggregate, ended.Document = &made.Aggregate, made.Document
		ended.Gap = new(made.Agreement.Gap())
	}
	return eventstore.Decide(c, test, abtest.EndRun{RunEnded: ended})
}

func (r Runs) now() time.Time { return r.Now().UTC().Truncate(time.Microsecond) }

// errSideBegan reports that side B of a run began between loading and deciding.
var errSideBegan = errors.New("commands: the run moved on")

// maxTries bounds the attempts to change an A/B run. One conflict is normal: side
// B begins once.
const maxTries = 3

// abRunPasts are the streams of an A/B run and both its sides.
type abRunPasts struct {
	ab        *eventstore.Past[abtest.Run]
	test      *eventstore.Past[abtest.Test]
	a, b      *eventstore.Past[benchmark.Run] // nil for a side that has not begun or is reused
	allowance *eventstore.Past[account.Usage]
	tracking  *Tracking
	seen      abtest.Run // the run when its streams were found
}

// changeAbRun changes an A/B run with both sides: a stop, a lapse or a deletion. It
// records the same consequences as record, and ends the benchmark runs of sides
// that ask.
func (r Runs) changeAbRun(ctx context.Context, meta eventstore.Metadata, runID uuid.UUID,
	decide func(*eventstore.Change, *abRunPasts) error) error {
	for try := 1; ; try++ {
		err := r.tryChangeAbRun(ctx, meta, runID, decide)
		if !errors.Is(err, errSideBegan) || try == maxTries {
			return err
		}
	}
}

func (r Runs) tryChangeAbRun(ctx context.Context, meta eventstore.Metadata, runID uuid.UUID,
	decide func(*eventstore.Change, *abRunPasts) error) error {
	runs, err := r.findPasts(ctx, runID)
	if err != nil {
		return err
	}
	w := runs[0]
	return r.Store.Change(ctx, meta, w.pasts(), func(c *eventstore.Change) error {
		return r.decideAbRun(c, w, func() error { return decide(c, w) })
	})
}

// findPasts loads runs to find their streams.
func (r Runs) findPasts(ctx context.Context, runIDs ...uuid.UUID) ([]*abRunPasts, error) {
	runs, load := make([]*abRunPasts, len(runIDs)), make([]eventstore.Loadable, len(runIDs))
	for i, id := range runIDs {
		runs[i] = &abRunPasts{ab: eventstore.Fold(operation.Stream(id), abtest.EvolveRun)}
		load[i] = runs[i].ab
	}
	if err := r.Store.Load(ctx, load...); err != nil {
		return nil, err
	}
	for _, w := range runs {
		w.seen = w.ab.State
		w.test = eventstore.FoldCached(abtest.Stream(w.seen.AbTestID), abtest.Evolve)
		w.allowance = eventstore.FoldLast[account.Usage](w.seen.Allowance)
		w.tracking = trackSides(w.seen.Operation.Account, &w.seen.SideA, &w.seen.SideB)
		w.a, w.b = pastSide(w.seen.A), pastSide(w.seen.B)
	}
	return runs, nil
}

// pastSide returns the past of the benchmark run of a side that asks; nil for other
// sides.
func pastSide(s abtest.RunSide) *eventstore.Past[benchmark.Run] {
	if s.BenchmarkRunID == nil || s.Status == abtest.SideReused {
		return nil
	}
	return eventstore.Fold(benchmark.RunStream(*s.BenchmarkRunID), benchmark.EvolveRun)
}

func (w *abRunPasts) pasts() []eventstore.Loadable {
	pasts := append(w.tracking.Pasts(), w.ab, w.test, w.allowance)
	for _, side := range []*eventstore.Past[benchmark.Run]{w.a, w.b} {
		if side != nil {
			pasts = append(pasts, side)
		}
	}
	return pasts
}

// decideAbRun decides a change of a run and records its consequences.
func (r Runs) decideAbRun(c *eventstore.Change, w *abRunPasts, decide func() error) error {
	if (w.ab.State.B.BenchmarkRunID == nil) != (w.seen.B.BenchmarkRunID == nil) {
		return errSideBegan
	}
	before := w.ab.State
	if err := decide(); err != nil {
		return err
	}
	return r.settleAbRun(c, w, before)
}

func (r Runs) settleAbRun(c *eventstore.Change, w *abRunPasts, before abtest.Run) error {
	now := w.ab.State.Operation
	if before.Operation.Status.Ended() || !now.Status.Ended() {
		return nil
	}
	if err := refundRuns(c, w.allowance, before.Operation, now); err != nil {
		return err
	}
	if err := r.track(c, w.tracking, now, stateOf(w.a), stateOf(w.b)); err != nil {
		return err
	}
	if err := eventstore.Decide(c, w.ab, abtest.Correct{Impact: trackedImpact(w.tracking, now)}); err != nil {
		return err
	}
	for _, side := range []*eventstore.Past[benchmark.Run]{w.a, w.b} {
		if side == nil {
			continue
		}
		var end domain.Command[benchmark.Run] = benchmark.StopRun{At: r.now()}
		if now.Failure != nil {
			end = benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: *now.Failure, At: r.now()}}
		}
		if err := eventstore.Decide(c, side, end); err != nil {
			return err
		}
	}
	sql, args := r.Vault.Forget(now.ID)
	c.Queue(sql, args...)
	return endRun(c, w.test, w.ab.State, r.now())
}

// stateOf returns the benchmark run of a side, or the zero Run for a side that asks
// nothing.
func stateOf(past *eventstore.Past[benchmark.Run]) benchmark.Run {
	if past == nil {
		return benchmark.Run{}
	}
	return past.State
}
