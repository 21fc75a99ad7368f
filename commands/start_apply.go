package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartApply starts the apply of a preview, or an unattended apply
// (4.5/route/apply). The log records what it will write, with the previous values:
// in the event that accepts the call or, for an unattended apply, with its
// proposal.
func (s *Optimizations) StartApply(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, kind string,
	r optimization.ApplyPreview) (Accepted, error) {
	k, err := optimization.KindOf(kind)
	if err != nil {
		return Accepted{}, err
	}
	if err := r.Check(k); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, true)
		if err != nil {
			return err
		}
		apply, err := s.planApply(ctx, caller, k, modelID, r)
		if err != nil {
			return err
		}
		return s.acceptApply(ctx, caller, operationID, operation.ApplyOptimization, t, apply)
	})
}

// planApply returns what an apply will write, and how many of the day's applies it
// counts as (4.5/apply/6; docs/decisions.md 8.4).
func (s *Optimizations) planApply(ctx context.Context, caller Caller, k optimization.Kind, modelID uuid.UUID,
	r optimization.ApplyPreview) (optimization.ApplyAccepted, error) {
	apply := optimization.ApplyAccepted{Kind: k, Unattended: r.Unattended()}
	if r.Unattended() {
		source, err := s.findSource(ctx, caller, k, modelID)
		if err != nil {
			return apply, err
		}
		apply.Source = source
		apply.Applies, err = s.maxWrites(ctx, caller.Account, modelID, k, source)
		return apply, err
	}
	p, err := s.loadPreview(ctx, caller, k, modelID, *r.PreviewID)
	if err != nil {
		return apply, err
	}
	apply.PreviewID = &p.PreviewID
	apply.Writes, err = r.Select(p)
	apply.Applies = len(apply.Writes)
	return apply, err
}

// acceptApply accepts an apply that is not the child of a bundle.
func (s *Optimizations) acceptApply(ctx context.Context, caller Caller, operationID uuid.UUID, kind operation.Type, t target,
	apply optimization.ApplyAccepted) error {
	w, err := s.prepareWrite(caller, operationID, kind, t, apply)
	if err != nil {
		return err
	}
	state := s.workspaceState(ctx, caller, t.workspace)
	return s.lapseHolderAndRetry(ctx, caller, func() error {
		return s.changeAsMember(ctx, caller, caller.metadata(operationID), w.pasts(), func(c *eventstore.Change) error {
			if err := state.checkStart(w.owner.State); err != nil {
				return err
			}
			if err := s.acceptWrite(c, w); err != nil {
				return err
			}
			s.keys.remember(c, caller, operationID)
			return nil
		})
	})
}

// lapseHolderAndRetry calls do, which takes a model's lock. If the lock is held
// by an operation that has waited too long for its owner, that operation is
// ended first.
func (s *Optimizations) lapseHolderAndRetry(ctx context.Context, caller Caller, do func() error) error {
	err := do()
	r, refused := domain.Refused(err)
	if !refused || r.Code != domain.OperationInProgress {
		return err
	}
	for _, p := range r.Params {
		if id, e := uuid.Parse(p.Value); e == nil && p.Name == "operationId" {
			lapsed, e := s.lapse(ctx, caller.Account, id)
			if e != nil {
				return e
			}
			if lapsed {
				return do()
			}
		}
	}
	return err
}

// lapse ends an apply or a revert of the account that has waited too long for its
// owner, and reports whether it did.
func (s *Optimizations) lapse(ctx context.Context, accountID string, operationID uuid.UUID) (bool, error) {
	w, err := s.Recorder.Load(ctx, operationID)
	if err != nil || w.Operation.Account != accountID {
		return false, err
	}
	return s.Recorder.Lapse(ctx, w)
}
