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

// flush counts what is pending. What certainly was not counted stays pending,
// for a while.
func (c *Collector) flush(ctx context.Context) {
	if len(c.pending) == 0 {
		return
	}
	// Nothing is cut off by the end of the process: what is cut off may have been
	// committed.
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
		c.Log.Warn("views cannot be counted now; they are kept and tried again", "error", err)
	}
	if c.failures >= patience {
		c.Log.Error("views were given up because they could not be counted for too long", "different", len(c.pending), "error", err)
		c.drop(unavailable)
		c.failures = 0
	}
}

// resolve looks up the ids that are pending and not remembered, and lets go what
// has an id of nobody.
func (c *Collector) resolve(ctx context.Context) error {
	if now := c.Now(); now.After(c.forget) || len(c.nobodys) >= known {
		clear(c.nobodys)
		c.forget = now.Add(unknownLife)
	}
	if len(c.places)+len(c.pending) > known {
		clear(c.places)
	}
	var ids []string
	for v := range c.pending {
		if _, there := c.places[v.id]; !there && !c.nobodys[v.id] {
			ids = append(ids, hex.EncodeToString(v.id[:]))
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids) // seen in two hours
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
				c.nobodys[key] = true
			}
		}
	}
	for v, n := range c.pending {
		if c.nobodys[v.id] {
			c.became(unknown, n)
			delete(c.pending, v)
		}
	}
	return nil
}

// countAll counts what is pending, batch by batch, until the round is over or
// one is to be tried again.
func (c *Collector) countAll(ctx, round context.Context) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(c.pending)), batch) {
		if round.Err() != nil {
			return round.Err()
		}
		if err := c.count(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// count counts views. It returns an error when that can be tried again.
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
		c.Log.Error("views were given up: whether they were counted is not known", "error", err)
	}
	for _, v := range views {
		c.became(outcome, c.pending[v])
		delete(c.pending, v)
	}
	return nil
}
