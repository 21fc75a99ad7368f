package commands

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/optional"
)

// StartRun starts asking those saved benchmark questions of a model that
// can run (docs/decisions.md 7). If repeats is nil, the repeats saved with the
// questions apply.
func (s *Benchmarks) StartRun(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, by abtest.AnswererRequest,
	repeats *int) (Accepted, error) {
	if err := by.Check("answeredBy"); err != nil {
		return Accepted{}, err
	}
	if err := abtest.CheckRepeats(repeats); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		side, workspace, err := s.lookUpSide(ctx, caller, workspaceID, modelID, by)
		if err != nil {
			return err
		}
		saved, set, err := s.runnableQuestions(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		if err := saved.CheckRunnable(modelID, set); err != nil {
			return err
		}
		a, err := s.prepareAsking(caller, operationID, &side)
		if err != nil {
			return err
		}
		questions, stored, err := s.putSet(ctx, set)
		if err != nil {
			return err
		}
		op := eventstore.Fold(operation.Stream(operationID), operation.Evolve)
		run := eventstore.Fold(benchmark.RunStream(operationID), benchmark.EvolveRun)
		state := s.workspaceState(ctx, caller, workspace)
		return s.changeAsMember(ctx, caller, caller.metadata(operationID), a.pasts(op, run), func(c *eventstore.Change) error {
			if err := state.checkStart(a.owner.State); err != nil {
				return err
			}
			if err := a.checkProviders(c, ""); err != nil {
				return err
			}
			impact, err := a.spend(c, 1)
			if err != nil {
				return err
			}
			accepted := s.acceptance(caller, operationID, operation.RunBenchmark, workspaceID, modelID)
			accepted.Impact = impact
			if err := eventstore.Decide(c, op, operation.Accept{Accepted: accepted}); err != nil {
				return err
			}
			c.Queue(stored)
			if err := eventstore.Decide(c, run, benchmark.StartRun{RunAccepted: benchmark.RunAccepted{
				RunID: operationID, AccountID: caller.Account, OperationID: operationID, Side: side,
				Questions: questions.Document, QuestionSetHash: questions.SetHash, Count: questions.Count, Clusters: questions.Clusters,
				Repeats: cmp.Or(optional.Value(repeats), set.Repeats, benchmark.DefaultRepeats), Allowance: a.stream, At: a.at,
			}}); err != nil {
				return err
			}
			s.enqueueRun(c, caller, operationID, operationID)
			s.keys.remember(c, caller, operationID)
			return nil
		})
	})
}
