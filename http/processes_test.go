package http_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/test/pgtest"
)

// processEnv, set to the address of a database and the directory of an issuer, makes the test binary run as another
// process of the service.
const processEnv = "READINESS_HTTP_TEST_PROCESS"

// TestProcess runs that process. It prints its two addresses and serves until its standard input is closed, even if
// the test is killed. The second address guards every route of the table.
func TestProcess(t *testing.T) {
	var url, issuer string
	if n, _ := fmt.Sscan(os.Getenv(processEnv), &url, &issuer); n != 2 {
		return // only the tests below start it
	}
	w := openWorld(t, url, issuer)
	base, _ := w.serve(w.limiter(url))
	fmt.Fprintln(os.Stderr, base, w.guarded(routing.Table(), w.limiter(url)))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// process starts another process on the world's database. It returns its addresses and a function that kills it.
func (w *world) process() (base, guarded string, kill func()) {
	w.t.Helper()
	exe, err := os.Executable()
	check(w.t, err)
	child := exec.CommandContext(w.t.Context(), exe, "-test.run=^TestProcess$")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", processEnv, w.url, w.issuerDir))
	stdin, err := child.StdinPipe()
	check(w.t, err)
	said, err := child.StderrPipe()
	check(w.t, err)
	check(w.t, child.Start())
	end := sync.OnceFunc(func() {
		_ = child.Process.Kill()
		_ = stdin.Close()
		_ = child.Wait()
	})
	w.t.Cleanup(end)
	if _, err := fmt.Fscanln(said, &base, &guarded); err != nil {
		w.t.Fatalf("the other process says no address: %v", err)
	}
	return base, guarded, end
}

// rateOf changes ada's counted calls in a group.
func (w *world) rateOf(group, hits string, args ...any) {
	w.t.Helper()
	tag, err := w.Pool.Exec(w.t.Context(), `UPDATE rate_windows SET hits = `+hits+` WHERE key LIKE '`+group+` %`+w.counts("ada")+`'`, args...)
	check(w.t, err)
	if tag.RowsAffected() != 1 {
		w.t.Fatalf("there are %d windows, want one", tag.RowsAffected())
	}
}

// Two processes on one database share the count, under concurrency: the call at the limit is allowed, the next is
// not, and as many are allowed again as have left the window. The count outlives the process that made it.
//
// proves: 7.2/RequestBlocked 8/calls-that-start-work 8/calls-that-read 8/asking-about-an-operation decisions/2/rates decisions/2/rate-refusal
func TestRatesOfTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second, _, kill := w.process()
	ada := w.as("ada")
	call := func(method, address string) (status int, retryAfter string) {
		r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		r.Header.Set("Authorization", "Bearer "+ada)
		answer, err := w.client.Do(r)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("Retry-After")
	}
	groups := []struct {
		name, method, path string
		limit, status      int // of an allowed call
	}{
		{"start", "POST", operationPath(nowhere) + "/cancel", 30, 404},
		{"read", "GET", "/v1/workspaces", 300, 200},
		{"operations", "GET", operationPath(nowhere), 500, 404},
	}
	for _, g := range groups {
		// together makes calls from eight callers, half of them at each process, and checks how many are allowed.
		together := func(calls, allowed int) {
			t.Helper()
			var made, got atomic.Int32
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for int(made.Add(1)) <= calls {
						switch status, after := call(g.method, []string{w.base, second}[i%2]+g.path); {
						case status == g.status:
							got.Add(1)
						case status != http.StatusTooManyRequests || !within(after, 1, 60):
							t.Errorf("%s: got %d with Retry-After %q", g.name, status, after)
						}
					}
				})
			}
			wg.Wait()
			if int(got.Load()) != allowed {
				t.Errorf("%s: of %d calls %d were allowed, want %d", g.name, calls, got.Load(), allowed)
			}
			// On a slow machine, the first calls must not leave the window before the last are made.
			w.rateOf(g.name, `array_fill(clock_timestamp(), ARRAY[cardinality(hits)])`)
		}
		for range g.limit/10 - 1 {
			together(10, 10)
		}
		together(9, 9)
		for _, want := range []int{g.status, 429, 429} { // the 300th, the 301st and the 302nd
			if got, _ := call(g.method, second+g.path); got != want {
				t.Errorf("%s: got %d, want %d", g.name, got, want)
			}
		}
		together(20, 0)
		w.rateOf(g.name, `array_fill(clock_timestamp() - $1::interval, ARRAY[7]) || hits[8:]`, rate.Window)
		together(20, 7)
	}
	kill()
	for _, g := range groups {
		if got, _ := call(g.method, w.base+g.path); got != 429 {
			t.Errorf("%s: with the other process killed got %d, want 429", g.name, got)
		}
		w.rateOf(g.name, `array_fill(clock_timestamp() - $1::interval, ARRAY[cardinality(hits)])`, rate.Window)
		if got, _ := call(g.method, w.base+g.path); got != g.status {
			t.Errorf("%s: with the window moved past all calls got %d, want %d", g.name, got, g.status)
		}
	}
}

