package overfabric_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// TestKilledReads kills the program while reads of definitions last longer than its steps.
func TestKilledReads(t *testing.T) {
	t.Parallel()
	killReads(t, 3, 3)
}

// TestKilledExport kills the program while a bulk export lasts, and while its answer is read.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	killReads(t, 3, 30)
}

// killReads kills the program that many times in runs over that many models, whose reads last for seconds at the platform.
// Every run ends with all models, and reads that were begun at the platform before a kill continue after it.
func killReads(t *testing.T, kills, models int) {
	t.Helper()
	c := program.WithModels(t, models, 4, "--database-url", testlog.URL(t))
	service := c.OverFabric([]string{"ada"}, func(o *emulator.Options) { o.Lasts, o.RetryAfter = 3*time.Second, time.Second })
	c.Life(func(context.Context) {})
	c.Strike(kills, 4*time.Second, func(lasts time.Duration) (inProgress bool) {
		c.Life(func(ctx context.Context) {
			first, cancel := context.WithTimeout(ctx, lasts)
			defer cancel()
			for first.Err() == nil {
				c.Accept(first)
				c.Wait(first, program.PollPause)
			}
			// On a slow machine a small part of a run is such a call, so the kill waits for one.
			for began := time.Now(); !inProgress && time.Since(began) < program.Patience; c.Wait(ctx, program.PollPause) {
				n, ok := program.Query[int](c, `SELECT (SELECT count(*) FROM pending_reads) + (SELECT count(*) FROM exports WHERE state = 'begun')`)
				if inProgress = ok && n > 0; !inProgress {
					c.Accept(ctx)
				}
			}
		})
		return inProgress
	})
	c.Finish()
	c.Verify()
	singles, exports, all := 0, 0, len(c.Runs)*models
	for _, call := range service.Calls() {
		switch {
		case call.Method == "POST" && strings.HasSuffix(call.Path, "/getDefinition"):
			singles++
		case call.Method == "POST" && strings.HasSuffix(call.Path, "/bulkExportDefinitions"):
			exports++
		}
	}
	t.Logf("seed %d: %d kills over %d runs of %d models: %d single reads, %d exports", c.Seed, kills, len(c.Runs), models, singles, exports)
	lives := len(c.Lives)
	switch { // in each life, two steps can have made a call that they have not recorded
	case models < 4 && (singles < all || singles > all+2*lives || exports > 0):
		t.Errorf("%d reads and %d exports were begun for %d models in %d lives", singles, exports, all, lives)
	case models >= 4 && (exports < len(c.Runs) || exports > len(c.Runs)+lives || singles > all/2):
		t.Errorf("%d exports and %d reads were begun for %d runs in %d lives", exports, singles, len(c.Runs), lives)
	}
	if left, ok := program.Query[int](c, `SELECT (SELECT count(*) FROM pending_reads) + (SELECT count(*) FROM exported_parts)`); !ok || left > 2*lives {
		t.Errorf("%d reads and parts are left", left)
	}
}
