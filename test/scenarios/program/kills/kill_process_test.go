package kills_test

import (
	"context"
	"testing"
	"time"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// TestKilledProcess kills the program at random instants of runs over many models.
//
// proves: 4.4/bulk/4 decisions/5/spent-when-accepted 8/allowance-assessments
func TestKilledProcess(t *testing.T) {
	t.Parallel()
	killProcess(t, 3, 40, 20)
}

// killProcess kills the program that many times in runs over that many models of that many tables.
func killProcess(t *testing.T, kills, models, tables int) {
	t.Helper()
	c := program.WithModels(t, models, tables, "--database-url", testlog.URL(t))
	c.Life(func(context.Context) {})
	c.Strike(kills, 120*time.Millisecond, func(lasts time.Duration) bool {
		before := c.Unfinished()
		c.Life(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, lasts)
			defer cancel()
			for ctx.Err() == nil {
				c.Accept(ctx) // killed while it is being accepted, too
				c.Wait(ctx, program.PollPause)
			}
		})
		return before || c.Unfinished() // a kill before or after the run does not count
	})
	t.Logf("seed %d: %d kills over %d runs of %d models", c.Seed, kills, len(c.Runs), models)
	c.Finish()
	c.Verify()
}
