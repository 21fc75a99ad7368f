package bench

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Callers is how many call at once wherever nothing else is said.
const Callers = 16

// Calls is how calls went.
type Calls struct {
	Took time.Duration // of all
	each []time.Duration
}

// Together makes n calls from callers at once, each of which makes its next when
// its last is answered. call is told which caller makes it and how many that one
// has made; the first error ends it.
func Together(callers, n int, call func(caller, made int) error) (Calls, error) {
	each := make([]time.Duration, n)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	before := time.Now()
	for caller := range callers {
		all.Go(func() {
			for made := 0; failed.Load() == nil; made++ {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				began := time.Now()
				if err := call(caller, made); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
				each[i] = time.Since(began)
			}
		})
	}
	all.Wait()
	c := Calls{Took: time.Since(before), each: each}
	slices.Sort(c.each)
	if err := failed.Load(); err != nil {
		return c, *err
	}
	return c, nil
}

// PerSecond is how many calls were answered a second.
func (c Calls) PerSecond() float64 { return float64(len(c.each)) / c.Took.Seconds() }

// Quantile is how long the fraction q of the calls took at most.
func (c Calls) Quantile(q float64) time.Duration {
	if len(c.each) == 0 {
		return 0
	}
	return c.each[min(len(c.each)-1, int(q*float64(len(c.each))))]
}
