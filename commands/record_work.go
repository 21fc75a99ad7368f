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
	"readiness/vault"
)

// Recorder records what becomes of previews, applies and reverts, with all that
// follows from it: a lock released, an allowance given back, a tracked item, an
// apply's record, a bundle that goes on. All of it or nothing.
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

// followers are the streams that the end of a work is told to; those it has none
// of are nil.
type followers struct {
	work      *eventstore.Past[optimization.Work]
	bundle    *eventstore.Past[optimization.Bundle]
	lock      *eventstore.Past[optimization.Standing]
	allowance *eventstore.Past[account.Usage]
	// tracking is of the model, which the work or its bundle may have reserved.
	tracking *Tracking
	// reverted is the apply that the work, a revert, puts back; its bundle is
	// the one that apply was a child of.
	reverted       *eventstore.Past[optimization.Work]
	revertedBundle *eventstore.Past[optimization.Bundle]
	pasts          []eventstore.Loadable
}

// follow names the streams of a work. What it refers to never changes once it is
// accepted.
func (r Recorder) follow(ctx context.Context, w optimization.Work) (*followers, error) {
	f := &followers{work: eventstore.Fold(operation.Stream(w.Operation.ID), optimization.Evolve)}
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

// Record decides a command on a work and records what follows from it. also adds
// what must be true with it, when the command caused anything.
func (r Recorder) Record(ctx context.Context, meta eventstore.Metadata, w optimization.Work, command domain.Command[optimization.Work], also func(*eventstore.Change)) (optimization.Work, error) {
	f, err := r.follow(ctx, w)
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

// settle records what follows from how the work stands now.
func (r Recorder) settle(c *eventstore.Change, f *followers, before optimization.Work) error {
	w := f.work.State
	if n := spent(before) - spent(w); f.allowance != nil && n > 0 {
		if err := eventstore.Decide(c, f.allowance, account.GiveBack{Kind: account.OptimizationApplies, OperationID: w.Operation.ID, Amount: n}); err != nil {
			return err
		}
	}
	if err := r.track(c, f, before); err != nil {
		return err
	}
	ended := w.Operation.Status.Ended()
	if ended || w.Operation.Waiting != nil { // the step is over, and its token with it
		sql, args := r.Vault.Forget(w.Operation.ID)
		c.Queue(sql, args...)
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

// track makes the model a tracked item once something of the work was written,
// and gives its room back when the work ends with nothing written. What is a
// bundle's the bundle gives back.
func (r Recorder) track(c *eventstore.Change, f *followers, before optimization.Work) error {
	w := f.work.State
	if w.Operation.Type == operation.PreviewOptimization {
		return nil
	}
	modelID, holder := *w.Operation.Resource.ItemID, holderOf(w.Operation.ID, w.Bundle)
	impact := w.Operation.Impact
	switch {
	case len(before.Applied()) == 0 && len(w.Applied()) > 0:
		held := f.tracking.Item(modelID).Holds(holder)
		if err := f.tracking.Claim(c, holder, modelID, trackeditem.ViaReadiness, r.Now()); err != nil {
			return err
		}
		if by := f.tracking.Item(modelID).ClaimedBy; by != uuid.Nil { // else it was claimed when it was accepted
			impact.TrackedItem = new(held && by == holder)
		}
	case w.Operation.Status.Ended() && len(w.Applied()) == 0:
		if w.Bundle == nil {
			if err := f.tracking.GiveBack(c, holder); err != nil {
				return err
			}
		}
		if f.tracking.Item(modelID).ClaimedBy != uuid.Nil || !f.tracking.Item(modelID).Counts() {
			impact.TrackedItem = new(false)
		}
	}
	return eventstore.Decide(c, f.work, optimization.Correct{Impact: impact})
}

// holderOf is the operation that holds room for what an apply or a revert writes:
// its bundle, which does so until its last kind has ended.
func holderOf(operationID uuid.UUID, bundle *uuid.UUID) uuid.UUID {
	if bundle != nil {
		return *bundle
	}
	return operationID
}

// changeChild says how a child of a bundle stands. A bundle that has ended holds
// no room for its model.
func changeChild(c *eventstore.Change, bundle *eventstore.Past[optimization.Bundle], tracking *Tracking, child optimization.Child) error {
	if err := eventstore.Decide(c, bundle, optimization.ChangeChild{Child: child}); err != nil {
		return err
	}
	return bundleHolds(c, bundle, tracking)
}

func bundleHolds(c *eventstore.Change, bundle *eventstore.Past[optimization.Bundle], tracking *Tracking) error {
	if !bundle.State.Operation.Status.Ended() {
		return nil
	}
	return tracking.GiveBack(c, bundle.State.Operation.ID)
}

// spent is how many applies the work has spent as its impact says.
func spent(w optimization.Work) int {
	if n := w.Operation.Impact.OptimizationApplies; n != nil {
		return *n
	}
	return 0
}

// release gives the model's lock back and says on the apply's stream, and on that
// of its bundle, what a revert put back.
func (r Recorder) release(c *eventstore.Change, f *followers) error {
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
