package pageviews_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/commands"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/eventstore/forward"
	"readiness/http/collector"
	"readiness/http/collector/pageviews"
	"readiness/test/natstest"
	"readiness/test/testworld"
)

// limit bounds each wait. It only ends a test that would wait indefinitely.
const limit = 5 * time.Minute

// world is a service whose account acme has Pixies, and servers through which views reach it.
type world struct {
	testing.TB
	*testworld.World
	cluster *natstest.Cluster
	js      jetstream.JetStream
	report  uuid.UUID
	metrics map[string]*prometheus.Registry
	// target is how a process that counts reaches the servers, and collector how one that collects does.
	target, collector forward.Target
}

func id(n int) string { return fmt.Sprintf("%032x", n) }

// newWorld returns a world with the Pixies 1 to 9, one on each of a report's pages.
func newWorld(t testing.TB, servers int, sync string) *world {
	t.Helper()
	return newWorldOn(t, natstest.Start(t, servers, sync), "log:log", "system:system")
}

// newWorldOn is newWorld on servers with these users: one for everything, and one of the system account.
func newWorldOn(t testing.TB, cluster *natstest.Cluster, service, system string) *world {
	t.Helper()
	w := &world{TB: t, World: testworld.New(t, testworld.Options{}), cluster: cluster, report: uuid.New(), metrics: map[string]*prometheus.Registry{}}
	w.target = forward.Target{URL: cluster.URLs(service), System: cluster.URLs(system), Stream: "views", Replicas: 1}
	w.collector = w.target
	op := uuid.New()
	add := pixies.Add{OperationID: op, Pages: 9, At: testworld.Noon}
	for n := 1; n <= 9; n++ {
		add.Placed = append(add.Placed, pixies.Placed{Page: fmt.Sprint("page ", n), ID: id(n)})
	}
	past := eventstore.FoldLast[pixies.Report](pixies.Stream("acme", w.report))
	check(t, w.Store.Change(t.Context(), eventstore.Metadata{Account: "acme"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, pixies.Hold{OperationID: op, ReportID: w.report, WorkspaceID: uuid.New()}); err != nil {
			return err
		}
		return eventstore.Decide(c, past, add)
	}))
	conn, err := nats.Connect(w.target.URL, nats.MaxReconnects(-1))
	check(t, err)
	t.Cleanup(conn.Close)
	w.js, err = jetstream.New(conn)
	check(t, err)
	return w
}

// counting counts until the returned function is called, which waits for its end.
func (w *world) counting(name string, change func(*pageviews.CounterOptions)) (stop func()) {
	w.Helper()
	w.metrics[name] = prometheus.NewRegistry()
	o := pageviews.CounterOptions{Target: w.target, Pool: w.Pool, Resolve: w.Views.PixieIDs, Count: w.Pixies.CountCollected,
		Registry: w.metrics[name], Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now}
	if change != nil {
		change(&o)
	}
	c, err := pageviews.NewCounter(o)
	check(w, err)
	return w.running(c.Keep)
}

// collecting returns a collector that publishes views, until the returned function is called.
func (w *world) collecting(name string) (c *collector.Collector, stop func()) {
	w.Helper()
	publisher, err := pageviews.Dial(w.collector, slog.New(slog.DiscardHandler))
	check(w, err)
	w.Cleanup(publisher.Close)
	w.metrics[name] = prometheus.NewRegistry()
	c, err = collector.NewPublishing(collector.PublishingOptions{Publish: publisher.Publish, Registry: w.metrics[name], Log: slog.New(slog.DiscardHandler),
		Now: w.Clock.Now})
	check(w, err)
	return c, w.running(c.Run)
}

func (w *world) running(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	w.Cleanup(stop)
	return stop
}

// value returns a metric of a process, without a label or with the one that is given; false if it has none.
func (w *world) value(process, name, label string) (float64, bool) {
	w.Helper()
	families, err := w.metrics[process].Gather()
	check(w, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue(), true
			}
		}
	}
	return 0, false
}

// counts returns the views of acme by page and hour.
func (w *world) counts() map[string]int {
	w.Helper()
	rows, err := w.Pool.Query(w.Context(), `SELECT page || ' ' || to_char(hour AT TIME ZONE 'UTC', 'HH24'), views FROM page_view_hours WHERE account_id = 'acme'`)
	check(w, err)
	all := map[string]int{}
	var key string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&key, &n}, func() error { all[key] = n; return nil })
	check(w, err)
	return all
}

func (w *world) became(want map[string]int) {
	w.Helper()
	w.until("the views are counted", func() bool { return sum(w.counts()) >= sum(want) })
	if diff := cmp.Diff(want, w.counts()); diff != "" {
		w.Errorf("counted views (-want +got):\n%s", diff)
	}
}

func sum(counts map[string]int) (n int) {
	for v := range maps.Values(counts) {
		n += v
	}
	return n
}

