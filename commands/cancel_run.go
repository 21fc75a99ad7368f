package commands

import (
	"context"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"

	"github.com/google/uuid"
)

// cancelRun stops a run of an A/B test.
func (s *ABTests) cancelRun(ctx context.Context, caller Caller, op operation.Operation) error {
	return s.benchmarks.Runs.stopAbRun(ctx, caller.metadata(op.ID), op.ID)
}

func (r Runs) stopAbRun(ctx context.Context, meta eventstore.Metadata, runID uuid.UUID) error {
	return r.changeAbRun(ctx, meta, runID, func(c *eventstore.Change, w *abRunPasts) error {
		return eventstore.Decide(c, w.ab, abtest.Stop{AskedA: stateOf(w.a), AskedB: stateOf(w.b)})
	})
}

// cancelRun stops a standalone benchmark run; if it has asked nothing yet,
// the run is refunded.
func (s *Benchmarks) cancelRun(ctx context.Context, caller Caller, op operation.Operation) error {
	a, err := s.Runs.Load(ctx, op.ID)
	if err != nil {
		return err
	}
	_, err = s.Runs.stop(ctx, caller.metadata(op.ID), a)
	return err
}

// StopAsking ends a run with what it has, as a cancel does, because its account no longer uses AI features.
func (r Runs) StopAsking(ctx context.Context, meta eventstore.Metadata, a Asking) (Asking, error) {
	if a.Run.AbTest == nil {
		return r.stop(ctx, meta, a)
	}
	if err := r.stopAbRun(ctx, meta, a.Ab.RunID); err != nil {
		return a, err
	}
	return r.Load(ctx, a.Run.RunID)
}

// stop stops a standalone run.
func (r Runs) stop(ctx context.Context, meta eventstore.Metadata, a Asking) (Asking, error) {
	return r.record(ctx, meta, a, func(c *eventstore.Change, f *runPasts) error {
		if err := eventstore.Decide(c, f.run, benchmark.StopRun{At: r.now()}); err != nil {
			return err
		}
		impact := f.own.State.Impact
		if !f.run.State.Counts() {
			impact.BenchmarkRuns = new(0)
		}
		return eventstore.Decide(c, f.own, operation.Stop{Impact: impact})
	})
}
