package testworld

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/account"
	"readiness/eventstore"
)

// Left counts what calls left in the database: rows by kind. Jobs are the steps of
// operations.
type Left struct{ Events, Streams, Tokens, Keys, Jobs, Operations, Documents int }

// Left counts the rows of the world's database.
func (w *World) Left(t testing.TB) (l Left) {
	t.Helper()
	Check(t, w.Pool.QueryRow(context.Background(), `SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM streams),
		(SELECT count(*) FROM step_tokens), (SELECT count(*) FROM idempotency_keys),
		(SELECT count(*) FROM river_job WHERE args->>'operationId' IS NOT NULL),
		(SELECT count(*) FROM operations_v6), (SELECT count(*) FROM documents)`).
		Scan(&l.Events, &l.Streams, &l.Tokens, &l.Keys, &l.Jobs, &l.Operations, &l.Documents))
	return l
}

// Unchanged fails the test unless the world holds what it held before.
func (w *World) Unchanged(t testing.TB, before Left) {
	t.Helper()
	if d := cmp.Diff(before, w.Left(t)); d != "" {
		t.Errorf("the call left a trace (-before +after):\n%s", d)
	}
}

// Count returns the count that a query selects.
func (w *World) Count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	Check(t, w.Pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

// Used returns how much of an allowance an account has used in the period of the
// clock's time.
func (w *World) Used(t testing.TB, accountID string, kind account.Kind, period account.Period) int {
	t.Helper()
	return w.UsedAt(t, accountID, kind, period, w.Clock.Now())
}

// UsedAt is Used for the period of another time.
func (w *World) UsedAt(t testing.TB, accountID string, kind account.Kind, period account.Period, at time.Time) int {
	t.Helper()
	u := eventstore.FoldLast[account.Usage](account.AllowanceStream(accountID, kind, period, at))
	Check(t, w.Store.Load(context.Background(), u))
	return u.State.Used
}
