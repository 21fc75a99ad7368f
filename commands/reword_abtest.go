package commands

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"readiness/domain/abtest"
	"readiness/eventstore"
)

// ErrMoved reports that the resource has changed since the caller read it.
var ErrMoved = errors.New("commands: changed since it was read")

// Reword changes the customer's words of a test; nothing runs and nothing is
// counted (4.6/patch). If ifVersion is given and the test's stream is no longer at
// that version, it returns ErrMoved.
func (s *ABTests) Reword(ctx context.Context, caller Caller, abTestID string, ifVersion *int64,
	change func(abtest.Words) abtest.Words) error {
	test, err := s.load(ctx, caller, abTestID)
	if err != nil {
		return err
	}
	return s.changeAsMember(ctx, caller, caller.metadata(uuid.Nil), []eventstore.Loadable{test}, func(c *eventstore.Change) error {
		switch {
		case !test.State.BelongsTo(caller.Account):
			return abtest.NotFound(abTestID)
		case ifVersion != nil && *ifVersion != test.Version:
			return ErrMoved
		}
		words := change(test.State.Words).Trimmed()
		if err := words.Check(); err != nil {
			return err
		}
		return eventstore.Decide(c, test, abtest.Reword{Words: words})
	})
}
