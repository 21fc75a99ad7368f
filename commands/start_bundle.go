package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartBundle starts the previews of several kinds as one operation; with approval
// none their applies follow (4.5/bundle/1 to 4.5/bundle/5). If names is nil, it
// takes all kinds.
func (s *Optimizations) StartBundle(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, names *[]string,
	approval string) (Accepted, error) {
	start := optimization.StartBundle{Kinds: names, Approval: approval}
	kinds, err := start.Check()
	if err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, start.Form() == optimization.Unattended)
		if err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.PreviewOptimizations, form: start.Form()}
		if b.form == optimization.Unattended {
			b.kind = operation.ApplyOptimizations
		}
		if err := s.planPreviews(ctx, caller, kinds, modelID, &b); err != nil {
			return err
		}
		return s.acceptBundlePreview(ctx, caller, t, b)
	})
}

// pendingBundle is a bundle about to be accepted.
type pendingBundle struct {
	operationID uuid.UUID
	kind        operation.Type
	form        optimization.Form
	of          *uuid.UUID // the bundle that it applies or reverts
	children    []optimization.Child
	previews    []optimization.PreviewAccepted // of the children with a PreviewID, in their order
}

// planPreviews adds a preview for each kind that its own route would start. When
// every kind is refused, the bundle is refused with the first refusal
// (4.5/bundle/3).
func (s *Optimizations) planPreviews(ctx context.Context, caller Caller, kinds []optimization.Kind, modelID uuid.UUID,
	b *pendingBundle) error {
	var first error
	for _, k := range kinds {
		source, err := s.findSource(ctx, caller, k, modelID)
		refusal, refused := domain.Refused(err)
		if err != nil && !refused {
			return err
		}
		if refused {
			if first == nil {
				first = err
			}
			b.children = append(b.children, optimization.Child{Kind: k}.With(optimization.ChildSkipped, refusal))
			continue
		}
		b.children = append(b.children, b.form.NewChild(k, s.NewID()))
		b.previews = append(b.previews, optimization.PreviewAccepted{Kind: k, Source: source, Bundle: &b.operationID})
	}
	if len(b.previews) == 0 {
		return first
	}
	return nil
}

// acceptBundlePreview records the bundle with each of its previews and enqueues
// them. A bundle that will write reserves the model.
func (s *Optimizations) acceptBundlePreview(ctx context.Context, caller Caller, t target, b pendingBundle) error {
	workspaceID, modelID := t.workspace.ID, t.model.ID
	bundle := eventstore.Fold(operation.Stream(b.operationID), optimization.EvolveBundle)
	state, owner := s.workspaceState(ctx, caller, t.workspace), pastAccount(caller)
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return err
	}
	tracking := Track(caller.Account, modelID)
	pasts := append(tracking.Pasts(), bundle, owner)
	var ids []uuid.UUID
	var works []*eventstore.Stream[optimization.Work]
	for _, child := range b.children {
		if child.PreviewID != nil {
			work := eventstore.Fold(operation.Stream(*child.PreviewID), optimization.Evolve)
			ids, works, pasts = append(ids, *child.PreviewID), append(works, work), append(pasts, work)
		}
	}
	return s.changeAsMember(ctx, caller, caller.metadata(b.operationID), pasts, func(c *eventstore.Change) error {
		if err := state.checkStart(owner.State); err != nil {
			return err
		}
		accept := s.bundleAcceptance(caller, t, b)
		if err := eventstore.Decide(c, bundle, accept); err != nil {
			return err
		}
		if accept.Bundle.Writes() {
			if err := tracking.reserve(c, caller, owner.State, limits, reservation(b.operationID, t.workspace, t.model)); err != nil {
				return err
			}
		}
		for i, work := range works {
			preview := b.previews[i]
			preview.ModelName = t.model.DisplayName
			start := optimization.StartPreview{Preview: preview,
				Operation: s.acceptance(caller, ids[i], operation.PreviewOptimization, workspaceID, modelID)}
			if err := eventstore.Decide(c, work, start); err != nil {
				return err
			}
			s.enqueueStep(c, caller, ids[i], workspaceID, modelID)
		}
		s.keys.remember(c, caller, b.operationID)
		return nil
	})
}

// bundleAcceptance returns the command that records the bundle's acceptance.
func (s *Optimizations) bundleAcceptance(caller Caller, t target, b pendingBundle) optimization.AcceptBundle {
	return optimization.AcceptBundle{
		Operation: s.acceptance(caller, b.operationID, b.kind, t.workspace.ID, t.model.ID),
		Bundle: optimization.BundleAccepted{
			Form: b.form, AcceptedAt: instant(s.Now), ModelName: t.model.DisplayName, WorkspaceName: t.workspace.DisplayName, Of: b.of,
			Children: b.children,
		},
	}
}
