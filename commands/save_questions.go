package commands

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// SaveQuestions starts saving a set of benchmark questions for a semantic model,
// replacing its previous set (docs/decisions.md 7), with runnable only if all can run. It spends nothing.
func (s *Benchmarks) SaveQuestions(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, given benchmark.Set,
	runnable bool) (Accepted, error) {
	set, err := given.Admit()
	if err != nil {
		return Accepted{}, err
	}
	body, err := json.Marshal(set)
	if err != nil {
		return Accepted{}, fmt.Errorf("commands: encode questions: %w", err)
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		hash, stored, err := s.Documents.PutUntil(ctx, body, s.Now().Add(benchmark.ResultLife))
		if err != nil {
			return err
		}
		saved := eventstore.FoldLast[benchmark.SavedQuestions](benchmark.QuestionsStream(caller.Account, modelID))
		work := eventstore.Fold(operation.Stream(operationID), benchmark.EvolveQuestionWork)
		state, owner := s.workspaceState(ctx, caller, t.workspace), pastAccount(caller)
		return s.changeAsMember(ctx, caller, caller.metadata(operationID), []eventstore.Loadable{saved, work, owner},
			func(c *eventstore.Change) error {
				if err := state.checkStart(owner.State); err != nil {
					return err
				}
				if err := eventstore.Decide(c, saved, benchmark.AcceptSave{OperationID: operationID}); err != nil {
					return err
				}
				if err := eventstore.Decide(c, work, benchmark.SaveQuestions{
					Operation: s.acceptance(caller, operationID, operation.SaveBenchmarkQuestions, workspaceID, modelID),
					Saving: benchmark.SavingAccepted{ModelName: t.model.DisplayName, DocumentHash: hash, Number: saved.State.Accepted,
						Runnable: runnable},
				}); err != nil {
					return err
				}
				c.Queue(stored)
				s.enqueueQuestions(c, caller, operationID, workspaceID, modelID)
				s.keys.remember(c, caller, operationID)
				return nil
			})
	})
}
