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

// completeOperation ends an operation well, as the worker does.
func (w *world) completeOperation(id uuid.UUID) {
	w.t.Helper()
	record(w, "acme", operation.Stream(id), operation.Evolve, domain.Command[operation.Operation](operation.Begin{}), operation.Complete{})
}

// counting serves a world once more, at another address, and counts the round trips to the database of each call.
func (w *world) counting(trips *atomic.Pointer[bench.Trips]) {
	w.t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	handler := w.server(base, w.limiter(w.url)).Handler()
	server.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		t := &bench.Trips{}
		trips.Store(t)
		handler.ServeHTTP(out, r.WithContext(t.Count(r.Context())))
	})
	server.Start()
	w.t.Cleanup(server.Close)
	w.base = base
}

// roundTrips are how often a call of a route asks the database at most. Every call asks twice before its handler does: who it is
// that calls, and how often they did.
var roundTrips = map[string]int{
	"GET /v1/operations":                                   3,
	"GET /v1/operations/{operationId}":                     3,
	"GET /v1/operations/{operationId}/result":              5,
	"GET /v1/account":                                      5,
	"GET /v1/account/permissions":                          2,
	"GET /v1/licenses":                                     4,
	"GET /v1/trackedItems":                                 3,
	"GET /v1/workspaces":                                   2,
	"GET /v1/workspaces/{workspaceId}/semanticModels":      3,
	"GET /v1/workspaces/{workspaceId}/dataAgents":          3,
	"POST /v1/workspaces/{workspaceId}/aiReadiness/assess": 8,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assess":                    7,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments":                3,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments/{assessmentId}": 4,
	"DELETE /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/assessments":             4,
	"POST /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assess":                            7,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assessments":                        3,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/aiReadiness/assessments/{assessmentId}":         4,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/{kind}/preview":            7,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/{kind}/apply":              7,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/revert":                    10,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize":                  10,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize/apply":            11,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/optimize/revert":           10,
	"GET /v1/aiReadiness/abTests":                                                                                 3,
	"POST /v1/aiReadiness/abTests":                                                                                8,
	"GET /v1/aiReadiness/abTests/{abTestId}":                                                                      4,
	"PATCH /v1/aiReadiness/abTests/{abTestId}":                                                                    8,
	"DELETE /v1/aiReadiness/abTests/{abTestId}":                                                                   5,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs":                                                                 4,
	"POST /v1/aiReadiness/abTests/{abTestId}/runs":                                                                8,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}":                                                         4,
	"DELETE /v1/aiReadiness/abTests/{abTestId}/runs/{runId}":                                                      8,
	"GET /v1/aiReadiness/abTests/{abTestId}/runs/{runId}/result":                                                  5,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/abTests":                                   3,
	"GET /v1/workspaces/{workspaceId}/dataAgents/{dataAgentId}/abTests":                                           3,
	"POST /v1/workspaces/{workspaceId}/reports/{reportId}/addPixies":                                              7,
	"POST /v1/workspaces/{workspaceId}/reports/{reportId}/removePixies":                                           7,
	"POST /v1/workspaces/{workspaceId}/reports/addPixies":                                                         8,
	"POST /v1/workspaces/{workspaceId}/reports/removePixies":                                                      8,
	"GET /v1/workspaces/{workspaceId}/reports":                                                                    5,
	"GET /v1/workspaces/{workspaceId}/reports/{reportId}/pixies":                                                  4,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions":           4,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions/generate": 7,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/questions/save":     7,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs":               9,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs":                3,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}":        3,
	"DELETE /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}":     7,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/benchmark/runs/{runId}/result": 4,
	"GET /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/schedules":                     3,
	"POST /v1/workspaces/{workspaceId}/semanticModels/{semanticModelId}/aiReadiness/schedules":                    4,
	"GET /v1/aiReadiness/schedules":                                                                               3,
	"GET /v1/aiReadiness/schedules/{scheduleId}":                                                                  4,
	"PATCH /v1/aiReadiness/schedules/{scheduleId}":                                                                6,
	"DELETE /v1/aiReadiness/schedules/{scheduleId}":                                                               5,
	"GET /v1/aiProviders":                      3,
	"POST /v1/aiProviders":                     5,
	"GET /v1/aiProviders/{providerId}":         3,
	"PATCH /v1/aiProviders/{providerId}":       5,
	"DELETE /v1/aiProviders/{providerId}":      4,
	"POST /v1/aiProviders/{providerId}/test":   5,
	"GET /v1/audit/events":                     4,
	"GET /v1/audit/checkpoint":                 5,
	"POST /v1/operations/{operationId}/cancel": 7,
}

// No route asks the database more often than it did: a loop of queries is seen here before anybody waits for it.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	c := newCalling(t)
	var trips atomic.Pointer[bench.Trips]
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
		// What goes on behind could get into the next call's way, which would ask again.
		if id, err := uuid.Parse(answer.Header.Get("X-Ms-Operation-Id")); err == nil && call.of == c.disk.world {
			c.disk.resting(id)
		}
	}
}
