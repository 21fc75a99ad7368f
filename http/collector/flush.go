package collector

import (
	"context"
	"errors"
	"maps"
	"slices"

	"readiness/commands"
	"readiness/domain/pixies"
)

// counting counts views in the database.
type counting struct {
	Count  func(ctx context.Context, views []pixies.Viewed) error
	places *Places
}

// flush implements output. Views that certainly were not counted are kept, for up to maxFailures attempts.
func (o *counting) flush(ctx context.Context, c *Collector) {
	c.take()
	if len(c.held) == 0 {
		return
	}
	// Finish even when the process is stopping: an interrupted transaction may have been committed.
	ctx = context.WithoutCancel(ctx)
	round, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := o.resolve(round, c)
	if err == nil {
		err = o.countAll(ctx, round, c)
	}
	if err == nil {
		c.succeeded()
		return
	}
	c.failed(err)
	if c.failures >= maxFailures {
		c.log.Error("views dropped: they could not be counted for too long", "different", len(c.held), "error", err)
		c.drop(unavailable)
		c.succeeded()
	}
}

// end implements output. The limits on lookups and batches bound how long it takes.
func (o *counting) end(ctx context.Context, c *Collector) {
	o.flush(ctx, c)
	c.drop(unavailable)
}

// resolve looks up the ids that are not cached, and removes views with an unknown id.
func (o *counting) resolve(ctx context.Context, c *Collector) error {
	ids := make([]ID, 0, len(c.held))
	for v := range c.held {
		ids = append(ids, v.id)
	}
	if err := o.places.Find(ctx, ids); err != nil {
		return err
	}
	for v, n := range c.held {
		if _, known := o.places.Of(v.id); !known {
			c.addOutcome(unknown, n)
			delete(c.held, v)
		}
	}
	return nil
}

// countAll counts held views batch by batch. It returns at the end of round, or with the error of the first batch
// that must be retried.
func (o *counting) countAll(ctx, round context.Context, c *Collector) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(c.held)), batchSize) {
		if round.Err() != nil {
			return round.Err()
		}
		if err := o.count(ctx, c, some); err != nil {
			return err
		}
	}
	return nil
}

// count counts one batch. It returns an error only when the batch can be retried.
func (o *counting) count(ctx context.Context, c *Collector, views []view) error {
	viewed := make([]pixies.Viewed, len(views))
	for i, v := range views {
		place, _ := o.places.Of(v.id)
		viewed[i] = pixies.Viewed{AccountID: place.AccountID, ReportID: place.ReportID, Hour: v.start(), Page: place.Page, Views: c.held[v]}
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := o.Count(ctx, viewed)
	if errors.Is(err, commands.ErrNotCounted) {
		return err
	}
	outcome := recorded
	if err != nil {
		outcome = uncertain
		c.log.Error("views dropped: it is not known whether they were counted", "error", err)
	}
	for _, v := range views {
		c.addOutcome(outcome, c.held[v])
		delete(c.held, v)
	}
	return nil
}
