// Package coalesce answers what several callers ask for at the same time in one
// batch. An ask is never delayed to wait for others: without a batch in flight it
// starts one at once. Asks that arrive meanwhile form the next batch, which starts
// when the current one is done, or earlier when there are many or it hangs.
package coalesce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
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
	// Late is how long an ask waits until it starts another batch, whatever is in
	// flight: a batch that hangs holds up nobody longer. 0: it waits.
	Late time.Duration

	mu       sync.Mutex
	inFlight int
	waiting  []*ask[Q, A] // oldest first; a leader no longer waits
}

type ask[Q, A any] struct {
	ask    Q
	answer A
	err    error
	leads  bool          // leads the next batch, which it runs for all
	with   []*ask[Q, A]  // that are in its batch already
	turn   chan struct{} // closed when it is answered or leads
}

// Do answers an ask with a batch that begins after the call of Do, so it sees what
// was written before. Do returns early when ctx ends. A batch of several asks goes on
// then, and must bound its own time; that of one ask has the ctx of its caller.
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
		if err := t.run(ctx, t.gather(mine), batch); err != nil {
			var none A
			return none, err
		}
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
	var late <-chan time.Time
	if t.Late > 0 {
		timer := time.NewTimer(t.Late)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-a.turn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			t.mu.Lock()
			if t.withdraw(a) {
				t.inFlight++
				a.with = t.take(Most - 1)
				a.lead()
			}
			t.mu.Unlock()
		}
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
	t.withdraw(a)
	return true
}

// withdraw removes an ask from those that wait, and reports whether it was there.
func (t *Batcher[Q, A]) withdraw(a *ask[Q, A]) bool {
	i := slices.Index(t.waiting, a)
	if i < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return true
}

// Waiting returns how many asks wait for a batch.
func (t *Batcher[Q, A]) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}

// gather returns the leader and the asks that wait.
func (t *Batcher[Q, A]) gather(leader *ask[Q, A]) []*ask[Q, A] {
	runtime.Gosched() // lets callers that are about to ask join
	t.mu.Lock()
	defer t.mu.Unlock()
	together := append([]*ask[Q, A]{leader}, leader.with...)
	return append(together, t.take(Most-len(together))...)
}

// take removes the n oldest asks that wait, or all.
func (t *Batcher[Q, A]) take(n int) []*ask[Q, A] {
	n = min(len(t.waiting), n)
	taken := slices.Clone(t.waiting[:n])
	t.waiting = slices.Delete(t.waiting, 0, n) // slices.Delete clears the tail, so no ask is kept alive
	return taken
}

// run answers a batch. It returns early when the leader's ctx ends, and panics if the batch does.
func (t *Batcher[Q, A]) run(ctx context.Context, together []*ask[Q, A], batch Batch[Q, A]) error {
	if len(together) == 1 {
		t.answer(ctx, together, batch) // a goroutine would cost more than some batches do
		return nil
	}
	ended := make(chan error, 1)
	go func() {
		defer func() {
			var panicked error
			if p := recover(); p != nil {
				panicked = fmt.Errorf("%v\n%s", p, debug.Stack())
			}
			ended <- panicked
		}()
		t.answer(context.WithoutCancel(ctx), together, batch)
	}()
	select {
	case panicked := <-ended:
		if panicked != nil {
			panic(panicked)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer answers a batch, whose first ask is the leader, and chooses the next leader.
func (t *Batcher[Q, A]) answer(ctx context.Context, together []*ask[Q, A], batch Batch[Q, A]) {
	asks := make([]Q, len(together))
	for i, a := range together {
		asks[i] = a.ask
	}
	var answers []A
	err := errBroken // unless the batch returns
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if n := len(t.waiting); n > 0 && (t.inFlight == 1 || t.inFlight == 2 && t.SecondAt > 0 && n >= t.SecondAt) {
			t.waiting[0].lead()
			t.waiting = slices.Delete(t.waiting, 0, 1)
		} else {
			t.inFlight--
		}
		for i, a := range together {
			if a.err = err; err == nil {
				a.answer = answers[i]
			}
			if i > 0 {
				close(a.turn)
			}
		}
	}()
	answers, err = batch(ctx, asks)
}

// errBroken is the error of the asks whose batch panicked.
var errBroken = errors.New("coalesce: the batch panicked")
