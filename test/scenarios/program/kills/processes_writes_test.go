//go:build hard

package kills_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"readiness/test/scenarios/program"
	"readiness/test/testlog"
)

// TestHardTwoProcesses sends the owner's reads to two processes at once: both see the waiting write, and one starts it.
//
// proves: 5/5 4.5/apply/6 4.5/bundle/5
func TestHardTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWriter(t, "--database-url", testlog.URL(t))
	var bases []string
	for range 2 {
		p := w.Launch()
		defer p.Kill()
		bases = append(bases, w.Base)
	}
	w.rehearse(t.Context())
	for i := range 2 * len(w.ways) { // each way is applied and reverted
		w.Base = bases[i%2]
		w.Await("what was asked for has ended", func() bool {
			if w.op == uuid.Nil {
				w.start(t.Context())
				return false
			}
			var reads sync.WaitGroup
			for i := range 10 {
				reads.Go(func() { w.glance(bases[i%2]) })
			}
			reads.Wait()
			w.Wait(t.Context(), 4*program.PollPause)
			w.follow(t.Context())
			return w.ended > i
		})
	}
	w.finishWrites()
	w.verify()
}

// glance reads the current operation at one of the processes.
func (w *writer) glance(base string) {
	r, err := http.NewRequestWithContext(w.T.Context(), http.MethodGet, base+"/v1/operations/"+w.op.String(), http.NoBody)
	if err != nil {
		w.T.Error(err)
		return
	}
	r.Header.Set("Authorization", "Bearer "+w.Token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		w.T.Error(err)
		return
	}
	defer got.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(got.Body).Decode(&body); err != nil || got.StatusCode != http.StatusOK && !program.AgainLater(got.StatusCode, body) {
		w.T.Errorf("a read was answered %d %v (%v), want 200 or 429", got.StatusCode, body, err)
	}
}
