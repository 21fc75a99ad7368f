// Package coalesce answers what several callers ask for at the same time in one
// batch. An ask is never delayed to wait for others: without a batch in flight it
// starts one at once. Asks that arrive meanwhile form the next batch, which starts
// when the current one is done, or earlier when there are many.
package coalesce

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Most is how many asks one batch holds at most.
const Most = 64

// A Batch answers asks, each at its index, or returns one error for all of them.
type Batch[Q, A any] func(ctx context.Context, asks []Q) ([]A, error)

// A Batcher batches asks of type Q that are answered with A. The zero value is
// ready for use. All its asks must be for the same Batch. It is safe for concurrent
// use.
type Batcher[Q, A any] struct {
	// SecondAt is how many waiting asks start a second batch while one is in
	// flight; 0: none ever does.
	SecondAt int

	mu       sync.Mutex
	inFlight int
	waiting  []*ask[Q, A] // oldest first; a leader no longer waits
}

type ask[Q, A any] struct {
	ask    Q
	answer A
	err    error
	leads  bool          // leads the next batch, which it runs for all
	turn   chan struct{} // closed when it is answered or leads
}

// Do answers an ask with a batch that begins after the call of Do, so it sees what
// was written before. Do returns early when ctx ends. A batch outlives the ctx of
// its leader and must bound its own time.
func (t *Batcher[Q, A]) Do(ctx context.Context, question Q, batch Batch[Q, A]) (A, error) {
	mine := &ask[Q, A]{ask: question, turn: make(chan struct{})}
	t.mu.Lock()
	if t.inFlight == 0 || t.inFlight == 1 && t.SecondAt > 0 && len(t.waiting)+1 >= t.SecondAt {
		t.inFlight++
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
		t.make(ctx, mine, batch)
	}
	return mine.answer, mine.err
}

// wait waits for the turn of a.
func (t *Batcher[Q, A]) wait(ctx context.Context, a *ask[Q, A]) error {
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

// leave withdraws an ask, unless it already leads or is answered: then others
// depend on it.
func (t *Batcher[Q, A]) leave(a *ask[Q, A]) bool {
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

// make runs a batch for its leader and the asks that wait, and chooses the next
// leader.
func (t *Batcher[Q, A]) make(ctx context.Context, leader *ask[Q, A], batch Batch[Q, A]) {
	runtime.Gosched() // lets callers that are about to ask join
	t.mu.Lock()
	n := min(len(t.waiting), Most-1)
	together := append([]*ask[Q, A]{leader}, t.waiting[:n]...)
	t.waiting = slices.Delete(t.waiting, 0, n) // slices.Delete clears the tail, so no ask is kept alive
	t.mu.Unlock()

	asks := make([]Q, len(together))
	for i, a := range together {
		asks[i] = a.ask
	}
	var answers []A
	err := errBroken // unless the batch returns
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if n := len(t.waiting); n > 0 && (t.inFlight == 1 || n >= t.SecondAt) {
			t.waiting[0].lead()
			t.waiting = slices.Delete(t.waiting, 0, 1)
		} else {
			t.inFlight--
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
	answers, err = batch(context.WithoutCancel(ctx), asks)
}

// errBroken is the error of the asks whose batch panicked.
var errBroken = errors.New("coalesce: the batch panicked")
