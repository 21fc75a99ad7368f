package collector

import "context"

// The bounds, for tests.
const (
	Queued   = queued
	Held     = held
	Patience = patience
	Batch    = batch
)

// Collect counts what was seen, as Run does every second.
func (c *Collector) Collect(ctx context.Context) {
	c.take()
	c.flush(ctx)
}
