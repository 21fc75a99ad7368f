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
	"readiness/internal/lists"
)

// StartRevert starts the revert of an apply (4.5/route/revert).
func (s *Optimizations) StartRevert(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, applyID string) (Accepted, error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		t, err := s.lookUpUsable(ctx, caller, workspaceID, modelID, true)
		if err != nil {
			return err
		}
		id, ok := domain.ParseID(applyID)
		if !ok {
			return optimization.NotAnApply(applyID, modelID)
		}
		apply, err := s.Recorder.Load(ctx, id)
		if err != nil {
			return err
		}
		if err := s.revertApply(caller, modelID, id).Check(apply); err != nil {
			return err
		}
		if err := s.checkStart(ctx, caller, t.workspace); err != nil {
			return err
		}
		remember := func(c *eventstore.Change) error {
			s.keys.remember(c, caller, operationID)
			return nil
		}
		if apply.Bundle == nil {
			return s.acceptRevert(ctx, caller, operationID, t, id, nil, func() error { return nil }, remember)
		}
		applied, earlier, err := s.loadReverted(ctx, *apply.Bundle)
		if err != nil {
			return err
		}
		bundle := eventstore.Fold(operation.Stream(applied.Operation.ID), optimization.EvolveBundle)
		free := func() error { return bundle.State.CheckNoRevert(earlier, s.Now()) }
		return s.acceptRevert(ctx, caller, operationID, t, id, nil, free, remember, bundle)
	})
}

// revertApply returns the command to revert an apply now.
func (s *Optimizations) revertApply(caller Caller, modelID, applyID uuid.UUID) optimization.RevertApply {
	return optimization.RevertApply{ApplyID: applyID, AccountID: caller.Account, ModelID: modelID, Now: s.Now()}
}

// errMoved reports that the model's applies changed between loading and deciding.
var errMoved = errors.New("commands: another apply came between")

// acceptRevert accepts the revert of an apply, standalone or as the child of a
// bundle. It calls guard first, and also to add what must be committed with the
// revert; both may decide from the pasts in more.
func (s *Optimizations) acceptRevert(ctx context.Context, caller Caller, operationID uuid.UUID, t target, applyID uuid.UUID,
	bundle *uuid.UUID,
	guard func() error, also func(*eventstore.Change) error, more ...eventstore.Loadable,
) error {
	return s.lapseHolderAndRetry(ctx, caller, func() error {
		for {
			err := s.tryAcceptRevert(ctx, caller, operationID, t, applyID, bundle, guard, also, more)
			if !errors.Is(err, errMoved) {
				return err
			}
		}
	})
}

// tryAcceptRevert decides from the apply and from the applies after it. It finds
// those first, and returns errMoved if they have changed when it decides.
func (s *Optimizations) tryAcceptRevert(ctx context.Context, caller Caller, operationID uuid.UUID, t target, applyID uuid.UUID,
	bundle *uuid.UUID,
	guard func() error, also func(*eventstore.Change) error, more []eventstore.Loadable,
) error {
	modelID := t.model.ID
	apply := eventstore.Fold(operation.Stream(applyID), optimization.Evolve)
	standing := eventstore.FoldLast[optimization.Standing](optimization.Stream(caller.Account, modelID))
	if err := s.Store.Load(ctx, apply, standing); err != nil {
		return err
	}
	w, err := s.prepareWrite(caller, operationID, operation.RevertOptimization, t,
		optimization.ApplyAccepted{Kind: apply.State.Kind, Reverts: &applyID, Bundle: bundle})
	if err != nil {
		return err
	}
	pasts := append(w.pasts(), apply)
	after := standing.State.After(applyID)
	later := make([]*eventstore.Stream[optimization.Work], len(after))
	for i, id := range after {
		later[i] = eventstore.Fold(operation.Stream(id), optimization.Evolve)
		pasts = append(pasts, later[i])
	}
	return s.changeAsMember(ctx, caller, caller.metadata(operationID), append(pasts, more...), func(c *eventstore.Change) error {
		if err := guard(); err != nil {
			return err
		}
		if !slices.Equal(w.lock.State.After(applyID), after) {
			return errMoved
		}
		applies := lists.Map(later, func(l *eventstore.Stream[optimization.Work]) optimization.Work { return l.State })
		writes, err := s.revertApply(caller, modelID, applyID).Writes(apply.State, applies)
		if err != nil {
			return err
		}
		w.apply.Writes, w.apply.Applies = writes, len(writes)
		if err := s.acceptWrite(c, w); err != nil {
			return err
		}
		return also(c)
	})
}
