package commands

import (
	"context"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// cancelRun stops a run of an A/B test.
func (s *ABTests) cancelRun(ctx context.Context, caller Caller, op operation.Operation) error {
	return s.benchmarks.Runs.changeAbRun(ctx, caller.metadata(op.ID), op.ID, func(c *eventstore.Change, w *abRunPasts) error {
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
	_, err = s.Runs.record(ctx, caller.metadata(op.ID), a, func(c *eventstore.Change, f *runPasts) error {
		if err := eventstore.Decide(c, f.run, benchmark.StopRun{At: s.Runs.now()}); err != nil {
			return err
		}
		impact := f.own.State.Impact
		if !f.run.State.Counts() {
			impact.BenchmarkRuns = new(0)
		}
		return eventstore.Decide(c, f.own, operation.Stop{Impact: impact})
	})
	return err
}
