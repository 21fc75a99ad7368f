package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

// asked is a context that counts in n who waits for its end.
type asked struct {
	context.Context
	n *atomic.Int32
}

func (a asked) Done() <-chan struct{} {
	a.n.Add(1)
	return a.Context.Done()
}

// Many loads and changes need a long stream that is not cached. One of them folds it; its connection ends in the middle. Another one folds
// the rest, and no event is folded twice.
func TestALongStreamIsFoldedOnceForMany(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	const events, cut, others = 1500, 100, 20
	for range events / 100 { // more than the buffers of a connection hold
		mustAdd(t, s, "budget-1", slices.Repeat([]domain.Event{spent{Units: 1, By: strings.Repeat("b", 10_000)}}, 100)...)
	}
	var folded, waiting atomic.Int32
	evolve := func(sum spending, e domain.Event) spending {
		if folded.Add(1) == cut {
			for waiting.Load() < others { // until each of them has come as far as it can
				select {
				case <-t.Context().Done():
					return sum
				default:
				}
			}
			var ended bool
			must(t, pool.QueryRow(context.Background(), `SELECT bool_and(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE '%FROM unnest%' AND pid <> pg_backend_pid()`).Scan(&ended))
			if !ended {
				t.Error("the connection did not end")
			}
		}
		sum.units = append(sum.units[:len(sum.units):len(sum.units)], e.(spent).Units)
		return sum
	}
	first := make(chan error, 1)
	go func() { first <- s.Load(t.Context(), eventstore.FoldCached("budget-1", evolve)) }()
	for folded.Load() == 0 {
		if len(first) > 0 {
			t.Fatal(<-first)
		}
	}
	var done sync.WaitGroup
	for i := range others {
		done.Go(func() {
			p := eventstore.FoldCached("budget-1", evolve)
			ctx, changed := asked{t.Context(), &waiting}, 0
			var err error
			if i%2 == 0 {
				err = s.Load(ctx, p)
			} else {
				err = s.Change(ctx, meta, []eventstore.Loadable{p}, func(c *eventstore.Change) error { changed++; return nil })
			}
			if err != nil || p.Version != events || len(p.State.units) != events {
				t.Errorf("%d: got version %d, %v", i, p.Version, err)
			}
		})
	}
	done.Wait()
	if err := <-first; err == nil {
		t.Error("the first load was not cut off")
	}
	if got := folded.Load(); got != events {
		t.Errorf("%d events were folded, want each of %d once", got, events)
	}
}

// A load that waits for another one ends when its caller leaves, and the other one continues.
func TestAWaitingLoadEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	mustAdd(t, s, "budget-1", units(1, 2)...)
	reached, leave := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- s.Load(t.Context(), eventstore.FoldCached("budget-1", func(sum spending, e domain.Event) spending {
			if len(sum.units) == 0 {
				close(reached)
				<-leave
			}
			return evolveSpending(sum, e)
		}))
	}()
	<-reached
	never := eventstore.FoldCached("budget-1", func(sum spending, _ domain.Event) spending {
		t.Error("the load that waited folded an event")
		return sum
	})
	for name, call := range map[string]func(context.Context) error{
		"load": func(ctx context.Context) error { return s.Load(ctx, eventstore.Tail("budget-2"), never) },
		"change": func(ctx context.Context) error {
			return s.Change(ctx, meta, []eventstore.Loadable{never}, func(*eventstore.Change) error {
				t.Error("the change decided")
				return nil
			})
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := call(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(fmt.Sprint(err), "budget-1") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	close(leave)
	must(t, <-first)
	if got := spentOn(t, s, "budget-1"); !slices.Equal(got, []int{1, 2}) {
		t.Error(got)
	}
}

// Streams without events, and streams whose states the cache drops at once, are loaded in any order by many.
func TestLoadsNeverWaitForEachOther(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	s.CacheAtMost(1, 1)
	mustAdd(t, s, "budget-1", units(1, 2)...)
	mustAdd(t, s, "budget-2", units(3)...)
	names := []string{"budget-0", "budget-1", "budget-2", "budget-9"}
	var done sync.WaitGroup
	for i := range 24 {
		done.Go(func() {
			for j := range 20 {
				var pasts []eventstore.Loadable
				for k := range names {
					name := names[(i+j+k*(1+2*(i%2)))%len(names)]
					pasts = append(pasts, eventstore.FoldCached(name, evolveSpending), eventstore.FoldCached(name, evolveBudget))
				}
				if err := s.Change(t.Context(), meta, pasts, func(c *eventstore.Change) error {
					if (i+j)%8 > 0 {
						return nil
					}
					// Everything is loaded: other loads of the same streams need not wait for the decision.
					return s.Load(t.Context(), pasts[:2]...)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// A fold that fails leaves no state behind, neither of the events before it nor of those of other folds of the stream.
func TestAFailedFoldIsNotCached(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", units(1, 2, 3)...)
	if _, err := pool.Exec(t.Context(), `ALTER TABLE events DISABLE TRIGGER ALL; UPDATE events SET data = '[]' WHERE version = 2`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := s.Load(t.Context(), eventstore.FoldCached("budget-1", evolveSpending), eventstore.FoldCached("budget-1", evolveBudget))
		if states, _ := s.Cached(); err == nil || states != 0 {
			t.Errorf("got %v; %d states are cached", err, states)
		}
	}
}
