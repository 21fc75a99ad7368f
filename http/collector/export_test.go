package collector

import "context"

// Limits, for tests.
const (
	QueueSize   = queueSize
	MaxPending  = maxPending
	MaxFailures = maxFailures
	BatchSize   = batchSize
)

// Collect counts what was queued, as Run does every second.
func (c *Collector) Collect(ctx context.Context) {
	c.take()
	c.flush(ctx)
}
