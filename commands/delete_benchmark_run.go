package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/storage/documents"
)

// DeleteRun deletes a benchmark run of a model with its answers. If a
// standalone run has not ended, its operation fails and nothing it spent is
// refunded. A side of an unfinished A/B run can only be deleted with that run.
func (s *Benchmarks) DeleteRun(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, runID string) error {
	if _, err := s.lookUpTarget(ctx, caller, workspaceID, modelID); err != nil {
		return err
	}
	named := benchmark.NamedRun{Text: runID, AccountID: caller.Account, ModelID: modelID}
	id, err := named.ID()
	if err != nil {
		return err
	}
	a, err := s.Runs.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := named.Check(a.Run); err != nil {
		return err
	}
	_, err = s.Runs.record(ctx, caller.metadata(uuid.Nil), a, func(c *eventstore.Change, f *runPasts) error {
		if err := named.Check(f.run.State); err != nil {
			return err
		}
		if o := f.run.State.Outcome; o != nil {
			// An unfinished comparison may still read it.
			c.Queue(documents.Expire([]string{o.DocumentHash}, s.Now().Add(operation.Life)))
		}
		if i := f.run.State.Imported; i != nil {
			c.Queue(documents.Expire([]string{i.Answers}, s.Now().Add(operation.Life)))
		}
		if f.own != nil && !f.run.State.Status.Ended() {
			failure := operation.Failure{Code: domain.BenchmarkRunFailed, Message: "the run was deleted before it ended"}
			if err := eventstore.Decide(c, f.run, benchmark.FailRun{RunFailed: benchmark.RunFailed{Failure: failure,
				At: s.Runs.now()}}); err != nil {
				return err
			}
			if err := eventstore.Decide(c, f.own, operation.Fail{Failed: operation.Failed{Failure: failure,
				Impact: f.own.State.Impact}}); err != nil {
				return err
			}
		}
		return eventstore.Decide(c, f.run, benchmark.DeleteRun{})
	})
	return err
}
