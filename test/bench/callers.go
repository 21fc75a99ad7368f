package bench

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Callers is how many callers run at once by default.
const Callers = 16

// Calls are the durations of a series of calls.
type Calls struct {
	Took time.Duration // of all calls together
	each []time.Duration
}

// Together makes n calls from callers that run at once; each caller makes its next
// call when the last was answered. call gets the caller's number and how many calls
// it has made. The first error ends the run.
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

// Rounds is how often two measurements alternate, so that other load on the machine
// affects both.
const Rounds = 4

// And returns c with the calls of another round added.
func (c Calls) And(more Calls) Calls {
	c.Took += more.Took
	c.each = append(slices.Clone(c.each), more.each...)
	slices.Sort(c.each)
	return c
}

// Against makes n calls in Rounds. After each round, other does as many of
// something else and returns its rate per second. ratio is the rate of the calls
// divided by that of other, over all rounds. If there is nothing to compare with,
// ratio is NaN and reason says why.
func Against(n int, calls func(n int) (Calls, error), other func(n int) (perSecond float64, err error)) (made Calls, ratio float64, reason,
	err error) {
	var others float64 // seconds
	for round := range Rounds {
		part := n*(round+1)/Rounds - n*round/Rounds
		if part == 0 {
			continue
		}
		one, err := calls(part)
		if err != nil {
			return made, 0, nil, err
		}
		made = made.And(one)
		if reason != nil {
			continue
		}
		perSecond, err := other(part)
		if missing, ok := errors.AsType[NoPgbench](err); ok {
			reason = missing
			continue
		}
		if err != nil {
			return made, 0, nil, err
		}
		others += float64(part) / perSecond
	}
	if reason != nil {
		return made, math.NaN(), reason, nil
	}
	return made, others / made.Took.Seconds(), nil, nil
}

// PerSecond returns how many calls were answered per second.
func (c Calls) PerSecond() float64 { return float64(len(c.each)) / c.Took.Seconds() }

// Quantile returns the time within which the fraction q of the calls was answered.
func (c Calls) Quantile(q float64) time.Duration {
	if len(c.each) == 0 {
		return 0
	}
	return c.each[min(len(c.each)-1, int(q*float64(len(c.each))))]
}
