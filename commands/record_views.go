package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"readiness/domain"
	"readiness/domain/pixies"
	"readiness/eventstore"
)

// ErrNotRecorded says that for certain nothing was recorded, so that the same may
// be recorded again.
var ErrNotRecorded = errors.New("commands: nothing was recorded")

// seen is a pixies.Seen to be recorded. Nothing speaks against it.
type seen struct{ pixies.Seen }

// Decide implements domain.Command.
func (c seen) Decide(struct{}) ([]domain.Event, error) { return []domain.Event{c.Seen}, nil }

// RecordViews records what pages of the account's reports were looked at, all of
// it or nothing. Any error but ErrNotRecorded leaves open whether it was: the
// connection may have broken behind the commit, and views must not count twice.
func (s *Service) RecordViews(ctx context.Context, accountID string, views []pixies.Seen) error {
	streams := make([]*eventstore.Past[struct{}], len(views))
	pasts := make([]eventstore.Loadable, len(views))
	for i, v := range views {
		day, err := time.Parse(time.DateOnly, v.Day)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotRecorded, err)
		}
		streams[i] = eventstore.Tail(pixies.SeenStream(accountID, v.ReportID, day))
		pasts[i] = streams[i]
	}
	appended := false
	err := s.Store.Change(ctx, eventstore.Metadata{Account: accountID, Causation: "collector"}, pasts, func(c *eventstore.Change) error {
		appended = true
		for i, v := range views {
			if err := eventstore.Decide(c, streams[i], seen{v}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && (!appended || undone(err)) {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	return err
}

// undone reports whether an append that failed was certainly not committed: it
// was never sent, or the database itself says what it undid it for. What ends a
// connection may come behind the commit.
func undone(err error) bool {
	if _, never := errors.AsType[*pgconn.ConnectError](err); never {
		return true
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.SeverityUnlocalized == "ERROR" || pgconn.SafeToRetry(err) || errors.Is(err, eventstore.ErrConflict)
}
