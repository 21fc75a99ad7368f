package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/eventstore"
)

func gathered(t *testing.T, events iter.Seq2[eventstore.Recorded, error]) (all []eventstore.Recorded) {
	t.Helper()
	for r, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// Replay yields what ReadAll does, in the same order: for all events and for some types, across the
// bounds of its chunks and queries, and for large events.
func TestReplay(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	jump := func() {
		if _, err := pool.Exec(t.Context(), `SELECT setval('events_position_seq', (SELECT last_value + $1 FROM events_position_seq))`, eventstore.ReplayReach-700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat([]domain.Event{spent{Units: i}}, eventstore.ReplayChunk/2+i)...)
		mustAdd(t, s, fmt.Sprintf("cart-%d", i), slices.Repeat([]domain.Event{noted{strings.Repeat("long ", 9_000)}}, 30)...)
		jump()
		mustAdd(t, s, fmt.Sprintf("budget-%d", i), slices.Repeat([]domain.Event{spent{Units: i}}, eventstore.ReplayChunk+i)...)
	}
	upTo, err := s.Watermark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sequential := gathered(t, s.ReadAll(t.Context(), 0, 0))
	for _, after := range []int64{0, 1, 700, eventstore.ReplayReach, eventstore.ReplayReach + 1, upTo - 1, upTo, upTo + 1} {
		for _, until := range []int64{upTo, upTo - 1, eventstore.ReplayReach} {
			for _, types := range [][]string{nil, {"cart.noted"}, {"budget.spent", "cart.noted"}, {"never.was"}} {
				var want []int64
				for _, r := range sequential {
					if r.Position > after && r.Position <= until && (types == nil || slices.Contains(types, r.Type)) {
						want = append(want, r.Position)
					}
				}
				var got []int64
				for _, r := range gathered(t, s.Replay(t.Context(), eventstore.Selection{After: after, UpTo: until}, types, false)) {
					got = append(got, r.Position)
				}
				if !slices.Equal(want, got) {
					t.Errorf("after %d up to %d, of %v: got %d events, want %d", after, until, types, len(got), len(want))
				}
			}
		}
	}
	if !reflect.DeepEqual(sequential, gathered(t, s.Replay(t.Context(), eventstore.Selection{After: 0, UpTo: upTo}, nil, false))) {
		t.Error("events of a replay are not those of ReadAll")
	}
	for i := range sequential {
		sequential[i].Event = nil
	}
	if !reflect.DeepEqual(sequential, gathered(t, s.Replay(t.Context(), eventstore.Selection{After: 0, UpTo: upTo}, nil, true))) {
		t.Error("undecoded, events of a replay are not those of ReadAll")
	}
}

// An event that cannot be decoded ends a replay with an error after all events before it; an undecoded
// replay reads it. A consumer that stops early or is cancelled gets no further events.
func TestReplayEnds(t *testing.T) {
	t.Parallel()
	s, pool := open(t)
	mustAdd(t, s, "budget-1", slices.Repeat([]domain.Event{spent{Units: 1}}, 3*eventstore.ReplayChunk)...)
	mustAdd(t, s, "cart-1", noted{"unknown to the other codec"})
	mustAdd(t, s, "budget-1", slices.Repeat([]domain.Event{spent{Units: 1}}, 3*eventstore.ReplayChunk)...)
	c, err := eventstore.NewCodec(eventstore.Events(spent{})...)
	if err != nil {
		t.Fatal(err)
	}
	older := eventstore.New(pool, c, eventstore.Options{})
	const all, unknown = 6*eventstore.ReplayChunk + 1, 3*eventstore.ReplayChunk + 1
	n := 0
	for r, e := range older.Replay(t.Context(), eventstore.Selection{After: 0, UpTo: all}, nil, false) {
		if err = e; err == nil {
			n++
			if r.Position != int64(n) {
				t.Fatalf("position %d comes as number %d", r.Position, n)
			}
		}
	}
	if n != unknown-1 || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("position %d", unknown)) {
		t.Errorf("%d events and the error %v, want %d and one that names the position", n, err, unknown-1)
	}
	if got := len(gathered(t, older.Replay(t.Context(), eventstore.Selection{After: 0, UpTo: all}, nil, true))); got != all {
		t.Errorf("undecoded: %d events, want %d", got, all)
	}
	for _, stop := range []int{1, eventstore.ReplayChunk, eventstore.ReplayChunk + 1} {
		n := 0
		for range s.Replay(t.Context(), eventstore.Selection{After: 0, UpTo: all}, nil, false) {
			if n++; n == stop {
				break
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		n = 0
		for _, err = range s.Replay(ctx, eventstore.Selection{After: 0, UpTo: all}, nil, false) {
			if n++; n == stop {
				cancel()
			}
		}
		// Events decoded earlier may still arrive.
		if n < all && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d: ended after %d with the error %v", stop, n, err)
		}
		cancel()
	}
	for pool.Stat().AcquiredConns() > 0 { // the connection of an interrupted query is being closed
		runtime.Gosched()
	}
}
