package eventstore_test

import (
	"fmt"
	"slices"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

// A checkpoint covers all events of the account, whether or not it starts from a stored one. It is
// stored only after many new events. Events of other accounts do not change it.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	folded := func(account string) (c eventstore.Checkpoint) {
		t.Helper()
		for r, err := range s.ReadStored(t.Context(), eventstore.Selection{Account: account}) {
			if err != nil {
				t.Fatal(err)
			}
			c = c.Next(r.Position, r.Hash)
		}
		return c
	}
	agrees := func(account string, kept int) {
		t.Helper()
		got, err := s.Checkpoint(t.Context(), account)
		if want := folded(account); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", account, got, err, want)
		}
		var n int
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM checkpoints`).Scan(&n); err != nil || n != kept {
			t.Errorf("%d checkpoints are kept, %v, want %d", n, err, kept)
		}
	}
	agrees("acme", 0)
	if c, err := s.Checkpoint(t.Context(), "acme"); err != nil || c != (eventstore.Checkpoint{}) {
		t.Errorf("of no event: got %+v, %v", c, err)
	}
	for i := range 3 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat([]domain.Event{spent{}}, 333)...)
	}
	agrees("acme", 0)
	mustAdd(t, s, "budget-9", spent{})
	agrees("acme", 1)
	agrees("acme", 1)
	mustAdd(t, s, "budget-0", spent{}, spent{})
	agrees("acme", 1)
	agrees("other", 1)
	mustAdd(t, s, "note-1", slices.Repeat([]domain.Event{noted{}}, 1000)...)
	agrees("acme", 1)

	// The stored checkpoint is only a start: the events after it decide the result.
	if _, err := pool.Exec(t.Context(), `UPDATE checkpoints SET head = sha256(head)`); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Checkpoint(t.Context(), "acme"); err != nil || got == folded("acme") {
		t.Errorf("a changed stored checkpoint gave the same result: %+v, %v", got, err)
	}
}

// An append that is still running holds the checkpoint back, or the checkpoint would never include its
// events.
func TestCheckpointStaysBelowTheWatermark(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", spent{})
	before, err := s.Checkpoint(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	held, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(t.Context()) }()
	mark, err := s.Watermark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared($1)`, eventstore.Appenders+mark); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, "budget-2", spent{})
	if c, err := s.Checkpoint(t.Context(), "acme"); err != nil || c != before {
		t.Errorf("got %+v, %v, want %+v while an append is running", c, err, before)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Checkpoint(t.Context(), "acme"); err != nil || c.Events != 2 {
		t.Errorf("got %+v, %v, want both events", c, err)
	}
}
