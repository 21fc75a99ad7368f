package work

import (
	"context"
	"errors"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
)

// look returns the report, and how a write that the platform took has ended.
func (w *pixier) look(ctx context.Context, as item.Caller, it item.Item, run pixies.Run) (d definition.Definition,
	ended item.Ending, err error) {
	if sent, taken := run.Sent[it.ID]; taken {
		if ended, err = finishWrite(ctx, w.Platform, as, it, sent.Operation); err != nil {
			return d, ended, err
		}
	}
	d, err = w.Platform.Definition(ctx, as, it)
	if _, again := run.Intended[it.ID]; err != nil && again && !domain.IsRefused(err, domain.ItemNotFound) {
		err = &inDoubt{err}
	}
	return d, ended, err
}

// notKept returns why a report that is not as it should be is not written again: the
// platform accepted the write but did not make it or did not keep it, or another person
// changed the report after it. It returns nil if no write was accepted, or if the
// platform no longer knows its outcome.
func notKept(ended item.Ending, earlier pixies.ChangeIntended, now string, verb pixies.Verb) error {
	switch {
	case ended.Failure != nil || !ended.Made:
		return ended.Failure
	case earlier.DefinitionHash == now:
		return domain.Refuse(verb.OperationCode(""), "the platform accepted the change of this report but did not keep it; call again")
	}
	return domain.Refuse(domain.ItemChanged, "the platform accepted the change of this report, and then another person changed its pages; "+
		"call again")
}

// answered returns what was done according to the platform's answer to a write; nil
// if only looking at the report again shows it, and if the report was changed before.
func (w *pixier) answered(ctx context.Context, step changePixies, intended pixies.ChangeIntended, err error) (*pixies.ChangeIntended,
	error) {
	sent, taken := errors.AsType[*item.Sent](err)
	switch r, refused := domain.Refused(err); {
	case err == nil:
		return &intended, nil
	case taken:
		return nil, w.send(ctx, step, pixies.ChangeSent{ReportID: step.ReportID, Operation: sent.Operation})
	case refused && r.Code == domain.ItemChanged:
		return nil, nil
	case refused && r.Code != domain.PlatformUnavailable:
		return nil, err
	}
	return nil, &inDoubt{err}
}

// send records that the platform took the write.
func (w *pixier) send(ctx context.Context, step changePixies, sent pixies.ChangeSent) error {
	run := eventstore.Fold(operation.Stream(step.OperationID), pixies.EvolveRun)
	err := w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{run}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, run, pixies.Send{Sent: sent})
	})
	if err != nil {
		return &inDoubt{err}
	}
	return nil
}
