//go:build hard

package program_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// The number of models and their size: enough that a run takes many lives of the process.
const (
	hardModels = 80
	hardTables = 60
)

// times returns how many times a test kills: n, or READINESS_KILLS if set.
func times(t *testing.T, n int) int {
	t.Helper()
	if set := os.Getenv("READINESS_KILLS"); set != "" {
		n, err := strconv.Atoi(set)
		check(t, err)
		return n
	}
	return n
}

func TestHardKilledProcess(t *testing.T) {
	t.Parallel()
	killProcess(t, times(t, 20), hardModels, hardTables)
}

func TestHardKilledWrites(t *testing.T) {
	t.Parallel()
	killWrites(t, times(t, 20))
}

func TestHardKilledRemoteWrites(t *testing.T) {
	t.Parallel()
	killRemoteWrites(t, times(t, 40)) // READINESS_KILLS=200 takes eight minutes
}

func TestHardKilledPixies(t *testing.T) {
	t.Parallel()
	killPixies(t, times(t, 20))
}

func TestHardKilledAbRuns(t *testing.T) {
	t.Parallel()
	killAbRuns(t, times(t, 20))
}

func TestHardKilledReads(t *testing.T) {
	t.Parallel()
	killReads(t, times(t, 20), 3)
}

func TestHardKilledExport(t *testing.T) {
	t.Parallel()
	killReads(t, times(t, 20), 30)
}

// TestHardKilledPostgreSQL kills the service's own PostgreSQL, its postmaster or one of its backends, during runs.
func TestHardKilledPostgreSQL(t *testing.T) {
	t.Parallel()
	kills := times(t, 5)
	c := newCrash(t, hardModels, hardTables)
	p := c.launch()
	defer p.kill()
	c.strike(kills, 300*time.Millisecond, func(lasts time.Duration) bool {
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		for ctx.Err() == nil {
			c.accept(ctx)
			c.wait(ctx, pollPause)
		}
		if !c.unfinished() {
			return false
		}
		c.killPostgreSQL()
		return true
	})
	t.Logf("seed %d: %d kills over %d runs of %d models", c.seed, kills, len(c.runs), hardModels)
	c.settle()
	if p.over() {
		t.Fatalf("the service did not outlive its PostgreSQL:\n%s", p.stderr)
	}
	c.verify()
}

// TestHardKilledPostgreSQLOfWrites kills the service's own PostgreSQL, or one of its backends, during applies and
// reverts.
func TestHardKilledPostgreSQLOfWrites(t *testing.T) {
	t.Parallel()
	kills := times(t, 5)
	w := newWriter(t)
	p := w.launch()
	defer p.kill()
	w.rehearse(t.Context())
	w.strike(kills, time.Second, func(lasts time.Duration) bool {
		w.live(t.Context(), lasts)
		if w.op == uuid.Nil {
			return false
		}
		w.killPostgreSQL()
		return true
	})
	w.finishWrites()
	t.Logf("seed %d: %d kills, %d applies and reverts of %d writes; failed: %v", w.seed, kills, w.ended, w.writes, w.failed)
	if p.over() {
		t.Fatalf("the service did not outlive its PostgreSQL:\n%s", p.stderr)
	}
	w.verify()
}

// killPostgreSQL kills the postmaster, or one of its processes, which makes the postmaster restart all of them.
func (c *crash) killPostgreSQL() {
	c.t.Helper()
	c.await("PostgreSQL is killed", func() bool {
		// A server that answers is the one listed here, so no other process has these ids.
		pid, ok := query[int](c, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`)
		if ok && c.random.IntN(2) == 0 {
			file, err := os.ReadFile(filepath.Join(c.cluster, "postmaster.pid"))
			check(c.t, err)
			_, err = fmt.Sscan(string(file), &pid)
			check(c.t, err)
		}
		return ok && syscall.Kill(pid, syscall.SIGKILL) == nil
	})
}
