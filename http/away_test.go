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
	readinesshttp "readiness/http"
	"readiness/http/openapitest"
	"readiness/http/rate"
	"readiness/internal/pgtest"
	"readiness/internal/testlog"
)

// beside is one more instance of a world's service, whose commands and views reach the database at one address and whose limiter at another. Calls wait
// for the database for limit.
func (w *world) beside(address, counting string, limit time.Duration) *world {
	w.t.Helper()
	other := openWorld(w.t, address, w.issuerDir)
	other.limit, other.jobs = limit, w.jobs
	other.commands.Platform, other.commands.Permissions, other.commands.Jobs = w.commands.Platform, other.views, w.commands.Jobs
	other.commands.Tester, other.commands.CollectorURL = w.commands.Tester, w.commands.CollectorURL
	l, err := rate.Open(w.t.Context(), counting, rate.Options{})
	check(w.t, err)
	w.t.Cleanup(l.Close)
	other.base, other.client = other.serve(l)
	return other
}

// Every route answers 503 while the database is away, whatever it had begun, says when to call again, and changes nothing: where the server is stopped, where it is
// frozen or the network swallows everything, and where it goes away behind the guard.
//
// proves: 7.2/ThrottleStoreUnavailable 7.2/UnknownError decisions/9/1 decisions/9/1-limits decisions/9/5-packets
func TestDatabaseAwayOnEveryRoute(t *testing.T) {
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
		behind bool // the guard is let through
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
			proxies[w], instances[w] = p, w.beside(p.URL, counting, tt.limit)
			instances[w].answersAgain("/v1/account", w.as("ada")) // the instance then knows ada
			w.uncounted()
		}
		c.memory.untouched(func() {
			for _, p := range proxies {
				tt.away(p)
			}
			var wg sync.WaitGroup
			for n, route := range routes {
				call := calls[n]
				if tt.behind && (roundTrips[route.Method+" "+route.Path] <= 1 || route.Path == "/v1/account") {
					continue // it needs no more than the guard does, or answers without what it cannot read
				}
				call.of = instances[call.of]
				request := call.request(t, route.Method, c.memory.as("ada"))
				if calls[n].of == c.disk.world {
					request = call.request(t, route.Method, c.disk.as("ada"))
				}
				wg.Go(func() {
					if err := answersAway(route, request); err != nil {
						t.Errorf("%s: %s %s: %v", name, route.Method, route.Path, err)
					}
				})
			}
			wg.Wait()
			for w, p := range proxies {
				p.Pass()
				instances[w].answersAgain("/readyz", "")
			}
		})
	}
}

// answersAgain calls a path until the answer is 200. With a short limit a slow machine needs several calls, even when nothing is wrong.
func (w *world) answersAgain(path, token string) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if got := w.get(path, token); got.status == http.StatusOK {
			return
		} else if time.Now().After(deadline) {
			w.t.Fatalf("%s: still %d %s", path, got.status, got.text)
		}
	}
}

// answersAway says what is wrong with the answer to a call while the database is away.
func answersAway(route readinesshttp.Route, request *http.Request) error {
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
	// A call that cannot be counted and is in a closed group is refused for that.
	uncounted := route.Group.Closed && said.ErrorCode == domain.ThrottleStoreUnavailable
	if answer.StatusCode != http.StatusServiceUnavailable || said.ErrorCode != want && !uncounted || !said.IsRetriable || answer.Header.Get("Retry-After") != "5" {
		return fmt.Errorf("got %d with Retry-After %q: %s", answer.StatusCode, answer.Header.Get("Retry-After"), text)
	}
	return openapitest.Check(request, answer.StatusCode, answer.Header, text)
}

// answerInTime makes a call that has to end before callTimeout ends it. A slow machine may need several calls for one that does.
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

// A disk that hangs is not ready in the time of a read, keeps no other check from saying so, and is looked at once however often it is asked about.
//
// proves: decisions/9/1-ready
func TestReadyzOfADiskThatHangs(t *testing.T) {
	t.Parallel()
	w := openWorld(t, testlog.URL(t), t.TempDir())
	hangs, looks := make(chan struct{}), atomic.Int64{}
	w.limit = 100 * time.Millisecond
	w.checks = []readinesshttp.Check{{Name: "disk", Run: func(context.Context) error { looks.Add(1); <-hangs; return nil }}}
	w.base, w.client = w.serve(w.limiter(w.url))
	for answers, deadline := 0, time.Now().Add(patience); answers < 3; {
		got := w.get("/readyz", "").ok(503)
		checks := got.body["checks"].(map[string]any)
		if checks["disk"] != "unavailable" {
			t.Errorf("got %s", got.text)
		}
		if checks["database"] == "ok" { // in time, which a slow machine may not manage
			answers++
		} else if time.Now().After(deadline) {
			t.Fatalf("the disk keeps the database's check from ending: %s", got.text)
		}
	}
	if looks.Load() != 1 {
		t.Errorf("it was looked at %d times", looks.Load())
	}
	close(hangs)
	w.answersAgain("/readyz", "")
}
