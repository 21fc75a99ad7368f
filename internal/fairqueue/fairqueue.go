// Package fairqueue limits how much work of one kind runs at once in a process. It
// bounds the number of turns and the share of each account, person and AI provider,
// and gives the next turn to the account that holds the fewest. It knows nothing of
// the work, stores nothing outside the process and uses only the given clock.
package fairqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Key identifies the account, the person and the AI provider of a turn. No share limits an empty member.
type Key struct{ Account, Person, Provider string }

// Limits bound a kind of work. All are at least 1.
type Limits struct {
	// Size is how many turns there are.
	Size int
	// Share is how many turns one account, one person or one AI provider may hold.
	Share int
	// MaxWaiting is how many calls of one account may wait for a turn in memory. Further
	// ones get a *Later, unless the account would soon take their turns and fewer than
	// Room calls wait.
	MaxWaiting int
	// Room is how many calls of all accounts may wait before MaxWaiting holds for each.
	Room int
}

// Later is the error of Take when the account's queue is full: retry after After.
type Later struct{ After time.Duration }

// Error implements error.
func (l *Later) Error() string {
	return fmt.Sprintf("too many steps of the account wait; retry in %s", l.After)
}

// ErrClosed is the error of Take after Close.
var ErrClosed = errors.New("fairqueue: closed")

// firstRetry is the shortest After of a Later. pace spaces the retries of an
// account, multiplied by the number of accounts that wait, so that this process
// sees at most one retry per pace.
const (
	firstRetry = 500 * time.Millisecond
	pace       = 5 * time.Millisecond
	// soon is how long an account's calls may wait beyond MaxWaiting, at the rate at which
	// it takes turns. It is longer than a job may stay in the queue after the time of its retry.
	soon = 6 * time.Second
)

// Turns hands out the turns of one kind. It is safe for concurrent use.
type Turns struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	closed  bool
	taken   int
	held    map[holder]int
	waiters []*waiter // in order of arrival
	// retries is when the last refused call of an account will retry.
	retries map[string]time.Time
	// recent is how many turns accounts took lately.
	recent map[string]*rate
}

// rate counts turns in the period of length soon that began at from, and in the one before.
type rate struct {
	from       time.Time
	n, earlier int
}

// holder is an account, a person or an AI provider.
type holder struct{ kind, id string }

type waiter struct {
	key Key
	// begins says that the waiter begins new work, so it may be sent away.
	begins bool
	turn   chan error // receives the outcome once
}

// New returns turns that are all free.
func New(l Limits, now func() time.Time) *Turns {
	return &Turns{limits: l, now: now, held: map[holder]int{}, retries: map[string]time.Time{},
		recent: map[string]*rate{}}
}

// Take waits for a turn, which lasts until release is called; calling release again
// does nothing. The error is a *Later, ErrClosed or that of the context.
func (t *Turns) Take(ctx context.Context, k Key) (release func(), err error) {
	return t.take(ctx, k, true)
}

// Await is Take for work that has already begun: it waits in a queue of any length,
// and even after Close. The error is that of the context.
func (t *Turns) Await(ctx context.Context, k Key) (release func(), err error) {
	return t.take(ctx, k, false)
}

func (t *Turns) take(ctx context.Context, k Key, begins bool) (func(), error) {
	w, err := t.enter(k, begins)
	if err != nil {
		return nil, err
	}
	select {
	case err = <-w.turn:
	case <-ctx.Done():
		if !t.leave(w) { // the outcome came first
			err = <-w.turn
			break
		}
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { t.release(k) }), nil
}

// enter adds a waiter to the queue and hands out the free turns.
func (t *Turns) enter(k Key, begins bool) (*waiter, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if begins && t.closed {
		return nil, ErrClosed
	}
	w := &waiter{key: k, begins: begins, turn: make(chan error, 1)}
	t.waiters = append(t.waiters, w)
	t.handOut()
	if begins && len(w.turn) == 0 && t.waiting(k.Account) > t.mostWaiting(k.Account) {
		t.drop(w)
		return nil, &Later{t.retryAfter(k.Account)}
	}
	return w, nil
}

