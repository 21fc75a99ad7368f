package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit"
)

// The head of an account's tree is due once a day, not on the day of its first event, and not if no other event was recorded since.
func TestDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	due := func(want ...string) []audit.Head {
		t.Helper()
		w.seal()
		found, err := w.log.Due(t.Context())
		w.must(err)
		var got []string
		for _, h := range found {
			got = append(got, h.Tree)
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Fatalf("due are %v, want %v", got, want)
		}
		return found
	}
	record := func(h audit.Head) error {
		return pgx.BeginFunc(context.Background(), w.pool, func(tx pgx.Tx) error { return w.log.Record(t.Context(), tx, h) })
	}
	w.add("acme", "1", "a")
	w.add("other", "2", "b")
	due()
	w.now = w.now.Add(24 * time.Hour)
	heads := due("acme", "other")
	w.must(record(heads[0]))
	if err := record(heads[0]); err != audit.ErrRecorded {
		t.Errorf("recorded again: %v", err)
	}
	w.add("acme", "1", "what was recorded")
	due("other")
	w.must(record(heads[1]))
	w.now = w.now.Add(24 * time.Hour)
	w.add("other", "2", "what was recorded")
	due()
	w.add("acme", "1", "more")
	due("acme")
}
