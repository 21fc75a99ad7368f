package quota_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/platform/quota"
	"readiness/test/pgtest"
)

// Two people of one tenant, and one of another.
const (
	ada   = "north/ada"
	bob   = "north/bob"
	grace = "south/grace"
)

func open(t testing.TB, url string, o quota.Options) *quota.Limiter {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute // tests share a busy machine, so a slow statement is not a failure
	}
	l, err := quota.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func limit(n int) quota.Options { return quota.Options{Limits: map[string]int{quota.Platform: n}} }

func write(person string) quota.Call {
	return quota.Call{Bucket: quota.Platform, Person: person, Route: "POST /items", Urgency: quota.Write}
}

func take(t testing.TB, l *quota.Limiter, c quota.Call) time.Duration {
	t.Helper()
	wait, err := l.Take(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return wait
}

// admitted fails the test unless the call is counted.
func admitted(t testing.TB, l *quota.Limiter, c quota.Call) {
	t.Helper()
	if wait := take(t, l, c); wait != 0 {
		t.Fatalf("%+v must wait %s, want it counted", c, wait)
	}
}

// refused fails the test unless the call must wait, for at most the time and a minute less.
func refused(t testing.TB, l *quota.Limiter, c quota.Call, most time.Duration) {
	t.Helper()
	if wait := take(t, l, c); wait <= max(0, most-quota.Window) || wait > most {
		t.Fatalf("%+v must wait %s, want at most %s", c, wait, most)
	}
}

func hold(t testing.TB, l *quota.Limiter, c quota.Call, d time.Duration) {
	t.Helper()
	if err := l.Hold(t.Context(), c, d); err != nil {
		t.Fatal(err)
	}
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

func rows(t testing.TB, url string) (windows, holds int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	const count = `SELECT (SELECT count(*) FROM quota_windows), (SELECT count(*) FROM quota_holds)`
	if err := conn.QueryRow(t.Context(), count).Scan(&windows, &holds); err != nil {
		t.Fatal(err)
	}
	return windows, holds
}

// age makes everything that was counted and held older, for a person or, if it is empty, for everyone.
func age(t testing.TB, url, person string, by time.Duration) {
	t.Helper()
	hashed := ""
	if person != "" {
		hashed = quota.Call{Person: person}.Key()
	}
	exec(t, url, `UPDATE quota_windows SET hits = ARRAY(SELECT h - $2::interval FROM unnest(hits) h) WHERE $1 = '' OR key LIKE '%' || $1`, hashed, by)
	exec(t, url, `UPDATE quota_holds SET ends = ends - $1::interval`, by)
}

// Eight processes together count exactly as many calls as the limit allows.
func TestExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	const most = 60
	var counted atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		o := limit(most)
		o.Connections = 1
		l := open(t, url, o)
		wg.Go(func() {
			for j := range most/8 + 5 {
				c := write(ada)
				c.Route = fmt.Sprint("GET /", i*j) // the limit counts every route of the bucket
				wait, err := l.Take(t.Context(), c)
				if err != nil || wait < 0 || wait > quota.Window {
					t.Errorf("got a wait of %s, %v", wait, err)
				}
				if err == nil && wait == 0 {
					counted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := counted.Load(); n != most {
		t.Errorf("%d calls were counted, want %d", n, most)
	}
}

// By default a person has half of what the platform publishes, in each bucket on their own.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, quota.Options{})
	for bucket, most := range map[string]int{quota.Platform: 100, quota.Operations: 100, quota.Jobs: 100, quota.Queries: 60} {
		c := quota.Call{Bucket: bucket, Person: ada, Route: "GET /x", Urgency: quota.Write}
		admitted(t, l, c)
		// Fill all but one place at once, so that nothing expires on a slow machine.
		exec(t, url, `UPDATE quota_windows SET hits = array_fill(clock_timestamp(), ARRAY[$2::int]) WHERE key = $1`, c.Key(), most-1)
		admitted(t, l, c)
		refused(t, l, c, quota.Window)
		c.Person = bob
		admitted(t, l, c)
	}
}

// A share applies to each bucket, and is never so small that no call is made.
func TestShare(t *testing.T) {
	t.Parallel()
	for percent, want := range map[int]map[string]int{
		1:                  {quota.Platform: 2, quota.Operations: 2, quota.Jobs: 2, quota.Queries: 1},
		quota.DefaultShare: {quota.Platform: 100, quota.Operations: 100, quota.Jobs: 100, quota.Queries: 60},
		100:                {quota.Platform: 200, quota.Operations: 200, quota.Jobs: 200, quota.Queries: 120},
		1000:               {quota.Platform: 2000, quota.Operations: 2000, quota.Jobs: 2000, quota.Queries: 1200},
	} {
		if got := quota.Share(percent); !maps.Equal(got, want) {
			t.Errorf("%d %% are %v, want %v", percent, got, want)
		}
	}
}

// Calls leave the window one by one, a minute after they were counted; refused calls do not count.
func TestWindowSlides(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, limit(2))
	admitted(t, l, write(ada))
	age(t, url, ada, 20*time.Second)
	admitted(t, l, write(ada))
	for range 5 {
		refused(t, l, write(ada), 40*time.Second)
	}
	age(t, url, ada, 40*time.Second) // the first call is a minute old
	admitted(t, l, write(ada))
	refused(t, l, write(ada), 20*time.Second)
	age(t, url, ada, quota.Window)
	admitted(t, l, write(ada))
	admitted(t, l, write(ada))
	refused(t, l, write(ada), quota.Window)
}

// Reads leave room for polls, and both leave room for writes. The wait ends when a call of that urgency has room.
func TestReserve(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for _, row := range []struct{ limit, reads, polls int }{{20, 16, 19}, {100, 80, 95}, {2, 1, 1}, {1, 1, 1}} {
		l := open(t, url, limit(row.limit))
		c := write(fmt.Sprint("north/", row.limit))
		for urgency, most := range []int{quota.Read: row.reads, quota.Poll: row.polls, quota.Write: row.limit} {
			c.Urgency = urgency
			exec(t, url, `DELETE FROM quota_windows`)
			// All but the newest call of what the urgency may use were made 30 s ago.
			exec(t, url, `INSERT INTO quota_windows SELECT $1, array_fill(clock_timestamp() - interval '30 s', ARRAY[$2::int]), true WHERE $2 > 0`,
				c.Key(), most-1)
			admitted(t, l, c)
			if most > 1 {
				refused(t, l, c, 30*time.Second)
			} else {
				refused(t, l, c, quota.Window)
			}
			for c.Urgency = quota.Read; c.Urgency < urgency; c.Urgency++ { // less urgent ones have no room either
				refused(t, l, c, quota.Window)
			}
		}
	}
	// What reads leave is used by the others, in whatever order they come.
	l, c := open(t, url, limit(20)), write(grace)
	for urgency, n := range []int{quota.Read: 16, quota.Poll: 3, quota.Write: 1} {
		c.Urgency = urgency
		for range n {
			admitted(t, l, c)
		}
		refused(t, l, c, quota.Window)
	}
}

// A 429 that one process sees holds the person's calls of the bucket and the tenant's calls of the route in all.
func TestHolds(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	seen, l := open(t, url, quota.Options{}), open(t, url, quota.Options{})
	c := quota.Call{Bucket: quota.Platform, Person: ada, Route: "GET /folders"}
	call := func(bucket, person, route string, urgency int) quota.Call {
		return quota.Call{Bucket: bucket, Person: person, Route: route, Urgency: urgency}
	}
	held := []quota.Call{
		c, call(quota.Platform, ada, "GET /items", quota.Read), call(quota.Platform, ada, "POST /items", quota.Write),
		call(quota.Platform, bob, "GET /folders", quota.Read), call(quota.Platform, bob, "GET /folders", quota.Write),
		call(quota.Operations, ada, "GET /folders", quota.Poll),
	}
	free := []quota.Call{
		call(quota.Platform, bob, "GET /items", quota.Read), call(quota.Operations, ada, "GET /items", quota.Read),
		call(quota.Platform, grace, "GET /folders", quota.Read),
	}
	const d = 90 * time.Second
	admitted(t, l, held[1]) // a window exists already
	hold(t, seen, c, d)
	hold(t, seen, c, 10*time.Second) // a shorter hold does not replace the first
	hold(t, seen, c, -time.Second)   // nor does one that has ended
	for _, one := range held {
		refused(t, l, one, d)
	}
	for _, one := range free {
		admitted(t, l, one)
	}
	age(t, url, ada, d)
	for _, one := range held {
		admitted(t, l, one)
	}
	hold(t, seen, c, 24*time.Hour)
	refused(t, l, c, quota.MaxHold)
	age(t, url, ada, quota.MaxHold)
	admitted(t, l, c)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := seen.Hold(gone, c, d); err != nil {
		t.Fatal(err)
	}
	refused(t, l, c, d) // the caller that saw the 429 is gone, and the hold remains
}

// When the database's clock is set back, a window is not full for longer than a Window, its calls stay in order, and
// holds from the later time do not stay for as long as the clock was set back.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, limit(2))
	admitted(t, l, write(ada))
	age(t, url, ada, 50*time.Second)
	admitted(t, l, write(ada))
	hold(t, l, write(bob), 5*time.Minute)
	age(t, url, ada, -time.Hour)           // as seen after the clock was set back
	refused(t, l, write(ada), time.Minute) // full, with ten seconds until the first call leaves
	age(t, url, ada, 10*time.Second)
	admitted(t, l, write(ada))
	age(t, url, ada, 50*time.Second)
	admitted(t, l, write(ada))
	refused(t, l, write(ada), 10*time.Second)
	admitted(t, l, write(bob))
	hold(t, l, write(bob), 5*time.Second) // replaces the hold that is too late to be believed
	refused(t, l, write(bob), 5*time.Second)
}

// Neither windows in use nor holds are swept.
func TestSweep(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, limit(1))
	admitted(t, l, write(ada))
	hold(t, l, write(ada), time.Minute)
	age(t, url, "", time.Hour)
	admitted(t, l, write(bob))
	hold(t, l, write(grace), time.Minute)
	refused(t, l, write(grace), time.Minute) // leaves an empty window
	if windows, holds := rows(t, url); windows != 3 || holds != 4 {
		t.Fatalf("got %d windows and %d holds, want 3 and 4", windows, holds)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { l.KeepSwept(ctx, time.Millisecond) })
	for began := time.Now(); ; {
		if windows, holds := rows(t, url); windows == 1 && holds == 2 {
			break
		}
		if time.Since(began) > 5*time.Minute {
			t.Fatal("nothing was swept within 5 minutes")
		}
	}
	cancel()
	wg.Wait()
	refused(t, l, write(bob), quota.Window)
	refused(t, l, write(grace), time.Minute)
}

// Without an answer of the database within the timeout no call is admitted, and none is reported as Busy.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	locked := open(t, url, quota.Options{Timeout: 50 * time.Millisecond})
	away := open(t, "postgres://nobody@127.0.0.1:1/nothing", quota.Options{Timeout: 50 * time.Millisecond})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE quota_windows, quota_holds IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var busy *quota.Busy
	for name, l := range map[string]*quota.Limiter{"locked": locked, "away": away} {
		if wait, err := l.Take(t.Context(), write(ada)); err == nil {
			t.Errorf("%s: Take returned %s and no error", name, wait)
		}
		if err := l.Wait(t.Context(), write(ada)); err == nil || errors.As(err, &busy) {
			t.Errorf("%s: Wait returned %v", name, err)
		}
		if err := l.Hold(t.Context(), write(ada), time.Minute); err == nil {
			t.Errorf("%s: Hold succeeded", name)
		}
		if err := l.Sweep(t.Context()); err == nil {
			t.Errorf("%s: Sweep succeeded", name)
		}
		if n := l.Queues(); n != 0 {
			t.Errorf("%s: %d queues are left", name, n)
		}
	}
}

