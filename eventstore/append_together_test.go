package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/test/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// gathering is a log whose first append waits until it is released, so that others gather behind it and are appended together.
type gathering struct {
	*eventstore.Store
	pool    *pgxpool.Pool
	began   chan struct{} // closed when the first append runs
	held    chan struct{}
	largest atomic.Int32 // how many streams one transaction appended to
}

func gather(t *testing.T) *gathering {
	t.Helper()
	g := &gathering{pool: pgtest.Pool(t), began: make(chan struct{}), held: make(chan struct{})}
	var first sync.Once
	g.Store = eventstore.New(g.pool, codec(t), eventstore.Options{Inline: func(_ *pgx.Batch, recorded []eventstore.Recorded) error {
		if recorded[0].Stream == "budget-first" {
			first.Do(func() { close(g.began); <-g.held })
		}
		streams := map[string]bool{}
		for _, r := range recorded {
			if streams[r.Stream] = true; strings.HasSuffix(r.Stream, "-unprojectable") {
				return errors.New("not projected")
			}
		}
		g.largest.Store(max(g.largest.Load(), int32(len(streams))))
		return nil
	}})
	g.NeverLate()
	return g
}

// start lets the first append begin, then all changes, in this order, and returns their errors once all have ended.
func (g *gathering) start(t *testing.T, changes ...func() error) []error {
	t.Helper()
	errs := make([]error, len(changes))
	var done sync.WaitGroup
	done.Go(func() {
		if err := add(t.Context(), g.Store, "budget-first", spent{}); err != nil {
			t.Error(err)
		}
	})
	<-g.began
	for i, change := range changes {
		done.Go(func() { errs[i] = change() })
		for n := 0; n <= i; n, _ = g.Waiting() {
			runtime.Gosched()
		}
	}
	close(g.held)
	done.Wait()
	return errs
}

func (g *gathering) adding(t *testing.T, account, stream string, events ...domain.Event) func() error {
	return func() error { return addFor(t.Context(), g.Store, account, stream, events...) }
}

// Changes of several accounts are appended in one transaction, each with its own account and metadata, in the order of their arrival.
func TestChangesAreAppendedTogether(t *testing.T) {
	t.Parallel()
	g := gather(t)
	var changes []func() error
	for i := range 8 {
		changes = append(changes, g.adding(t, fmt.Sprint("account", i%3), fmt.Sprint("budget-", i), spent{Units: i}, spent{Units: i}))
	}
	for i, err := range g.start(t, changes...) {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got := g.largest.Load(); got != 8 {
		t.Errorf("a transaction appended to %d streams, want 8", got)
	}
	i := -2
	for r, err := range g.ReadAll(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if i++; i < 0 {
			continue // the first
		}
		if n := i / 2; r.Stream != fmt.Sprint("budget-", n) || r.Account != fmt.Sprint("account", n%3) || r.Metadata.Account != r.Account ||
			r.Event != (spent{Units: n}) || r.Version != int64(i%2+1) {
			t.Errorf("event %d: got %+v", i, r)
		}
	}
	if v, err := g.Verify(t.Context(), eventstore.VerifyOptions{}); err != nil || v.Events != 17 || v.Mismatches != 0 {
		t.Errorf("got %+v, %v", v, err)
	}
}

// A change that cannot be appended fails alone; those that were to be appended with it are.
func TestChangeFailsAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream string
		queued database.Statement
		says   string
	}{
		"a statement fails":         {"budget-bad", database.Statement{SQL: "SELECT 1/$1::int", Args: []any{0}}, "division by zero"},
		"a view cannot be made":     {"budget-unprojectable", database.Statement{SQL: "SELECT 1"}, "not projected"},
		"a value that is not valid": {"budget-bad", database.Statement{SQL: "SELECT $1::int", Args: []any{"x"}}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gather(t)
			errs := g.start(t, g.adding(t, "acme", "budget-1", spent{}), func() error {
				p := eventstore.Tail(test.stream)
				return g.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
					c.Queue(test.queued)
					return eventstore.Decide(c, p, record{spent{}})
				})
			}, g.adding(t, "other", "budget-2", spent{}))
			if errs[0] != nil || errs[2] != nil || errs[1] == nil || !strings.Contains(errs[1].Error(), test.says) {
				t.Errorf("got %v", errs)
			}
			if n := count(t, g.pool, "events"); n != 3 {
				t.Errorf("%d events, want 3", n)
			}
		})
	}
}