// until waits until done holds.
func (w *world) until(what string, done func() bool) {
	w.Helper()
	for began := time.Now(); !done(); <-time.After(20 * time.Millisecond) {
		if time.Since(began) > limit || w.Failed() {
			w.Fatalf("not after %s: %s", time.Since(began), what)
		}
	}
}

// left returns how many messages the stream has; -1 without a stream, and while no server answers.
func (w *world) left() int {
	s, err := w.js.Stream(w.Context(), "views")
	if err != nil {
		return -1
	}
	return int(s.CachedInfo().State.Msgs)
}

// Views that other processes collect are counted by page and hour, once. Those of ids that no Pixie has leave no trace. The stream is
// emptied, and only the process that counts says how late it is.
//
// proves: decisions/21/counted-once
func TestCollectedViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	first, stopFirst := w.collecting("first") // before there is a stream
	second, stopSecond := w.collecting("second")
	for n := range 900 {
		first.See(id(1 + n%9))
		second.See(id(1 + n%30))
	}
	w.until("publishing fails", func() bool { n, _ := w.value("first", "readiness_collector_failing_seconds", ""); return n == 0 })
	stop := w.counting("counter", nil)
	w.until("one counts", func() bool { _, is := w.value("counter", "readiness_collected_lag_seconds", ""); return is })
	stopOther := w.counting("other", nil)
	want := map[string]int{}
	for n := range 9 {
		want[fmt.Sprintf("page %d 12", n+1)] = 130
	}
	w.became(want)
	w.until("the stream is empty", func() bool { return w.left() == 0 })
	later := testworld.Noon.Add(time.Hour)
	w.Clock.Set(later)
	first.See(id(1))
	stopFirst()
	stopSecond()
	want["page 1 13"] = 1
	w.became(want)
	for label, n := range map[string]float64{"recorded": 9*130 + 1, "unknown": 630, "repeated": 0, "unreadable": 0} {
		w.until("the metrics say so", func() bool { got, _ := w.value("counter", "readiness_collected_views_total", label); return got >= n })
		if got, _ := w.value("counter", "readiness_collected_views_total", label); got != n {
			t.Errorf("%v views are %s, want %v", got, label, n)
		}
	}
	if _, is := w.value("other", "readiness_collected_lag_seconds", ""); is {
		t.Error("a process that does not count says how late it is")
	}
	w.until("nothing is late", func() bool { n, is := w.value("counter", "readiness_collected_lag_seconds", ""); return is && n == 0 })
	stop()
	third, stopThird := w.collecting("third")
	third.See(id(2))
	stopThird()
	want["page 2 13"] = 1
	w.became(want) // by the other one
	stopOther()
}

// A message that arrives again, and one whose number is not above the last, adds nothing: not even after the broker has forgotten its id,
// and to another counter. One that is not views is skipped.
//
// proves: decisions/21/counted-once
func TestRepeatedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	stop := w.counting("counter", nil)
	self := uuid.NewString()
	send := func(from, number, body string) {
		t.Helper()
		msg := nats.NewMsg("views")
		msg.Header.Set("Readiness-Collector", from)
		msg.Header.Set("Readiness-Number", number)
		msg.Data = []byte(body)
		w.until("the broker takes a message", func() bool { _, err := w.js.PublishMsg(t.Context(), msg); return err == nil })
	}
	views := func(n int) string {
		return fmt.Sprintf(`[{"id":%q,"hour":"2026-11-21T12:00:00Z","views":%d}]`, id(1), n)
	}
	send(self, "1", views(1))
	send(self, "1", views(1))
	send(self, "3", views(2))
	send(self, "2", views(4))
	w.became(map[string]int{"page 1 12": 3})
	stop()
	for _, bad := range [][3]string{
		{"", "1", views(1)}, {"x", "1", views(1)}, {self, "", views(1)}, {self, "x", views(1)}, {uuid.NewString(), "0", views(1)}, {uuid.NewString(), "-1", views(1)},
		{self, "9", ""}, {self, "9", "{}"}, {self, "9", views(0)}, {self, "9", views(-1)}, {self, "9", views(2_000_000_000)}, {self, "9", `[{"id":"x"}]`},
		{self, "9", `[{"id":"00000000000000000000000000000001","hour":"2026-11-23T12:00:00Z","views":1}]`},
		{self, "9", `[{"id":"00000000000000000000000000000001","hour":"2026-11-21T12:30:00Z","views":1}]`},
	} {
		send(bad[0], bad[1], bad[2])
	}
	send(self, "3", views(8))
	send(self, "4", views(16))
	stop = w.counting("another", nil)
	w.became(map[string]int{"page 1 12": 19})
	w.until("the stream is empty", func() bool { return w.left() == 0 })
	if n, _ := w.value("another", "readiness_collected_views_total", "unreadable"); n != 14 {
		t.Errorf("%v messages are unreadable, want 14", n)
	}
	stop()
	w.becameOnly(map[string]int{"page 1 12": 19})
}

func (w *world) becameOnly(want map[string]int) {
	w.Helper()
	if diff := cmp.Diff(want, w.counts()); diff != "" {
		w.Errorf("counted views (-want +got):\n%s", diff)
	}
}

