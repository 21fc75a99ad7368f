package projections_test

import (
	"slices"
	"testing"

	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/testlog"
)

// The last event of an account deletes its rows of every view, inline ones by Purge, and a rebuild makes the same rows. Those of another
// account stay.
//
// proves: decisions/23/deleted
func TestPurge(t *testing.T) {
	t.Parallel()
	pool := testlog.Pool(t)
	codec, err := eventstore.NewCodec(eventstore.Events(account.Opened{}, account.StatusChanged{}, account.PersonSaved{}, account.Erased{})...)
	if err != nil {
		t.Fatal(err)
	}
	p := program{pool: pool, engine: projections.NewEngine(pool, projections.All()...)}
	p.log = eventstore.New(pool, codec, eventstore.Options{Inline: p.engine.Inline})
	p.follow(t)
	add := func(of string, events ...command) {
		t.Helper()
		past := eventstore.Tail(account.Stream(of))
		for _, c := range events {
			if err := p.log.Change(t.Context(), eventstore.Metadata{Account: of}, []eventstore.Loadable{past}, func(change *eventstore.Change) error {
				return eventstore.Decide(change, past, c)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, of := range []string{"acme", "other"} {
		add(of, command{account.Opened{AccountID: of, Plan: account.Team, Status: account.Closed}},
			command{account.PersonSaved{Person: account.SavedPerson{Person: "7f", Role: account.Admin}}})
	}
	following := len(slices.DeleteFunc(projections.All(), func(v *projections.View) bool { return v.Inline }))
	caughtUp := func() {
		t.Helper()
		for caught := false; !caught; {
			if err := pool.QueryRow(t.Context(), `SELECT count(*) = $1 FROM followers, pg_sleep(0.005) WHERE position >= (SELECT max(position) FROM events)`, following).Scan(&caught); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func(of string) (n int) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM accounts_v2 WHERE account_id = $1) + (SELECT count(*) FROM members_v2 WHERE account_id = $1)
			+ (SELECT count(*) FROM activity_v1 WHERE account_id = $1) + (SELECT count(*) FROM audit_blocks_v1 WHERE account_id = $1)
			+ (SELECT count(*) FROM audit_hours_v1 WHERE account_id = $1)`, of).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	caughtUp()
	was := left("other")
	if was != left("acme") || was == 0 {
		t.Fatalf("%d and %d rows", was, left("acme"))
	}
	add("acme", command{account.Erased{}})
	caughtUp()
	if n := left("acme"); n != 1 {
		t.Errorf("%d rows are left, want that of the member", n)
	}
	for _, want := range []int64{1, 0} {
		if n, err := p.engine.Purge(t.Context(), "acme"); n != want || err != nil {
			t.Errorf("purged %d rows, %v, want %d", n, err, want)
		}
	}
	for _, v := range projections.All() {
		r, err := p.engine.Rebuild(t.Context(), p.log, v.Name, projections.RebuildOptions{Diff: true})
		if err != nil || !r.Diff.None() {
			t.Errorf("a rebuild of %s differs: %+v, %v", v.Name, r.Diff, err)
		}
	}
	if left("acme") != 0 || left("other") != was {
		t.Errorf("%d rows of acme, and %d of the other, want none and %d", left("acme"), left("other"), was)
	}
}
