//go:build hard

package forward_test

import (
	"math/rand/v2"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestHardKilledViews keeps views with the program itself, while events are appended and forwarded: processes that keep views and that
// forward are killed, and servers of NATS stopped, in turns. The views equal those of the log. READINESS_FORWARDED and READINESS_KILLS
// raise its numbers.
func TestHardKilledViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, "always")
	a := newSeparate(w)
	events, kills := w.number("READINESS_FORWARDED", 4_000), w.number("READINESS_KILLS", 9)
	program, target := w.program(), w.target()
	run := func(args ...string) (kill func()) {
		c := exec.CommandContext(t.Context(), program, args...)
		w.must(c.Start())
		return func() { _ = c.Process.Kill(); _ = c.Wait() }
	}
	forwards := func() func() {
		return run("forward", "--database-url", w.url, "--forward", target.URL, "--forward-system", target.System)
	}
	keeps := func() func() { return run("views", "--from", target.URL, "--views-database-url", a.url) }
	forwarder, first, second := forwards(), keeps(), keeps() // both keep the same views
	appended := make(chan struct{})
	go func() {
		defer close(appended)
		reports := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
		for i := range events / 53 {
			w.seen([]string{"contoso", "fabrikam", "contoso"}[i%3], reports[i%3], 20)
			w.add("contoso", strconv.Itoa(i%6), 10, "one of many")
			w.assessed("fabrikam", uuid.New())
		}
	}()
	choose := rand.New(rand.NewPCG(22, uint64(kills)))
	began := time.Now()
	for i := range kills {
		at := int64(events/(kills+1)*i + choose.IntN(events/(kills+1)))
		a.until(func() bool {
			p, err := a.Place(t.Context())
			w.must(err)
			return p.Position >= at
		})
		switch i % 3 {
		case 0:
			first()
			first, second = second, keeps()
		case 1:
			forwarder()
			first()
			second()
			forwarder, first, second = forwards(), keeps(), keeps()
		case 2:
			leader := w.leader()
			w.cluster.Stop(leader)
			second()
			second = keeps()
			w.cluster.Again(leader)
		}
	}
	<-appended
	a.have(1, w.end())
	t.Logf("%d events, %d kills: %s", w.end(), kills, time.Since(began).Round(time.Millisecond))
	for _, kill := range []func(){forwarder, first, second} {
		kill()
	}
	a.same("after kills")
}
