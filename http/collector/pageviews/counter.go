package pageviews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/commands"
	"readiness/eventstore/forward"
	"readiness/http/collector"
	"readiness/internal/pace"
	"readiness/projections"
)

const (
	// alone is the key of the advisory lock of the one process that counts.
	alone = int64(0x636f6c6c656374)
	// lookForTurn is how often a waiting process tries to become the one that counts.
	lookForTurn = 5 * time.Second
	// countLimit bounds the look-ups and the transaction of one batch.
	countLimit = 30 * time.Second
)

// CounterOptions configures a Counter.
type CounterOptions struct {
	forward.Target
	Pool *pgxpool.Pool
	// Resolve returns where the Pixies with the ids are. Unknown ids are absent from the result.
	Resolve func(ctx context.Context, ids []string) (map[string]projections.PixieID, error)
	// Count counts all messages or none, and reports for each whether this call counted it. It does not count a message again that was
	// counted before.
	Count    func(ctx context.Context, messages []commands.CollectedViews) ([]bool, error)
	Registry prometheus.Registerer
	Log      *slog.Logger
	Now      func() time.Time
}

// Counter counts the views in the stream in the database. Of all counters of a database, one counts at a time. Make one with NewCounter.
type Counter struct {
	CounterOptions
	views *prometheus.CounterVec
	// upTo: every view that was published before this time is counted. It is nil while another process counts.
	upTo atomic.Pointer[time.Time]
}

// Outcomes of views: the values of the metric's label outcome.
const (
	recorded   = "recorded"   // counted
	unknown    = "unknown"    // no Pixie has the id
	repeated   = "repeated"   // counted before
	unreadable = "unreadable" // a message that does not hold page views
)

var lag = prometheus.NewDesc("readiness_collected_lag_seconds",
	"Age of the oldest view that was published and not counted, of the process that counts.", nil, nil)

// Describe implements prometheus.Collector.
func (c *Counter) Describe(to chan<- *prometheus.Desc) { to <- lag }

// Collect implements prometheus.Collector.
func (c *Counter) Collect(to chan<- prometheus.Metric) {
	if upTo := c.upTo.Load(); upTo != nil {
		to <- prometheus.MustNewConstMetric(lag, prometheus.GaugeValue, max(0, c.Now().Sub(*upTo).Seconds()))
	}
}

// NewCounter returns a counter and registers its metrics.
func NewCounter(o CounterOptions) (*Counter, error) {
	c := &Counter{CounterOptions: o, views: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "readiness_collected_views_total",
		Help: "Views that other processes collected, by outcome; for unreadable, messages.",
	}, []string{"outcome"})}
	for _, outcome := range []string{recorded, unknown, repeated, unreadable} {
		c.views.WithLabelValues(outcome)
	}
	for _, m := range []prometheus.Collector{c, c.views} {
		if err := o.Registry.Register(m); err != nil {
			return nil, fmt.Errorf("collect: metrics: %w", err)
		}
	}
	return c, nil
}

// Keep counts until ctx ends. Failures are logged and retried, with growing pauses.
func (c *Counter) Keep(ctx context.Context) {
	_ = forward.Repeat(ctx, c.Log, "counting collected views failed", c.run, false)
}

// run counts until ctx ends or something fails, once no other process counts.
func (c *Counter) run(ctx context.Context) error {
	for {
		err := forward.Alone(ctx, c.Pool, alone, false, c.read)
		if !errors.Is(err, forward.ErrBusy) {
			return err
		}
		c.upTo.Store(nil)
		if err := pace.Wait(ctx, lookForTurn); err != nil {
			return err
		}
	}
}

// count counts messages and returns the sequence number of the last.
func (c *Counter) count(ctx context.Context, places *collector.Places, some []jetstream.Msg) (last uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	var all []message
	var ids []collector.ID
	var at time.Time
	for _, msg := range some {
		meta, err := msg.Metadata()
		if err != nil {
			return 0, fmt.Errorf("collect: read the stream: %w", err)
		}
		last, at = meta.Sequence.Stream, meta.Timestamp
		m, err := parse(msg, c.Now())
		if err != nil {
			c.views.WithLabelValues(unreadable).Inc()
			c.Log.WarnContext(ctx, "a message of the stream does not hold page views and is skipped", "sequence", last, "error", err)
			continue
		}
		all = append(all, m)
		for _, v := range m.views {
			ids = append(ids, v.ID)
		}
	}
	if err := places.Find(ctx, ids); err != nil {
		return 0, err
	}
	collected, outcomes := placed(places, all)
	counted, err := c.Count(ctx, collected)
	if err != nil {
		return 0, err
	}
	for i, o := range outcomes {
		if !counted[i] {
			c.views.WithLabelValues(repeated).Add(float64(o.known + o.unknown))
			continue
		}
		c.views.WithLabelValues(recorded).Add(float64(o.known))
		c.views.WithLabelValues(unknown).Add(float64(o.unknown))
	}
	if now := c.Now(); at.After(now) { // the broker's clock is ahead, which must not hide that counting is late
		at = now
	}
	c.upTo.Store(&at)
	return last, nil
}
