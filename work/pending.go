package work

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"readiness/commands"
	"readiness/domain/item"
	"readiness/eventstore"
)

// release lets the platform discard what the step about an item has read. err is what the step returns: without an outcome, another
// attempt continues with what was read.
func (o *Options) release(ctx context.Context, of commands.Origin, it item.Item, err *error) {
	if *err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	as := item.Caller{Account: of.AccountID, PersonID: of.PersonID, Work: of.OperationID}
	if err := o.Platform.Release(ctx, as, it); err != nil {
		o.Log.Warn("the platform did not discard what a step has read; it expires by itself", "operationId", of.OperationID,
			"itemId", it.ID, "error", err)
	}
}

// snoozePending makes a step wait for a read that the platform has not finished. The step keeps no worker busy in the
// meantime, and the wait counts as no failure.
func snoozePending() rivertype.Middleware {
	return river.WorkerMiddlewareFunc(func(ctx context.Context, _ *rivertype.JobRow, work func(context.Context) error) error {
		err := work(ctx)
		if pending, ok := errors.AsType[*item.Pending](err); ok {
			return river.JobSnooze(pending.After)
		}
		return err
	})
}

// endErased ends a step of an account that was erased meanwhile, for nothing of it is recorded any more.
func endErased() rivertype.Middleware {
	return river.WorkerMiddlewareFunc(func(ctx context.Context, _ *rivertype.JobRow, work func(context.Context) error) error {
		err := work(ctx)
		if _, erased := errors.AsType[eventstore.AccountErased](err); erased {
			return river.JobCancel(err)
		}
		return err
	})
}
