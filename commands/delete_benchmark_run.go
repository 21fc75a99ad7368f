package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/documents"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// DeleteRun deletes a benchmark run of a model with its answers. If a
// standalone run has not ended, its operation fails and nothing it spent is
// refunded. A side of an unfinished A/B run can only be deleted with that run.
func (s *Benchmarks) DeleteRun(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, runID string) error {
	if _, err := s.lookUpTarget(ctx, caller, workspaceID, modelID); err != nil {
		return err
	}
	notFound := domain.Refuse(domain.RunNotFound, "semantic model %s has no benchmark run %s in this account", modelID,
		shortened(runID)).About("runId", shortened(runID))
	id, ok := domain.ParseID(runID)
	if !ok {
		return notFound
	}
	a, err := s.Runs.Load(ctx, id)
	if err != nil {
		return err
	}
	held := func(run benchmark.Run) bool {
		return run.BelongsTo(caller.Account) && run.Side.SemanticModelID == modelID
	}
	if !held(a.Run) {
		return notFound
	}
	_, err = s.Runs.record(ctx, caller.metadata(uuid.Nil), a, func(c *eventstore.Change, f *runPasts) error {
		if !held(f.run.State) {
			return notFound
		}
		if o := f.run.State.Outcome; o != nil {
			// An unfinished comparison may still read it.
			sql, args := documents.Expire([]string{o.DocumentHash}, s.Now().Add(operation.Life))
			c.Queue(sql, args...)
		}
		if f.own != nil && !f.run.State.Status.Ended() {
			failure := operation.Failure{Code: domain.BenchmarkRunFailed, Message: "the run was deleted before it ended"}
			if err := eventstore.Decide(c, f.run, benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure,
				At: s.Runs.now()}}); err != nil {
				return err
			}
			if err := eventstore.Decide(c, f.own, operation.Fail{Broken: operation.Broken{Failure: failure,
				Impact: f.own.State.Impact}}); err != nil {
				return err
			}
		}
		return eventstore.Decide(c, f.run, benchmark.DeleteRun{})
	})
	return err
}