// A call or a limit that is not complete is an error, and nothing is counted.
func TestInvalid(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, quota.Options{})
	for name, spoil := range map[string]func(*quota.Call){
		"bucket":        func(c *quota.Call) { c.Bucket = "others" },
		"person":        func(c *quota.Call) { c.Person = "" },
		"route":         func(c *quota.Call) { c.Route = "" },
		"low urgency":   func(c *quota.Call) { c.Urgency = -1 },
		"great urgency": func(c *quota.Call) { c.Urgency = 3 },
	} {
		c := write(ada)
		spoil(&c)
		_, err := l.Take(t.Context(), c)
		for verb, err := range map[string]error{"Take": err, "Wait": l.Wait(t.Context(), c), "Hold": l.Hold(t.Context(), c, time.Minute)} {
			if err == nil {
				t.Errorf("%s: %s succeeded", name, verb)
			}
		}
	}
	if windows, holds := rows(t, url); windows != 0 || holds != 0 {
		t.Errorf("got %d windows and %d holds, want none", windows, holds)
	}
	for _, limits := range []map[string]int{{"others": 3}, {quota.Jobs: 0}, {quota.Jobs: -1}} {
		if l, err := quota.Open(t.Context(), url, quota.Options{Limits: limits}); err == nil {
			l.Close()
			t.Errorf("%v: Open succeeded", limits)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	o := limit(1)
	registry := prometheus.NewRegistry()
	o.Registry = registry
	l := open(t, pgtest.URL(t), o)
	if err := l.Wait(t.Context(), write(ada)); err != nil {
		t.Fatal(err)
	}
	refused(t, l, write(ada), quota.Window) // is not counted
	admitted(t, l, write(bob))
	hold(t, l, write(bob), time.Minute)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if len(m.GetLabel()) != 1 || m.GetLabel()[0].GetName() != "bucket" {
				t.Errorf("%s has labels %v, want the bucket alone", f.GetName(), m.GetLabel())
			}
			key := strings.TrimPrefix(f.GetName(), "readiness_quota_") + " " + m.GetLabel()[0].GetValue()
			got[key] = uint64(m.GetCounter().GetValue()) + m.GetHistogram().GetSampleCount()
		}
	}
	if len(got) != 12 {
		t.Errorf("got %v, want three metrics of four buckets", got)
	}
	for key, want := range map[string]uint64{
		"calls_total platform": 2, "holds_total platform": 1, "wait_seconds platform": 1,
		"calls_total jobs": 0, "holds_total jobs": 0, "wait_seconds jobs": 0,
	} {
		if got[key] != want {
			t.Errorf("%s is %d, want %d", key, got[key], want)
		}
	}
	if _, err := quota.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing", o); err == nil {
		t.Error("a second limiter registered the same metrics")
	}
}

func BenchmarkTake(b *testing.B) {
	url := pgtest.URL(b)
	b.Run("counted", func(b *testing.B) {
		l := open(b, url, limit(1<<20))
		for i := 0; b.Loop(); i++ { // windows of up to a hundred calls
			admitted(b, l, write(fmt.Sprint("north/", i/100)))
		}
	})
	b.Run("refused", func(b *testing.B) {
		l := open(b, url, limit(100))
		exec(b, url, `INSERT INTO quota_windows SELECT $1, array_fill(clock_timestamp(), ARRAY[100]), true ON CONFLICT DO NOTHING`, quota.Call{Bucket: quota.Platform, Person: ada}.Key())
		for b.Loop() {
			take(b, l, write(ada))
		}
	})
}