// While the broker is away images are answered and their views kept; then they are published.
func TestBrokerIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	stop := w.counting("counter", nil)
	c, stopCollecting := w.collecting("collector")
	c.See(id(1))
	w.became(map[string]int{"page 1 12": 1})
	w.cluster.Stop(0)
	for range 500 {
		c.See(id(1))
		c.See(id(2))
	}
	w.until("publishing fails", func() bool {
		w.Clock.Advance(time.Second)
		n, _ := w.value("collector", "readiness_collector_failing_seconds", "")
		return n > 0
	})
	w.until("counting is late", func() bool {
		w.Clock.Advance(time.Second)
		n, _ := w.value("counter", "readiness_collected_lag_seconds", "")
		return n > 1
	})
	w.cluster.Again(0)
	w.became(map[string]int{"page 1 12": 501, "page 2 12": 500})
	stopCollecting()
	stop()
	if n, _ := w.value("collector", "readiness_collector_views_total", "published"); n != 1001 {
		t.Errorf("%v views were published, want 1001", n)
	}
}

// Views that are published while the database is away, or fails between the count and the answer, are counted once.
//
// proves: decisions/21/database-away
func TestDatabaseIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "always")
	lost := true
	stop := w.counting("counter", func(o *pageviews.CounterOptions) {
		count := o.Count
		o.Count = func(ctx context.Context, messages []commands.CollectedViews) ([]bool, error) {
			counted, err := count(ctx, messages)
			if lost = !lost; lost { // every second answer of the database
				return nil, errors.Join(err, errors.New("the connection broke after the commit"))
			}
			return counted, err
		}
	})
	c, stopCollecting := w.collecting("collector")
	c.See(id(1))
	w.became(map[string]int{"page 1 12": 1})
	name := w.Pool.Config().ConnConfig.Database
	elsewhere := w.Pool.Config().ConnConfig.Copy()
	elsewhere.Database = "postgres"
	server, err := pgx.ConnectConfig(t.Context(), elsewhere)
	check(t, err)
	t.Cleanup(func() { _ = server.Close(context.WithoutCancel(t.Context())) })
	allow := func(is bool) {
		t.Helper()
		_, err := server.Exec(t.Context(), fmt.Sprintf(`ALTER DATABASE %s WITH ALLOW_CONNECTIONS %t`, pgx.Identifier{name}.Sanitize(), is))
		check(t, err)
		_, err = server.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
		check(t, err)
	}
	allow(false)
	const batches = 40
	for n := range batches {
		for range 25 {
			c.See(id(1 + n%9))
		}
		w.until("a batch is published", func() bool {
			got, _ := w.value("collector", "readiness_collector_views_total", "published")
			return got >= float64(1+25*(n+1))
		})
	}
	if n := w.left(); n < batches {
		t.Errorf("the stream has %d messages, want at least %d", n, batches)
	}
	allow(true)
	want := map[string]int{"page 1 12": 1}
	for n := range batches {
		want[fmt.Sprintf("page %d 12", 1+n%9)] += 25
	}
	w.became(want)
	w.until("the stream is empty", func() bool { return w.left() == 0 })
	stopCollecting()
	stop()
	w.becameOnly(want)
}

// A stream or server that would lose views is not used, and nothing is counted from it.
func TestUnfitStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, "2m")
	log := &testworld.LogBook{}
	refused := func(says string, change func(*pageviews.CounterOptions)) {
		t.Helper()
		stop := w.counting(says, func(o *pageviews.CounterOptions) {
			o.Log = slog.New(slog.NewTextHandler(log, nil))
			if change != nil {
				change(o)
			}
		})
		w.until(says, func() bool { return strings.Contains(log.String(), says) })
		stop()
		log.Take()
	}
	refused("before they are on disk, and flushes them every 2m0s", nil)
	check(t, w.js.DeleteStream(t.Context(), "views"))
	for says, c := range map[string]jetstream.StreamConfig{
		"kept in memory": {Storage: jetstream.MemoryStorage}, "removes views": {MaxAge: time.Hour, Discard: jetstream.DiscardNew}, "removes views that are": {MaxBytes: 1 << 20},
		"has the subjects": {Subjects: []string{"views", "x"}, Discard: jetstream.DiscardNew}, "replicas": {Discard: jetstream.DiscardNew},
	} {
		c.Name = "views"
		if c.Subjects == nil {
			c.Subjects = []string{"views"}
		}
		w.until("the stream is created", func() bool { // a busy server may still delete the files of the last one
			_, err := w.js.CreateStream(t.Context(), c)
			return err == nil
		})
		refused(says, func(o *pageviews.CounterOptions) {
			if says == "replicas" {
				o.Replicas = 3
			}
		})
		check(t, w.js.DeleteStream(t.Context(), "views"))
	}
	refused("it cannot be checked whether", func(o *pageviews.CounterOptions) { o.System = "" })
	if n := sum(w.counts()); n != 0 {
		t.Errorf("%d views were counted", n)
	}
}
