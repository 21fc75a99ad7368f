//go:build hard

package collector_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/eventstore"
	"readiness/projections"
)

// recorderOf is an environment variable. When set, the test binary records the hours of that database until it is
// killed.
const recorderOf = "READINESS_TEST_RECORDER_OF"

// TestHardTenMillionViews counts ten million views of two thousand pages over two days while processes that record
// hours are killed at random moments. Every view is counted once: in an event, or for an hour that has not ended.
//
// proves: decisions/9/10-hours
func TestHardTenMillionViews(t *testing.T) {
	if url := os.Getenv(recorderOf); url != "" {
		recordUntilKilled(t, url)
	}
	b := newBench(t)
	const all, reports, pages = 10_000_000, 100, 20
	for n := range reports {
		b.place(t, "acme", n*pages, n*pages+pages-1)
	}
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any seed is one
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	kills := make(chan int)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		killed := 0
		defer func() { kills <- killed }()
		for ctx.Err() == nil {
			process := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHardTenMillionViews$", "-test.timeout=0")
			process.Env = append(os.Environ(), recorderOf+"="+b.Pool.Config().ConnString())
			if err := process.Start(); err != nil {
				t.Error(err)
				return
			}
			if waitFor(ctx, time.Duration(random.Int64N(int64(700*time.Millisecond)))) {
				killed++
			}
			_ = process.Process.Kill()
			_ = process.Wait()
		}
	}()
	began := time.Now()
	at, seen := noon, 0
	view := rand.New(rand.NewPCG(seed, 1))
	for seen < all {
		for range 16_384 {
			b.See(id(view.IntN(reports * pages)))
			seen++
		}
		b.Collect(t.Context())
		// All views together span two days, so most hours end while views still arrive.
		at = noon.Add(time.Duration(float64(48*time.Hour) * float64(seen) / all))
		b.Clock.Set(at)
	}
	for outcomes := b.outcomes(t); outcomes["recorded"] < seen; outcomes = b.outcomes(t) {
		if outcomes["uncertain"]+outcomes["unavailable"]+outcomes["overloaded"] > 0 {
			t.Fatalf("views were lost although no counting process was killed: %v", outcomes)
		}
		b.Collect(t.Context())
	}
	took := time.Since(began)
	stop()
	killed := <-kills
	stored := func() (sum int) {
		for n := range maps.Values(b.stored(t)) {
			sum += n
		}
		return sum
	}
	if sum := stored(); sum != seen {
		t.Errorf("%d views are stored of %d seen", sum, seen)
	}
	end := at.Add(2 * time.Hour)
	b.Clock.Set(end)
	check(t, b.Pixies.RecordViews(t.Context()))
	if sum, left := stored(), b.counting(t); sum != seen || left != 0 {
		t.Errorf("%d views are stored of %d seen, and %d rows are still counted", sum, seen, left)
	}
	events := b.appends(t)
	t.Logf("%d views of %d pages in %v, %d recorders killed, %d events", seen, reports*pages, took.Round(time.Second), killed, events)
	if most := reports * 52 * 2; events > most { // each hour once, and some again for late views
		t.Errorf("%d events, want at most %d", events, most)
	}
}

// waitFor waits for d and reports whether d passed before ctx ended.
func waitFor(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, d, context.DeadlineExceeded)
	defer cancel()
	<-ctx.Done()
	return context.Cause(ctx) == context.DeadlineExceeded
}

// recordUntilKilled records all hours that have rows, including the current one, because its clock is ahead.
func recordUntilKilled(t *testing.T, url string) {
	pool, err := pgxpool.New(t.Context(), url)
	check(t, err)
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	engine := projections.NewEngine(pool, viewsAtOnce()...)
	store := eventstore.New(pool, codec, eventstore.Options{Inline: engine.Inline})
	service := commands.New(commands.Options{Pool: pool, Store: store, Now: func() time.Time { return recorderNow(t, pool) }})
	for parent := os.Getppid(); os.Getppid() == parent; { // stop when the parent process is killed
		_ = service.Pixies.RecordViews(t.Context())
	}
}

// recorderNow returns the time one minute after the start of the last hour that has views.
func recorderNow(t *testing.T, pool *pgxpool.Pool) time.Time {
	var last *time.Time
	if err := pool.QueryRow(t.Context(), `SELECT max(hour) FROM page_view_hours`).Scan(&last); err != nil || last == nil {
		return noon
	}
	return last.Add(time.Minute)
}
