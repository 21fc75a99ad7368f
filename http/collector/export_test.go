package collector

import (
	"context"
	"time"
)

// Limits, for tests.
const (
	MaxPending  = maxPending
	MaxFailures = maxFailures
	BatchSize   = batchSize
)

// Collect counts what was seen, as Run does every second.
func (c *Collector) Collect(ctx context.Context) { c.out.flush(ctx, c) }

// CollectAgain does the same without the pause that follows a failed publication.
func (c *Collector) CollectAgain(ctx context.Context) {
	c.out.(*publishing).failedAt = time.Time{}
	c.Collect(ctx)
}
