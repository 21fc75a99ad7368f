package collector

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain/pixies"
)

// flush records what is pending. What certainly was not recorded stays pending,
// for a while.
func (c *Collector) flush(ctx context.Context) {
	if len(c.pending) == 0 {
		return
	}
	// Nothing is cut off by the end of the process: an append that is may have been
	// committed.
	ctx = context.WithoutCancel(ctx)
	round, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := c.resolve(round)
	if err == nil {
		err = c.recordAll(ctx, round)
	}
	if err == nil {
		c.failures = 0
		return
	}
	if c.failures++; c.failures == 1 {
		c.Log.Warn("views cannot be recorded now; they are kept and tried again", "error", err)
	}
	if c.failures >= patience {
		c.Log.Error("views were given up because they could not be recorded for too long", "different", len(c.pending), "error", err)
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
	ids = slices.Compact(ids) // seen on two days
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
			c.count(unknown, n)
			delete(c.pending, v)
		}
	}
	return nil
}

// part is what one append records, and what it was made of.
type part struct {
	account string
	seen    []pixies.Seen
	of      []view
}

// gather adds up what is pending and has a known place, by account, report and
// day, in parts that an append may record.
func (c *Collector) gather() []part {
	type key struct {
		report uuid.UUID
		day    int64
	}
	accounts := map[string]map[key][]view{}
	for v := range c.pending {
		place := c.places[v.id]
		if accounts[place.AccountID] == nil {
			accounts[place.AccountID] = map[key][]view{}
		}
		k := key{place.ReportID, v.day}
		accounts[place.AccountID][k] = append(accounts[place.AccountID][k], v)
	}
	var parts []part
	for _, account := range slices.Sorted(maps.Keys(accounts)) {
		reports := accounts[account]
		all := slices.SortedFunc(maps.Keys(reports), func(a, b key) int { return strings.Compare(a.report.String(), b.report.String()) })
		for some := range slices.Chunk(all, appended) {
			p := part{account: account}
			for _, k := range some {
				seen := pixies.Seen{ReportID: k.report, Day: view{day: k.day}.date(), Views: map[string]int{}}
				for _, v := range reports[k] {
					seen.Views[c.places[v.id].Page] += c.pending[v]
				}
				p.seen, p.of = append(p.seen, seen), append(p.of, reports[k]...)
			}
			parts = append(parts, p)
		}
	}
	return parts
}

// recordAll records what is pending, part by part, until the round is over. One
// that cannot be recorded keeps no other from it.
func (c *Collector) recordAll(ctx, round context.Context) (failed error) {
	for _, p := range c.gather() {
		if round.Err() != nil {
			return round.Err()
		}
		if err := c.record(ctx, p); err != nil {
			failed = err
		}
	}
	return failed
}

// record records a part. It returns an error when that can be tried again.
func (c *Collector) record(ctx context.Context, p part) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := c.Record(ctx, p.account, p.seen)
	if errors.Is(err, commands.ErrNotRecorded) {
		return err
	}
	outcome := recorded
	if err != nil {
		outcome = uncertain
		c.Log.Error("views were given up: whether they were recorded is not known", "account", p.account, "error", err)
	}
	for _, v := range p.of {
		c.count(outcome, c.pending[v])
		delete(c.pending, v)
	}
	return nil
}
