package commands

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// errSideBegan reports that side B of a run began between loading and deciding.
var errSideBegan = errors.New("commands: the run moved on")

// maxTries bounds the attempts to change an A/B run. One conflict is normal: side
// B begins once.
const maxTries = 3

// abRunPasts are the streams of an A/B run and both its sides.
type abRunPasts struct {
	ab        *eventstore.Stream[abtest.Run]
	test      *eventstore.Stream[abtest.Test]
	a, b      *eventstore.Stream[benchmark.Run] // nil for a side that has not begun or is reused
	allowance *eventstore.Stream[account.Usage]
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
func pastSide(s abtest.RunSide) *eventstore.Stream[benchmark.Run] {
	if s.BenchmarkRunID == nil || s.Status == abtest.SideReused {
		return nil
	}
	return eventstore.Fold(benchmark.RunStream(*s.BenchmarkRunID), benchmark.EvolveRun)
}

func (w *abRunPasts) pasts() []eventstore.Loadable {
	pasts := append(w.tracking.Pasts(), w.ab, w.test, w.allowance)
	for _, side := range []*eventstore.Stream[benchmark.Run]{w.a, w.b} {
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
	for _, side := range []*eventstore.Stream[benchmark.Run]{w.a, w.b} {
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
	c.Queue(r.Vault.Forget(now.ID))
	return endRun(c, w.test, w.ab.State, r.now())
}

// stateOf returns the benchmark run of a side, or the zero Run for a side that asks
// nothing.
func stateOf(past *eventstore.Stream[benchmark.Run]) benchmark.Run {
	if past == nil {
		return benchmark.Run{}
	}
	return past.State
}
