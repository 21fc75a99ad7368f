package commands

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// GenerateQuestions starts generating at most count benchmark questions about a
// semantic model (docs/decisions.md 7). It spends one benchmark build. The
// questions are a proposal and are not saved.
func (s *Benchmarks) GenerateQuestions(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, count int) (Accepted, error) {
	if err := benchmark.CheckCount(count); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		limits, err := s.limits(caller.Plan)
		if err != nil {
			return err
		}
		at := s.Now()
		stream := account.AllowanceStream(caller.Account, account.BenchmarkBuilds, limits.BenchmarkBuilds.Period, at)
		builds := eventstore.FoldLast[account.Usage](stream)
		work := eventstore.Fold(operation.Stream(operationID), benchmark.EvolveQuestionWork)
		state, owner := s.workspaceState(ctx, caller, t.workspace), pastAccount(caller)
		return s.changeAsMember(ctx, caller, caller.metadata(operationID), []eventstore.Loadable{builds, work, owner},
			func(c *eventstore.Change) error {
				if err := state.checkStart(owner.State); err != nil {
					return err
				}
				spend := account.Spend{Kind: account.BenchmarkBuilds, Allowance: limits.BenchmarkBuilds, OperationID: operationID,
					Amount: 1, At: at}
				if err := eventstore.Decide(c, builds, spend); err != nil {
					return err
				}
				op := s.acceptance(caller, operationID, operation.GenerateBenchmarkQuestions, workspaceID, modelID)
				op.Impact = operation.Impact{BenchmarkBuilds: new(1)}
				if err := eventstore.Decide(c, work, benchmark.GenerateQuestions{
					Operation: op, Generation: benchmark.GenerationAccepted{ModelName: t.model.DisplayName, Count: count,
						Allowance: stream},
				}); err != nil {
					return err
				}
				s.enqueueQuestions(c, caller, operationID, workspaceID, modelID)
				s.keys.remember(c, caller, operationID)
				return nil
			})
	})
}

// enqueueQuestions stores the caller's token for the single step of a generation or
// a save, and enqueues the step.
func (s *Benchmarks) enqueueQuestions(c *eventstore.Change, caller Caller, operationID, workspaceID, modelID uuid.UUID) {
	c.Queue(s.Vault.Put(operationID, caller.Token, caller.TokenExpires))
	step := benchmark.QuestionStep{WorkspaceID: workspaceID, ModelID: modelID}
	c.InTx(func(ctx context.Context, tx pgx.Tx) error {
		return s.Jobs.MakeQuestions(ctx, tx, caller.origin(operationID), step)
	})
}
