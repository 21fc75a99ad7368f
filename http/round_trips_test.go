package http_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/domain/operation"
	"readiness/internal/bench"

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

// roundTrips is the maximum number of database round trips of a call, by route. Every call makes one before its
// handler runs, for the caller's account, the rate and an operation that the call reads; calls that change Pixies
// make two.
var roundTrips = map[string]int{
	"GET /v1/operations":                                   2,
	"GET /v1/operations/{operationId}":                     1,
	"GET /v1/operations/{operationId}/result":              3,
	"GET /v1/account":                                      4,
	"GET /v1/account/permissions":                          1,
	"GET /v1/licenses":                                     3,
	"GET /v1/trackedItems":                                 2,
	"GET /v1/workspaces":                                   1,
	"GET /v1/workspaces/{workspaceId}/semanticModels":      2,
	"GET /v1/workspaces/{workspaceId}/dataAgents":          2,
	"POST /v1/workspaces/{workspaceId}/aiReadiness/assess": 7,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assess":                    6,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments":                2,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments/{assessmentId}": 3,
	"DELETE /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments":             3,
	"POST /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assess":                            6,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assessments":                        2,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assessments/{assessmentId}":         3,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/{kind}/preview":            6,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/{kind}/apply":              6,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/revert":                    9,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize":                  10, // when the queue notifies the workers twice
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize/apply":            10,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize/revert":           9,
	"GET /v1/aiReadiness/abTests":                                                                                 2,
	"POST /v1/aiReadiness/abTests":                                                                                7,
	"GET /v1/aiReadiness/abTests/{abTestId}":                                                                      3,
	"PATCH /v1/aiReadiness/abTests/{abTestId}":                                                                    7,
	"DELETE /v1/aiReadiness/abTests/{abTestId}":                                                                   4,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs":                                                                 3,
	"POST /v1/aiReadiness/abTests/{abTestId}/runs":                                                                7,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}":                                                         3,
	"DELETE /v1/aiReadiness/abTests/{abTestId}/runs/{runId}":                                                      7,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}/result":                                                  4,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/abTests":                                   2,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/abTests":                                           2,
	"POST /v1/workspaces/{workspaceId}/reports/{reportId}/addPixies":                                              7,
	"POST /v1/workspaces/{workspaceId}/reports/{reportId}/removePixies":                                           7,
	"POST /v1/workspaces/{workspaceId}/reports/addPixies":                                                         8,
	"POST /v1/workspaces/{workspaceId}/reports/removePixies":                                                      8,
	"GET /v1/workspaces/{workspaceId}/reports":                                                                    4,
	"GET /v1/workspaces/{workspaceId}/reports/{reportId}/pixies":                                                  3,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions":           3,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions/generate": 6,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions/save":     6,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs":               8,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs":                2,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}":        2,
	"DELETE /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}":     6,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}/result": 3,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/schedules":                     2,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/schedules":                    3,
	"GET /v1/aiReadiness/schedules":                                                                               2,
	"GET /v1/aiReadiness/schedules/{scheduleId}":                                                                  3,
	"PATCH /v1/aiReadiness/schedules/{scheduleId}":                                                                5,
	"DELETE /v1/aiReadiness/schedules/{scheduleId}":                                                               4,
	"GET /v1/aiProviders":                      2,
	"POST /v1/aiProviders":                     4,
	"GET /v1/aiProviders/{providerId}":         2,
	"PATCH /v1/aiProviders/{providerId}":       4,
	"DELETE /v1/aiProviders/{providerId}":      3,
	"POST /v1/aiProviders/{providerId}/test":   4,
	"GET /v1/audit/events":                     3,
	"GET /v1/audit/checkpoint":                 4,
	"POST /v1/operations/{operationId}/cancel": 6,
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
		if got := trips.Load().N(); got > roundTrips[name] {
			t.Errorf("%s: %d round trips, want at most %d", name, got, roundTrips[name])
		}
		// Background work could interfere with the next call and cause another round trip.
		if id, err := uuid.Parse(answer.Header.Get("X-Ms-Operation-Id")); err == nil && call.of == c.disk.world {
			c.disk.resting(id)
		}
	}
}
