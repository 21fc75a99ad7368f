package openai

import (
	"fmt"
	"sync"
	"time"

	"readiness/domain/aiprovider"
)

const (
	// maxTimeouts is how many requests in a row go without an answer in time before a
	// provider is not asked for a while.
	maxTimeouts = 5
	// silence is how long it is not asked then; after it, one request finds out
	// whether it answers again.
	silence = 30 * time.Second
)

// circuit keeps a provider that does not answer from being asked by everybody who
// would wait for it in vain. It reads no clock. The zero circuit is one of a provider
// that answers.
type circuit struct {
	mu       sync.Mutex
	timeouts int // in a row
	until    time.Time
	finding  bool // one request finds out
}

// admit lets a request be made, or says why not. What becomes of one that is made
// must be told: cameBack, timedOut or gaveUp.
func (c *circuit) admit(now time.Time) *failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.timeouts < maxTimeouts:
		return nil
	case now.Before(c.until):
	case !c.finding:
		c.finding = true
		return nil
	}
	return &failure{
		class: unreachable, cause: aiprovider.TimedOut, after: max(time.Second, c.until.Sub(now)),
		what: fmt.Sprintf("it took too long %d times in a row, and is asked again within a minute or two", maxTimeouts),
	}
}

// cameBack tells that the provider did something in time, be it an error.
func (c *circuit) cameBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timeouts, c.finding = 0, false
}

// timedOut tells that the provider did nothing in time, and whether it is not asked
// from now on, which it was before.
func (c *circuit) timedOut(now time.Time) (opens bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timeouts, c.finding = c.timeouts+1, false
	if c.timeouts >= maxTimeouts {
		c.until = now.Add(silence)
	}
	return c.timeouts == maxTimeouts
}

// gaveUp tells that whoever asked left before there was an answer.
func (c *circuit) gaveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finding = false
}

// open reports whether the provider is not asked for now.
func (c *circuit) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timeouts >= maxTimeouts
}

// Silent reports whether the language model answered so many requests in a row not
// in time that it is not asked for now.
func (c *Client) Silent() bool { return c.circuit.open() }
