package collector

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"readiness/internal/pace"
)

const (
	// publishInterval is how often views are published. A process that is killed loses the views of at most one interval, and those whose
	// publication the broker has not confirmed.
	publishInterval = 100 * time.Millisecond
	// attemptLimit bounds one attempt to publish a batch, after which pause follows.
	attemptLimit = 3 * time.Second
	pause        = time.Second
	// giveUp is for how long publishing may fail before all views are dropped. It bounds how late a batch can be repeated.
	giveUp = 24 * time.Hour
)

// Views are how often a Pixie was viewed in an hour.
type Views struct {
	ID   ID        `json:"id"`
	Hour time.Time `json:"hour"` // its start
	N    int       `json:"views"`
}

// PublishingOptions configures a Collector that publishes views.
type PublishingOptions struct {
	// Publish returns nil when the broker has stored the views. After an error it is called again with the same views and number; the
	// number rises by one with each other batch, from 1.
	Publish  func(ctx context.Context, number int64, views []Views) error
	Registry prometheus.Registerer
	Log      *slog.Logger
	Now      func() time.Time
}

// NewPublishing returns a Collector that publishes views, and registers its metrics.
func NewPublishing(o PublishingOptions) (*Collector, error) {
	return open(o.Registry, o.Log, o.Now, publishInterval, &publishing{Publish: o.Publish}, published)
}

// publishing publishes views. A batch never changes once it was sent, because it may have been stored although no answer came.
type publishing struct {
	Publish  func(ctx context.Context, number int64, views []Views) error
	number   int64 // of the batch
	batch    []Views
	sum      int       // of the batch's views
	failedAt time.Time // when the last attempt failed
}

// flush implements output. Views are kept until they are stored.
func (o *publishing) flush(ctx context.Context, c *Collector) {
	if c.failures > 0 && time.Since(o.failedAt) < pause {
		return
	}
	if since := c.failing.Load(); since != nil && c.now().Sub(*since) > giveUp {
		c.log.Error("views dropped: they could not be published for too long", "different", len(o.batch)+len(c.held))
		o.drop(c)
		c.succeeded()
	}
	round, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	o.publishAll(round, c)
}

// end implements output.
func (o *publishing) end(ctx context.Context, c *Collector) {
	round, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	for !o.publishAll(round, c) && round.Err() == nil {
		_ = pace.Wait(round, publishInterval)
	}
	c.take()
	o.drop(c)
}

// drop discards the batch, which may be stored, and the views after it.
func (o *publishing) drop(c *Collector) {
	c.addOutcome(uncertain, o.sum)
	c.drop(unavailable)
	o.batch, o.sum = nil, 0
}

// publishAll publishes the batch and the views after it, and reports whether it did. Views that arrive meanwhile wait for the next time, so
// that messages stay few.
func (o *publishing) publishAll(ctx context.Context, c *Collector) bool {
	for took := false; ; {
		if len(o.batch) == 0 && len(c.held) == 0 && !took {
			c.take()
			took = true
		}
		if len(o.batch) == 0 {
			o.next(c)
		}
		if len(o.batch) == 0 {
			return true
		}
		if err := o.publish(ctx); err != nil {
			c.failed(err)
			o.failedAt = time.Now()
			return false
		}
		c.succeeded()
		c.addOutcome(published, o.sum)
		o.batch, o.sum = nil, 0
	}
}

// next makes the next batch, unless no views are held.
func (o *publishing) next(c *Collector) {
	for v, n := range c.held {
		if len(o.batch) == batchSize {
			break
		}
		o.batch = append(o.batch, Views{v.id, v.start(), n})
		o.sum += n
		delete(c.held, v)
	}
	if len(o.batch) > 0 {
		o.number++
	}
}

func (o *publishing) publish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	return o.Publish(ctx, o.number, o.batch)
}
