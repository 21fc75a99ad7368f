package collector_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain/pixies"
)

// seenBy returns the recorded and still counted views of an account's reports, as an assessment reads them.
func (b *bench) seenBy(t *testing.T, account string, reports ...uuid.UUID) map[uuid.UUID]map[string]int64 {
	t.Helper()
	views, err := b.Views.PageViews(t.Context(), account, reports, noon.AddDate(0, 0, -28), noon.AddDate(0, 0, 2))
	check(t, err)
	return views
}

// Several processes record hours while views of those hours still arrive and connections are cut. Nothing is counted
// twice, nothing is lost, and reads are the same at every moment.
//
// proves: decisions/9/10-hours
func TestHoursAreRecordedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	later := noon.Add(3 * time.Hour)
	b.Clock.Set(later)
	const reports, rounds = 30, 40
	var ids []uuid.UUID
	for range reports {
		ids = append(ids, uuid.New())
	}
	ctx, stop := context.WithCancel(t.Context())
	var recorders sync.WaitGroup
	for range 3 {
		recorders.Go(func() {
			for ctx.Err() == nil {
				// An attempt may fail because its connection was cut or because another process was faster.
				_ = b.Pixies.RecordViews(ctx)
			}
		})
	}
	recorders.Go(func() {
		for ctx.Err() == nil {
			_, _ = b.Pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%DELETE FROM page_view_hours%' AND random() < 0.2`)
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	want := map[uuid.UUID]map[string]int64{}
	for n := range rounds {
		var views []pixies.Viewed
		for range 50 {
			v := pixies.Viewed{AccountID: "acme", ReportID: ids[random.IntN(reports)], Hour: noon.Add(time.Duration(random.IntN(2)) * time.Hour), Page: fmt.Sprint("page ", random.IntN(3)), Views: 1 + random.IntN(5)}
			views = append(views, v)
			if want[v.ReportID] == nil {
				want[v.ReportID] = map[string]int64{}
			}
			want[v.ReportID][v.Page] += int64(v.Views)
		}
		for {
			err := b.Pixies.CountViews(t.Context(), views)
			if errors.Is(err, commands.ErrNotCounted) {
				continue
			}
			check(t, err)
			break
		}
		if diff := cmp.Diff(want, b.seenBy(t, "acme", ids...)); diff != "" {
			t.Fatalf("views read after %d counts (-want +got):\n%s", n+1, diff)
		}
	}
	stop()
	recorders.Wait()
	check(t, b.Pixies.RecordViews(t.Context()))
	if n := b.counting(t); n != 0 {
		t.Errorf("%d rows are still counted", n)
	}
	if diff := cmp.Diff(want, b.seenBy(t, "acme", ids...)); diff != "" {
		t.Errorf("views read at the end (-want +got):\n%s", diff)
	}
}

// A bot that requests a Pixie's image in a loop causes one event per hour, however often it asks. An hour that has
// not ended has no event. Views that arrive after their hour's event cause another one.
func TestBotCausesOneEventPerHour(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	report := b.place(t, "acme", 1, 1)
	var at time.Time
	for hour := range 3 {
		for range 20 {
			at = noon.Add(time.Duration(hour) * time.Hour).Add(time.Duration(hour) * time.Minute)
			b.Clock.Set(at)
			for range 100 {
				b.See(id(1))
			}
			b.Collect(t.Context())
			check(t, b.Pixies.RecordViews(t.Context()))
			if n := b.appends(t); n != hour {
				t.Fatalf("%d events in the hour %d, want one for each hour that has ended", n, hour)
			}
		}
	}
	check(t, b.Pixies.CountViews(t.Context(), []pixies.Viewed{{AccountID: "acme", ReportID: report, Hour: noon, Page: "page 1", Views: 5}}))
	check(t, b.Pixies.RecordViews(t.Context()))
	if n := b.appends(t); n != 3 {
		t.Errorf("%d events, want two for the ended hours and one for the late views", n)
	}
	if diff := cmp.Diff(map[uuid.UUID]map[string]int64{report: {"page 1": 6005}}, b.seenBy(t, "acme", report)); diff != "" {
		t.Errorf("views read (-want +got):\n%s", diff)
	}
}

// When one account's views cannot be recorded, they stay counted, and other accounts' views are recorded.
func TestRecordingFailsForOneAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	report := uuid.New()
	for _, account := range []string{"a", "broken", "z"} {
		check(t, b.Pixies.CountViews(t.Context(), []pixies.Viewed{{AccountID: account, ReportID: report, Hour: noon.Add(-2 * time.Hour), Page: "page", Views: 7}}))
	}
	_, err := b.Pool.Exec(t.Context(), `ALTER TABLE events ADD CONSTRAINT broken CHECK (account_id <> 'broken')`)
	check(t, err)
	if err := b.Pixies.RecordViews(t.Context()); err == nil {
		t.Error("no error says that views were not recorded")
	}
	if h, n := b.counting(t), b.appends(t); h != 1 || n != 2 {
		t.Errorf("%d rows are counted and %d events are there, want one and two", h, n)
	}
	_, err = b.Pool.Exec(t.Context(), `ALTER TABLE events DROP CONSTRAINT broken`)
	check(t, err)
	check(t, b.Pixies.RecordViews(t.Context()))
	if h, n := b.counting(t), b.appends(t); h != 0 || n != 3 {
		t.Errorf("%d rows are counted and %d events are there, want none and three", h, n)
	}
}