// When the rate store stops while the service runs, reads still work, and nothing is started or spent. When it is
// back, calls are counted again and the earlier counts are still there.
//
// proves: 7.2/ThrottleStoreUnavailable decisions/2/rate-store
func TestRateStoreStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	counted := pgtest.URL(t)
	w.base, w.client = w.serve(w.limiter(counted))
	ada, tim := w.as("ada"), w.as("tim")
	id := w.assess("ada", modelA)
	config, err := pgx.ParseConfig(counted)
	check(t, err)
	database := pgx.Identifier{config.Database}.Sanitize()
	spent := func() (n int) { // of all allowances
		check(t, w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE type LIKE 'allowance.%'`).Scan(&n))
		return n
	}
	before := spent()
	if before == 0 {
		t.Fatal("the assessment spent no allowance")
	}

	_, err = w.Pool.Exec(t.Context(), `ALTER DATABASE `+database+` ALLOW_CONNECTIONS false`)
	check(t, err)
	_, err = w.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, config.Database)
	check(t, err)
	for range 2 { // first connections break, then there are none
		w.untouched(func() {
			for _, start := range []struct{ path, body string }{{modelPath(modelB) + "/assess", ""}, {bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelB)}, {operationPath(id) + "/cancel", ""}} {
				got := w.post(start.path, ada, start.body, "Idempotency-Key", "while-it-is-gone").refused(503, domain.ThrottleStoreUnavailable)
				if got.body["isRetriable"] != true || got.header.Get("Retry-After") != "5" || got.header.Get("RateLimit") != "" {
					t.Errorf("%s: got %v %s", start.path, got.header, got.text)
				}
			}
			w.post(modelPath(modelA)+"/assess", tim, "").refused(503, domain.ThrottleStoreUnavailable)
			for _, read := range []string{"/v1/workspaces", "/v1/operations", operationPath(id), modelPath(modelA) + "/assessments"} {
				if got := w.get(read, ada).ok(200); got.header.Get("RateLimit") != "" {
					t.Errorf("%s: got RateLimit %q of what cannot be counted", read, got.header.Get("RateLimit"))
				}
			}
			w.get("/v1/workspaces", "x.y.z").refused(401, domain.Unauthorized)
		})
	}
	if got := spent(); got != before {
		t.Errorf("allowances were spent %d times, want %d", got, before)
	}

	_, err = w.Pool.Exec(t.Context(), `ALTER DATABASE `+database+` ALLOW_CONNECTIONS true`)
	check(t, err)
	got := w.post(modelPath(modelB)+"/assess", ada, "", "Idempotency-Key", "while-it-is-gone")
	got.operation()
	if want := `"start";r=28;`; got.header.Get("RateLimit")[:len(want)] != want {
		t.Errorf("got RateLimit %q, want the call before the store stopped counted, and this one: %s", got.header.Get("RateLimit"), want)
	}
}