// Two callers that append to one stream, and one that guards it, each see what the ones before appended.
func TestChangesOfOneStreamTogether(t *testing.T) {
	t.Parallel()
	g := gather(t)
	var seen []int
	guarding := func() error {
		p, own := eventstore.FoldLast[budget]("budget-shared").Guarded(), eventstore.Tail("budget-own")
		return g.Change(t.Context(), meta, []eventstore.Loadable{p, own}, func(c *eventstore.Change) error {
			seen = append(seen, p.State.Total)
			return eventstore.Decide(c, own, record{spent{}})
		})
	}
	spending := func() error {
		p := eventstore.FoldLast[budget]("budget-shared")
		return g.Change(t.Context(), meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, p, spend{units: 1, limit: 1})
		})
	}
	errs := g.start(t, spending, spending, guarding)
	if errs[0] != nil || !domain.IsRefused(errs[1], domain.AssessmentDailyLimitReached) || errs[2] != nil {
		t.Errorf("got %v", errs)
	}
	if want := []int{0, 1}; !slices.Equal(seen, want) {
		t.Errorf("the guard saw %v, want %v", seen, want)
	}
	if n := count(t, g.pool, "events"); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
}

// A stream whose row another process holds, which may be frozen, delays only its own callers.
func TestLockedStreamDelaysNoOther(t *testing.T) {
	t.Parallel()
	g := gather(t)
	mustAdd(t, g.Store, "budget-held", spent{})
	frozen, err := g.pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = frozen.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = frozen.Exec(t.Context(), `SELECT FROM streams WHERE stream = 'budget-held' FOR UPDATE`)
	must(t, err)
	ended := make(chan error, 1)
	errs := g.start(t, func() error { go func() { ended <- add(t.Context(), g.Store, "budget-held", spent{}) }(); return nil },
		g.adding(t, "acme", "budget-1", spent{}), g.adding(t, "other", "budget-2", spent{}))
	must(t, errors.Join(errs...))
	if n := count(t, g.pool, "events"); n != 4 {
		t.Errorf("%d events while the row is held, want 4", n)
	}
	must(t, add(t.Context(), g.Store, "budget-3", spent{})) // a later one as well
	must(t, frozen.Rollback(t.Context()))
	must(t, <-ended)
	if n := count(t, g.pool, "events WHERE stream = 'budget-held'"); n != 2 {
		t.Errorf("%d events of the stream, want 2", n)
	}
}

// Callers in two processes append to few streams while connections are ended. What was acknowledged is stored once, in unbroken streams.
func TestAppendsTogetherUnderKills(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	var processes []*eventstore.Store
	for range 2 {
		own, err := pgxpool.NewWithConfig(t.Context(), pool.Config())
		must(t, err)
		t.Cleanup(own.Close)
		processes = append(processes, eventstore.New(own, codec(t), eventstore.Options{}))
	}
	var acknowledged sync.Map
	var callers sync.WaitGroup
	working, stop := context.WithCancel(t.Context())
	for i := range 24 {
		callers.Go(func() {
			for n := range 60 {
				by := fmt.Sprintf("%d-%d", i, n)
				p := eventstore.FoldLast[budget](fmt.Sprint("budget-", (i+n)%16))
				err := processes[i%2].Change(t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{p}, func(c *eventstore.Change) error {
					return eventstore.Decide(c, p, spend{units: 1, by: by})
				})
				if err == nil {
					acknowledged.Store(by, true)
				}
			}
		})
	}
	var killer sync.WaitGroup
	killer.Go(func() {
		for working.Err() == nil {
			_, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM (
				SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
				AND query LIKE '%INSERT INTO%' LIMIT 1) a`)
			must(t, err)
		}
	})
	callers.Wait()
	stop()
	killer.Wait()
	stored := map[string]int{}
	totals := map[string]int{}
	for r, err := range processes[0].ReadAll(t.Context(), 0, 0) {
		must(t, err)
		e := r.Event.(spent)
		stored[e.By]++
		if totals[r.Stream]++; totals[r.Stream] != e.Total || int64(e.Total) != r.Version {
			t.Fatalf("%s: version %d has the total %d, want %d", r.Stream, r.Version, e.Total, totals[r.Stream])
		}
	}
	for by, n := range stored {
		if n != 1 {
			t.Errorf("%s is stored %d times", by, n)
		}
	}
	n := 0
	acknowledged.Range(func(by, _ any) bool {
		if n++; stored[by.(string)] != 1 {
			t.Errorf("%s was acknowledged and is stored %d times", by, stored[by.(string)])
		}
		return true
	})
	if n == 0 {
		t.Error("nothing was acknowledged")
	}
	v, err := processes[0].Verify(t.Context(), eventstore.VerifyOptions{})
	if err != nil || v.Mismatches != 0 {
		t.Errorf("got %+v, %v", v, err)
	}
}
