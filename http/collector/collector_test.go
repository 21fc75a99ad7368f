package collector_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/http/collector"
	"readiness/projections"
	"readiness/test/testworld"
)

var noon = testworld.Noon

// bench is a world with a collector.
type bench struct {
	*testworld.World
	*collector.Collector
	options  collector.Options
	registry *prometheus.Registry
	log      strings.Builder
}

// viewsAtOnce returns the views of the service, with page views written by appends, so that tests need not wait for them.
func viewsAtOnce() []*projections.View {
	views, pages := projections.All(), *projections.PageViews
	pages.Inline = true
	views[slices.Index(views, projections.PageViews)] = &pages
	return views
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{World: testworld.New(t, testworld.Options{Views: viewsAtOnce()}), registry: prometheus.NewRegistry()}
	b.options = collector.Options{
		Resolve: b.Views.PixieIDs, Count: b.Pixies.CountViews,
		Registry: b.registry, Log: slog.New(slog.NewTextHandler(&b.log, nil)), Now: b.Clock.Now,
	}
	var err error
	b.Collector, err = collector.New(b.options)
	check(t, err)
	return b
}

// second replaces the collector with another one on the same database, with other options and its own metrics.
func (b *bench) second(t *testing.T, change func(*collector.Options)) {
	t.Helper()
	b.registry = prometheus.NewRegistry()
	b.options.Registry = b.registry
	change(&b.options)
	var err error
	b.Collector, err = collector.New(b.options)
	check(t, err)
}

var check = testworld.Check

// id returns the id of the n-th Pixie.
func id(n int) string { return fmt.Sprintf("%032x", n) }

// place adds the Pixies first to last to a report of an account, one per page.
func (b *bench) place(t *testing.T, accountID string, first, last int) uuid.UUID {
	t.Helper()
	report, op := uuid.New(), uuid.New()
	add := pixies.Add{OperationID: op, Pages: last - first + 1, At: noon}
	for n := first; n <= last; n++ {
		add.Placed = append(add.Placed, pixies.Placed{Page: fmt.Sprint("page ", n), ID: id(n)})
	}
	past := eventstore.FoldLast[pixies.Report](pixies.Stream(accountID, report))
	testworld.Record(t, b.World, accountID, past, domain.Command[pixies.Report](pixies.Hold{OperationID: op, ReportID: report, WorkspaceID: uuid.New()}), add)
	return report
}

// outcomes returns the number of views per outcome, without zeros.
func (b *bench) outcomes(t *testing.T) map[string]int {
	t.Helper()
	families, err := b.registry.Gather()
	check(t, err)
	all := map[string]int{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetCounter() != nil && m.GetCounter().GetValue() > 0 {
				all[m.GetLabel()[0].GetValue()] = int(m.GetCounter().GetValue())
			}
		}
	}
	return all
}

func (b *bench) became(t *testing.T, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, b.outcomes(t)); diff != "" {
		t.Errorf("outcomes of the views (-want +got):\n%s", diff)
	}
}

// stored returns the views that are counted or in the log, by account, day and page.
func (b *bench) stored(t *testing.T) map[string]int {
	t.Helper()
	rows, err := b.Pool.Query(t.Context(), `SELECT account_id || ' ' || day || ' ' || page, views FROM page_views_v2
		UNION ALL SELECT account_id || ' ' || (hour AT TIME ZONE 'UTC')::date || ' ' || page, views FROM page_view_hours`)
	check(t, err)
	all := map[string]int{}
	var key string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&key, &n}, func() error {
		all[key] += n
		return nil
	})
	check(t, err)
	return all
}

// counting returns how many rows, one per page and hour, are counted.
func (b *bench) counting(t *testing.T) (n int) {
	t.Helper()
	check(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM page_view_hours`).Scan(&n))
	return n
}

func (b *bench) appends(t *testing.T) (n int) {
	t.Helper()
	check(t, b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE type = 'pixies.seen'`).Scan(&n))
	return n
}

