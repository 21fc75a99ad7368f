//go:build hard

package forward_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// number returns the number in an environment variable, or n without it.
func (w *world) number(env string, n int) int {
	w.Helper()
	if set := os.Getenv(env); set != "" {
		var err error
		n, err = strconv.Atoi(set)
		w.must(err)
	}
	return n
}

// program builds the program.
func (w *world) program() (path string) {
	w.Helper()
	path = filepath.Join(w.TempDir(), "readiness")
	if out, err := exec.CommandContext(w.Context(), "go", "run", "-exec", "cp", "readiness/cmd/readinessd", path).CombinedOutput(); err != nil {
		w.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestHardKilledForwarders forwards a log with the program itself, while events are appended. It kills the process that forwards and
// stops the server that leads the stream, alternately, and starts them again: every event is in the stream once, and in order.
// READINESS_FORWARDED and READINESS_KILLS raise its numbers.
func TestHardKilledForwarders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, "always")
	events, kills := w.number("READINESS_FORWARDED", 5_000), w.number("READINESS_KILLS", 10)
	program, target := w.program(), w.target()
	run := func() (kill func()) {
		c := exec.CommandContext(t.Context(), program, "forward", "--database-url", w.url, "--forward", target.URL, "--forward-system", target.System)
		w.must(c.Start())
		return func() { _ = c.Process.Kill(); _ = c.Wait() }
	}
	first, second := run(), run() // the second waits for its turn
	appended := make(chan struct{})
	go func() {
		defer close(appended)
		for i := range events / 50 {
			w.add([]string{"contoso", "fabrikam"}[i%2], strconv.Itoa(i%6), 50, "one of many")
		}
	}()
	choose := rand.New(rand.NewPCG(22, uint64(kills)))
	began := time.Now()
	for i := range kills {
		w.until(func() bool { return w.messages() >= uint64(events/(kills+1)*i+choose.IntN(events/(kills+1))) })
		if i%2 == 0 {
			first()
			first, second = second, run()
			continue
		}
		leader := w.leader()
		w.cluster.Stop(leader)
		if choose.IntN(2) == 0 { // both at once
			first()
			first, second = second, run()
		}
		w.cluster.Again(leader)
	}
	<-appended
	w.reached(w.last())
	first()
	second()
	t.Logf("%d events, %d kills: %s", events, kills, time.Since(began).Round(time.Second))
	if n := w.consumed(); n != uint64(events/50*50) {
		t.Errorf("the stream has %d messages, want %d", n, events)
	}
}
