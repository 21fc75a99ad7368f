package rate_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/http/rate"
	"readiness/test/pgtest"
)

// A sweep skips locked rows, so it cannot deadlock with calls that count in several windows at once. The next sweep
// deletes the skipped rows.
func TestSweepSkipsLockedRows(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	for _, key := range []string{"b", "a"} {
		take(t, l, key, 1)
		age(t, url, key, rate.Window)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN; UPDATE rate_windows SET calls = 1 WHERE key = 'a'`); err != nil {
		t.Fatal(err)
	}
	if err := l.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The transaction that has locked a now locks b, as calls that are counted together do.
	if _, err := conn.Exec(t.Context(), `SELECT FROM rate_windows WHERE key = 'b' FOR UPDATE; COMMIT`); err != nil {
		t.Fatal(err)
	}
	if n := keys(t, url); n != 1 {
		t.Errorf("%d windows are left, want the locked one", n)
	}
	if err := l.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := keys(t, url); n != 0 {
		t.Errorf("%d windows are left, want none", n)
	}
}
