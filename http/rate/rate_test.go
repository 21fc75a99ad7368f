package rate_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/http/rate"
	"readiness/test/pgtest"
)

func open(t testing.TB, url string) *rate.Limiter {
	t.Helper()
	// Tests share a busy machine, so a slow count is not a failure.
	l, err := rate.Open(t.Context(), url, rate.Options{Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func take(t testing.TB, l *rate.Limiter, key string, limit int) rate.Count {
	t.Helper()
	c, err := l.Take(t.Context(), key, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// age makes every counted call of a key older.
func age(t testing.TB, url, key string, by time.Duration) {
	t.Helper()
	exec(t, url, `UPDATE rate_windows SET hits = ARRAY(SELECT h - $2::interval FROM unnest(hits) h) WHERE key = $1`, key, by)
}

func exec(t testing.TB, url, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// proves: decisions/2/rates
func TestCallOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	for _, limit := range []int{1, 10, 300, 500} {
		key := fmt.Sprint(limit)
		for i := 0; i < limit; i++ {
			if i == 5 { // leave only five calls to make, so that on a slow machine the first ones do not expire
				i = max(i, limit-5)
				exec(t, url, `UPDATE rate_windows SET hits = hits || array_fill(clock_timestamp(), ARRAY[$2::int]) WHERE key = $1`, key, i-5)
			}
			c := take(t, l, key, limit)
			if !c.Allowed || c.Remaining != limit-1-i || c.Reset <= 0 || c.Reset > rate.Window {
				t.Fatalf("limit %d, call %d: got %+v, want it allowed with %d remaining", limit, i+1, c, limit-1-i)
			}
		}
		if c := take(t, l, key, limit); c.Allowed || c.Remaining != 0 || c.Reset <= 0 || c.Reset > rate.Window {
			t.Errorf("limit %d, call %d: got %+v, want it refused", limit, limit+1, c)
		}
	}
}

// Eight callers in two processes on one database are admitted exactly up to the limit.
//
// proves: decisions/2/rates
func TestExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	limiters := []*rate.Limiter{open(t, url), open(t, url)}
	for _, limit := range []int{10, 30, 300} {
		var allowed atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range limit/8 + 10 {
					c, err := limiters[i%2].Take(t.Context(), fmt.Sprint(limit), limit)
					if err != nil {
						t.Error(err)
						return
					}
					if c.Allowed {
						allowed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if got := int(allowed.Load()); got != limit {
			t.Errorf("limit %d: %d calls were allowed", limit, got)
		}
	}
}

// Calls leave the window one by one, a minute after each was made.
//
// proves: decisions/2/rates
func TestWindowSlides(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	take(t, l, "k", 3)
	age(t, url, "k", 20*time.Second)
	take(t, l, "k", 3)
	take(t, l, "k", 3)
	c := take(t, l, "k", 3)
	if c.Allowed || c.Reset > 40*time.Second {
		t.Fatalf("got %+v, want a refusal of at most 40 s", c)
	}
	age(t, url, "k", 40*time.Second) // the first call is a minute old
	if c := take(t, l, "k", 3); !c.Allowed || c.Remaining != 0 {
		t.Fatalf("got %+v, want it allowed as the last", c)
	}
	if c := take(t, l, "k", 3); c.Allowed {
		t.Fatalf("got %+v, want it refused: three calls of the last minute are in the window", c)
	}
	age(t, url, "k", rate.Window)
	if c := take(t, l, "k", 3); !c.Allowed || c.Remaining != 2 {
		t.Errorf("got %+v, want an empty window", c)
	}
}

// Refused calls do not count: the window opens when the allowed calls expire, however many calls were refused.
//
// proves: decisions/8/16-no-lengthening
func TestRefusedCallsDoNotLengthenTheWindow(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	take(t, l, "k", 1)
	age(t, url, "k", 10*time.Second)
	for range 20 {
		if c := take(t, l, "k", 1); c.Allowed || c.Reset > 50*time.Second {
			t.Fatalf("got %+v, want a refusal of at most 50 s", c)
		}
	}
	age(t, url, "k", 50*time.Second)
	if c := take(t, l, "k", 1); !c.Allowed {
		t.Errorf("got %+v, want it allowed", c)
	}
}

func TestKeysAreIndependent(t *testing.T) {
	t.Parallel()
	l := open(t, pgtest.URL(t))
	take(t, l, "a", 1)
	if c := take(t, l, "b", 1); !c.Allowed {
		t.Errorf("got %+v, want it allowed", c)
	}
}

func TestSweepKeepsWindowsInUse(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	take(t, l, "idle", 1)
	age(t, url, "idle", rate.Window)
	take(t, l, "busy", 1)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { l.KeepSwept(ctx, time.Millisecond) })
	for began := time.Now(); keys(t, url) != 1; {
		if time.Since(began) > 5*time.Minute {
			t.Fatal("nothing was swept within 5 minutes")
		}
	}
	cancel()
	wg.Wait()
	if c := take(t, l, "busy", 1); c.Allowed {
		t.Errorf("got %+v, want the busy key's call still counted", c)
	}
}

func keys(t *testing.T, url string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM rate_windows`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A database that does not respond is an error within the timeout, never a count.
func TestUnresponsiveDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l, err := rate.Open(t.Context(), url, rate.Options{Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE rate_windows IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	if c, err := l.Take(t.Context(), "k", 1); err == nil {
		t.Errorf("got %+v, want an error", c)
	}
	gone, err := rate.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing", rate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gone.Close)
	if c, err := gone.Take(t.Context(), "k", 1); err == nil {
		t.Errorf("got %+v, want an error", c)
	}
}

func BenchmarkTake(b *testing.B) {
	l := open(b, pgtest.URL(b))
	for _, limit := range []int{30, 500} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			for b.Loop() {
				take(b, l, fmt.Sprint(limit), limit)
			}
		})
	}
}

// Look returns what the next call would get without counting one, however often it is called.
func TestLookCountsNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	const limit = 3
	look := func(allowed bool, remaining int, known bool) {
		t.Helper()
		for range 2 {
			c, err := l.Look(t.Context(), "k", limit)
			if err != nil || c.Allowed != allowed || c.Remaining != remaining || known != (c.Reset > 0) || c.Reset > rate.Window {
				t.Fatalf("got %+v, %v, want allowed %v, %d remaining", c, err, allowed, remaining)
			}
		}
	}
	look(true, limit, false)
	for i := range limit {
		take(t, l, "k", limit)
		look(i+1 < limit, limit-1-i, true)
	}
	take(t, l, "k", limit)
	look(false, 0, true)
	take(t, l, "another", limit)
	age(t, url, "k", rate.Window)
	look(true, limit, false)
	exec(t, url, `DROP TABLE rate_windows`)
	if _, err := l.Look(t.Context(), "k", limit); err == nil {
		t.Error("Look succeeded without a table")
	}
}
