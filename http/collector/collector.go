// Package collector counts views of report pages that carry a Pixie. A viewer's browser requests the Pixie's image.
// The collector keeps the id in its address and the hour, but nothing about the viewer. It never makes a request
// wait: views that exceed its bounds are dropped and counted as dropped.
package collector

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/domain/pixies"
	"readiness/projections"
)

// Limits of the collector.
const (
	// queueSize is how many views can wait in the queue.
	queueSize = 16_384
	// batchSize is how many distinct views are counted in one call. That many pending views are counted at once,
	// without waiting for the interval to end.
	batchSize = 1_000
	// maxPending is how many distinct views are kept in memory while counting fails.
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

// id is the decoded id in a Pixie's address.
type id [16]byte

// view is a view of a Pixie in an hour, counted in hours since 1970.
type view struct {
	id   id
	hour int64
}

// Collector counts views. See is safe for concurrent use; Run processes what See queued.
type Collector struct {
	Options
	queue chan view
	views *prometheus.CounterVec

	// The fields below belong to Run's goroutine.
	pending    map[view]int
	failures   int // failed attempts in a row
	places     map[id]projections.PixieID
	unknownIDs map[id]bool
	forgetAt   time.Time // when unknownIDs is cleared
}

// Outcomes of a view: the values of the metric's label outcome.
const (
	recorded    = "recorded"    // counted
	unknown     = "unknown"     // no Pixie has the id
	overloaded  = "overloaded"  // dropped: more views arrived than fit
	unavailable = "unavailable" // dropped: the database was unavailable for too long
	uncertain   = "uncertain"   // dropped: it may have been counted, and must not be counted twice
)

// New returns a Collector and registers its metrics.
func New(o Options) (*Collector, error) {
	c := &Collector{
		Options: o, queue: make(chan view, queueSize), pending: map[view]int{}, places: map[id]projections.PixieID{},
		unknownIDs: map[id]bool{},
		views: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_collector_views_total", Help: "Views of pages with a Pixie, by outcome."}, []string{"outcome"}),
	}
	for _, outcome := range []string{recorded, unknown, overloaded, unavailable, uncertain} {
		c.views.WithLabelValues(outcome)
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_collector_queue", Help: "Views waiting in the queue."}, func() float64 { return float64(len(c.queue)) })
	for _, m := range []prometheus.Collector{c.views, waiting} {
		if err := o.Registry.Register(m); err != nil {
			return nil, fmt.Errorf("collector: metrics: %w", err)
		}
	}
	return c, nil
}

// See queues a view of the Pixie whose id, in hexadecimal, is text. It never blocks.
func (c *Collector) See(text string) {
	v := view{hour: c.Now().Unix() / (60 * 60)}
	if len(text) != hex.EncodedLen(len(v.id)) {
		c.addOutcome(unknown, 1)
		return
	}
	if _, err := hex.Decode(v.id[:], []byte(text)); err != nil {
		c.addOutcome(unknown, 1)
		return
	}
	select {
	case c.queue <- v:
	default:
		c.addOutcome(overloaded, 1)
	}
}

// Run counts queued views until ctx ends, then counts what is left once and returns.
func (c *Collector) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case v := <-c.queue:
			c.add(v)
			// After a failure, wait for the next tick before trying again.
			if len(c.pending) >= batchSize && c.failures == 0 {
				c.flush(ctx)
			}
		case <-tick.C:
			c.flush(ctx)
		case <-ctx.Done():
			c.drain(ctx)
			return
		}
	}
}

// drain makes one last attempt to count what is left. The limits on lookups and batches bound how long it takes.
func (c *Collector) drain(ctx context.Context) {
	c.take()
	c.flush(ctx)
	c.drop(unavailable)
}

// take moves all queued views to pending.
func (c *Collector) take() {
	for {
		select {
		case v := <-c.queue:
			c.add(v)
		default:
			return
		}
	}
}

// add adds a view to pending.
func (c *Collector) add(v view) {
	if _, there := c.pending[v]; !there && len(c.pending) >= maxPending {
		c.addOutcome(overloaded, 1)
		return
	}
	c.pending[v]++
}

// drop discards all pending views.
func (c *Collector) drop(outcome string) {
	for _, n := range c.pending {
		c.addOutcome(outcome, n)
	}
	clear(c.pending)
}

func (c *Collector) addOutcome(outcome string, n int) {
	c.views.WithLabelValues(outcome).Add(float64(n))
}
