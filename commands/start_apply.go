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
func (s *Service) StartApply(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID, kind string, r optimization.ApplyRequest) (Accepted, error) {
	k, err := optimization.KindOf(kind)
	if err != nil {
		return Accepted{}, err
	}
	if err := r.Check(k); err != nil {
		return Accepted{}, err
	}
	return s.start(ctx, who, func(operationID uuid.UUID) error {
		t, err := s.target(ctx, who, workspaceID, modelID)
		if err != nil {
			return err
		}
		apply, err := s.applying(ctx, who, k, modelID, r)
		if err != nil {
			return err
		}
		return s.write(ctx, who, operationID, operation.ApplyOptimization, t, apply)
	})
}

// applying returns what an apply will write, and how many of the day's applies it
// counts as (4.5/apply/6; docs/decisions.md 8.4).
func (s *Service) applying(ctx context.Context, who Caller, k optimization.Kind, modelID uuid.UUID, r optimization.ApplyRequest) (optimization.ApplyAccepted, error) {
	apply := optimization.ApplyAccepted{Kind: k, Unattended: r.Unattended()}
	if r.Unattended() {
		source, err := s.source(ctx, who, k, modelID)
		if err != nil {
			return apply, err
		}
		apply.Source = source
		apply.Applies, err = s.writesOf(ctx, k, source)
		return apply, err
	}
	p, err := s.preview(ctx, who, k, modelID, *r.PreviewID)
	if err != nil {
		return apply, err
	}
	apply.PreviewID = &p.PreviewID
	apply.Writes, err = r.Select(p)
	apply.Applies = len(apply.Writes)
	return apply, err
}

// write accepts an apply that is not the child of a bundle.
func (s *Service) write(ctx context.Context, who Caller, operationID uuid.UUID, kind operation.Type, t target, apply optimization.ApplyAccepted) error {
	w, err := s.writing(who, operationID, kind, t, apply)
	if err != nil {
		return err
	}
	carrying := s.carrying(ctx, who, t.workspace)
	return s.whenFree(ctx, who, func() error {
		return s.change(ctx, who, who.metadata(operationID), w.pasts(), func(c *eventstore.Change) error {
			if err := carrying.active(w.owner.State); err != nil {
				return err
			}
			if err := s.accept(c, w); err != nil {
				return err
			}
			s.remember(c, who, operationID)
			return nil
		})
	})
}

// whenFree calls do, which takes a model's lock. If the lock is held by an
// operation that has waited too long for its owner, that operation is ended first.
func (s *Service) whenFree(ctx context.Context, who Caller, do func() error) error {
	err := do()
	r, refused := domain.Refused(err)
	if !refused || r.Code != domain.OperationInProgress {
		return err
	}
	for _, p := range r.Params {
		if id, e := uuid.Parse(p.Value); e == nil && p.Name == "operationId" {
			lapsed, e := s.lapse(ctx, who.Account, id)
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
func (s *Service) lapse(ctx context.Context, accountID string, operationID uuid.UUID) (bool, error) {
	w, err := s.Recorder.Load(ctx, operationID)
	if err != nil || w.Operation.Account != accountID {
		return false, err
	}
	return s.Recorder.Lapse(ctx, w)
}
