package testworld

import (
	"testing"
	"time"
)

// patience is the longest wait for the end of all steps. It detects that a step never ends, not that it is slow.
const patience = 5 * time.Minute

// Settled waits until no step is left.
func (w *World) Settled(t testing.TB) {
	t.Helper()
	began := time.Now()
	for pause := 3 * time.Millisecond; ; pause = min(pause*3/2, 50*time.Millisecond) {
		left := w.Count(t, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		if left == 0 {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("after %s, %d steps were not done", patience, left)
		}
		<-time.After(pause)
	}
}
