package database_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/internal/database"
	"readiness/test/pgtest"
)

// A life is visible from Take until End or the end of its session, and takes its
// lock again after a lost session. An idle session ends.
//
// proves: decisions/9/3 decisions/9/5
func TestLife(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := open(t, url, 4)
	life, other := database.NewLife(pool, uuid.New()), database.NewLife(pool, uuid.New())
	alive := func(l *database.Life) bool { return one[bool](t, pool, `SELECT `+database.Alive("$1::int"), l.Key()) }
	if alive(life) {
		t.Error("it is alive before Take")
	}
	for range 2 { // the second call finds it held
		check(t, life.Take(t.Context()))
	}
	if !alive(life) || alive(other) {
		t.Errorf("it is alive: %t; another: %t", alive(life), alive(other))
	}
	const session = `FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.objid::bigint = $1::bigint & 4294967295`
	if got := one[int](t, pool, `SELECT count(*)::int `+session, life.Key()); got != 1 {
		t.Fatalf("%d sessions hold the lock", got)
	}
	if !one[bool](t, pool, `SELECT pg_terminate_backend(a.pid, 60000) `+session, life.Key()) || alive(life) {
		t.Fatal("its session has not ended")
	}
	check(t, life.Beat(t.Context()))
	if !alive(life) {
		t.Error("the lock is not taken again")
	}
	// A beat keeps a working session.
	before := one[int](t, pool, `SELECT a.pid `+session, life.Key())
	check(t, life.Beat(t.Context()))
	if got := one[int](t, pool, `SELECT a.pid `+session, life.Key()); got != before {
		t.Error("a beat cost the session")
	}
	// The server ends an idle session.
	if got := life.Setting(t.Context(), "idle_session_timeout"); got != "15s" {
		t.Errorf("idle_session_timeout is %q, want 15s", got)
	}
	life.End()
	for deadline := time.Now().Add(time.Minute); alive(life); {
		if time.Now().After(deadline) {
			t.Fatal("it is alive after End")
		}
	}
	life.End() // does nothing
}
