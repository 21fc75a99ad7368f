package http_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/http/rate"
)

// The rate limits are exact across two instances on one database: the call at the limit is allowed, the next is not,
// and one more is allowed when the oldest has left the window.
//
// proves: 7.2/RequestBlocked 8/calls-that-start-work 8/calls-that-read 8/asking-about-an-operation decisions/2/rates decisions/2/rate-refusal decisions/2/ratelimit-fields
func TestRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second, _ := w.serve(w.limiter(w.url))
	for _, tt := range []struct {
		group, method, path string
		limit               int
		status              int // of an allowed call
	}{
		{"start", "POST", operationPath(nowhere) + "/cancel", 30, 404},
		{"read", "GET", "/v1/workspaces", 300, 200},
		{"operations", "GET", operationPath(nowhere), 500, 404},
	} {
		t.Run(tt.group, func(t *testing.T) {
			ada := w.as("ada")
			bases := []string{w.base, second}
			for i := 0; i < tt.limit; i++ {
				if i == 5 { // leave only ten calls to make, so that on a slow machine the first ones do not expire
					i = tt.limit - 10
					_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = hits || array_fill(clock_timestamp(), ARRAY[$1::int]) WHERE key LIKE $2`, i-5, tt.group+" %"+w.counts("ada"))
					check(t, err)
				}
				got := w.send(tt.method, bases[i%2]+tt.path, ada, "").ok(tt.status)
				policy, left, found := strings.Cut(got.header.Get("RateLimit"), ";t=")
				if want := fmt.Sprintf(`"%s";r=%d`, tt.group, tt.limit-1-i); policy != want || !found || !within(left, 1, 60) {
					t.Fatalf("call %d: got RateLimit %q, want %s", i+1, got.header.Get("RateLimit"), want)
				}
				if want := fmt.Sprintf(`"%s";q=%d;w=60`, tt.group, tt.limit); got.header.Get("RateLimit-Policy") != want {
					t.Fatalf("got RateLimit-Policy %q, want %q", got.header.Get("RateLimit-Policy"), want)
				}
			}
			calls := w.cloud.calls
			for _, base := range bases {
				got := w.send(tt.method, base+tt.path, ada, "").refused(429, domain.RequestBlocked)
				if got.body["isRetriable"] != true || !within(got.header.Get("Retry-After"), 1, 60) || !strings.Contains(got.header.Get("RateLimit"), ";r=0;") {
					t.Errorf("got %v %s", got.header, got.text)
				}
			}
			if w.cloud.calls != calls {
				t.Error("a call refused for its rate reached the platform")
			}
			// Another person of the account has their own window, and so has each group.
			w.send(tt.method, tt.path, w.as("bob"), "").ok(tt.status)
			_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = (hits[1] - $1::interval) || hits[2:] WHERE key LIKE $2`, rate.Window, tt.group+" %"+w.counts("ada"))
			check(t, err)
			w.send(tt.method, second+tt.path, ada, "").ok(tt.status)
			w.send(tt.method, tt.path, ada, "").refused(429, domain.RequestBlocked)
		})
	}
}

func within(text string, least, most int) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= least && n <= most
}

// A call without a valid token is not counted; calls refused for other reasons are.
//
// proves: decisions/1/refused-counts decisions/8/16-no-token
func TestWhatIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	windows := func() (n int) {
		check(t, w.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(cardinality(hits)), 0) FROM rate_windows`).Scan(&n))
		return n
	}
	w.get("/v1/workspaces", "").refused(401, domain.Unauthorized)
	w.get("/v1/workspaces", "x.y.z").refused(401, domain.Unauthorized)
	w.get("/healthz", "").ok(200)
	w.get("/v1/openapi.json", "").ok(200)
	w.get("/v1/nothing", w.as("ada")).refused(404, domain.InvalidRequest)
	if got := windows(); got != 0 {
		t.Errorf("%d calls were counted, want none", got)
	}
	w.get("/v1/workspaces", w.as("mallory")).refused(403, domain.UserNotRegistered)
	w.get("/v1/operations?maxResults=0", w.as("ada")).refused(400, domain.InvalidRequest)
	w.get("/v1/operations/"+nowhere.String(), w.as("ada")).refused(404, domain.OperationNotFound)
	if got := windows(); got != 3 {
		t.Errorf("%d calls were counted, want 3", got)
	}
}

// While calls cannot be counted, reads still work and no work is started.
//
// proves: 7.2/ThrottleStoreUnavailable decisions/2/rate-store
func TestRateStoreUnavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	id := w.assess("ada", modelA)
	gone, err := rate.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing", rate.Options{Timeout: time.Second})
	check(t, err)
	t.Cleanup(gone.Close)
	w.base, w.client = w.serve(gone)
	w.untouched(func() {
		got := w.post(modelPath(modelA)+"/assess", ada, "").refused(503, domain.ThrottleStoreUnavailable)
		if got.body["isRetriable"] != true || got.header.Get("Retry-After") != "5" {
			t.Errorf("got %v %s", got.header, got.text)
		}
		w.post(bulkPath, ada, "x").refused(503, domain.ThrottleStoreUnavailable)
		w.post(operationPath(id)+"/cancel", ada, "").refused(503, domain.ThrottleStoreUnavailable)
	})
	for _, path := range []string{"/v1/workspaces", "/v1/operations", operationPath(id), modelPath(modelA) + "/assessments"} {
		if got := w.get(path, ada).ok(200); got.header.Get("RateLimit") != "" {
			t.Errorf("%s: got RateLimit %q of what cannot be counted", path, got.header.Get("RateLimit"))
		}
	}
	w.get("/v1/workspaces", w.as("mallory")).refused(403, domain.UserNotRegistered)
	// The same when the table is missing.
	_, err = w.Pool.Exec(t.Context(), `DROP TABLE rate_windows`)
	check(t, err)
	w.base, w.client = w.serve(w.limiter(w.url))
	w.untouched(func() {
		w.post(modelPath(modelA)+"/assess", ada, "").refused(503, domain.ThrottleStoreUnavailable)
	})
	w.get("/v1/workspaces", ada).ok(200)
}
