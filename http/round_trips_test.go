package http_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/test/bench"

	"github.com/google/uuid"
)

// completeOperation completes an operation, as the worker does.
func (w *world) completeOperation(id uuid.UUID) {
	w.t.Helper()
	record(w, "acme", operation.Stream(id), operation.Evolve, domain.Command[operation.Operation](operation.Begin{}), operation.Complete{})
}

// counting serves a world at another address and counts the database round trips of each call.
func (w *world) counting(trips *atomic.Pointer[bench.RoundTrips]) {
	w.t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	handler := w.server(base, w.limiter(w.url)).Handler()
	server.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		t := &bench.RoundTrips{}
		trips.Store(t)
		handler.ServeHTTP(out, r.WithContext(t.Count(r.Context())))
	})
	server.Start()
	w.t.Cleanup(server.Close)
	w.base = base
}

// No route makes more database round trips than before, so a loop of queries is noticed.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	c := newCalling(t)
	var trips atomic.Pointer[bench.RoundTrips]
	c.memory.counting(&trips)
	c.disk.world.counting(&trips)
	routes, calls := c.callsOfRoutes(t)
	for n, route := range routes {
		call := calls[n](n)
		call.of.uncounted()
		answer, err := http.DefaultClient.Do(call.request(t, route.Method, call.of.as("ada")))
		check(t, err)
		text, err := io.ReadAll(answer.Body)
		check(t, err)
		check(t, answer.Body.Close())
		name := route.Method + " " + route.Path
		if answer.StatusCode != call.status {
			t.Errorf("%s: got %d %s, want %d", name, answer.StatusCode, text, call.status)
			continue
		}
		if got := trips.Load().N(); got > route.RoundTrips {
			t.Errorf("%s: %d round trips, want at most %d", name, got, route.RoundTrips)
		}
		// Background work could interfere with the next call and cause another round trip.
		if id, err := uuid.Parse(answer.Header.Get("X-Ms-Operation-Id")); err == nil && call.of == c.disk.world {
			c.disk.resting(id)
		}
	}
}
