package http_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/domain"
	"readiness/http/health"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/test/openapitest"
	"readiness/test/pgtest"
	"readiness/test/testlog"
)

// instance returns another instance of a world's service. Its commands and views reach the database at address and
// its limiter at counting. Calls wait at most limit for the database.
func (w *world) instance(address, counting string, limit time.Duration) *world {
	w.t.Helper()
	other := openWorld(w.t, address, w.issuerDir)
	other.limit, other.jobs = limit, w.jobs
	other.Platform, other.Accounts.Permissions, other.Jobs = w.Platform, other.Views, w.Jobs
	other.Providers.Tester, other.Pixies.CollectorURL = w.Providers.Tester, w.Pixies.CollectorURL
	l, err := rate.Open(w.t.Context(), counting, rate.Options{})
	check(w.t, err)
	w.t.Cleanup(l.Close)
	other.base, other.client = other.serve(l)
	return other
}

// While the database is unavailable, every route returns 503 with Retry-After and changes nothing, whatever the call
// had begun. Cases: the server is stopped, it is frozen or the network drops all packets, and it fails after the
// guard admitted the call.
//
// proves: 7.2/ThrottleStoreUnavailable 7.2/UnknownError decisions/9/1 decisions/9/1-limits decisions/9/5-packets
func TestDatabaseUnavailableOnEveryRoute(t *testing.T) {
	t.Parallel()
	c := newCalling(t)
	routes, prepare := c.callsOfRoutes(t)
	calls := make([]routed, len(routes))
	for n := range routes {
		c.memory.uncounted()
		c.disk.uncounted()
		calls[n] = prepare[n](n)
	}
	for name, tt := range map[string]struct {
		away   func(*pgtest.Proxy)
		behind bool // the database fails after the guard admitted the call
		limit  time.Duration
	}{
		"stopped":                  {(*pgtest.Proxy).Break, false, 0},
		"stopped behind the guard": {(*pgtest.Proxy).Break, true, 0},
		"frozen":                   {(*pgtest.Proxy).Swallow, false, 400 * time.Millisecond},
		"frozen behind the guard":  {(*pgtest.Proxy).Swallow, true, 400 * time.Millisecond},
	} {
		proxies, instances := map[*world]*pgtest.Proxy{}, map[*world]*world{}
		for _, w := range []*world{c.memory, c.disk.world} {
			p := pgtest.Between(t, w.url)
			counting := p.URL
			if tt.behind {
				counting = w.url
			}
			proxies[w], instances[w] = p, w.instance(p.URL, counting, tt.limit)
			instances[w].awaitRecovery("/v1/account", w.as("ada")) // caches ada's account
			w.uncounted()
		}
		c.memory.untouched(func() {
			for _, p := range proxies {
				tt.away(p)
			}
			var wg sync.WaitGroup
			for n, route := range routes {
				call := calls[n]
				if tt.behind && (route.RoundTrips <= 1 || route.Path == "/v1/account") {
					continue // it needs only what the guard needs, or omits what it cannot read
				}
				call.of = instances[call.of]
				request := call.request(t, route.Method, c.memory.as("ada"))
				if calls[n].of == c.disk.world {
					request = call.request(t, route.Method, c.disk.as("ada"))
				}
				wg.Go(func() {
					if err := checkUnavailable(route, request); err != nil {
						t.Errorf("%s: %s %s: %v", name, route.Method, route.Path, err)
					}
				})
			}
			wg.Wait()
			for w, p := range proxies {
				p.Pass()
				instances[w].awaitRecovery("/readyz", "")
			}
		})
	}
}

// awaitRecovery calls a path until it returns 200. With a short limit, a slow machine may need several calls even when
// nothing is wrong.
func (w *world) awaitRecovery(path, token string) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if got := w.get(path, token); got.status == http.StatusOK {
			return
		} else if time.Now().After(deadline) {
			w.t.Fatalf("%s: still %d %s", path, got.status, got.text)
		}
	}
}

// checkUnavailable returns an error unless the response to a call is right while the database is unavailable.
func checkUnavailable(route routing.Route, request *http.Request) error {
	answer, err := answerInTime(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	want := domain.UnknownError
	if route.Starts {
		want = domain.ThrottleStoreUnavailable
	}
	var said struct {
		ErrorCode   domain.Code
		IsRetriable bool
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return err
	}
	// A call that cannot be counted in a closed group is refused for that reason.
	uncounted := route.Group.Closed && said.ErrorCode == domain.ThrottleStoreUnavailable
	if answer.StatusCode != http.StatusServiceUnavailable || said.ErrorCode != want && !uncounted || !said.IsRetriable || answer.Header.Get("Retry-After") != "5" {
		return fmt.Errorf("got %d with Retry-After %q: %s", answer.StatusCode, answer.Header.Get("Retry-After"), text)
	}
	return openapitest.Check(request, answer.StatusCode, answer.Header, text)
}

// answerInTime makes a call that must end before callTimeout. A slow machine may need several attempts.
func answerInTime(request *http.Request) (*http.Response, error) {
	client := &http.Client{Timeout: 25 * time.Second}
	for deadline := time.Now().Add(patience); ; {
		answer, err := client.Do(request)
		if late, ok := errors.AsType[*url.Error](err); !ok || !late.Timeout() || time.Now().After(deadline) {
			return answer, err
		}
		request = request.Clone(request.Context())
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// When a disk hangs, readyz reports that check as failed within the read limit, reports the other checks, and runs
// only one check of the disk at a time.
//
// proves: decisions/9/1-ready
func TestReadyzWithHangingDisk(t *testing.T) {
	t.Parallel()
	w := openWorld(t, testlog.URL(t), t.TempDir())
	hangs, looks := make(chan struct{}), atomic.Int64{}
	w.limit = 100 * time.Millisecond
	w.checks = []health.Check{{Name: "disk", Run: func(context.Context) error { looks.Add(1); <-hangs; return nil }}}
	w.base, w.client = w.serve(w.limiter(w.url))
	for answers, deadline := 0, time.Now().Add(patience); answers < 3; {
		got := w.get("/readyz", "").ok(503)
		checks := got.body["checks"].(map[string]any)
		if checks["disk"] != "unavailable" {
			t.Errorf("got %s", got.text)
		}
		if checks["database"] == "ok" { // may take several attempts on a slow machine
			answers++
		} else if time.Now().After(deadline) {
			t.Fatalf("the disk blocks the check of the database: %s", got.text)
		}
	}
	if looks.Load() != 1 {
		t.Errorf("the disk was checked %d times", looks.Load())
	}
	close(hangs)
	w.awaitRecovery("/readyz", "")
}
