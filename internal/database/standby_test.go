package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/database"
	"readiness/internal/postgres"
)

// A commit that a synchronous standby has not confirmed is visible to others, and PostgreSQL reports it as done when the wait is
// cancelled. It is an error here, as is an answer that rests on it, until the standby has it or is given up.
//
// proves: decisions/9/standby
func TestUnconfirmedCommit(t *testing.T) {
	t.Parallel()
	server, err := postgres.StartTemporary(t.Context(), postgres.Options{})
	check(t, err)
	t.Cleanup(func() { check(t, server.Stop(context.Background())) })
	pool, operator := open(t, server.URL(), 1), open(t, server.URL(), 1)
	standby := func(names string) {
		t.Helper()
		for _, sql := range []string{`ALTER SYSTEM SET synchronous_standby_names = '` + names + `'`, `SELECT pg_reload_conf()`} {
			_, err := operator.Exec(t.Context(), sql)
			check(t, err)
		}
		for one[string](t, pool, `SELECT current_setting('synchronous_standby_names')`) != names { // the connection notices it a moment later
			check(t, t.Context().Err())
		}
	}
	// cut does something and cancels its wait for the standby.
	cut := func(do func() error) error {
		t.Helper()
		ended := make(chan error, 1)
		go func() { ended <- do() }()
		for {
			_, err := operator.Exec(t.Context(), `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
			check(t, err)
			select {
			case err := <-ended:
				return err
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	write := func() error {
		return database.Transaction(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO written DEFAULT VALUES`)
			return err
		})
	}
	confirm := func() error { return database.Confirm(t.Context(), pool) }
	_, err = pool.Exec(t.Context(), `CREATE TABLE written (at timestamptz DEFAULT now())`)
	check(t, err)
	check(t, write())
	check(t, confirm())

	standby("away")
	rows := 2
	err = cut(write)
	for ; err == nil; rows++ { // the server waits for standbys as soon as its checkpointer has read the setting
		err = cut(write)
	}
	if !errors.Is(err, database.ErrUnconfirmed) || !database.Unavailable(t.Context(), err) {
		t.Errorf("got %v, want that it is unconfirmed, which counts as unavailable", err)
	}
	if n := one[int](t, pool, `SELECT count(*) FROM written`); n != rows {
		t.Errorf("%d rows are visible, want %d: this is why they must not be acknowledged", n, rows)
	}
	if err := cut(confirm); !errors.Is(err, database.ErrUnconfirmed) {
		t.Errorf("an answer that rests on it: got %v", err)
	}

	standby("")
	check(t, confirm()) // the mark does not outlive the use of its connection
	check(t, write())
}
