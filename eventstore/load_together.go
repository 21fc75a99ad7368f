package eventstore

import (
	"context"
	"fmt"
	"time"

	"readiness/internal/database"
)

const (
	// secondLoad is how many loads wait until a second query starts beside the running one.
	secondLoad = 12
	// loadTime bounds the query of several loads.
	loadTime = 5 * time.Second
)

// loadTogether folds the streams, in one round trip with the loads of other callers. It never waits for more: loads that arrive while a
// query runs share the next one. A load that reads a stream from its first event goes alone, because it may take long.
func (s *Store) loadTogether(ctx context.Context, heads []*head) error {
	for _, h := range heads {
		for _, p := range h.pasts {
			if p.from() == 1 {
				return s.load(ctx, s.pool, heads)
			}
		}
	}
	waiting, waited := database.Waiting(ctx)
	own, err := s.loads.Do(waiting, heads, s.loadAll)
	waited()
	if err != nil {
		if waiting.Err() != nil { // the query may still be folding heads
			return fmt.Errorf("eventstore: load %s: %w", heads[0].stream, err)
		}
		// The query was cut off, which need not happen to this load.
		for _, h := range heads {
			*h = head{stream: h.stream, pasts: h.pasts}
			for _, p := range h.pasts {
				p.begin(s.cache)
			}
		}
		return s.load(ctx, s.pool, heads)
	}
	return s.loaded(ctx, s.pool, heads, own)
}

// loadAll folds the streams of several loads, and returns the error of each.
func (s *Store) loadAll(ctx context.Context, loads [][]*head) ([]error, error) {
	if len(loads) > 1 {
		var cancel context.CancelFunc
		ctx, cancel = database.Beyond(ctx, loadTime)
		defer cancel()
	}
	var all []*head
	var of []int // the index of its load, for each of all
	for i, heads := range loads {
		for _, h := range heads {
			all, of = append(all, h), append(of, i)
		}
	}
	rows, err := s.pool.Query(ctx, loadSQL, loadArgs(all)...)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(loads))
	if err := eachRow(rows, func(r *loadedRow) error {
		if i := r.head - 1; errs[of[i]] == nil {
			errs[of[i]] = s.foldRow(r, all[i])
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for i, heads := range loads {
		if errs[i] == nil {
			errs[i] = s.folded(heads)
		}
	}
	return errs, nil
}
