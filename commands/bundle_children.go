package commands

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// childStart starts an apply or a revert as the child of a bundle. do calls guard
// first, and also to add what must be committed with the child. Both may decide
// from the pasts in more.
type childStart struct {
	operationID uuid.UUID
	do          func(guard func() error, also func(*eventstore.Change) error, more ...eventstore.Loadable) error
}

// prepareChild prepares a child's apply or revert as its own route would. It returns
// nil when the child's preview has nothing to write.
func (s *Optimizations) prepareChild(ctx context.Context, caller Caller, t target, child optimization.Child, form optimization.Form,
	bundleID uuid.UUID) (*childStart, error) {
	id := s.NewID()
	if child.Reverts != nil {
		return &childStart{id, func(guard func() error, also func(*eventstore.Change) error, more ...eventstore.Loadable) error {
			return s.acceptRevert(ctx, caller, id, t, *child.Reverts, &bundleID, guard, also, more...)
		}}, nil
	}
	p, err := s.loadPreview(ctx, caller, child.Kind, t.model.ID, child.PreviewID.String())
	if err != nil {
		return nil, err
	}
	writes, err := form.Writes(p)
	if err != nil || len(writes) == 0 {
		return nil, err
	}
	w, err := s.prepareWrite(caller, id, operation.ApplyOptimization, t, optimization.ApplyAccepted{
		Kind: child.Kind, PreviewID: child.PreviewID, Unattended: form == optimization.Unattended, Writes: writes, Applies: len(writes),
		Bundle: &bundleID,
	})
	if err != nil {
		return nil, err
	}
	return &childStart{id, func(guard func() error, also func(*eventstore.Change) error, more ...eventstore.Loadable) error {
		return s.lapseHolderAndRetry(ctx, caller, func() error {
			return s.changeAsMember(ctx, caller, caller.metadata(id), append(w.pasts(), more...), func(c *eventstore.Change) error {
				if err := guard(); err != nil {
					return err
				}
				if err := s.acceptWrite(c, w); err != nil {
					return err
				}
				return also(c)
			})
		})
	}}, nil
}

// acceptWithFirstChild accepts a bundle of applies or reverts with the first
// child that can start. Children that cannot start are marked Refused or
// NothingToDo. When every child is refused, the bundle is refused with the first
// child's refusal. guard may refuse before a child does, and also adds what must be committed with the bundle; both decide
// from more.
func (s *Optimizations) acceptWithFirstChild(ctx context.Context, caller Caller, t target, b pendingBundle, more eventstore.Loadable,
	guard func() error, also func(*eventstore.Change) error) error {
	bundle := eventstore.Fold(operation.Stream(b.operationID), optimization.EvolveBundle)
	record := func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, bundle, s.bundleAcceptance(caller, t, b)); err != nil {
			return err
		}
		s.keys.remember(c, caller, b.operationID)
		return also(c)
	}
	var first error
	for i, child := range b.children {
		start, err := s.prepareChild(ctx, caller, t, child, b.form, b.operationID)
		switch {
		case err == nil && start == nil:
			b.children[i].Standing = optimization.ChildNothingToDo
			continue
		case err == nil:
			b.children[i].Standing, b.children[i].OperationID = optimization.ChildRunning, &start.operationID
			if err = start.do(guard, record, bundle, more); err == nil {
				return nil
			}
		}
		r, refused := domain.Refused(err)
		if !refused || errors.Is(err, eventstore.ErrConflict) {
			return err
		}
		var recorded bool
		if b.children[i], recorded = child.RefusedInCall(r); !recorded {
			return err
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return first
	}
	return s.changeAsMember(ctx, caller, caller.metadata(b.operationID), []eventstore.Loadable{bundle, more}, record)
}

// errBundleMoved reports that this read does not advance the bundle.
var errBundleMoved = errors.New("commands: another read moved the bundle")

// advanceBundle advances a bundle that waits for its owner by one step (4.5/bundle/4
// to 4.5/bundle/7): the next write of its running child, or the next child.
func (s *Optimizations) advanceBundle(ctx context.Context, caller Caller, bundleID uuid.UUID) error {
	b, err := s.loadBundle(ctx, bundleID)
	if err != nil {
		return err
	}
	if child, running := b.Running(); running {
		return s.startNextWrite(ctx, caller, *child.OperationID)
	}
	child, more := b.Next()
	if !more {
		return nil
	}
	past := eventstore.Fold(operation.Stream(bundleID), optimization.EvolveBundle)
	tracking := Track(b.Operation.Account, *b.Operation.Resource.ItemID)
	guard := func() error {
		if next, more := past.State.Next(); !more || next.Kind != child.Kind {
			return errBundleMoved
		}
		return nil
	}
	change := func(command domain.Command[optimization.Bundle]) error {
		return s.changeAsMember(ctx, caller, caller.metadata(bundleID), append(tracking.Pasts(), past), func(c *eventstore.Change) error {
			if err := guard(); err != nil {
				return err
			}
			if err := eventstore.Decide(c, past, command); err != nil {
				return err
			}
			return settleBundle(c, past, tracking)
		})
	}
	if err := s.startNextChild(ctx, caller, b, child, past, guard, change); !errors.Is(err, errBundleMoved) {
		return err
	}
	return nil
}

// startNextChild starts the bundle's next child, or records why it does not start.
func (s *Optimizations) startNextChild(ctx context.Context, caller Caller, b optimization.Bundle, child optimization.Child,
	past *eventstore.Stream[optimization.Bundle],
	guard func() error, change func(domain.Command[optimization.Bundle]) error,
) error {
	if b.Lapsed(s.Now()) {
		return change(optimization.FinishInPart{})
	}
	start, err := s.prepareNextChild(ctx, caller, b, child)
	if err == nil && start == nil {
		child.Standing = optimization.ChildNothingToDo
		return change(optimization.ChangeChild{Child: child})
	}
	if err == nil {
		running := child
		running.Standing, running.OperationID = optimization.ChildRunning, &start.operationID
		err = start.do(guard, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, optimization.ChangeChild{Child: running})
		}, past)
	}
	r, refused := domain.Refused(err)
	if !refused || errors.Is(err, eventstore.ErrConflict) {
		return err
	}
	after, ended := child.RefusedLater(r)
	if !ended {
		return errBundleMoved // the next read tries again
	}
	return change(optimization.ChangeChild{Child: after})
}

// prepareNextChild prepares the bundle's next child as its own route would, with the
// person's current rights: they may see and start less than when the bundle was
// accepted.
func (s *Optimizations) prepareNextChild(ctx context.Context, caller Caller, b optimization.Bundle, child optimization.Child) (*childStart,
	error) {
	resource := b.Operation.Resource
	t, err := s.lookUpTarget(ctx, caller, resource.WorkspaceID, *resource.ItemID)
	if err != nil {
		return nil, err
	}
	start, err := s.prepareChild(ctx, caller, t, child, b.Form, b.Operation.ID)
	if err != nil || start == nil {
		return nil, err
	}
	return start, s.checkStart(ctx, caller, t.workspace)
}
