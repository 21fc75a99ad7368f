package heavy

import (
	"sync"
	"time"
)

// A response is written in pieces of pieceSize bytes, and those of all calls together at bytesOfProcessor a second for each processor. While
// goroutines that can run are left, Go looks for what arrived on the network only every ten milliseconds; sixty clients of one response are
// always able to run, so each read of another account waited that long for its request and again for the database's answer.
const (
	pieceSize        = 64 << 10
	bytesOfProcessor = 100 << 20
)

// pace says when bytes may be written.
type pace struct {
	perSecond int
	mu        sync.Mutex
	next      time.Time // when what was written so far is paid for
}

// wait returns how long n bytes wait at a time for those before them.
func (p *pace) wait(now time.Time, n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.Before(now) {
		p.next = now
	}
	waits := p.next.Sub(now)
	p.next = p.next.Add(time.Duration(n) * time.Second / time.Duration(p.perSecond))
	return waits
}
