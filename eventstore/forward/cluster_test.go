package forward_test

import (
	"testing"
	"time"

	"readiness/test/natstest"
)

// TestLeaderStops: the server that leads the stream and the forwarder are stopped while events are forwarded, several times.
func TestLeaderStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, "always")
	stop := w.running(nil)
	for i := range 3 {
		w.add("contoso", "a", 200, "before")
		w.until(func() bool { return w.messages() > uint64(400*i+50) })
		leader := w.leader()
		w.cluster.Stop(leader)
		stop()
		w.add("fabrikam", "b", 200, "while it was away")
		stop = w.running(nil)
		w.reached(w.last()) // two servers suffice
		w.cluster.Again(leader)
	}
	w.reached(w.last())
	stop()
	if n := w.consumed(); n != 1200 {
		t.Errorf("the stream has %d messages, want 1200", n)
	}
}

// TestServerComesBackUnfit: a server that restarts with another configuration is refused.
func TestServerComesBackUnfit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, "always")
	w.add("contoso", "a", 10, "x")
	stop := w.running(nil)
	w.reached(w.last())
	stop()
	w.cluster.Stop(1)
	w.cluster.Sync = "30s"
	w.cluster.Again(1)
	w.add("contoso", "a", 10, "y")
	w.until(func() bool { // until the others count it as one that keeps the stream
		s, err := w.js.Stream(t.Context(), "readiness")
		if err != nil {
			return false // no server answers while they elect a leader
		}
		for _, r := range s.CachedInfo().Cluster.Replicas {
			if r.Offline || !r.Current {
				return false
			}
		}
		return w.cluster.Leader("readiness") >= 0
	})
	w.refused(nil, "the server "+natstest.Name(1)+" confirms writes before they are on disk, and flushes them every 30s")
}

// leader returns the server that leads the stream.
func (w *world) leader() (leader int) {
	w.Helper()
	w.until(func() bool { leader = w.cluster.Leader("readiness"); return leader >= 0 })
	return leader
}

// until waits until done holds.
func (w *world) until(done func() bool) {
	w.Helper()
	for began := time.Now(); !done(); <-time.After(20 * time.Millisecond) {
		if time.Since(began) > limit || w.Failed() { // what it waits for may have failed in another goroutine
			w.Fatalf("not done after %s", time.Since(began))
		}
	}
}
