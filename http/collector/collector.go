// Package collector counts the views of pages that carry a Pixie. Whoever looks
// at a page asks for the Pixie's image; the collector keeps the id in its address
// and the hour, and nothing of who asked. It never lets anybody wait: what cannot
// be kept is dropped, and counted as dropped.
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

// Bounds.
const (
	// queued is how many views wait to be added up.
	queued = 16_384
	// batch is how many different views are counted without waiting for the
	// second to be over, and at once.
	batch = 1_000
	// held is how many different views are kept while they cannot be counted.
	held = 20_000
	// patience is how many attempts in a row, one a second, may count nothing
	// before what is held is dropped.
	patience = 300
	// known is how many ids are remembered, of Pixies and of none alike.
	known = 50_000
)

const (
	// every is how often views are counted: as much as a killed process loses.
	every = time.Second
	// unknownLife is for how long an id is taken for nobody's without being
	// looked up again: a Pixie is seen before its operation has ended.
	unknownLife = time.Minute
	// callLimit bounds looking up what is pending, and counting a batch of it.
	callLimit = 10 * time.Second
)

// Options of a Collector.
type Options struct {
	// Resolve looks up where the Pixies with the ids are.
	Resolve func(ctx context.Context, ids []string) (map[string]projections.PixieID, error)
	// Count counts views, all of them or none; commands.ErrNotCounted says that
	// they may be counted again.
	Count    func(ctx context.Context, views []pixies.Viewed) error
	Registry prometheus.Registerer
	Log      *slog.Logger
	Now      func() time.Time
}

// id is what the address of a Pixie ends in.
type id [16]byte

// view is what is counted: a Pixie in an hour, in hours since 1970.
type view struct {
	id   id
	hour int64
}

// Collector counts views. See may be called from anywhere at once; what it saw
// is counted by Run.
type Collector struct {
	Options
	queue chan view
	views *prometheus.CounterVec

	// What follows belongs to Run.
	pending  map[view]int
	failures int // attempts in a row that left something to be counted again
	places   map[id]projections.PixieID
	nobodys  map[id]bool
	forget   time.Time // when nobodys are looked up again
}

// What becomes of a view.
const (
	recorded    = "recorded"    // counted
	unknown     = "unknown"     // no Pixie has the id
	overloaded  = "overloaded"  // dropped: more came than could be added up
	unavailable = "unavailable" // dropped: the database was away for too long
	uncertain   = "uncertain"   // dropped: it may have been counted, and must not be twice
)

// New returns a Collector, whose metrics are registered.
func New(o Options) (*Collector, error) {
	c := &Collector{
		Options: o, queue: make(chan view, queued), pending: map[view]int{}, places: map[id]projections.PixieID{}, nobodys: map[id]bool{},
		views: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "readiness_collector_views_total", Help: "Views of pages with a Pixie, by what became of them."}, []string{"outcome"}),
	}
	for _, outcome := range []string{recorded, unknown, overloaded, unavailable, uncertain} {
		c.views.WithLabelValues(outcome)
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "readiness_collector_queue", Help: "Views that wait to be added up."}, func() float64 { return float64(len(c.queue)) })
	for _, m := range []prometheus.Collector{c.views, waiting} {
		if err := o.Registry.Register(m); err != nil {
			return nil, fmt.Errorf("collector: metrics: %w", err)
		}
	}
	return c, nil
}

// See counts a view of the Pixie whose address ends in text. It never waits.
func (c *Collector) See(text string) {
	v := view{hour: c.Now().Unix() / (60 * 60)}
	if len(text) != hex.EncodedLen(len(v.id)) {
		c.became(unknown, 1)
		return
	}
	if _, err := hex.Decode(v.id[:], []byte(text)); err != nil {
		c.became(unknown, 1)
		return
	}
	select {
	case c.queue <- v:
	default:
		c.became(overloaded, 1)
	}
}

// Run counts what is seen until ctx ends, and then what was seen until then.
func (c *Collector) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case v := <-c.queue:
			c.add(v)
			// While nothing can be counted only the clock says when to try.
			if len(c.pending) >= batch && c.failures == 0 {
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

// drain counts what is left, once. The limits of look-ups and batches bound how
// long that takes.
func (c *Collector) drain(ctx context.Context) {
	c.take()
	c.flush(ctx)
	c.drop(unavailable)
}

// take adds up what is queued.
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

// add adds a view up.
func (c *Collector) add(v view) {
	if _, there := c.pending[v]; !there && len(c.pending) >= held {
		c.became(overloaded, 1)
		return
	}
	c.pending[v]++
}

// drop gives everything up that is pending.
func (c *Collector) drop(outcome string) {
	for _, n := range c.pending {
		c.became(outcome, n)
	}
	clear(c.pending)
}

func (c *Collector) became(outcome string, n int) { c.views.WithLabelValues(outcome).Add(float64(n)) }
