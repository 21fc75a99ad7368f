//go:build hard

package kills_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
)

// The number of models and their size: enough that a run takes many lives of the process.
const (
	hardModels = 80
	hardTables = 60
)

func TestHardKilledProcess(t *testing.T) {
	t.Parallel()
	killProcess(t, program.Times(t, 20), hardModels, hardTables)
}

func TestHardKilledWrites(t *testing.T) {
	t.Parallel()
	killWrites(t, program.Times(t, 20))
}

func TestHardKilledRemoteWrites(t *testing.T) {
	t.Parallel()
	killRemoteWrites(t, program.Times(t, 40)) // READINESS_KILLS=200 takes eight minutes
}

func TestHardKilledPixies(t *testing.T) {
	t.Parallel()
	killPixies(t, program.Times(t, 20))
}

func TestHardKilledAbRuns(t *testing.T) {
	t.Parallel()
	killAbRuns(t, program.Times(t, 20))
}

// TestHardKilledPostgreSQL kills the service's own PostgreSQL, its postmaster or one of its backends, during runs.
func TestHardKilledPostgreSQL(t *testing.T) {
	t.Parallel()
	kills := program.Times(t, 5)
	c := program.WithModels(t, hardModels, hardTables)
	p := c.Launch()
	defer p.Kill()
	c.Strike(kills, 300*time.Millisecond, func(lasts time.Duration) bool {
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		for ctx.Err() == nil {
			c.Accept(ctx)
			c.Wait(ctx, program.PollPause)
		}
		if !c.Unfinished() {
			return false
		}
		c.KillPostgreSQL()
		return true
	})
	t.Logf("seed %d: %d kills over %d runs of %d models", c.Seed, kills, len(c.Runs), hardModels)
	c.Settle()
	if p.Over() {
		t.Fatalf("the service did not outlive its PostgreSQL:\n%s", p.Stderr)
	}
	c.Verify()
}

// TestHardKilledPostgreSQLOfWrites kills the service's own PostgreSQL, or one of its backends, during applies and
// reverts.
func TestHardKilledPostgreSQLOfWrites(t *testing.T) {
	t.Parallel()
	kills := program.Times(t, 5)
	w := newWriter(t)
	p := w.Launch()
	defer p.Kill()
	w.rehearse(t.Context())
	w.Strike(kills, time.Second, func(lasts time.Duration) bool {
		w.live(t.Context(), lasts)
		if w.op == uuid.Nil {
			return false
		}
		w.KillPostgreSQL()
		return true
	})
	w.finishWrites()
	t.Logf("seed %d: %d kills, %d applies and reverts of %d writes; failed: %v", w.Seed, kills, w.ended, w.writes, w.failed)
	if p.Over() {
		t.Fatalf("the service did not outlive its PostgreSQL:\n%s", p.Stderr)
	}
	w.verify()
}
