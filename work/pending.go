package work

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"readiness/domain/item"
)

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
