package coalesce_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"readiness/internal/coalesce"
)

// trips are trips that wait to be let go, each of which doubles what it is asked.
type trips struct {
	coalesce.Trips[int, int]
	mu   sync.Mutex
	made [][]int
	held chan error // what the next trip ends with
}

func (t *trips) trip(ctx context.Context, asks []int) ([]int, error) {
	t.mu.Lock()
	t.made = append(t.made, asks)
	t.mu.Unlock()
	if err := <-t.held; err != nil {
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

// said is what an ask was answered.
type said struct {
	answer int
	err    error
}

// ask asks in a goroutine of its own, which is waiting when ask returns.
func (t *trips) ask(ctx context.Context, question int) <-chan said {
	answered := make(chan said, 1)
	go func() {
		answer, err := t.Do(ctx, question, t.trip)
		answered <- said{answer, err}
	}()
	synctest.Wait()
	return answered
}

func TestAsksGoTogetherWhenATripIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips := &trips{held: make(chan error)}
		first, second, third := trips.ask(t.Context(), 1), trips.ask(t.Context(), 2), trips.ask(t.Context(), 3)
		trips.held <- nil
		if got := <-first; got != (said{answer: 2}) {
			t.Errorf("first: got %v", got)
		}
		trips.held <- nil
		if got := [2]said{<-second, <-third}; got != [2]said{{answer: 4}, {answer: 6}} {
			t.Errorf("second and third: got %v", got)
		}
		alone := trips.ask(t.Context(), 4)
		trips.held <- nil
		if got := <-alone; got != (said{answer: 8}) {
			t.Errorf("alone: got %v", got)
		}
		if want := [][]int{{1}, {2, 3}, {4}}; !slices.EqualFunc(trips.made, want, slices.Equal) {
			t.Errorf("trips: got %v, want %v", trips.made, want)
		}
	})
}

func TestAnErrorIsThatOfOneTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips, lost := &trips{held: make(chan error)}, errors.New("lost")
		first, second, third := trips.ask(t.Context(), 1), trips.ask(t.Context(), 2), trips.ask(t.Context(), 3)
		trips.held <- nil
		trips.held <- lost
		if got := [3]said{<-first, <-second, <-third}; got != [3]said{{answer: 2}, {err: lost}, {err: lost}} {
			t.Errorf("got %v", got)
		}
		after := trips.ask(t.Context(), 4)
		trips.held <- nil
		if got := <-after; got != (said{answer: 8}) {
			t.Errorf("after: got %v", got)
		}
	})
}

func TestWhoGivesUpKeepsNobodyFromTheirAnswer(t *testing.T) {
	for _, c := range []struct {
		name   string
		leaves int // which of the asks 1, 2 and 3, of which the first leads
		made   [][]int
	}{
		{"the leader's trip goes on", 1, [][]int{{1}, {2, 3}}},
		{"who was to lead", 2, [][]int{{1}, {3}}},
		{"who goes along", 3, [][]int{{1}, {2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				trips := &trips{held: make(chan error)}
				answered := map[int]<-chan said{}
				leaving, leave := context.WithCancel(t.Context())
				for _, n := range []int{1, 2, 3} {
					ctx := t.Context()
					if n == c.leaves {
						ctx = leaving
					}
					answered[n] = trips.ask(ctx, n)
				}
				leave()
				synctest.Wait()
				for range c.made {
					trips.held <- nil
				}
				for n, answer := range answered {
					want := said{answer: 2 * n}
					if n == c.leaves && n > 1 {
						want = said{err: context.Canceled}
					}
					if got := <-answer; got != want {
						t.Errorf("%d: got %v, want %v", n, got, want)
					}
				}
				if !slices.EqualFunc(trips.made, c.made, slices.Equal) {
					t.Errorf("trips: got %v, want %v", trips.made, c.made)
				}
			})
		})
	}
}

func TestManyDoNotWaitForTheTripUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 6
		trips := &trips{held: make(chan error)}
		trips.Many = many
		var answered []<-chan said
		for n := range 1 + many + coalesce.Most + 1 {
			answered = append(answered, trips.ask(t.Context(), n))
		}
		if got := len(trips.made); got != 2 {
			t.Errorf("%d trips are under way, want 2", got)
		}
		for range 4 {
			trips.held <- nil
		}
		for n, answer := range answered {
			if got := <-answer; got != (said{answer: 2 * n}) {
				t.Errorf("%d: got %v", n, got)
			}
		}
		var took []int // the last two may begin in any order
		for _, asks := range trips.made {
			took = append(took, len(asks))
		}
		slices.Sort(took)
		if want := []int{1, 1, many, coalesce.Most}; !slices.Equal(took, want) {
			t.Errorf("the trips took %v, want %v", took, want)
		}
		alone := trips.ask(t.Context(), 4)
		trips.held <- nil
		if got := <-alone; got != (said{answer: 8}) {
			t.Errorf("alone: got %v", got)
		}
	})
}

func TestAPanicLeavesNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var trips coalesce.Trips[int, int]
		held := make(chan bool)
		panics := func(context.Context, []int) ([]int, error) { <-held; panic("lost") }
		ask := func(panicked chan<- any, answered chan<- error) {
			defer func() { panicked <- recover() }()
			_, err := trips.Do(t.Context(), 1, panics)
			answered <- err
		}
		panicked, answered := make(chan any, 3), make(chan error, 3)
		for range 3 {
			go ask(panicked, answered)
			synctest.Wait()
		}
		close(held)
		synctest.Wait()
		if err := <-answered; err == nil || len(answered) > 0 { // the third went with the second
			t.Errorf("got %v and %d more", err, len(answered))
		}
		if a, b, c := <-panicked, <-panicked, <-panicked; a == nil || b != nil && c != nil {
			t.Errorf("got %v, %v, %v", a, b, c)
		}
	})
}
