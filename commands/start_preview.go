package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartPreview starts the preview of an optimization of a semantic model
// (4.5/route/preview). It writes nothing and spends nothing.
func (s *Optimizations) StartPreview(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, kind string) (Accepted, error) {
	k, err := optimization.KindOf(kind)
	if err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, false)
		if err != nil {
			return err
		}
		source, err := s.findSource(ctx, caller, k, modelID)
		if err != nil {
			return err
		}
		state, owner := s.workspaceState(ctx, caller, t.workspace), pastAccount(caller)
		work := eventstore.Fold(operation.Stream(operationID), optimization.Evolve)
		return s.changeAsMember(ctx, caller, caller.metadata(operationID), []eventstore.Loadable{work, owner},
			func(c *eventstore.Change) error {
				if err := state.checkStart(owner.State); err != nil {
					return err
				}
				start := optimization.StartPreview{
					Operation: s.acceptance(caller, operationID, operation.PreviewOptimization, workspaceID, modelID),
					Preview:   optimization.PreviewAccepted{Kind: k, ModelName: t.model.DisplayName, Source: source},
				}
				if err := eventstore.Decide(c, work, start); err != nil {
					return err
				}
				s.enqueueStep(c, caller, operationID, workspaceID, modelID)
				s.keys.remember(c, caller, operationID)
				return nil
			})
	})
}
