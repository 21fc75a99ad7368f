package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/storage/vault"
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

// Operation returns the run's operation.
func (a Asking) Operation() operation.Operation {
	if a.Run.AbTest != nil {
		return a.Ab.Operation
	}
	return a.Own
}

// Ended reports whether the run's operation has ended.
func (a Asking) Ended() bool { return a.Operation().Status.Ended() }

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

// RecordAsk records one ask and runs stored, which keeps its answer. It does
// nothing if the ask was recorded before or the run has ended.
func (r Runs) RecordAsk(ctx context.Context, meta eventstore.Metadata, a Asking, made benchmark.Asked, stored database.Statement) (Asking,
	error) {
	f := r.pastsOf(a.Run)
	err := r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.run, benchmark.RecordAsk{Asked: made}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(stored)
		before := 0
		if f.ab != nil && f.ab.State.Reused == nil && abtest.SideName(sideName(a.Run)) == abtest.B {
			before = f.run.State.Total() // side A has made all its asks
		}
		return f.decideOperation(c, operation.Progress{Percent: f.run.State.Percent()},
			abtest.Progress{Asked: before + len(f.run.State.Asks)})
	})
	return f.asking(), err
}

// Complete ends a run whose asks were all made; stored keeps its document.
// After side A, the A/B run waits for its owner.
func (r Runs) Complete(ctx context.Context, meta eventstore.Metadata, a Asking, o benchmark.Outcome, stored database.Statement) (Asking,
	error) {
	return r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.run, benchmark.CompleteRun{RunCompleted: benchmark.RunCompleted{Outcome: o,
			At: r.now()}}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(stored)
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
		return f.decideOperation(c, operation.Fail{Failed: operation.Failed{Failure: failure, Impact: impact}},
			abtest.FailSide{Side: abtest.SideName(sideName(a.Run)), Failure: failure, Asked: f.run.State})
	})
	return err
}

// FailComparison ends an A/B run in which nothing can be compared, and refunds it.
func (r Runs) FailComparison(ctx context.Context, meta eventstore.Metadata, a Asking, failure operation.Failure) error {
	_, err := r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		return eventstore.Decide(c, f.ab, abtest.FailComparison{Failure: failure, Nothing: true})
	})
	return err
}

// Family loads the comparisons that the comparison of an A/B run joins.
func (r Runs) Family(ctx context.Context, a Asking) (abtest.Family, error) {
	past := familyOf(a)
	err := r.Store.Load(ctx, past)
	return past.State, err
}

func familyOf(a Asking) *eventstore.Stream[abtest.Family] {
	return eventstore.FoldCached(abtest.FamilyStream(a.Ab.Operation.Account, a.Ab.SideA.SemanticModelID), abtest.EvolveFamily)
}

// RecordComparison ends an A/B run with its comparison, which joins its family; stored keeps the comparison. It records
// nothing and returns abtest.ErrFamilyMoved where another comparison joined since the family was loaded.
func (r Runs) RecordComparison(ctx context.Context, meta eventstore.Metadata, a Asking, made abtest.Compared, join abtest.Join,
	stored database.Statement) error {
	family := familyOf(a)
	_, err := r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.ab, abtest.Finish{Compared: made}); err != nil || len(c.Recorded()) == recorded {
			return err
		}
		c.Queue(stored)
		return eventstore.Decide(c, family, join)
	}, family)
	return err
}

// record decides a change of a run, and of more streams, and records its consequences.
func (r Runs) record(ctx context.Context, meta eventstore.Metadata, a Asking, decide func(*eventstore.Change, *runPasts) error,
	more ...eventstore.Loadable) (Asking, error) {
	f := r.pastsOf(a.Run).addSettlement(a)
	f.pasts = append(f.pasts, more...)
	err := r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		before := f.operation()
		if err := decide(c, f); err != nil {
			return err
		}
		return r.settle(c, f, before)
	})
	return f.asking(), err
}

// now returns the current time at the log's resolution.
func (r Runs) now() time.Time { return instant(r.Now) }
