package processors_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/internal/processors"
)

func TestShare(t *testing.T) {
	s, most := processors.Half(), int32(max(1, runtime.GOMAXPROCS(0)/2)) //nolint:gosec // a number of processors
	var running, highest atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			err := s.Compute(func() error {
				if n := running.Add(1); n > highest.Load() {
					highest.Store(n)
				}
				runtime.Gosched()
				running.Add(-1)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if highest.Load() > most {
		t.Errorf("%d computed at once, want at most %d", highest.Load(), most)
	}
}

// While a computation waits elsewhere, another one takes its processor; afterwards it has one again.
func TestElsewhere(t *testing.T) {
	s, most := processors.Half(), max(1, runtime.GOMAXPROCS(0)/2)
	var lent int
	var outer func(n int) error
	outer = func(n int) error {
		return s.Compute(func() error {
			var err error
			s.Elsewhere(func() {
				if lent++; n > 0 {
					err = outer(n - 1)
				}
			})
			return err
		})
	}
	if err := outer(2 * most); err != nil || lent != 2*most+1 {
		t.Errorf("lent %d times, %v", lent, err)
	}
}
