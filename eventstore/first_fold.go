package eventstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
)

// firstFold is a load that folds a stream whose state is not cached, or only up to where an earlier load was cut off. Other loads that need
// the state wait for its end instead of folding the same events. So a process that has just started folds a long stream once, however
// many calls need it; and because a load that is cut off leaves what it has folded, the stream is folded in the end even when no call
// lasts long enough for all of it.
type firstFold struct {
	done chan struct{} // closed when it has ended
	// none is set before done is closed if the stream has no events: it has no state to be cached, and the loads that waited are
	// quick together.
	none bool
}

// awaitFolds waits until no other load folds the pasts' streams for the first time. Then it claims those folds that remain to be done:
// other loads wait until they are released. It returns how to release them, which must be called, and may be called again.
//
// A load must claim before it takes a connection or a lock. Claims are made in one order, so loads never wait for each other in a circle.
func (c *stateCache) awaitFolds(ctx context.Context, pasts []Loadable) (release func(), err error) {
	var claimed []cacheKey
	release = sync.OnceFunc(func() {
		for _, key := range claimed {
			c.endFold(key)
		}
	})
	var keys []cacheKey
	for _, p := range pasts {
		if key, ok := p.cachedAs(); ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b cacheKey) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.of.PkgPath(), b.of.PkgPath()),
			cmp.Compare(a.of.String(), b.of.String()))
	})
	for _, key := range keys {
		mine, err := c.awaitFold(ctx, key)
		if err != nil {
			release()
			return nil, fmt.Errorf("eventstore: load %s: %w", key.stream, err)
		}
		if mine {
			claimed = append(claimed, key)
		}
	}
	return release, nil
}

// awaitFold reports whether the caller must fold key's stream and has claimed to do so.
func (c *stateCache) awaitFold(ctx context.Context, key cacheKey) (mine bool, err error) {
	for {
		c.mu.Lock()
		state, ok := c.states.Get(key)
		running := c.folds[key]
		ready := ok && !state.cutOff
		if mine = !ready && running == nil; mine {
			c.folds[key] = &firstFold{done: make(chan struct{})}
		}
		c.mu.Unlock()
		if ready || mine {
			return mine, nil
		}
		select {
		case <-running.done:
			if running.none {
				return false, nil
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// endFold releases the loads that wait for a fold.
func (c *stateCache) endFold(key cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.folds[key].done)
	delete(c.folds, key)
}

// noEvents notes that a stream that is folded for the first time has no events.
func (c *stateCache) noEvents(key cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.folds[key]; f != nil {
		f.none = true
	}
}
