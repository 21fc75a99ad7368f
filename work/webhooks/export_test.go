package webhooks

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/storage/deliveries"
)

// Once sends what is due and waits until that has ended.
func (s *Sender) Once(ctx context.Context) error {
	var lanes sync.WaitGroup
	err := s.look(ctx, &lanes)
	lanes.Wait()
	return err
}

// Made makes the messages of an event.
func (s *Sender) Made(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
	return s.follow(ctx, tx, r)
}

// Choose is exported for its test.
func Choose(due, busy []deliveries.Lane) []deliveries.Lane { return choose(due, busy) }
