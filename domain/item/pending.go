package item

import (
	"fmt"
	"time"
)

// Pending is the error of a read that the platform has not finished. The same read for the same operation continues it.
type Pending struct {
	// After is when to read again.
	After time.Duration
	// Begun reports that the platform has started the read, so that other reads can start meanwhile. If false, the platform or the quota
	// admits no call for now.
	Begun bool
}

// Later returns the one of two that waits longer. Either can be nil.
func (p *Pending) Later(other *Pending) *Pending {
	if p == nil || other != nil && other.After > p.After {
		return other
	}
	return p
}

// Error implements error.
func (p *Pending) Error() string {
	return fmt.Sprintf("the platform is still reading; look again in %s", p.After)
}
