package kills_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/platform/fabric/emulator"
	"readiness/test/testlog"
)

// TestKilledRemoteWrites kills the program at random instants of applies, reverts and bundles over REST, while the platform
// loses answers, fails and blocks. After each of them the files of the platform are as before or as written, to the byte,
// the record says which, and everything was counted once.
//
// proves: 4.5/apply/4 4.5/revert/1
func TestKilledRemoteWrites(t *testing.T) {
	t.Parallel()
	killRemoteWrites(t, 2)
}

func killRemoteWrites(t *testing.T, kills int) {
	t.Helper()
	w := newWriter(t, "--database-url", testlog.URL(t))
	people := []string{"ada"}
	for i := range 12 {
		people = append(people, fmt.Sprintf("p%d", i))
	}
	service := w.OverFabric(people, func(o *emulator.Options) {
		o.Layout.Exact, o.AtOnce, o.Lasts, o.RetryAfter = true, true, 200*time.Millisecond, time.Second
	})
	w.WritesToFabric()
	w.Life(w.rehearse)
	faults := []emulator.Fault{
		{Path: "updateDefinition", Lost: true}, {Path: "updateDefinition", Answer: emulator.Lost}, {Path: "getDefinition", Answer: emulator.Lost},
		{Path: "updateDefinition", Answer: emulator.Error(http.StatusServiceUnavailable, "InternalServerError", "oops")},
		{Path: "getDefinition", Answer: service.Throttled(time.Second)}, {Path: "updateDefinition", Answer: service.Throttled(time.Second)},
		{Method: http.MethodGet, Path: "operations", Lost: true}, {Method: http.MethodGet, Path: "result", Answer: emulator.Lost},
	}
	// Longer than a poll: the service gives an operation up in which it stopped too often.
	w.Strike(kills, 3*time.Second, func(lasts time.Duration) bool {
		service.Script(faults[w.Random.IntN(len(faults))])
		service.Set(func(o *emulator.Options) { o.AtOnce = w.Random.IntN(2) == 0 })
		inProgress := w.op != uuid.Nil
		w.Life(func(ctx context.Context) { w.live(ctx, lasts) })
		return inProgress || w.asked || w.op != uuid.Nil
	})
	p := w.Launch()
	defer p.Kill()
	w.finishWrites()
	t.Logf("seed %d: %d kills, %d applies and reverts of %d writes; failed: %v", w.Seed, kills, w.ended, w.writes, w.failed)
	w.verify()
}
