package openai

import (
	"fmt"
	"sync"
	"time"

	"readiness/domain/aiprovider"
)

const (
	// maxTimeouts is how many consecutive timeouts open the circuit.
	maxTimeouts = 5
	// silence is how long an open circuit rejects all requests; after it, one request probes whether
	// the provider answers again.
	silence = 30 * time.Second
)

// circuit is a circuit breaker: it rejects requests to a provider that does not answer in time, so
// that callers do not wait for it. It reads no clock. The zero value is closed.
type circuit struct {
	mu       sync.Mutex
	timeouts int // in a row
	until    time.Time
	probing  bool // a probing request is in flight
}

// admit returns nil if a request may be made, else the failure. The caller must report the outcome of
// an admitted request with responded, timedOut or abandoned.
func (c *circuit) admit(now time.Time) *failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.timeouts < maxTimeouts:
		return nil
	case now.Before(c.until):
	case !c.probing:
		c.probing = true
		return nil
	}
	return &failure{
		class: unreachable, cause: aiprovider.TimedOut, after: max(time.Second, c.until.Sub(now)),
		what: fmt.Sprintf("it took too long %d times in a row, and is asked again within a minute or two", maxTimeouts),
	}
}

// responded records that the provider responded in time, even with an error.
func (c *circuit) responded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timeouts, c.probing = 0, false
}

// timedOut records a timeout and reports whether it opens the circuit.
func (c *circuit) timedOut(now time.Time) (opens bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timeouts, c.probing = c.timeouts+1, false
	if c.timeouts >= maxTimeouts {
		c.until = now.Add(silence)
	}
	return c.timeouts == maxTimeouts
}

// abandoned records that the caller left before there was an answer.
func (c *circuit) abandoned() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probing = false
}

// open reports whether the circuit is open: requests are rejected, except probes.
func (c *circuit) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timeouts >= maxTimeouts
}

// Silent reports whether the language model is currently not asked because it timed out too many times
// in a row.
func (c *Client) Silent() bool { return c.circuit.open() }
