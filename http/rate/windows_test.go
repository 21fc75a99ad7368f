package rate_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"readiness/http/rate"
	"readiness/test/pgtest"
)

func takeAll(t testing.TB, l *rate.Limiter, limits ...rate.Limit) []rate.Count {
	t.Helper()
	counts, err := l.TakeAll(t.Context(), limits...)
	if err != nil || len(counts) != len(limits) {
		t.Fatalf("got %v, %v, want a count of each of %d windows", counts, err, len(limits))
	}
	return counts
}

// A call that counts in two windows is counted in both or in neither, whichever of them is full.
//
// proves: decisions/2/rates
func TestCallCountsInAllWindowsOrNone(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	wants := func(got []rate.Count, allowed [2]bool, remaining [2]int) {
		t.Helper()
		for i, c := range got {
			if c.Allowed != allowed[i] || c.Remaining != remaining[i] || c.Reset > rate.Window || c.Reset <= 0 && c.Remaining < []int{30, 2}[i] {
				t.Fatalf("window %d: got %+v, want allowed %v, %d remaining", i, c, allowed[i], remaining[i])
			}
		}
	}
	wide, tight := rate.Limit{Key: "z", Calls: 30}, rate.Limit{Key: "a", Calls: 2}
	wants(takeAll(t, l, wide, tight), [2]bool{true, true}, [2]int{29, 1})
	age(t, url, "a", 20*time.Second)
	wants(takeAll(t, l, wide, tight), [2]bool{true, true}, [2]int{28, 0})
	for range 3 {
		got := takeAll(t, l, wide, tight)
		wants(got, [2]bool{true, false}, [2]int{28, 0})
		if got[1].Reset > 40*time.Second || got[0].Reset <= 40*time.Second {
			t.Fatalf("got %+v, want each window's own oldest call", got)
		}
	}
	// TakeAll with a single limit counts in the same window as Take.
	if c := take(t, l, "z", 30); c.Remaining != 27 {
		t.Errorf("got %+v, want 27 remaining", c)
	}
	other := rate.Limit{Key: "b", Calls: 2} // unused so far
	for range 27 {
		take(t, l, "z", 30)
	}
	wants(takeAll(t, l, wide, other), [2]bool{false, true}, [2]int{0, 2})
	if c := take(t, l, "b", 2); c.Remaining != 1 {
		t.Errorf("got %+v: a call that the wide window refused was counted in the other", c)
	}
	age(t, url, "a", 40*time.Second)
	age(t, url, "z", rate.Window)
	wants(takeAll(t, l, wide, tight), [2]bool{true, true}, [2]int{29, 0})

	exec(t, url, `DROP TABLE rate_windows`)
	if _, err := l.TakeAll(t.Context(), wide, tight); err == nil {
		t.Error("TakeAll succeeded without a table")
	}
}

// People of one account share a window in addition to their own. Together they get what it allows, in whatever order
// the windows are named. A call that the shared window refuses does not count in a person's own.
//
// proves: decisions/2/rates
func TestSharedWindowIsExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	limiters := []*rate.Limiter{open(t, url), open(t, url)}
	const shared, own = 10, 4
	var allowed [4]atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			limits := []rate.Limit{{Key: fmt.Sprint("person ", i%4), Calls: own}, {Key: "account", Calls: shared}}
			if i < 4 {
				limits[0], limits[1] = limits[1], limits[0]
			}
			for range 8 {
				counts, err := limiters[i%2].TakeAll(t.Context(), limits...)
				if err != nil {
					t.Error(err)
					return
				}
				if counts[0].Allowed && counts[1].Allowed {
					allowed[i%4].Add(1)
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for i := range allowed {
		n := int(allowed[i].Load())
		sum += n
		if n > own {
			t.Errorf("person %d: %d calls were allowed, want at most %d", i, n, own)
		}
		if c := take(t, limiters[0], fmt.Sprint("person ", i), own+1); c.Remaining != own-n {
			t.Errorf("person %d: %d of %d calls remain after the %d that were allowed", i, c.Remaining, own, n)
		}
	}
	if sum != shared {
		t.Errorf("%d calls were allowed, want %d", sum, shared)
	}
}

// A window that is empty because another one was full at every call is swept.
func TestEmptyWindowsAreSwept(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	take(t, l, "full", 1)
	takeAll(t, l, rate.Limit{Key: "full", Calls: 1}, rate.Limit{Key: "empty", Calls: 1})
	if err := l.Sweep(t.Context()); err != nil || keys(t, url) != 1 {
		t.Errorf("%d windows are left, %v, want the full one", keys(t, url), err)
	}
}
