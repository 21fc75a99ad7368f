package commands

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// StartRevert starts the revert of an apply (4.5/route/revert).
func (s *Service) StartRevert(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID, applyID string) (Accepted, error) {
	return s.start(ctx, who, func(operationID uuid.UUID) error {
		t, err := s.target(ctx, who, workspaceID, modelID)
		if err != nil {
			return err
		}
		id, ok := domain.ParseID(applyID)
		if !ok {
			return optimization.NotAnApply(applyID, modelID)
		}
		if err := s.revertable(ctx, who, modelID, id); err != nil {
			return err
		}
		if err := s.active(ctx, who, t.workspace); err != nil {
			return err
		}
		free := func() error { return nil }
		return s.revert(ctx, who, operationID, t, id, nil, free, func(c *eventstore.Change) error {
			s.remember(c, who, operationID)
			return nil
		})
	})
}

// revertable refuses an apply that can never be reverted. That the apply has not
// ended, or that a later apply builds on it, is decided together with the lock.
func (s *Service) revertable(ctx context.Context, who Caller, modelID, applyID uuid.UUID) error {
	apply, err := s.Recorder.Load(ctx, applyID)
	if err != nil {
		return err
	}
	if apply.Operation.Account != who.Account || !apply.IsApply() {
		return optimization.NotAnApply(applyID, modelID)
	}
	if _, err = optimization.RevertOf(apply, modelID, s.Now(), nil); domain.IsRefused(err, domain.OperationInProgress) {
		return nil
	}
	return err
}

// errMoved reports that the model's applies changed between loading and deciding.
var errMoved = errors.New("commands: another apply came between")

// revert accepts the revert of an apply, standalone or as the child of a bundle. It
// calls guard first, and also to add what must be committed with the revert; both
// may decide from the pasts in more.
func (s *Service) revert(ctx context.Context, who Caller, operationID uuid.UUID, t target, applyID uuid.UUID, bundle *uuid.UUID,
	guard func() error, also func(*eventstore.Change) error, more ...eventstore.Loadable,
) error {
	return s.whenFree(ctx, who, func() error {
		for {
			err := s.revertOnce(ctx, who, operationID, t, applyID, bundle, guard, also, more)
			if !errors.Is(err, errMoved) {
				return err
			}
		}
	})
}

// revertOnce decides from the apply and from the applies after it. It finds those
// first, and returns errMoved if they have changed when it decides.
func (s *Service) revertOnce(ctx context.Context, who Caller, operationID uuid.UUID, t target, applyID uuid.UUID, bundle *uuid.UUID,
	guard func() error, also func(*eventstore.Change) error, more []eventstore.Loadable,
) error {
	modelID := t.model.ID
	apply := eventstore.Fold(operation.Stream(applyID), optimization.Evolve)
	standing := eventstore.FoldLast[optimization.Standing](optimization.Stream(who.Account, modelID))
	if err := s.Store.Load(ctx, apply, standing); err != nil {
		return err
	}
	if o := apply.State.Operation; o.Account != who.Account || !apply.State.IsApply() {
		return optimization.NotAnApply(applyID, modelID)
	}
	w, err := s.writing(who, operationID, operation.RevertOptimization, t, optimization.ApplyAccepted{Kind: apply.State.Kind, Reverts: &applyID, Bundle: bundle})
	if err != nil {
		return err
	}
	pasts := append(w.pasts(), apply)
	after := standing.State.After(applyID)
	later := make([]*eventstore.Past[optimization.Work], len(after))
	for i, id := range after {
		later[i] = eventstore.Fold(operation.Stream(id), optimization.Evolve)
		pasts = append(pasts, later[i])
	}
	return s.change(ctx, who, who.metadata(operationID), append(pasts, more...), func(c *eventstore.Change) error {
		if err := guard(); err != nil {
			return err
		}
		if !slices.Equal(w.lock.State.After(applyID), after) {
			return errMoved
		}
		applies := make([]optimization.Work, len(later))
		for i, l := range later {
			applies[i] = l.State
		}
		writes, err := optimization.RevertOf(apply.State, modelID, s.Now(), applies)
		if err != nil {
			return err
		}
		w.apply.Writes, w.apply.Applies = writes, len(writes)
		if err := s.accept(c, w); err != nil {
			return err
		}
		return also(c)
	})
}
