package testworld

import (
	"sync"
	"time"
)

// Noon is the time in a world whose test chooses none.
var Noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// Clock is the clock of a service. Only the test moves it while it is stopped. It
// may be used by several goroutines.
type Clock struct {
	mu sync.Mutex
	// at is the time when the clock was last set. A running clock was set at since,
	// in real time; a stopped one has no since.
	at, since time.Time
}

// StoppedAt returns a clock that is stopped.
func StoppedAt(at time.Time) *Clock { return &Clock{at: at} }

// RunningFrom returns a clock that runs as fast as the real one.
func RunningFrom(at time.Time) *Clock { return &Clock{at: at, since: time.Now()} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if c.since.IsZero() {
		return c.at
	}
	return c.at.Add(time.Since(c.since))
}

// Set sets the time. A running clock continues from it.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
	if !c.since.IsZero() {
		c.since = time.Now()
	}
}

// Advance adds d to the time.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Stop stops the clock at the current time, cut to a second.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.since = c.now().Truncate(time.Second), time.Time{}
}
