// Package coalesce makes one trip of what several callers ask for at the same time. Nobody waits for others to come: who
// asks while nothing is under way goes at once, and those who ask meanwhile go together when that is back, or before, when
// they are many.
package coalesce

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Most is how many asks go together.
const Most = 64

// A Trip answers asks, each with the answer at its place, or with an error for all of them.
type Trip[Q, A any] func(ctx context.Context, asks []Q) ([]A, error)

// Trips of asks of type Q that are answered with A. The zero value is ready; all its asks are for the same Trip. It is safe for
// concurrent use.
type Trips[Q, A any] struct {
	// Many is how many asks do not wait for the trip that is under way but make a second one; 0: there is never a second.
	Many int

	mu       sync.Mutex
	underWay int
	waiting  []*ask[Q, A] // the first to come first; who leads waits no more
}

type ask[Q, A any] struct {
	ask    Q
	answer A
	err    error
	leads  bool          // in the next trip, which it makes for all
	turn   chan struct{} // closed when it is answered or leads
}

// Do answers an ask by a trip that begins after the call of Do, so what was written before is seen. It returns early when ctx
// ends; trips outlive the ctx of those who make them, and bound their own time.
func (t *Trips[Q, A]) Do(ctx context.Context, question Q, trip Trip[Q, A]) (A, error) {
	mine := &ask[Q, A]{ask: question, turn: make(chan struct{})}
	t.mu.Lock()
	if t.underWay == 0 || t.underWay == 1 && t.Many > 0 && len(t.waiting)+1 >= t.Many {
		t.underWay++
		mine.lead()
	} else {
		t.waiting = append(t.waiting, mine)
	}
	t.mu.Unlock()
	if err := t.wait(ctx, mine); err != nil && t.leave(mine) {
		var none A
		return none, err
	}
	if mine.leads {
		t.make(ctx, mine, trip)
	}
	return mine.answer, mine.err
}

// wait waits for the turn of a.
func (t *Trips[Q, A]) wait(ctx context.Context, a *ask[Q, A]) error {
	select {
	case <-a.turn:
		return nil
	default:
	}
	select {
	case <-a.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *ask[Q, A]) lead() {
	a.leads = true
	close(a.turn)
}

// leave takes an ask back, unless it is to lead or is answered: then it is late, and others count on it.
func (t *Trips[Q, A]) leave(a *ask[Q, A]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-a.turn:
		return false
	default:
	}
	for i, w := range t.waiting {
		if w == a {
			t.waiting = slices.Delete(t.waiting, i, i+1)
			break
		}
	}
	return true
}

// make makes a trip for its leader and those who wait, and says who leads in the next.
func (t *Trips[Q, A]) make(ctx context.Context, leader *ask[Q, A], trip Trip[Q, A]) {
	runtime.Gosched() // whoever is about to ask comes along
	t.mu.Lock()
	n := min(len(t.waiting), Most-1)
	together := append([]*ask[Q, A]{leader}, t.waiting[:n]...)
	t.waiting = slices.Delete(t.waiting, 0, n) // which keeps no answers from the garbage collector
	t.mu.Unlock()

	asks := make([]Q, len(together))
	for i, a := range together {
		asks[i] = a.ask
	}
	var answers []A
	err := errBroken // unless the trip comes back
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if n := len(t.waiting); n > 0 && (t.underWay == 1 || n >= t.Many) {
			t.waiting[0].lead()
			t.waiting = slices.Delete(t.waiting, 0, 1)
		} else {
			t.underWay--
		}
		for i, a := range together {
			if a.err = err; err == nil {
				a.answer = answers[i]
			}
			if a != leader {
				close(a.turn)
			}
		}
	}()
	answers, err = trip(context.WithoutCancel(ctx), asks)
}

// errBroken is what those who went together with one that panicked are told.
var errBroken = errors.New("coalesce: a trip was broken off")