// handOut gives the free turns to waiters whose shares allow it: first by the
// fewest turns of the account, then by the fewest of the person, then by arrival.
func (t *Turns) handOut() {
	for t.taken < t.limits.Size {
		var next *waiter
		for _, w := range t.waiters {
			if t.mayHold(w.key) && (next == nil || t.before(w.key, next.key)) {
				next = w
			}
		}
		if next == nil {
			return
		}
		t.drop(next)
		t.count(next.key, 1)
		t.rateOf(next.key.Account).n++
		next.turn <- nil
	}
}

// rateOf returns the account's rate as of now.
func (t *Turns) rateOf(account string) *rate {
	now := t.now()
	r := t.recent[account]
	switch {
	case r == nil || now.Sub(r.from) >= 2*soon:
		maps.DeleteFunc(t.recent, func(_ string, old *rate) bool { return now.Sub(old.from) >= 2*soon })
		r = &rate{from: now}
		t.recent[account] = r
	case now.Sub(r.from) >= soon:
		*r = rate{from: r.from.Add(soon), earlier: r.n}
	}
	return r
}

// mostWaiting returns how many calls of the account may wait.
func (t *Turns) mostWaiting(account string) int {
	if len(t.waiters) > t.limits.Room {
		return t.limits.MaxWaiting
	}
	r := t.rateOf(account)
	return max(t.limits.MaxWaiting, r.n, r.earlier)
}

// before reports whether a gets the turn before b, which arrived earlier.
func (t *Turns) before(a, b Key) bool {
	return cmp.Or(
		cmp.Compare(t.held[holder{"account", a.Account}], t.held[holder{"account", b.Account}]),
		cmp.Compare(t.held[holder{"person", a.Person}], t.held[holder{"person", b.Person}]),
	) < 0
}

func (t *Turns) mayHold(k Key) bool {
	return !slices.ContainsFunc(holders(k), func(h holder) bool { return t.held[h] >= t.limits.Share })
}

func holders(k Key) []holder {
	all := []holder{{"account", k.Account}, {"person", k.Person}, {"provider", k.Provider}}
	return slices.DeleteFunc(all, func(h holder) bool { return h.id == "" })
}

func (t *Turns) count(k Key, n int) {
	t.taken += n
	for _, h := range holders(k) {
		if t.held[h] += n; t.held[h] == 0 {
			delete(t.held, h)
		}
	}
}

func (t *Turns) release(k Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(k, -1)
	t.handOut()
}

// drop removes the waiter from the queue and reports whether it was there.
func (t *Turns) drop(w *waiter) (was bool) {
	i := slices.Index(t.waiters, w)
	if i >= 0 {
		t.waiters = slices.Delete(t.waiters, i, i+1)
	}
	return i >= 0
}

func (t *Turns) leave(w *waiter) (was bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.drop(w)
}

func (t *Turns) waiting(account string) (n int) {
	for _, w := range t.waiters {
		if w.key.Account == account {
			n++
		}
	}
	return n
}

// retryAfter returns when the next call of the account should retry: after the
// account's earlier retries.
func (t *Turns) retryAfter(account string) time.Duration {
	now := t.now()
	for other, at := range t.retries {
		if !at.After(now) {
			delete(t.retries, other)
		}
	}
	at := now.Add(firstRetry)
	if next := t.retries[account].Add(time.Duration(len(t.retries)) * pace); next.After(at) {
		at = next
	}
	t.retries[account] = at
	return at.Sub(now)
}

// Close admits no new work: calls of Take get ErrClosed, also those that wait.
// Held turns stay valid, and calls of Await still get theirs.
func (t *Turns) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.waiters = slices.DeleteFunc(t.waiters, func(w *waiter) bool {
		if w.begins {
			w.turn <- ErrClosed
		}
		return w.begins
	})
}

// Now returns how many turns are held and how many calls wait for one.
func (t *Turns) Now() (held, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken, len(t.waiters)
}
