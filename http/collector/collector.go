// Package collector counts views of report pages that carry a Pixie. A viewer's browser requests the Pixie's image.
// The collector keeps the id in its address and the hour, but nothing about the viewer. It never makes a request
// wait: views that exceed its bounds are dropped and counted as dropped. Views are counted in the database (New), or published for
// another process to count (NewPublishing).
package collector

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain/pixies"
	"readiness/projections"
)

// Limits of the collector.
const (
	// batchSize is how many distinct views are counted in one call.
	batchSize = 1_000
	// maxPending is how many distinct views, of one Pixie in one hour each, wait to be counted, and how many are kept while counting fails.
	maxPending = 20_000
	// maxFailures is how many attempts in a row, one per second, may fail before all pending views are dropped.
	maxFailures = 300
	// cacheSize is how many ids are cached, known and unknown ones each.
	cacheSize = 50_000
)

const (
	// interval is how often views are counted. A process that is killed loses the views of at most one interval.
	interval = time.Second
	// unknownTTL is how long an id counts as unknown before it is looked up again. A Pixie can be viewed before the
	// operation that adds it has ended.
	unknownTTL = time.Minute
	// callLimit bounds one lookup of pending ids, and the counting of one batch.
	callLimit = 10 * time.Second
)

// Options configures a Collector.
type Options struct {
	// Resolve returns where the Pixies with the ids are. Unknown ids are absent from the result.
	Resolve func(ctx context.Context, ids []string) (map[string]projections.PixieID, error)
	// Count counts all views or none. With commands.ErrNotCounted none was counted and the caller may retry; after any
	// other error the result is unknown.
	Count    func(ctx context.Context, views []pixies.Viewed) error
	Registry prometheus.Registerer
	Log      *slog.Logger
	Now      func() time.Time
}

// view is a view of a Pixie in an hour, counted in hours since 1970.
type view struct {
	id   ID
	hour int64
}

func (v view) start() time.Time { return time.Unix(v.hour*60*60, 0).UTC() }

// Collector counts views. See is safe for concurrent use; Run processes what See has added up.
type Collector struct {
	log   *slog.Logger
	now   func() time.Time
	views *prometheus.CounterVec
	// failing is when the first of the failed attempts in a row was made; nil after a success.
	failing atomic.Pointer[time.Time]
	out     output
	every   time.Duration // how often pending views are flushed

	mu      sync.Mutex
	pending map[view]int

	// The fields below belong to Run's goroutine.
	held     map[view]int // taken from pending
	failures int          // failed attempts in a row
}

// output takes the views out of a collector.
type output interface {
	// flush counts or publishes pending and held views.
	flush(ctx context.Context, c *Collector)
	// end does the same one last time, within callLimit, and drops what is left.
	end(ctx context.Context, c *Collector)
}

// Outcomes of a view: the values of the metric's label outcome.
const (
	recorded    = "recorded"    // counted
	published   = "published"   // the broker has it on disk
	unknown     = "unknown"     // no Pixie has the id
	overloaded  = "overloaded"  // dropped: more views arrived than fit
	unavailable = "unavailable" // dropped: the database was unavailable for too long
	uncertain   = "uncertain"   // dropped: it may have been counted, and must not be counted twice
)

// New returns a Collector that counts views in the database, and registers its metrics.
func New(o Options) (*Collector, error) {
	return open(o.Registry, o.Log, o.Now, interval, &counting{Count: o.Count, places: NewPlaces(o.Resolve, o.Now)}, recorded)
}

func open(registry prometheus.Registerer, log *slog.Logger, now func() time.Time, every time.Duration, out output,
	done string) (*Collector, error) {
	c := &Collector{
		log: log, now: now, pending: map[view]int{}, held: map[view]int{}, every: every, out: out,
		views: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_collector_views_total", Help: "Views of pages with a Pixie, by outcome."}, []string{"outcome"}),
	}
	for _, outcome := range []string{done, unknown, overloaded, unavailable, uncertain} {
		c.views.WithLabelValues(outcome)
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_collector_queue", Help: "Distinct views that wait, of one Pixie in one hour each."}, func() float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return float64(len(c.pending))
	})
	failing := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_collector_failing_seconds",
		Help: "For how long every attempt to count or publish views has failed; 0 after a success."}, func() float64 {
		if since := c.failing.Load(); since != nil {
			return c.now().Sub(*since).Seconds()
		}
		return 0
	})
	for _, m := range []prometheus.Collector{c.views, waiting, failing} {
		if err := registry.Register(m); err != nil {
			return nil, fmt.Errorf("collector: metrics: %w", err)
		}
	}
	return c, nil
}

// See counts a view of the Pixie whose id, in hexadecimal, is text. It waits for nothing but other calls of See.
func (c *Collector) See(text string) {
	v := view{hour: c.now().Unix() / (60 * 60)}
	if v.id.UnmarshalText([]byte(text)) != nil {
		c.addOutcome(unknown, 1)
		return
	}
	if !c.add(v) {
		c.addOutcome(overloaded, 1)
	}
}

// add adds a view to pending, unless it is full.
func (c *Collector) add(v view) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.pending[v]
	if n == 0 && len(c.pending) >= maxPending {
		return false
	}
	c.pending[v] = n + 1
	return true
}

// Run counts or publishes views until ctx ends, then does so once with what is left and returns.
func (c *Collector) Run(ctx context.Context) {
	tick := time.NewTicker(c.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.out.flush(ctx, c)
		case <-ctx.Done():
			c.out.end(context.WithoutCancel(ctx), c)
			return
		}
	}
}

// take moves all pending views to held.
func (c *Collector) take() {
	c.mu.Lock()
	pending := c.pending
	c.pending = map[view]int{}
	c.mu.Unlock()
	if len(c.held) == 0 {
		c.held = pending
		return
	}
	for v, n := range pending {
		if _, there := c.held[v]; !there && len(c.held) >= maxPending {
			c.addOutcome(overloaded, n)
			continue
		}
		c.held[v] += n
	}
}

// drop discards all held views.
func (c *Collector) drop(outcome string) {
	for _, n := range c.held {
		c.addOutcome(outcome, n)
	}
	clear(c.held)
}

// failed records a failed attempt.
func (c *Collector) failed(err error) {
	if c.failures++; c.failures == 1 {
		now := c.now()
		c.failing.Store(&now)
		c.log.Warn("views cannot be counted now; they are kept and retried", "error", err)
	}
}

func (c *Collector) succeeded() {
	c.failures = 0
	c.failing.Store(nil)
}

func (c *Collector) addOutcome(outcome string, n int) {
	c.views.WithLabelValues(outcome).Add(float64(n))
}
