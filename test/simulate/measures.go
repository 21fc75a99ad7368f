//go:build unix

package main

import (
	"math"
	"sync/atomic"
	"time"
)

// measures count the calls of one kind. Every one that was asked for is counted once as shed, answered, refused or failed.
type measures struct {
	asked, shed     atomic.Int64 // shed: not sent, because too many calls waited for their answers
	answered        atomic.Int64
	refused, failed atomic.Int64 // refused by a rule; without an answer, or a 5xx
	took            histogram    // from when an answered call was due
}

// counts are measures at one moment.
type counts struct {
	asked, shed, answered, refused, failed int64
	took                                   [buckets]int64
}

func (m *measures) now() (c counts) {
	c = counts{asked: m.asked.Load(), shed: m.shed.Load(), answered: m.answered.Load(), refused: m.refused.Load(), failed: m.failed.Load()}
	for i := range m.took {
		c.took[i] = m.took[i].Load()
	}
	return c
}

// since is what happened between an earlier moment and c.
func (c counts) since(b counts) counts {
	c.asked, c.shed, c.answered, c.refused, c.failed = c.asked-b.asked, c.shed-b.shed, c.answered-b.answered, c.refused-b.refused,
		c.failed-b.failed
	for i := range c.took {
		c.took[i] -= b.took[i]
	}
	return c
}

// A histogram has a bucket for each twentieth that durations grow by, from a tenth of a millisecond to minutes.
const (
	buckets = 320
	finest  = 100 * time.Microsecond
	growth  = 1.05
)

type histogram [buckets]atomic.Int64

func (h *histogram) add(d time.Duration) {
	i := 0
	if d > finest {
		i = min(buckets-1, int(math.Ceil(math.Log(float64(d)/float64(finest))/math.Log(growth))))
	}
	h[i].Add(1)
}

// quantile is the duration that the part of the calls took at most, a twentieth too long at most; 0 without calls.
func (c counts) quantile(part float64) time.Duration {
	var all, sum int64
	for _, n := range c.took {
		all += n
	}
	for i, n := range c.took {
		if sum += n; n > 0 && float64(sum) >= part*float64(all) {
			return time.Duration(float64(finest) * math.Pow(growth, float64(i)))
		}
	}
	return 0
}
