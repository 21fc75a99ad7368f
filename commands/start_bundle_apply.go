package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartBundleApply starts writing the previews of a bundle preview, one kind after
// the other; the call starts the first (4.5/bundle/6). If names is nil, it takes
// every kind that has a preview.
func (s *Optimizations) StartBundleApply(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, previewID string,
	names *[]string) (Accepted, error) {
	apply := optimization.ApplyBundle{PreviewID: previewID, Kinds: names, AccountID: caller.Account, ModelID: modelID, Now: s.Now()}
	if err := apply.Check(); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, true)
		if err != nil {
			return err
		}
		id, err := apply.ID()
		if err != nil {
			return err
		}
		preview, err := s.loadBundle(ctx, id)
		if err != nil {
			return err
		}
		if err := apply.CheckPreview(preview); err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.ApplyOptimizations, form: optimization.Applying}
		if b.children, err = apply.Children(preview); err != nil {
			return err
		}
		if err := s.checkStart(ctx, caller, t.workspace); err != nil {
			return err
		}
		b.of = &preview.Operation.ID
		used := eventstore.Fold(operation.Stream(preview.Operation.ID), optimization.EvolveBundle)
		return s.acceptWithFirstChild(ctx, caller, t, b, used, func() error { return nil }, func(c *eventstore.Change) error {
			return eventstore.Decide(c, used, optimization.Use{By: operationID})
		})
	})
}

// loadBundle folds the stream of a bundle.
func (s *Optimizations) loadBundle(ctx context.Context, id uuid.UUID) (optimization.Bundle, error) {
	past := eventstore.Fold(operation.Stream(id), optimization.EvolveBundle)
	err := s.Store.Load(ctx, past)
	return past.State, err
}
