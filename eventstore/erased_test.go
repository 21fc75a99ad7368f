package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/pgtest"
)

// accountErased is the event that the database wants before it deletes a key.
type accountErased struct{}

func (accountErased) EventType() string { return "account.erased" }

// erased reports whether an append was refused because its account was erased.
func erased(err error) bool {
	_, is := errors.AsType[eventstore.AccountErased](err)
	return is && domain.IsRefused(err, domain.AccountNotActive)
}

// erase appends the last event of the account acme and deletes its key.
func erase(ctx context.Context, s *eventstore.Store) error {
	past := eventstore.Tail("account-acme")
	return s.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		c.Alone()
		sql, args := s.Keys.Forget("acme")
		c.Queue(database.Statement{SQL: sql, Args: args})
		return eventstore.Decide(c, past, record{accountErased{}})
	})
}

// addFor is add for another account.
func addFor(ctx context.Context, s *eventstore.Store, account, stream string, events ...domain.Event) error {
	past := eventstore.Tail(stream)
	return s.Change(ctx, eventstore.Metadata{Account: account}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, record(events))
	})
}

// An append whose statement began before an erasure was committed, and which waits for it, is refused.
//
// proves: decisions/23/refused
func TestAppendsThatWaitedForAnErasureAreRefused(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := sealing(t, pool, 1)
	mustAdd(t, s, "note-1", worded{"1", "Quokka"})
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if err := eventstore.HoldAppends(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 3)
	go func() { ended <- add(t.Context(), s, "note-1", spent{}) }()
	go func() { ended <- add(t.Context(), s, "note-2", worded{"2", "Numbat"}) }()
	go func() { ended <- addFor(t.Context(), s, "other", "note-3", worded{"3", "Dingo"}) }()
	for n := 0; n < 3; {
		n = count(t, pool, `pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	}
	if _, err := tx.Exec(t.Context(), `INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
		VALUES (gen_random_uuid(), 'acme', 'account-acme', 1, 'account.erased', 1, '{}', '{}', now(), '')`); err != nil {
		t.Fatal(err)
	}
	sql, args := s.Keys.Forget("acme")
	if _, err = tx.Exec(t.Context(), sql, args...); err == nil {
		err = tx.Commit(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 3 {
		if err := <-ended; erased(err) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if n := count(t, pool, `events WHERE account_id = 'acme'`); refused != 2 || n != 2 {
		t.Errorf("%d appends were refused, and the account has %d events", refused, n)
	}
	if n := count(t, pool, `events WHERE account_id = 'other'`); n != 1 {
		t.Errorf("the other account has %d events", n)
	}
}

// Of appends of several processes that race with two erasures, none follows the account's last event; those of another account go through.
//
// proves: decisions/23/last
func TestNothingFollowsAnErasure(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	var appending sync.WaitGroup
	begun, stop := make(chan bool, 1000), make(chan struct{})
	for i := range 4 {
		s := sealing(t, pool, 1)
		appending.Go(func() {
			for n := 0; ; n++ {
				err := add(t.Context(), s, fmt.Sprintf("note-%d-%d", i, n%3), worded{"a", "Quokka"}, spent{})
				if erased(err) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				select {
				case begun <- true:
				default:
				}
			}
		})
		appending.Go(func() {
			for n := 0; ; n++ {
				if err := addFor(t.Context(), s, "other", fmt.Sprintf("note-of-other-%d", i), worded{"b", "Dingo"}); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range 20 {
		<-begun
	}
	var erasing sync.WaitGroup
	for range 2 {
		s := sealing(t, pool, 1)
		erasing.Go(func() {
			if err := erase(t.Context(), s); err != nil && !erased(err) {
				t.Error(err)
			}
		})
	}
	erasing.Wait()
	close(stop)
	appending.Wait()
	var last string
	err := pool.QueryRow(t.Context(), `SELECT stream FROM events WHERE account_id = 'acme' ORDER BY position DESC LIMIT 1`).Scan(&last)
	if err != nil || last != "account-acme" || count(t, pool, `events WHERE stream = 'account-acme'`) != 1 {
		t.Errorf("the last event belongs to %s, %v", last, err)
	}
	verified(t, sealing(t, pool, 1))
}
