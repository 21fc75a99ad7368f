package commands

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
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
	if err := by.CheckAsks("answeredBy"); err != nil {
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
		set, err := s.runnableQuestions(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, caller, side, set, s.workspaceState(ctx, caller, workspace), 1, benchmark.RunAccepted{RunID: operationID,
			Repeats: cmp.Or(optional.Value(repeats), set.Repeats, benchmark.DefaultRepeats)})
	})
}

// acceptRun records and enqueues a run of its own, of which accepted has the id, the repeats, and what is imported. It counts so many
// benchmark runs, and stores what more is given.
func (s *Benchmarks) acceptRun(ctx context.Context, caller Caller, side benchmark.Side, set benchmark.Set, state workspaceState, counts int,
	accepted benchmark.RunAccepted, more ...database.Statement) error {
	id := accepted.RunID
	a, err := s.prepareAsking(caller, id, &side)
	if err != nil {
		return err
	}
	questions, stored, err := s.putSet(ctx, set)
	if err != nil {
		return err
	}
	op := eventstore.Fold(operation.Stream(id), operation.Evolve)
	run := eventstore.Fold(benchmark.RunStream(id), benchmark.EvolveRun)
	accepted.AccountID, accepted.OperationID = caller.Account, id
	accepted.Questions, accepted.QuestionSetHash = questions.Document, questions.SetHash
	accepted.Count, accepted.Clusters, accepted.Allowance, accepted.At = questions.Count, questions.Clusters, a.stream, a.at
	return s.changeAsMember(ctx, caller, caller.metadata(id), a.pasts(op, run), func(c *eventstore.Change) error {
		if err := state.checkStart(a.owner.State); err != nil {
			return err
		}
		if err := a.checkProviders(c, ""); err != nil {
			return err
		}
		accepted.Side = side // with its provider's name
		impact, err := a.spend(c, counts)
		if err != nil {
			return err
		}
		start := s.acceptance(caller, id, operation.RunBenchmark, side.WorkspaceID, side.SemanticModelID)
		start.Impact = impact
		if err := eventstore.Decide(c, op, operation.Accept{Accepted: start}); err != nil {
			return err
		}
		for _, statement := range append(more, stored) {
			c.Queue(statement)
		}
		if err := eventstore.Decide(c, run, benchmark.StartRun{RunAccepted: accepted}); err != nil {
			return err
		}
		s.enqueueRun(c, caller, id, id)
		s.keys.remember(c, caller, id)
		return nil
	})
}
