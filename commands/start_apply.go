package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartApply starts the apply of a preview, or an unattended apply (spec 4.5,
// apply rules). What it writes, with what was there before, is in the log with
// the call, or, unattended, with its proposal.
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

// applying is what an apply will write, and how many of the day's applies that
// counts as (spec 4.5, apply rule 6; decisions 8.4).
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

// write accepts an apply of its own.
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

// whenFree does what takes a model's lock. When the lock is held by an operation
// that has waited for its owner for too long, that ends first.
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

// lapse ends an apply or a revert of the account that has waited for its owner
// for too long, and says whether it did.
func (s *Service) lapse(ctx context.Context, accountID string, operationID uuid.UUID) (bool, error) {
	w, err := s.Recorder.Load(ctx, operationID)
	if err != nil || w.Operation.Account != accountID {
		return false, err
	}
	return s.Recorder.Lapse(ctx, w)
}
