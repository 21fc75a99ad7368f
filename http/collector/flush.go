package collector

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"readiness/commands"
	"readiness/domain/pixies"
)

// flush counts the pending views. Views that certainly were not counted stay pending, for up to maxFailures attempts.
func (c *Collector) flush(ctx context.Context) {
	if len(c.pending) == 0 {
		return
	}
	// Finish even when the process is stopping: an interrupted transaction may have been committed.
	ctx = context.WithoutCancel(ctx)
	round, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := c.resolve(round)
	if err == nil {
		err = c.countAll(ctx, round)
	}
	if err == nil {
		c.failures = 0
		return
	}
	if c.failures++; c.failures == 1 {
		c.Log.Warn("views cannot be counted now; they are kept and retried", "error", err)
	}
	if c.failures >= maxFailures {
		c.Log.Error("views dropped: they could not be counted for too long", "different", len(c.pending), "error", err)
		c.drop(unavailable)
		c.failures = 0
	}
}

// resolve looks up the pending ids that are not cached, and removes pending views with an unknown id.
func (c *Collector) resolve(ctx context.Context) error {
	if now := c.Now(); now.After(c.forgetAt) || len(c.unknownIDs) >= cacheSize {
		clear(c.unknownIDs)
		c.forgetAt = now.Add(unknownTTL)
	}
	if len(c.places)+len(c.pending) > cacheSize {
		clear(c.places)
	}
	var ids []string
	for v := range c.pending {
		if _, there := c.places[v.id]; !there && !c.unknownIDs[v.id] {
			ids = append(ids, hex.EncodeToString(v.id[:]))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids) // one id can be pending for two hours
	if len(ids) > 0 {
		found, err := c.Resolve(ctx, ids)
		if err != nil {
			return err
		}
		for _, text := range ids {
			var key id
			_, _ = hex.Decode(key[:], []byte(text))
			if place, there := found[text]; there {
				c.places[key] = place
			} else {
				c.unknownIDs[key] = true
			}
		}
	}
	for v, n := range c.pending {
		if c.unknownIDs[v.id] {
			c.addOutcome(unknown, n)
			delete(c.pending, v)
		}
	}
	return nil
}

// countAll counts pending views batch by batch. It returns at the end of round, or with the error of the first batch
// that must be retried.
func (c *Collector) countAll(ctx, round context.Context) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(c.pending)), batchSize) {
		if round.Err() != nil {
			return round.Err()
		}
		if err := c.count(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// count counts one batch. It returns an error only when the batch can be retried.
func (c *Collector) count(ctx context.Context, views []view) error {
	viewed := make([]pixies.Viewed, len(views))
	for i, v := range views {
		place := c.places[v.id]
		viewed[i] = pixies.Viewed{
			AccountID: place.AccountID, ReportID: place.ReportID, Hour: time.Unix(v.hour*60*60, 0), Page: place.Page, Views: c.pending[v],
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := c.Count(ctx, viewed)
	if errors.Is(err, commands.ErrNotCounted) {
		return err
	}
	outcome := recorded
	if err != nil {
		outcome = uncertain
		c.Log.Error("views dropped: it is not known whether they were counted", "error", err)
	}
	for _, v := range views {
		c.addOutcome(outcome, c.pending[v])
		delete(c.pending, v)
	}
	return nil
}
