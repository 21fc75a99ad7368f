package coalesce_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"readiness/internal/coalesce"
)

// batches runs batches that wait for release; each doubles its asks.
type batches struct {
	coalesce.Batcher[int, int]
	mu   sync.Mutex
	made [][]int
	held chan error // the result of the next batch
}

func (t *batches) batch(ctx context.Context, asks []int) ([]int, error) {
	t.mu.Lock()
	t.made = append(t.made, asks)
	held := t.held
	t.mu.Unlock()
	if err := <-held; err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answers := make([]int, len(asks))
	for i, ask := range asks {
		answers[i] = 2 * ask
	}
	return answers, nil
}

// reply is the answer of an ask.
type reply struct {
	answer int
	err    error
}

// ask asks in a new goroutine, which is waiting when ask returns.
func (t *batches) ask(ctx context.Context, question int) <-chan reply {
	answered := make(chan reply, 1)
	go func() {
		answer, err := t.Do(ctx, question, t.batch)
		answered <- reply{answer, err}
	}()
	synctest.Wait()
	return answered
}

func TestAsksShareNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := &batches{held: make(chan error)}
		first, second, third := batches.ask(t.Context(), 1), batches.ask(t.Context(), 2), batches.ask(t.Context(), 3)
		batches.held <- nil
		if got := <-first; got != (reply{answer: 2}) {
			t.Errorf("first: got %v", got)
		}
		batches.held <- nil
		if got := [2]reply{<-second, <-third}; got != [2]reply{{answer: 4}, {answer: 6}} {
			t.Errorf("second and third: got %v", got)
		}
		alone := batches.ask(t.Context(), 4)
		batches.held <- nil
		if got := <-alone; got != (reply{answer: 8}) {
			t.Errorf("alone: got %v", got)
		}
		if want := [][]int{{1}, {2, 3}, {4}}; !slices.EqualFunc(batches.made, want, slices.Equal) {
			t.Errorf("batches: got %v, want %v", batches.made, want)
		}
	})
}

func TestErrorAffectsOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches, lost := &batches{held: make(chan error)}, errors.New("lost")
		first, second, third := batches.ask(t.Context(), 1), batches.ask(t.Context(), 2), batches.ask(t.Context(), 3)
		batches.held <- nil
		batches.held <- lost
		if got := [3]reply{<-first, <-second, <-third}; got != [3]reply{{answer: 2}, {err: lost}, {err: lost}} {
			t.Errorf("got %v", got)
		}
		after := batches.ask(t.Context(), 4)
		batches.held <- nil
		if got := <-after; got != (reply{answer: 8}) {
			t.Errorf("after: got %v", got)
		}
	})
}

func TestCancelledCallers(t *testing.T) {
	for _, c := range []struct {
		name   string
		leaves int // which of the asks 1, 2 and 3 leaves while 1 is in flight
		made   [][]int
	}{
		{"who is alone", 1, [][]int{{1}, {2, 3}}},
		{"who was to lead", 2, [][]int{{1}, {3}}},
		{"who goes along", 3, [][]int{{1}, {2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				batches := &batches{held: make(chan error)}
				answered := map[int]<-chan reply{}
				leaving, leave := context.WithCancel(t.Context())
				for _, n := range []int{1, 2, 3} {
					ctx := t.Context()
					if n == c.leaves {
						ctx = leaving
					}
					answered[n] = batches.ask(ctx, n)
				}
				leave()
				synctest.Wait()
				for range c.made {
					batches.held <- nil
				}
				for n, answer := range answered {
					want := reply{answer: 2 * n}
					if n == c.leaves {
						want = reply{err: context.Canceled}
					}
					if got := <-answer; got != want {
						t.Errorf("%d: got %v, want %v", n, got, want)
					}
				}
				if !slices.EqualFunc(batches.made, c.made, slices.Equal) {
					t.Errorf("batches: got %v, want %v", batches.made, c.made)
				}
			})
		})
	}
}

func TestBatchThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan error)
		batches := &batches{held: hung}
		batches.Late = time.Second
		first := batches.ask(t.Context(), 1)
		batches.mu.Lock()
		batches.held = make(chan error, 1)
		batches.held <- nil
		batches.mu.Unlock()
		second := batches.ask(t.Context(), 2)
		third := batches.ask(t.Context(), 3)
		began := time.Now()
		if got := [2]reply{<-second, <-third}; got != [2]reply{{answer: 4}, {answer: 6}} || time.Since(began) != time.Second {
			t.Errorf("second and third: got %v after %v", got, time.Since(began))
		}
		hung <- nil
		if got := <-first; got != (reply{answer: 2}) {
			t.Errorf("first: got %v", got)
		}
		batches.held <- nil // its room is free again
		if got := <-batches.ask(t.Context(), 4); got != (reply{answer: 8}) {
			t.Errorf("afterwards: got %v", got)
		}
		slices.Sort(batches.made[1]) // either of both may have led
		if want := [][]int{{1}, {2, 3}, {4}}; !slices.EqualFunc(batches.made, want, slices.Equal) {
			t.Errorf("batches: got %v, want %v", batches.made, want)
		}
	})
}

// Once a batch that hung has ended, batches run one at a time again.
func TestBatchesAfterOneThatHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := &batches{held: make(chan error)}
		batches.Late = time.Second
		first, second := batches.ask(t.Context(), 1), batches.ask(t.Context(), 2)
		<-time.After(time.Second)
		synctest.Wait() // the second is late
		third := batches.ask(t.Context(), 3)
		batches.held <- nil
		synctest.Wait()
		if n := len(batches.made); n != 2 {
			t.Errorf("%d batches were made while the second is in flight, want 2", n)
		}
		batches.held <- nil
		batches.held <- nil
		if got := [3]reply{<-first, <-second, <-third}; got != [3]reply{{answer: 2}, {answer: 4}, {answer: 6}} {
			t.Errorf("got %v", got)
		}
	})
}

func TestLeaderOfSeveralLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		batches := &batches{held: make(chan error)}
		first := batches.ask(t.Context(), 1)
		leaving, leave := context.WithCancel(t.Context())
		second, third := batches.ask(leaving, 2), batches.ask(t.Context(), 3)
		batches.held <- nil
		<-first
		synctest.Wait()
		leave()
		if got := <-second; got != (reply{err: context.Canceled}) {
			t.Errorf("who left: got %v", got)
		}
		batches.held <- nil
		if got := <-third; got != (reply{answer: 6}) {
			t.Errorf("who stayed: got %v", got)
		}
	})
}

func TestSecondBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 6
		batches := &batches{held: make(chan error)}
		batches.SecondAt = many
		var answered []<-chan reply
		for n := range 1 + many + coalesce.Most + 1 {
			answered = append(answered, batches.ask(t.Context(), n))
		}
		if got := len(batches.made); got != 2 {
			t.Errorf("%d batches are in flight, want 2", got)
		}
		for range 4 {
			batches.held <- nil
		}
		for n, answer := range answered {
			if got := <-answer; got != (reply{answer: 2 * n}) {
				t.Errorf("%d: got %v", n, got)
			}
		}
		var took []int // the last two may begin in any order
		for _, asks := range batches.made {
			took = append(took, len(asks))
		}
		slices.Sort(took)
		if want := []int{1, 1, many, coalesce.Most}; !slices.Equal(took, want) {
			t.Errorf("the batches took %v, want %v", took, want)
		}
		alone := batches.ask(t.Context(), 4)
		batches.held <- nil
		if got := <-alone; got != (reply{answer: 8}) {
			t.Errorf("alone: got %v", got)
		}
	})
}

func TestPanicFailsItsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches coalesce.Batcher[int, int]
		held := make(chan bool)
		panics := func(context.Context, []int) ([]int, error) { <-held; panic("lost") }
		ask := func(panicked chan<- any, answered chan<- error) {
			defer func() { panicked <- recover() }()
			_, err := batches.Do(t.Context(), 1, panics)
			answered <- err
		}
		panicked, answered := make(chan any, 3), make(chan error, 3)
		for range 3 {
			go ask(panicked, answered)
			synctest.Wait()
		}
		close(held)
		synctest.Wait()
		if err := <-answered; err == nil || len(answered) > 0 { // the third was in the batch of the second
			t.Errorf("got %v and %d more", err, len(answered))
		}
		if a, b, c := <-panicked, <-panicked, <-panicked; a == nil || b != nil && c != nil {
			t.Errorf("got %v, %v, %v", a, b, c)
		}
	})
}
