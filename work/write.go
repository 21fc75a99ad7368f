package work

import (
	"context"
	"errors"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/internal/lists"
)

// inDoubt is the error of a write whose outcome is unknown. Reading the model again
// shows it.
type inDoubt struct{ err error }

// Error implements error.
func (d *inDoubt) Error() string {
	return "work: the outcome of a write is unknown until the model is read again: " + d.err.Error()
}

// Unwrap returns the cause.
func (d *inDoubt) Unwrap() error { return d.err }

// rewrites is how often a write starts again because the definition changed between
// the read and the write.
const rewrites = 5

// write makes the write that was started. The log says what it will do before the
// platform is changed, so after a crash the model shows whether it was done: the
// write happens once or not at all.
func (w *optimizer) write(ctx context.Context, as item.Caller, step optimize, work optimization.Work) error {
	at := work.Next()
	if at < 0 || !work.Progress[at].Started {
		return nil
	}
	// An earlier attempt may have written.
	doubt, refused := work.InDoubt(), false
	for range rewrites {
		after, done, err := w.writeOnce(ctx, as, step, work, at, refused)
		if err != nil || done {
			return err
		}
		doubt = doubt || after.Progress[at].Sent != nil
		work, refused = after, !doubt
	}
	return errors.New("work: the definition changed before each of several attempts to write it; another program may be writing it")
}

// writeOnce reads the model, records what it is about to write, and writes it. done
// is false when the definition changed in between, and when the platform accepted the
// write, so that only reading again shows its outcome. refused means that the
// former happened before and that no earlier attempt can have written.
func (w *optimizer) writeOnce(ctx context.Context, as item.Caller, step optimize, work optimization.Work, at int,
	refused bool) (_ optimization.Work, done bool, err error) {
	it := theItem(step, work)
	d, now, failure, err := w.look(ctx, as, it, step, work, at)
	if err != nil {
		return work, false, err
	}
	now.Refused = refused
	plan, err := work.Plan(at, now)
	if err == nil && !plan.Landed {
		err = failure
	}
	switch {
	case err != nil:
		return work, false, err
	case plan.Landed:
		return w.land(ctx, step, work, at)
	}
	changed, undo, err := w.rewritten(ctx, step, work, d, plan.Objects)
	if err != nil {
		return work, false, err
	}
	if intended := work.Progress[at].Intended; intended == nil || intended.DefinitionHash != now.Hash {
		intend := optimization.Intend{Intended: optimization.WriteIntended{Write: at, Undo: undo, Skipped: plan.Skipped,
			DefinitionHash: now.Hash, WrittenHash: changed.Hash()}}
		if work, err = w.recorder.Record(ctx, step.Metadata(), work, intend, nil); err != nil {
			return work, false, err
		}
	}
	if !work.At(at) {
		return work, true, nil // another worker has ended the step
	}
	if len(plan.Objects) == 0 {
		return w.land(ctx, step, work, at)
	}
	return w.answered(ctx, step, work, at, w.Platform.WriteDefinition(ctx, as, it, changed, now.Hash))
}

// look returns the model and what a write compares with it. failure is why the
// platform did not make a write that it took.
func (w *optimizer) look(ctx context.Context, as item.Caller, it item.Item, step optimize, work optimization.Work, at int) (
	d definition.Definition, now optimization.Now, failure, err error) {
	var ended item.Ending
	if sent := work.Progress[at].Sent; sent != nil {
		if ended, err = finishWrite(ctx, w.Platform, as, it, sent.Operation); err != nil {
			return d, now, nil, err
		}
	}
	if d, err = w.Platform.Definition(ctx, as, it); err != nil {
		if work.Progress[at].Intended != nil && !domain.IsRefused(err, domain.ItemNotFound) {
			err = &inDoubt{err} // the write of a crashed attempt may have been made
		}
		return d, now, nil, err
	}
	objects := work.Writes[at].Objects
	targets := lists.Map(objects, optimization.Object.Target)
	values, err := w.values(d, targets, step)
	return d, optimization.Now{Values: values, Hash: d.Hash(), Made: ended.Made}, ended.Failure, err
}

// land records that the write is on the platform.
func (w *optimizer) land(ctx context.Context, step optimize, work optimization.Work, at int) (_ optimization.Work, done bool, err error) {
	work, err = w.recorder.Record(ctx, step.Metadata(), work, optimization.Land{Write: at, At: w.Now()}, nil)
	if err != nil {
		err = &inDoubt{err}
	}
	return work, true, err
}

// answered records what the platform answered to a write: it is made, or taken, or
// was not made because the definition changed. Every other answer is an error.
func (w *optimizer) answered(ctx context.Context, step optimize, work optimization.Work, at int, err error) (_ optimization.Work,
	done bool, _ error) {
	sent, taken := errors.AsType[*item.Sent](err)
	switch r, refused := domain.Refused(err); {
	case err == nil:
		return w.land(ctx, step, work, at)
	case taken:
		send := optimization.Send{Sent: optimization.WriteSent{Write: at, Operation: sent.Operation}}
		if work, err = w.recorder.Record(ctx, step.Metadata(), work, send, nil); err != nil {
			return work, false, &inDoubt{err}
		}
		return work, !work.At(at), nil
	case refused && r.Code == domain.ItemChanged:
		return work, false, nil
	case refused && r.Code != domain.PlatformUnavailable:
		return work, false, err // the platform reports that the write was not made
	}
	return work, false, &inDoubt{err}
}

// finishWrite returns how a write that was sent has ended. One whose operation ended
// with the call was made.
func finishWrite(ctx context.Context, p Platform, as item.Caller, it item.Item, operation string) (item.Ending, error) {
	if operation == "" {
		return item.Ending{Made: true}, nil
	}
	ended, err := p.FinishWrite(ctx, as, it, operation)
	if err != nil {
		err = &inDoubt{err}
	}
	return ended, err
}

// values returns the definition's current values at the targets.
func (w *optimizer) values(d definition.Definition, targets []rewrite.Target, step optimize) (_ []rewrite.Value, err error) {
	defer w.breakDown(step.OperationID, &err)
	var values []rewrite.Value
	err = w.shared.processors.Compute(func() error {
		if values, err = rewrite.Values(d, targets); err != nil {
			return notReadable(err)
		}
		return nil
	})
	return values, err
}

// rewritten returns the definition with the objects written or, for a revert,
// restored, and the undo of that change.
func (w *optimizer) rewritten(ctx context.Context, step optimize, work optimization.Work, d definition.Definition,
	objects []optimization.Object) (_ definition.Definition, _ []rewrite.Undo, err error) {
	defer w.breakDown(step.OperationID, &err)
	if len(objects) == 0 {
		return d, nil, nil
	}
	if work.Reverts != nil {
		apply, err := w.recorder.Load(ctx, *work.Reverts)
		if err != nil {
			return d, nil, err
		}
		undo := apply.Undoing(objects)
		changed, err := rewrite.Restore(d, undo)
		if err != nil {
			err = domain.Refuse(domain.ItemChanged, "the values that the apply wrote cannot be reverted: %s", err)
		}
		return changed, undo, err
	}
	changes := lists.Map(objects, func(o optimization.Object) rewrite.Change {
		return rewrite.Change{Target: o.Target(), Value: *o.Written}
	})
	var changed definition.Definition
	var undo []rewrite.Undo
	err = w.shared.processors.Compute(func() error {
		if changed, undo, err = rewrite.Write(d, changes); err != nil {
			return domain.Refuse(domain.OptimizationFailed, "the values cannot be written to the definition: %s", err)
		}
		return nil
	})
	return changed, undo, err
}
