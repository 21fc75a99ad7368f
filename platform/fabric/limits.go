package fabric

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// Limits spreads calls, so that a person's own use of the platform is not disturbed. A *quota.Limiter shares them among
// all processes.
type Limits interface {
	// Wait returns nil when the call may be made, and counts it.
	Wait(ctx context.Context, c quota.Call) error
	// Hold keeps the person's calls of the bucket, and those of the route, for the duration.
	Hold(ctx context.Context, c quota.Call, d time.Duration) error
}

type unlimited struct{}

func (unlimited) Wait(context.Context, quota.Call) error                { return nil }
func (unlimited) Hold(context.Context, quota.Call, time.Duration) error { return nil }

// briefly is how long the call of a step waits for its turn. A step that would wait for longer gives up its worker.
const briefly = 3 * time.Second

// admit waits until limits admit the call. A call that would wait for longer than its caller can is refused, and
// so is one that cannot be counted. For the work of an operation, either is an *item.Pending.
func (p *Platform) admit(ctx context.Context, c quota.Call, byItself bool) error {
	longest := callTimeout
	if byItself {
		longest = briefly
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err := p.limits.Wait(ctx, c)
	if err == nil {
		return nil
	}
	after := 5 * time.Second
	if busy, ok := errors.AsType[*quota.Busy](err); ok {
		after = max(busy.After, time.Second)
	} else {
		p.log.Warn("a call to the platform cannot be counted", "route", c.Route, "error", err)
	}
	if byItself {
		return &item.Pending{After: after}
	}
	return domain.Refuse(domain.PlatformUnavailable, "the service makes no further calls to the platform for you now, so that your own "+
		"use of it is not disturbed; try again in %s", after.Round(time.Second)).After(after)
}

// Read names a read of a definition: whose it is, for which operation of the service and which item.
type Read struct {
	Operation uuid.UUID
	Person    item.PersonID
	Item      uuid.UUID
}

// readBy returns the read of an item by work. A data agent can name an item by another type than it has, and that read must not get the
// definition that the other got.
func (p *Platform) readBy(work uuid.UUID, as item.Caller, it item.Item) Read {
	if work != uuid.Nil {
		work = uuid.NewSHA1(work, []byte(it.Type))
	}
	return Read{work, as.PersonID, it.ID}
}

// Reads remembers the long-running operations of the reads of work that is not done, so that any process can continue them and
// none reads twice. Operations' ids are no secrets. A lost entry costs one more read.
type Reads interface {
	// Find returns the operation and when it was kept; "" when there is none.
	Find(ctx context.Context, r Read) (operation string, begun time.Time, err error)
	Keep(ctx context.Context, r Read, operation string) error
	Drop(ctx context.Context, r Read) error
}

type forgotten struct{}

func (forgotten) Find(context.Context, Read) (string, time.Time, error) {
	return "", time.Time{}, nil
}
func (forgotten) Keep(context.Context, Read, string) error { return nil }
func (forgotten) Drop(context.Context, Read) error         { return nil }
