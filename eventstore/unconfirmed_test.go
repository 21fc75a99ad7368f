package eventstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/postgres"
	"readiness/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A change that no synchronous standby has confirmed fails, however it was appended. So does one that appends nothing, because it may
// rest on such a change.
//
// proves: decisions/9/standby
func TestUnconfirmedChange(t *testing.T) {
	t.Parallel()
	server, err := postgres.StartTemporary(t.Context(), postgres.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, server.Stop(context.Background())) })
	must(t, migrations.Up(t.Context(), server.URL()))
	pool, err := database.Open(t.Context(), server.URL(), func(c *pgxpool.Config) { c.MaxConns = 1 })
	must(t, err)
	t.Cleanup(pool.Close)
	operator, err := database.Connect(t.Context(), server.URL())
	must(t, err)
	defer operator.Close(context.WithoutCancel(t.Context()))
	s := eventstore.New(pool, codec(t), eventstore.Options{})
	mustAdd(t, s, "budget-1", spent{})
	for _, sql := range []string{`ALTER SYSTEM SET synchronous_standby_names = 'away'`, `SELECT pg_reload_conf()`} {
		_, err := operator.Exec(t.Context(), sql)
		must(t, err)
	}
	for now := ""; now != "away"; { // the connection notices it a moment later
		must(t, pool.QueryRow(t.Context(), `SELECT current_setting('synchronous_standby_names')`).Scan(&now))
	}
	change := func(decide func(*eventstore.Change, *eventstore.Stream[struct{}]) error) error {
		ended := make(chan error, 1)
		go func() {
			past := eventstore.Tail("budget-1")
			ended <- s.Change(t.Context(), meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error { return decide(c, past) })
		}()
		for {
			_, err := operator.Exec(t.Context(), `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
			must(t, err)
			select {
			case err := <-ended:
				return err
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	add := func(c *eventstore.Change, past *eventstore.Stream[struct{}]) error {
		return eventstore.Decide(c, past, record{spent{}})
	}
	for change(add) == nil { // the server waits for standbys as soon as its checkpointer has read the setting
		must(t, t.Context().Err())
	}
	for name, decide := range map[string]func(*eventstore.Change, *eventstore.Stream[struct{}]) error{
		"in one round trip": add,
		"in a transaction": func(c *eventstore.Change, past *eventstore.Stream[struct{}]) error {
			c.InTx(func(context.Context, pgx.Tx) error { return nil })
			return eventstore.Decide(c, past, record{spent{}})
		},
		"nothing": func(*eventstore.Change, *eventstore.Stream[struct{}]) error { return nil },
	} {
		if err := change(decide); !errors.Is(err, database.ErrUnconfirmed) {
			t.Errorf("%s: got %v, want that it is unconfirmed", name, err)
		}
	}
	refusal := errors.New("no")
	if err := change(func(*eventstore.Change, *eventstore.Stream[struct{}]) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("a refusal, which acknowledges nothing: got %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
