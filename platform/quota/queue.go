package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Busy is the error of a Wait that would be too long: retry after After.
type Busy struct{ After time.Duration }

// Error implements error.
func (b *Busy) Error() string {
	return fmt.Sprintf("quota: the platform's quota for this person is in use; retry in %s", b.After.Round(time.Millisecond))
}

// answer is what a call must wait for, each 0 if it does not; all are 0 after the call was counted.
type answer struct {
	window time.Duration // until the window has room for the call's urgency
	person time.Duration // until the hold of the person's bucket ends
	route  time.Duration // until the hold of the route ends
}

// queues are the calls that wait in this process, in one queue for each person and bucket. Of each queue at most one call
// asks the database, so even a long queue needs a single connection, and what the database answers applies to the calls
// behind it without asking again.
type queues struct {
	most   int            // calls in one queue
	window func(Call) int // how many calls a window may hold when the call was counted
	mu     sync.Mutex     // never locked during a wait
	byKey  map[string]*queue
}

func newQueues(most int, window func(Call) int) *queues {
	return &queues{most: most, window: window, byKey: map[string]*queue{}}
}

// queue is what waits for one window. It exists while a call is in it.
type queue struct {
	waiting []*waiter // the more urgent first, then in order of arrival; the one that asks is among them
	asks    *waiter   // asks the database; nil if none does
	opens   [len(shares)]time.Time
	routes  map[string]time.Time // when the holds of routes end
	timer   *time.Timer          // for the first call that may ask later
}

type waiter struct {
	call     Call
	queue    *queue
	deadline time.Time  // zero for none
	turn     chan error // receives nil when the call may ask, or an error when it has left the queue
}

// wait waits until ask has counted the call.
func (s *queues) wait(ctx context.Context, c Call, ask func(context.Context, Call) (answer, error)) error {
	w, err := s.join(ctx, c)
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-w.turn:
			if err != nil {
				return err
			}
			a, failed := ask(ctx, c)
			if failed == nil && a == (answer{}) {
				s.leave(w)
				return nil
			}
			if err := s.answered(ctx, w, a, failed); err != nil {
				return err
			}
		case <-ctx.Done():
			after := s.leave(w)
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return &Busy{after}
			}
			return fmt.Errorf("quota: wait: %w", ctx.Err())
		}
	}
}

// join adds a call to its queue, unless the queue is full or the call cannot be counted in time.
func (s *queues) join(ctx context.Context, c Call) (*waiter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, now := c.key(), time.Now()
	n := s.byKey[key]
	if n == nil {
		n = &queue{routes: map[string]time.Time{}}
		s.byKey[key] = n
		n.timer = time.AfterFunc(time.Hour, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.next(n)
		})
		n.timer.Stop()
	}
	at := len(n.waiting)
	for at > 0 && n.waiting[at-1].call.Urgency < c.Urgency {
		at--
	}
	w := &waiter{call: c, queue: n, turn: make(chan error, 1)}
	w.deadline, _ = ctx.Deadline()
	n.waiting = slices.Insert(n.waiting, at, w)
	if len(n.waiting) > s.most || w.late(s.soonest(w, now)) {
		busy := &Busy{s.after(w, n.before(w, now), now)}
		s.remove(w)
		return nil, busy
	}
	s.next(n)
	return w, nil
}

// leave removes a call from its queue and returns when it may be retried.
func (s *queues) leave(w *waiter) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	after := s.after(w, w.queue.before(w, now), now)
	s.remove(w)
	s.next(w.queue)
	return after
}

// answered records what the call that asked must wait for. If asking failed, the call leaves with that error, and so
// do those that would ask now. Calls whose deadline is too early leave with a *Busy. answered returns the error of the
// call that asked, nil if it stays in the queue.
func (s *queues) answered(ctx context.Context, w *waiter, a answer, failed error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, now := w.queue, time.Now()
	n.asks = nil
	if failed == nil {
		n.note(w.call, a, now)
	}
	own := ctx.Err() != nil // the asking call's context ended; the database may be fine
	for i, o := range slices.Clone(n.waiting) {
		var why error
		opens := n.open(o.call)
		switch {
		case failed != nil && (o == w || !own && !opens.After(now)):
			why = failed
		case o.late(opens):
			why = &Busy{s.after(o, i, now)}
		default:
			continue
		}
		s.remove(o)
		if o == w {
			err = why
		} else {
			o.turn <- why
		}
	}
	s.next(n)
	return err
}

// remove removes a call from its queue, unless it has left before, and the queue if it is now empty.
func (s *queues) remove(w *waiter) {
	n := w.queue
	if n.asks == w {
		n.asks = nil
	}
	i := slices.Index(n.waiting, w)
	if i < 0 {
		return
	}
	n.waiting = slices.Delete(n.waiting, i, i+1)
	if len(n.waiting) == 0 {
		n.timer.Stop()
		delete(s.byKey, w.call.key())
	}
}

// next gives the turn to the first call that may ask now. If none may, the timer waits for the first that will.
func (s *queues) next(n *queue) {
	if n.asks != nil || len(n.waiting) == 0 {
		return
	}
	now := time.Now()
	first := n.open(n.waiting[0].call)
	for _, w := range n.waiting {
		opens := n.open(w.call)
		if !opens.After(now) {
			n.asks = w
			w.turn <- nil
			return
		}
		if opens.Before(first) {
			first = opens
		}
	}
	n.timer.Reset(first.Sub(now))
}

// open returns the time before which the database would not count the call.
func (n *queue) open(c Call) time.Time {
	if route := n.routes[c.Route]; route.After(n.opens[c.Urgency]) {
		return route
	}
	return n.opens[c.Urgency]
}

// note records what the call must wait for. A window without room for it has none for less urgent calls.
func (n *queue) note(c Call, a answer, now time.Time) {
	for u := range n.opens {
		wait := a.person
		if u <= c.Urgency {
			wait = max(wait, a.window)
		}
		if opens := now.Add(wait); opens.After(n.opens[u]) {
			n.opens[u] = opens
		}
	}
	if a.route > 0 {
		n.routes[c.Route] = now.Add(a.route)
	}
}

// late reports whether the call's deadline is before the time.
func (w *waiter) late(at time.Time) bool { return !w.deadline.IsZero() && at.After(w.deadline) }

// soonest returns the earliest time at which the call could be counted: when its queue opens, and not before as many
// windows have passed as the calls in front fill.
func (s *queues) soonest(w *waiter, now time.Time) time.Time {
	at := w.queue.open(w.call)
	if full := now.Add(time.Duration(w.queue.before(w, now)/s.window(w.call)) * Window); full.After(at) {
		return full
	}
	return at
}

// after returns when a refused call should be retried: when its queue opens, and not before the calls in front, counted
// evenly over their windows. So calls that are refused together do not return together.
func (s *queues) after(w *waiter, before int, now time.Time) time.Duration {
	spread := time.Duration(before+1) * Window / time.Duration(s.window(w.call))
	return max(spread, w.queue.open(w.call).Sub(now))
}

// before returns how many calls are in front of the call, except those whose route is on hold.
func (n *queue) before(w *waiter, now time.Time) (calls int) {
	for _, o := range n.waiting {
		if o == w {
			break
		}
		if !n.routes[o.call.Route].After(now) {
			calls++
		}
	}
	return calls
}
