package item

import (
	"fmt"
	"time"
)

// Pending is the error of a read that the platform has begun and not finished. The same read for the same operation goes
// on with it.
type Pending struct {
	// After is when to read again.
	After time.Duration
}

// Error implements error.
func (p *Pending) Error() string {
	return fmt.Sprintf("the platform is still reading; look again in %s", p.After)
}
