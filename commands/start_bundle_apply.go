package commands

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartBundleApply starts writing the previews of a bundle preview, one kind after
// the other; the call starts the first (4.5/bundle/6). If names is nil, it takes
// every kind that has a preview.
func (s *Optimizations) StartBundleApply(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, previewID string,
	names *[]string) (Accepted, error) {
	kinds, err := kindsOf(names)
	if err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		preview, err := s.loadBundlePreview(ctx, caller, modelID, previewID)
		if err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.ApplyOptimizations, form: optimization.Applying}
		for _, c := range preview.Children {
			previewed := c.Standing == optimization.ChildSucceeded
			switch {
			case !slices.Contains(kinds, c.Kind):
			case previewed:
				b.children = append(b.children, optimization.Child{Kind: c.Kind, PreviewID: c.PreviewID, ExpiresAt: c.ExpiresAt,
					Standing: optimization.ChildNotStarted})
			case names != nil:
				return domain.Refuse(domain.InvalidRequest, "bundle preview %s has no preview of %s to write", shortened(previewID),
					c.Kind).About("kind", c.Kind)
			}
		}
		for _, k := range kinds {
			if _, ok := preview.Child(k); !ok && names != nil {
				return domain.Refuse(domain.InvalidRequest, "bundle preview %s does not include %s", shortened(previewID), k).About("kind",
					k)
			}
		}
		if err := s.checkStart(ctx, caller, t.workspace); err != nil {
			return err
		}
		b.of = &preview.Operation.ID
		used := eventstore.Fold(operation.Stream(preview.Operation.ID), optimization.EvolveBundle)
		return s.acceptWithFirstChild(ctx, caller, t, b, used, func(c *eventstore.Change) error {
			return eventstore.Decide(c, used, optimization.Use{By: operationID})
		})
	})
}

// shortened cuts the caller's text to the length of an id, for messages.
func shortened(text string) string { return text[:min(len(text), 36)] }

// loadBundlePreview returns the bundle preview with the id, or refuses with
// InvalidPreview.
func (s *Optimizations) loadBundlePreview(ctx context.Context, caller Caller, modelID uuid.UUID, text string) (optimization.Bundle, error) {
	none := optimization.NotThePreview(text, "there is no bundle preview with this id")
	id, ok := domain.ParseID(text)
	if !ok {
		return optimization.Bundle{}, none
	}
	b, err := s.loadBundle(ctx, id)
	switch {
	case err != nil:
		return b, err
	case b.Operation.Account != caller.Account || b.Form != optimization.Previewing:
		return b, none
	case *b.Operation.Resource.ItemID != modelID:
		return b, optimization.NotThePreview(text, "it was made for another semantic model")
	case b.Operation.Status != operation.Succeeded:
		return b, optimization.NotThePreview(text, "it has not succeeded")
	case b.Lapsed(s.Now()):
		return b, optimization.NotThePreview(text, "it is older than 24 hours")
	}
	_, err = optimization.Use{}.Decide(b)
	return b, err
}

// loadBundle folds the stream of a bundle.
func (s *Optimizations) loadBundle(ctx context.Context, id uuid.UUID) (optimization.Bundle, error) {
	past := eventstore.Fold(operation.Stream(id), optimization.EvolveBundle)
	err := s.Store.Load(ctx, past)
	return past.State, err
}
