// Package pace waits, and repeats work, until a context ends.
package pace

import (
	"context"
	"iter"
	"time"
)

// Wait waits for d. It returns ctx's error if ctx ends before.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Every yields after each period until ctx ends. Periods that pass while the loop's body runs are skipped.
func Every(ctx context.Context, period time.Duration) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !yield(struct{}{}) {
					return
				}
			}
		}
	}
}
