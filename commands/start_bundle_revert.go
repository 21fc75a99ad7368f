package commands

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartBundleRevert starts putting back what a bundle apply wrote, one kind after
// the other, the last first; the call starts the first revert (4.5/bundle/7).
func (s *Optimizations) StartBundleRevert(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, applyID string) (Accepted,
	error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		applied, err := s.loadAppliedBundle(ctx, caller, modelID, applyID)
		if err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.RevertOptimizations, form: optimization.Reverting,
			of: &applied.Operation.ID}
		for _, c := range slices.Backward(applied.Children) {
			if c.Standing == optimization.ChildApplied {
				b.children = append(b.children, optimization.Child{Kind: c.Kind, Reverts: c.OperationID,
					Standing: optimization.ChildNotStarted})
			}
		}
		if err := s.checkStart(ctx, caller, t.workspace); err != nil {
			return err
		}
		of := eventstore.Fold(operation.Stream(applied.Operation.ID), optimization.EvolveBundle)
		return s.acceptWithFirstChild(ctx, caller, t, b, of, func(*eventstore.Change) error { return nil })
	})
}

// loadAppliedBundle returns the bundle apply with the id if something of it is
// left to put back; else it refuses (4.5/bundle/7).
func (s *Optimizations) loadAppliedBundle(ctx context.Context, caller Caller, modelID uuid.UUID, text string) (optimization.Bundle, error) {
	none := domain.Refuse(domain.OperationNotFound, "operation %s is not a bundle apply of semantic model %s by this account",
		shortened(text), modelID).About("operationId", shortened(text))
	id, ok := domain.ParseID(text)
	if !ok {
		return optimization.Bundle{}, none
	}
	b, err := s.loadBundle(ctx, id)
	if err != nil {
		return b, err
	}
	left, wrote := 0, 0
	for _, c := range b.Children {
		if c.Standing == optimization.ChildApplied {
			left++
		}
		if c.Standing == optimization.ChildApplied || c.Standing == optimization.ChildReverted {
			wrote++
		}
	}
	switch {
	case b.Operation.Account != caller.Account || b.Operation.Type != operation.ApplyOptimizations ||
		*b.Operation.Resource.ItemID != modelID:
		return b, none
	case !b.Operation.Status.Ended():
		return b, domain.Refuse(domain.OperationInProgress, "bundle apply %s has not ended; revert it when it has", id).About("operationId",
			id).After(2 * time.Second)
	case wrote == 0:
		return b, domain.Refuse(domain.InvalidRequest, "bundle apply %s wrote nothing, so there is nothing to put back",
			id).About("operationId", id)
	case left == 0:
		return b, domain.Refuse(domain.InvalidRequest, "bundle apply %s was already reverted", id).About("operationId", id)
	case s.Now().After(b.AcceptedAt.Add(optimization.RecordLife)):
		return b, domain.Refuse(domain.OperationExpired, "bundle apply %s is older than 30 days, and what it wrote is no longer kept",
			id).About("operationId", id)
	}
	return b, nil
}