// Views are added up by report, page and hour. Each report and hour becomes one event when the hour has ended. Views
// with an unknown id leave no trace.
func TestViewsAddUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.place(t, "acme", 1, 2)
	b.place(t, "acme", 3, 3)
	b.place(t, "other", 4, 4)
	b.Collect(t.Context()) // nothing was viewed yet
	for _, n := range []int{1, 1, 2, 3, 4, 1} {
		b.See(id(n))
	}
	b.See(strings.ToUpper(id(2)))
	midnight := noon.Add(12 * time.Hour)
	b.Clock.Set(midnight)
	b.See(id(1))
	for _, nobodys := range []string{id(9), id(9), "", "x", id(1) + "0", id(1)[1:], strings.Repeat("g", 32), "../" + id(1), id(1) + "\x00"} {
		b.See(nobodys)
	}
	b.Collect(t.Context())
	want := map[string]int{
		"acme 2026-11-21 page 1": 3, "acme 2026-11-22 page 1": 1, "acme 2026-11-21 page 2": 2, "acme 2026-11-21 page 3": 1, "other 2026-11-21 page 4": 1,
	}
	holds := func(hours, events int) {
		t.Helper()
		if diff := cmp.Diff(want, b.stored(t)); diff != "" {
			t.Errorf("stored views (-want +got):\n%s", diff)
		}
		if h, n := b.counting(t), b.appends(t); h != hours || n != events {
			t.Errorf("%d rows are counted and %d events are there, want %d and %d", h, n, hours, events)
		}
	}
	holds(5, 0)
	b.became(t, map[string]int{"recorded": 8, "unknown": 9})
	b.Collect(t.Context()) // counted once, although collected twice
	holds(5, 0)
	check(t, b.Pixies.RecordViews(t.Context())) // noon has ended; midnight's hour has not
	holds(1, 3)
	b.See(id(4))
	b.Collect(t.Context())
	want["other 2026-11-22 page 4"] = 1
	holds(2, 3)
	later := midnight.Add(time.Hour + time.Minute)
	b.Clock.Set(later)
	for range 2 { // recorded once, although called twice
		check(t, b.Pixies.RecordViews(t.Context()))
		holds(0, 5)
	}
	var said string
	check(t, b.Pool.QueryRow(t.Context(), `SELECT string_agg(data::text || metadata::text, ' ') FROM events WHERE type = 'pixies.seen'`).Scan(&said))
	if strings.Contains(said, id(9)) || strings.Contains(said, "person") || strings.Contains(said, id(1)) {
		t.Errorf("an event contains more than the views: %s", said)
	}
}

// An unknown id is looked up again after a minute, because a Pixie can be viewed before its operation has ended.
func TestIDAddedLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	asked := 0
	resolve := b.options.Resolve
	b.second(t, func(o *collector.Options) {
		o.Resolve = func(ctx context.Context, ids []string) (map[string]projections.PixieID, error) {
			asked += len(ids)
			return resolve(ctx, ids)
		}
	})
	look := func() {
		b.See(id(1))
		b.Collect(t.Context())
	}
	look()
	b.place(t, "acme", 1, 1)
	look()
	b.became(t, map[string]int{"unknown": 2})
	later := noon.Add(time.Minute + time.Second)
	b.Clock.Set(later)
	look()
	look()
	b.became(t, map[string]int{"unknown": 2, "recorded": 2})
	if asked != 2 {
		t.Errorf("the id was looked up %d times, want once a minute until it exists", asked)
	}
}

