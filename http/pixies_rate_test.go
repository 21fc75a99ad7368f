package http_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/domain"
	"readiness/http/rate"
	"readiness/http/routing"
)

// pixiesRoutes returns the four routes that start adding or removing Pixies.
func pixiesRoutes() []routing.Route {
	return slices.DeleteFunc(routing.Table(), func(r routing.Route) bool {
		return !strings.HasSuffix(r.Path, "/addPixies") && !strings.HasSuffix(r.Path, "/removePixies")
	})
}

// hits returns how many calls are counted now in windows whose key begins with key.
func (w *world) hits(key string) (n int) {
	w.t.Helper()
	check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT coalesce(sum(cardinality(hits)), 0) FROM rate_windows WHERE key LIKE $1 || '%'`, key).Scan(&n))
	return n
}

// Additions and removals of Pixies share ten calls a minute per account, over all its people and the four routes. A
// refused call starts nothing and does not count in a person's own window. Another account has its own ten.
//
// proves: 8/pixies-calls 7.3/429-RequestBlocked 4.7/add/7 4.7/bulk/5
func TestPixiesRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes, calls := routing.Table(), w.bare()
	bases := []string{w.guarded(routes, w.limiter(w.url)), w.guarded(routes, w.limiter(w.url))}
	four := pixiesRoutes()
	if len(four) != 4 {
		t.Fatalf("%d routes start Pixies, want 4", len(four))
	}
	start := func(i int, person string) reply {
		return calls.post(addressed(bases[i%2], four[i%4]), w.as(person), "")
	}
	w.untouched(func() {
		for i := range 10 {
			got := start(i, []string{"ada", "bob", "uma"}[i%3]).ok(202)
			if want := fmt.Sprintf(`"pixies";r=%d;`, 9-i); !strings.HasPrefix(got.header.Get("RateLimit"), want) || got.header.Get("RateLimit-Policy") != `"pixies";q=10;w=60` {
				t.Fatalf("call %d: got RateLimit %q of %q, want %s", i+1, got.header.Get("RateLimit"), got.header.Get("RateLimit-Policy"), want)
			}
		}
		own := w.hits(`start "acme" "" "bob"`)
		for i := range 8 {
			got := start(i, "bob").refused(429, domain.RequestBlocked).says("10 calls")
			if got.body["isRetriable"] != true || !within(got.header.Get("Retry-After"), 1, 60) || !strings.HasPrefix(got.header.Get("RateLimit"), `"pixies";r=0;`) {
				t.Errorf("got %v %s", got.header, got.text)
			}
		}
		if got := w.hits(`start "acme" "" "bob"`); got != own {
			t.Errorf("%d calls that the account's window refused were counted in bob's own", got-own)
		}
		start(0, "oscar").ok(202)
	})
	// The person can still start other work.
	w.assess("bob", modelA)

	// A call that the person's own window refuses does not count in the account's window.
	w.nextMinute()
	w.blocked(routing.Start, "acme", "bob")
	got := start(0, "bob").refused(429, domain.RequestBlocked).says("30 calls")
	if !strings.HasPrefix(got.header.Get("RateLimit"), `"start";r=0;`) {
		t.Errorf("got RateLimit %q, want that of the window that refuses", got.header.Get("RateLimit"))
	}
	if n := w.hits("pixies"); n != 0 {
		t.Errorf("%d calls are counted in the account's window, want none", n)
	}
	// When the person's window has less left, it is the one reported.
	_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = hits[1:26]`)
	check(t, err)
	if got := start(1, "bob").ok(202); !strings.HasPrefix(got.header.Get("RateLimit"), `"start";r=3;`) {
		t.Errorf("got RateLimit %q, want that of the person", got.header.Get("RateLimit"))
	}
	// Callers in no account share no window; they get UserNotRegistered.
	start(0, "mallory").refused(403, domain.UserNotRegistered)
	if n := w.hits(`pixies ""`); n != 0 {
		t.Errorf("%d calls of strangers share a window", n)
	}
}

// While the account's calls cannot be counted, no work on Pixies is started.
//
// proves: decisions/2/rate-store
func TestPixiesRateUncounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone, err := rate.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing", rate.Options{Timeout: time.Second})
	check(t, err)
	t.Cleanup(gone.Close)
	base := w.guarded(routing.Table(), gone)
	for _, route := range pixiesRoutes() {
		got := w.bare().post(addressed(base, route), w.as("ada"), "").refused(503, domain.ThrottleStoreUnavailable)
		if got.body["isRetriable"] != true || got.header.Get("RateLimit") != "" {
			t.Errorf("got %v %s", got.header, got.text)
		}
	}
}

// Two processes share the count of an account's calls, under concurrency, and admit again as many as have left the
// window.
//
// proves: 8/pixies-calls decisions/2/rates
func TestPixiesRateOfTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, second, _ := w.process()
	bases := []string{w.guarded(routing.Table(), w.limiter(w.url)), second}
	tokens := []string{w.as("ada"), w.as("bob"), w.as("uma")}
	together := func(calls int) (allowed int) {
		var made, got atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for n := int(made.Add(1)); n <= calls; n = int(made.Add(1)) {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, addressed(bases[i%2], pixiesRoutes()[n%4]), nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Header.Set("Authorization", "Bearer "+tokens[i%3])
					answer, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					_ = answer.Body.Close()
					switch {
					case answer.StatusCode == http.StatusAccepted:
						got.Add(1)
					case answer.StatusCode != http.StatusTooManyRequests || !within(answer.Header.Get("Retry-After"), 1, 60):
						t.Errorf("got %d with Retry-After %q", answer.StatusCode, answer.Header.Get("Retry-After"))
					}
				}
			})
		}
		wg.Wait()
		return int(got.Load())
	}
	// refresh keeps the first calls in the window until the last are made, even on a slow machine.
	refresh := func() {
		_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = array_fill(clock_timestamp(), ARRAY[cardinality(hits)]) WHERE key LIKE 'pixies%'`)
		check(t, err)
	}
	if got := together(9); got != 9 {
		t.Errorf("of 9 calls %d were allowed", got)
	}
	refresh()
	if got := together(20); got != 1 {
		t.Errorf("after 9 calls %d were allowed, want one", got)
	}
	if own := w.hits("start"); own != 10 {
		t.Errorf("%d calls are counted in the callers' own windows, want the 10 that were allowed", own)
	}
	_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = array_fill(clock_timestamp() - $1::interval, ARRAY[4]) || hits[5:] WHERE key LIKE 'pixies%'`, rate.Window)
	check(t, err)
	if got := together(20); got != 4 {
		t.Errorf("with 4 calls out of the window %d were allowed, want 4", got)
	}
}
