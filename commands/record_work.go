package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/storage/vault"
)

// Recorder records the outcomes of previews, applies and reverts with all their
// consequences in one append: the model's lock, the allowance, tracked items, the
// apply's record and the bundle.
type Recorder struct {
	Store *eventstore.Store
	Vault *vault.Vault
	Now   func() time.Time
}

// Load folds the stream of a preview, an apply or a revert.
func (r Recorder) Load(ctx context.Context, operationID uuid.UUID) (optimization.Work, error) {
	work := eventstore.Fold(operation.Stream(operationID), optimization.Evolve)
	err := r.Store.Load(ctx, work)
	return work.State, err
}

// workPasts are the streams that the end of a work changes; those it does not have
// are nil.
type workPasts struct {
	work      *eventstore.Stream[optimization.Work]
	bundle    *eventstore.Stream[optimization.Bundle]
	lock      *eventstore.Stream[optimization.Standing]
	allowance *eventstore.Stream[account.Usage]
	// tracking covers the model, which the work or its bundle may have reserved.
	tracking *Tracking
	// reverted is the apply that the work, a revert, puts back; revertedBundle
	// is the bundle of that apply.
	reverted       *eventstore.Stream[optimization.Work]
	revertedBundle *eventstore.Stream[optimization.Bundle]
	pasts          []eventstore.Loadable
}

// pastsOf returns the streams of a work. The ids it depends on never change once
// the work is accepted.
func (r Recorder) pastsOf(ctx context.Context, w optimization.Work) (*workPasts, error) {
	f := &workPasts{work: eventstore.Fold(operation.Stream(w.Operation.ID), optimization.Evolve)}
	f.pasts = append(f.pasts, f.work)
	if w.Bundle != nil || w.Operation.Type != operation.PreviewOptimization {
		f.tracking = Track(w.Operation.Account, *w.Operation.Resource.ItemID)
		f.pasts = append(f.pasts, f.tracking.Pasts()...)
	}
	if w.Bundle != nil {
		f.bundle = eventstore.Fold(operation.Stream(*w.Bundle), optimization.EvolveBundle)
		f.pasts = append(f.pasts, f.bundle)
	}
	if w.Operation.Type == operation.PreviewOptimization {
		return f, nil
	}
	f.lock = eventstore.FoldLast[optimization.Standing](optimization.Stream(w.Operation.Account, *w.Operation.Resource.ItemID))
	f.allowance = eventstore.FoldLast[account.Usage](w.Allowance)
	f.pasts = append(f.pasts, f.lock, f.allowance)
	if w.Reverts != nil {
		f.reverted = eventstore.Fold(operation.Stream(*w.Reverts), optimization.Evolve)
		f.pasts = append(f.pasts, f.reverted)
		apply, err := r.Load(ctx, *w.Reverts)
		if err != nil {
			return nil, err
		}
		if apply.Bundle != nil {
			f.revertedBundle = eventstore.Fold(operation.Stream(*apply.Bundle), optimization.EvolveBundle)
			f.pasts = append(f.pasts, f.revertedBundle)
		}
	}
	return f, nil
}

// Record decides a command on a work and records the consequences. If the command
// produced events, also adds what must be committed with them.
func (r Recorder) Record(ctx context.Context, meta eventstore.Metadata, w optimization.Work, command domain.Command[optimization.Work],
	also func(*eventstore.Change)) (optimization.Work, error) {
	f, err := r.pastsOf(ctx, w)
	if err != nil {
		return w, err
	}
	err = r.Store.Change(ctx, meta, f.pasts, func(c *eventstore.Change) error {
		before := f.work.State
		recorded := len(c.Recorded())
		if err := eventstore.Decide(c, f.work, command); err != nil {
			return err
		}
		if len(c.Recorded()) == recorded {
			return nil
		}
		if also != nil {
			also(c)
		}
		return r.settle(c, f, before)
	})
	return f.work.State, err
}

// settle records the consequences of the work's new state.
func (r Recorder) settle(c *eventstore.Change, f *workPasts, before optimization.Work) error {
	w := f.work.State
	if n := spent(before) - spent(w); f.allowance != nil && n > 0 {
		if err := eventstore.Decide(c, f.allowance, account.Refund{Kind: account.OptimizationApplies, OperationID: w.Operation.ID,
			Amount: n}); err != nil {
			return err
		}
	}
	if err := r.track(c, f, before); err != nil {
		return err
	}
	ended := w.Operation.Status.Ended()
	if ended || w.Operation.Waiting != nil { // the step has ended, and its token is no longer needed
		c.Queue(r.Vault.Forget(w.Operation.ID))
	}
	switch {
	case !ended && f.bundle != nil && w.Operation.Waiting != nil:
		return eventstore.Decide(c, f.bundle, optimization.WaitForOwner{})
	case !ended && f.bundle != nil && before.Operation.Waiting != nil:
		return eventstore.Decide(c, f.bundle, optimization.Resume{})
	case !ended:
		return nil
	}
	if err := r.release(c, f); err != nil {
		return err
	}
	if f.bundle == nil {
		return nil
	}
	child, ok := f.bundle.State.Child(w.Kind)
	if !ok {
		return nil
	}
	return changeChild(c, f.bundle, f.tracking, child.After(w, f.bundle.State.Form))
}

