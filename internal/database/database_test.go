package database_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/test/pgtest"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, url string, connections int32) *pgxpool.Pool {
	t.Helper()
	pool, err := database.Open(t.Context(), url, func(c *pgxpool.Config) { c.MaxConns = connections })
	check(t, err)
	t.Cleanup(pool.Close)
	return pool
}

type asks interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func one[T any](t testing.TB, q asks, sql string, args ...any) (v T) {
	t.Helper()
	check(t, q.QueryRow(t.Context(), sql, args...).Scan(&v))
	return v
}

// Every connection has the timeouts, however it is made, and those in the address
// override them.
//
// proves: decisions/9/5
func TestEveryConnectionIsBounded(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := open(t, url, 2)
	single, err := database.Connect(t.Context(), url)
	check(t, err)
	defer single.Close(context.Background())
	outside, err := database.OutsidePool(t.Context(), pool)
	check(t, err)
	defer outside.Close(context.Background())
	for name, q := range map[string]asks{"of the pool": pool, "single": single, "outside the pool": outside} {
		for setting, want := range map[string]string{
			"lock_timeout": "10s", "idle_in_transaction_session_timeout": "10s", "application_name": "readiness",
			"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3", "tcp_user_timeout": "15000",
		} {
			got := one[string](t, q, `SELECT current_setting($1)`, setting)
			if tcp := one[bool](t, q, `SELECT inet_client_addr() IS NOT NULL`); setting[:3] == "tcp" && !tcp {
				continue // a local socket has no TCP settings
			}
			if got != want {
				t.Errorf("%s: %s is %q, want %q", name, setting, got, want)
			}
		}
	}
	if got := one[string](t, open(t, url+"&lock_timeout=3000", 1), `SHOW lock_timeout`); got != "3s" {
		t.Errorf("with lock_timeout in the address got %q, want 3s", got)
	}
}

// A statement that times out is cancelled and its connection kept. A statement
// whose caller is gone closes its connection.
func TestATimeOutKeepsTheConnection(t *testing.T) {
	t.Parallel()
	pool := open(t, pgtest.URL(t), 1)
	pid := func() int { return one[int](t, pool, `SELECT pg_backend_pid()`) }
	before := pid()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := pool.Exec(ctx, `SELECT pg_sleep(60)`)
	if said, ok := errors.AsType[*pgconn.PgError](err); !ok || said.Code != "57014" || !database.Unavailable(t.Context(), err) {
		t.Errorf("got %v, want it cancelled", err)
	}
	if got := pid(); got != before {
		t.Error("the time-out cost the connection")
	}
	gone, leave := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, leave)
	if _, err = pool.Exec(gone, `SELECT pg_sleep(60)`); !errors.Is(err, context.Canceled) || database.Unavailable(t.Context(), err) {
		t.Errorf("got %v, want the caller gone", err)
	}
}

// Connections, locks and replies share one time limit, however many waits there
// are; time spent elsewhere does not count.
//
// proves: decisions/9/1-limits
func TestPatience(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := open(t, url, 1)
	holder, err := database.Connect(t.Context(), url)
	check(t, err)
	defer holder.Close(context.Background())
	_, err = holder.Exec(t.Context(), `BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE`)
	check(t, err)
	const limit = 600 * time.Millisecond
	for name, wait := range map[string]func(context.Context) error{
		"a lock": func(ctx context.Context) error {
			_, err := pool.Exec(ctx, `SELECT count(*) FROM events`)
			return err
		},
		"a reply": func(ctx context.Context) error {
			_, err := pool.Exec(ctx, `SELECT pg_sleep(3600)`)
			return err
		},
		"a reply to a batch": func(ctx context.Context) error {
			b := &pgx.Batch{}
			b.Queue(`SELECT 1`)
			b.Queue(`SELECT pg_sleep(3600)`)
			return pool.SendBatch(ctx, b).Close()
		},
		"several replies": func(ctx context.Context) (err error) {
			for range 1000 {
				if _, err = pool.Exec(ctx, `SELECT pg_sleep(0.05)`); err != nil {
					return err
				}
			}
			return nil
		},
		"a connection": func(ctx context.Context) error {
			conn, err := pool.Acquire(t.Context())
			check(t, err)
			defer conn.Release()
			_, err = pool.Exec(ctx, `SELECT 1`)
			return err
		},
	} {
		began := time.Now()
		ctx := database.Within(t.Context(), limit)
		err := wait(ctx)
		if !database.Unavailable(ctx, err) {
			t.Errorf("%s: got %v, want an error because the database is unavailable", name, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: the wait took %v", name, took)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: the call's own context ended: %v", name, ctx.Err())
		}
		// Work that must be done anyway still can be.
		must, cancel := database.Beyond(ctx, time.Minute)
		if _, err := pool.Exec(must, `SELECT 1`); err != nil {
			t.Errorf("%s: with Beyond got %v", name, err)
		}
		cancel()
	}
}

// Only time spent in waits counts; simultaneous waits count once.
func TestWhatPatienceIsSpentOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := database.Within(t.Context(), 10*time.Second) // half a second is reserved for ending
		left := func() time.Duration {
			waiting, waited := database.Waiting(ctx)
			defer waited()
			until, ok := waiting.Deadline()
			if !ok {
				t.Fatal("a wait has no end")
			}
			return time.Until(until)
		}
		pass := func(d time.Duration) { <-time.After(d) } // takes no real time in the bubble
		pass(time.Hour)
		if got := left(); got != 9500*time.Millisecond {
			t.Errorf("after an hour without waiting %v are left", got)
		}
		_, first := database.Waiting(ctx)
		pass(time.Second)
		_, second := database.Waiting(ctx)
		pass(time.Second)
		first()
		pass(time.Second)
		second()
		pass(time.Hour)
		if got := left(); got != 6500*time.Millisecond {
			t.Errorf("after three seconds of waiting %v are left, want 6.5s", got)
		}
		waiting, waited := database.Waiting(ctx)
		defer waited()
		pass(time.Minute)
		if waiting.Err() == nil || ctx.Err() != nil {
			t.Errorf("after a minute of waiting: %v, of the call %v", waiting.Err(), ctx.Err())
		}
	})
}

// An address for reads names one server, with TLS or without.
func TestCheckOne(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://readiness@one/readiness":                            "",
		"postgres://readiness@one/readiness?sslmode=prefer":             "",
		"host=/var/run/postgresql dbname=readiness":                     "",
		"postgres://readiness@one:5432,one:5432/readiness":              "",
		"postgres://readiness@one,two/readiness":                        "not both one:5432 and two:5432",
		"postgres://readiness@one:5432,one:5433/readiness":              "not both one:5432 and one:5433",
		"host=::1,::2 dbname=readiness sslmode=disable":                 "not both [::1]:5432 and [::2]:5432",
		"postgres://readiness@one,two/readiness?target_session_attrs=x": "target_session_attrs",
	} {
		err := database.CheckOne(address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", address, err, want)
		}
	}
}
