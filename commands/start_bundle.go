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

// approvalRequired is the approval of a bundle whose previews a person reviews.
const approvalRequired = "required"

// StartBundle starts the previews of several kinds as one operation; with approval
// none their applies follow (4.5/bundle/1 to 4.5/bundle/5). If names is nil, it
// takes all kinds.
func (s *Optimizations) StartBundle(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, names *[]string,
	approval string) (Accepted, error) {
	kinds, err := kindsOf(names)
	if err != nil {
		return Accepted{}, err
	}
	unattended := approval == optimization.NoApproval
	switch {
	case !unattended && approval != approvalRequired:
		return Accepted{}, domain.Refuse(domain.InvalidRequest,
			"approval must be required, to review the previews first, or none, to write them at once")
	case unattended && slices.Equal(kinds, []optimization.Kind{optimization.AIDataSchema}):
		return Accepted{}, optimization.ApplyRequest{Approval: &approval}.Check(optimization.AIDataSchema)
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		b := pendingBundle{operationID: operationID, kind: operation.PreviewOptimizations, form: optimization.Previewing}
		if unattended {
			b.kind, b.form = operation.ApplyOptimizations, optimization.Unattended
		}
		if err := s.planPreviews(ctx, caller, kinds, modelID, &b); err != nil {
			return err
		}
		return s.acceptBundlePreview(ctx, caller, t, b)
	})
}

// kindsOf returns the kinds with the names, in the order in which a bundle takes
// them; all kinds if names is nil.
func kindsOf(names *[]string) ([]optimization.Kind, error) {
	if names == nil {
		return optimization.Kinds(), nil
	}
	if len(*names) == 0 {
		return nil, domain.Refuse(domain.InvalidRequest, "kinds is empty; name at least one kind, or leave kinds out for all of them")
	}
	named := map[optimization.Kind]bool{}
	for _, name := range *names {
		k, err := optimization.KindOf(name)
		if err != nil {
			return nil, err
		}
		if named[k] {
			return nil, domain.Refuse(domain.InvalidRequest, "kinds names %s twice", k).About("kind", k)
		}
		named[k] = true
	}
	return slices.DeleteFunc(optimization.Kinds(), func(k optimization.Kind) bool { return !named[k] }), nil
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
		child := optimization.Child{Kind: k}
		if refused {
			if first == nil {
				first = err
			}
			child.Standing, child.Code, child.Message = optimization.ChildSkipped, refusal.Code, refusal.Message
			b.children = append(b.children, child)
			continue
		}
		id := s.NewID()
		child.PreviewID, child.Standing = &id, optimization.ChildRunning
		if b.form == optimization.Unattended {
			child.PreviewStanding, child.Standing = optimization.ChildRunning, optimization.ChildNotStarted
			if k == optimization.AIDataSchema {
				child.Standing, child.Code = optimization.ChildSkipped, domain.InvalidRequest
				child.Message = "the AI data schema is not written unattended, because a person must review which fields an AI leaves out; apply its preview"
			}
		}
		b.children = append(b.children, child)
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
	var works []*eventstore.Past[optimization.Work]
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
		if err := eventstore.Decide(c, bundle, s.bundleAcceptance(caller, t, b)); err != nil {
			return err
		}
		if slices.ContainsFunc(b.children, func(c optimization.Child) bool { return c.Standing == optimization.ChildNotStarted }) {
			if err := tracking.reserve(c, caller, owner.State, limits, reservation(b.operationID, t.workspace, t.model)); err != nil {
				return err
			}
		}
		for i, work := range works {
			preview := b.previews[i]
			preview.ModelName = t.model.DisplayName
			accept := optimization.Accept{Operation: s.acceptance(caller, ids[i], operation.PreviewOptimization, workspaceID, modelID),
				Preview: &preview}
			if err := eventstore.Decide(c, work, accept); err != nil {
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
			Form: b.form, AcceptedAt: s.Now().UTC(), ModelName: t.model.DisplayName, WorkspaceName: t.workspace.DisplayName, Of: b.of,
			Children: b.children,
		},
	}
}