// track makes the model a tracked item once the work has written something, and
// releases its reservation when the work ends without a write. A child's
// reservation belongs to its bundle, which releases it.
func (r Recorder) track(c *eventstore.Change, f *workPasts, before optimization.Work) error {
	w := f.work.State
	if w.Operation.Type == operation.PreviewOptimization {
		return nil
	}
	modelID, holder := *w.Operation.Resource.ItemID, holderOf(w.Operation.ID, w.Bundle)
	impact := w.Operation.Impact
	switch {
	case w.Tracks(before):
		held := f.tracking.Item(modelID).Holds(holder)
		if err := f.tracking.Claim(c, holder, modelID, trackeditem.ViaReadiness, r.Now()); err != nil {
			return err
		}
		if by := f.tracking.Item(modelID).ClaimedBy; by != uuid.Nil { // else it was claimed when it was accepted
			impact.TrackedItem = new(held && by == holder)
		}
	case w.EndedIdle():
		if w.Bundle == nil {
			if err := f.tracking.Release(c, holder); err != nil {
				return err
			}
		}
		if f.tracking.Item(modelID).ClaimedBy != uuid.Nil || !f.tracking.Item(modelID).Counts() {
			impact.TrackedItem = new(false)
		}
	}
	return eventstore.Decide(c, f.work, optimization.Correct{Impact: impact})
}

// holderOf returns the operation that holds the reservation for the model of an
// apply or a revert: its bundle, which holds it until its last kind has ended, or
// the operation itself.
func holderOf(operationID uuid.UUID, bundle *uuid.UUID) uuid.UUID {
	if bundle != nil {
		return *bundle
	}
	return operationID
}

// changeChild records the state of a bundle's child. A bundle that has ended
// releases its model's reservation.
func changeChild(c *eventstore.Change, bundle *eventstore.Stream[optimization.Bundle], tracking *Tracking, child optimization.Child) error {
	if err := eventstore.Decide(c, bundle, optimization.ChangeChild{Child: child}); err != nil {
		return err
	}
	return settleBundle(c, bundle, tracking)
}

// FailBundle ends a bundle that does not continue. Message says why.
func (r Recorder) FailBundle(ctx context.Context, meta eventstore.Metadata, op operation.Operation, message string) error {
	bundle := eventstore.Fold(operation.Stream(op.ID), optimization.EvolveBundle)
	tracking := Track(op.Account, *op.Resource.ItemID)
	return r.Store.Change(ctx, meta, append(tracking.Pasts(), bundle), func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, bundle, optimization.GiveUp{Message: message}); err != nil {
			return err
		}
		return settleBundle(c, bundle, tracking)
	})
}

func settleBundle(c *eventstore.Change, bundle *eventstore.Stream[optimization.Bundle], tracking *Tracking) error {
	if !bundle.State.Operation.Status.Ended() {
		return nil
	}
	return tracking.Release(c, bundle.State.Operation.ID)
}

// spent returns how many applies the work has spent, according to its impact.
func spent(w optimization.Work) int {
	if n := w.Operation.Impact.OptimizationApplies; n != nil {
		return *n
	}
	return 0
}

// release releases the model's lock and records what a revert put back, on the
// apply's stream and on that of its bundle.
func (r Recorder) release(c *eventstore.Change, f *workPasts) error {
	if f.lock == nil {
		return nil
	}
	w := f.work.State
	release := optimization.ReleaseLock{OperationID: w.Operation.ID, At: r.Now(), Wrote: w.IsApply() && len(w.Applied()) > 0}
	if f.reverted != nil {
		if err := eventstore.Decide(c, f.reverted, optimization.PutObjectsBack{Revert: w}); err != nil {
			return err
		}
		if f.reverted.State.Standing() == optimization.Reverted {
			release.Undone = w.Reverts
		}
	}
	if err := eventstore.Decide(c, f.lock, release); err != nil {
		return err
	}
	if f.revertedBundle == nil || release.Undone == nil {
		return nil
	}
	child, ok := f.revertedBundle.State.Child(w.Kind)
	if !ok {
		return nil
	}
	child.Standing = optimization.ChildReverted
	return eventstore.Decide(c, f.revertedBundle, optimization.ChangeChild{Child: child})
}
