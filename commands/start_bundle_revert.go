package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartBundleRevert starts putting back what a bundle apply wrote, one kind after
// the other, the last first; the call starts the first revert (4.5/bundle/7).
func (s *Optimizations) StartBundleRevert(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, applyID string) (Accepted,
	error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, true)
		if err != nil {
			return err
		}
		revert := optimization.RevertBundle{ApplyID: applyID, AccountID: caller.Account, ModelID: modelID, Now: s.Now()}
		id, err := revert.ID()
		if err != nil {
			return err
		}
		applied, earlier, err := s.loadReverted(ctx, id)
		if err != nil {
			return err
		}
		revert.Earlier = earlier
		if err := revert.CheckApply(applied); err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.RevertOptimizations, form: optimization.Reverting,
			of: &applied.Operation.ID, children: revert.Children(applied)}
		if err := s.checkStart(ctx, caller, t.workspace); err != nil {
			return err
		}
		of := eventstore.Fold(operation.Stream(applied.Operation.ID), optimization.EvolveBundle)
		// The first kind may be put back already by a revert that was accepted meanwhile: then that is the reason.
		free := func() error { return of.State.CheckNoRevert(earlier, s.Now()) }
		return s.acceptWithFirstChild(ctx, caller, t, b, of, free, func(c *eventstore.Change) error {
			return eventstore.Decide(c, of, optimization.BeginRevert{By: operationID, Earlier: earlier, Now: s.Now()})
		})
	})
}

// loadReverted folds the stream of a bundle apply, and that of its last revert if there was
// one.
func (s *Optimizations) loadReverted(ctx context.Context, id uuid.UUID) (applied, last optimization.Bundle, err error) {
	if applied, err = s.loadBundle(ctx, id); err != nil || applied.UsedBy == nil {
		return applied, last, err
	}
	last, err = s.loadBundle(ctx, *applied.UsedBy)
	return applied, last, err
}