// Views that arrive in parallel with counting are all counted, including those that arrive before the collector
// stops, even when there are more distinct pages than fit in one batch.
func TestRunRecordsEverything(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const reports = collector.BatchSize + 1
	for n := range reports {
		b.place(t, "acme", n, n)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running, viewers sync.WaitGroup
	running.Go(func() { b.Run(ctx) })
	for v := range 8 {
		viewers.Go(func() {
			for n := range 1000 {
				b.See(id((n + v) % reports))
			}
		})
	}
	viewers.Wait()
	stop()
	running.Wait()
	b.became(t, map[string]int{"recorded": 8000})
	sum := 0
	stored := b.stored(t)
	for n := range maps.Values(stored) {
		sum += n
	}
	if sum != 8000 || len(stored) != reports {
		t.Errorf("%d views of %d reports are stored, want 8000 of %d", sum, len(stored), reports)
	}
}

// block blocks all counting until the returned function is called. waits reports whether a count is blocked.
func (b *bench) block(t *testing.T) (free func(), waits func() []uint32) {
	t.Helper()
	tx, err := b.Pool.Begin(t.Context())
	check(t, err)
	_, err = tx.Exec(t.Context(), `LOCK TABLE page_view_hours IN EXCLUSIVE MODE`)
	check(t, err)
	free = sync.OnceFunc(func() { check(t, tx.Rollback(context.Background())) })
	t.Cleanup(free)
	return free, func() []uint32 {
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		for {
			rows, err := b.Pool.Query(ctx, `SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database
				WHERE d.datname = current_database() AND relation = 'page_view_hours'::regclass AND NOT granted`)
			check(t, err)
			pids, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
			check(t, err)
			if len(pids) > 0 {
				return pids
			}
		}
	}
}

// When the database hangs, no viewer waits: views that do not fit are counted as dropped, and the rest are recorded
// once the database responds.
func TestOverload(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.place(t, "acme", 1, 1)
	free, waits := b.block(t)
	b.See(id(1))
	var blocked sync.WaitGroup
	blocked.Go(func() { b.Collect(t.Context()) })
	waits()
	for n := range collector.MaxPending + 100 {
		b.See(id(1 + n))
		b.See(id(1))
	}
	b.became(t, map[string]int{"overloaded": 100})
	free()
	blocked.Wait()
	b.Collect(t.Context())
	const seen = collector.MaxPending + 102
	b.became(t, map[string]int{"overloaded": 100, "unknown": collector.MaxPending - 1, "recorded": seen})
	if diff := cmp.Diff(map[string]int{"acme 2026-11-21 page 1": seen}, b.stored(t)); diff != "" {
		t.Errorf("stored views (-want +got):\n%s", diff)
	}
}

// Views that certainly were not recorded are kept and recorded later, once. They are dropped after too many attempts,
// or when the process ends.
func TestDatabaseUnavailable(t *testing.T) {
	t.Parallel()
	for name, tables := range map[string]string{"look-up": "pixie_ids_v1", "count": "page_view_hours"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.place(t, "acme", 1, 1)
			b.place(t, "other", 2, 2)
			b.place(t, "acme", 3, 4)
			rename := func(from, to string) {
				t.Helper()
				kind := "TABLE"
				if strings.HasSuffix(tables, "_v1") {
					kind = "VIEW"
				}
				_, err := b.Pool.Exec(t.Context(), fmt.Sprintf(`ALTER %s %s RENAME TO %s`, kind, from, to))
				check(t, err)
			}
			rename(tables, "away")
			for range 3 {
				b.See(id(1))
				b.See(id(2))
				b.Collect(t.Context())
			}
			b.became(t, map[string]int{})
			rename("away", tables)
			b.Collect(t.Context())
			b.Collect(t.Context())
			b.became(t, map[string]int{"recorded": 6})
			if diff := cmp.Diff(map[string]int{"acme 2026-11-21 page 1": 3, "other 2026-11-21 page 2": 3}, b.stored(t)); diff != "" {
				t.Errorf("stored views (-want +got):\n%s", diff)
			}
			if n := strings.Count(b.log.String(), "cannot be counted now"); n != 1 {
				t.Errorf("%d log lines report it, want one:\n%s", n, b.log.String())
			}

			rename(tables, "away")
			b.See(id(3))
			for range collector.MaxFailures {
				b.Collect(t.Context())
			}
			b.became(t, map[string]int{"recorded": 6, "unavailable": 1})
			b.See(id(4))
			ended, end := context.WithCancel(t.Context())
			end()
			b.Run(ended)
			b.became(t, map[string]int{"recorded": 6, "unavailable": 2})
		})
	}
}

// The number of distinct pending views is bounded.
func TestPendingViewsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.second(t, func(o *collector.Options) {
		o.Resolve = func(context.Context, []string) (map[string]projections.PixieID, error) {
			return nil, io.ErrUnexpectedEOF
		}
	})
	for n := range collector.MaxPending + 7 {
		b.See(id(n))
		if n%5_000 == 0 {
			b.Collect(t.Context())
		}
	}
	b.See(id(0)) // already held
	b.Collect(t.Context())
	b.became(t, map[string]int{"overloaded": 7})
}

// A count with an unknown outcome is not repeated, whether it was committed or not, so no view counts twice.
func TestCountWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	t.Run("committed", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.place(t, "acme", 1, 1)
		count := b.options.Count
		b.second(t, func(o *collector.Options) {
			o.Count = func(ctx context.Context, views []pixies.Viewed) error {
				check(t, count(ctx, views))
				return io.ErrUnexpectedEOF // the response was lost
			}
		})
		b.See(id(1))
		b.Collect(t.Context())
		b.Collect(t.Context())
		b.became(t, map[string]int{"uncertain": 1})
		if diff := cmp.Diff(map[string]int{"acme 2026-11-21 page 1": 1}, b.stored(t)); diff != "" {
			t.Errorf("stored views (-want +got):\n%s", diff)
		}
	})
	t.Run("the connection broke", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.place(t, "acme", 1, 1)
		free, waits := b.block(t)
		b.See(id(1))
		var blocked sync.WaitGroup
		blocked.Go(func() { b.Collect(t.Context()) })
		_, err := b.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid`, waits())
		check(t, err)
		blocked.Wait()
		free()
		b.Collect(t.Context())
		b.became(t, map[string]int{"uncertain": 1})
		if n := b.counting(t); n != 0 {
			t.Errorf("%d rows are counted, want none", n)
		}
	})
}
