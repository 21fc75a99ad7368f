// Package turns hands out the turns of one kind of work in a process: so many at
// once, no account, person or AI provider more than its share of them, and the
// next to whom holds the fewest. It knows nothing of the work, keeps nothing
// outside of the process and reads no clock but the one it is given.
package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Key says whose a turn is. What is empty has no share to keep to.
type Key struct{ Account, Person, Provider string }

// Limits bound a kind of work. All are at least 1.
type Limits struct {
	// Size is how many turns there are.
	Size int
	// Share is how many of them one account, one person or one AI provider holds at
	// most.
	Share int
	// Line is how many of one account wait for their turn in memory. Who comes when
	// they do is told to come back later.
	Line int
}

// Later tells whoever asked for a turn to come back after so long: as many of the
// account wait as may.
type Later struct{ After time.Duration }

// Error implements error.
func (l *Later) Error() string { return fmt.Sprintf("the line is full: come back in %s", l.After) }

// ErrClosed says that nothing is to be begun any more.
var ErrClosed = errors.New("nothing is begun any more")

// Those who are told to come back do so no sooner than after firstReturn, and one
// after another: this process is come back to at most once in a pace, whatever
// number of accounts wait.
const (
	firstReturn = 500 * time.Millisecond
	pace        = 5 * time.Millisecond
)

// Turns hands out the turns of one kind. It may be used by many at once.
type Turns struct {
	limits Limits
	now    func() time.Time

	mu     sync.Mutex
	closed bool
	taken  int
	held   map[holder]int
	line   []*waiter // in the order in which they came
	// returns is when the last of an account that was told to come back does.
	returns map[string]time.Time
}

// holder is an account, a person or an AI provider.
type holder struct{ kind, id string }

type waiter struct {
	key Key
	// begins is that it comes to begin something, and may come back instead.
	begins bool
	turn   chan error // has the answer once there is one
}

// New returns turns that none of is taken.
func New(l Limits, now func() time.Time) *Turns {
	return &Turns{limits: l, now: now, held: map[holder]int{}, returns: map[string]time.Time{}}
}

// Take waits for a turn, which lasts until release is called; a second call of it
// changes nothing. The error is a *Later, ErrClosed or that of the context.
func (t *Turns) Take(ctx context.Context, k Key) (release func(), err error) {
	return t.take(ctx, k, true)
}

// Await is Take for who has begun already: it waits however long the line is, and
// after Close. The error is that of the context.
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
		if !t.leave(w) { // the answer came first
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

// enter puts a waiter into the line, and hands out what turns there are.
func (t *Turns) enter(k Key, begins bool) (*waiter, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if begins && t.closed {
		return nil, ErrClosed
	}
	w := &waiter{key: k, begins: begins, turn: make(chan error, 1)}
	t.line = append(t.line, w)
	t.handOut()
	if begins && len(w.turn) == 0 && t.waiting(k.Account) > t.limits.Line {
		t.drop(w)
		return nil, &Later{t.comeBack(k.Account)}
	}
	return w, nil
}

// handOut gives the free turns to those of the line that may have one: first to
// whose account holds the fewest, then to whose person does, then to who came
// first.
func (t *Turns) handOut() {
	for t.taken < t.limits.Size {
		var next *waiter
		for _, w := range t.line {
			if t.mayHold(w.key) && (next == nil || t.before(w.key, next.key)) {
				next = w
			}
		}
		if next == nil {
			return
		}
		t.drop(next)
		t.count(next.key, 1)
		next.turn <- nil
	}
}

// before reports whether a turn is rather a's than b's, who came first.
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

// drop takes the waiter out of the line, if it is in it.
func (t *Turns) drop(w *waiter) (was bool) {
	i := slices.Index(t.line, w)
	if i >= 0 {
		t.line = slices.Delete(t.line, i, i+1)
	}
	return i >= 0
}

func (t *Turns) leave(w *waiter) (was bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.drop(w)
}

func (t *Turns) waiting(account string) (n int) {
	for _, w := range t.line {
		if w.key.Account == account {
			n++
		}
	}
	return n
}

// comeBack is when the next of the account is to come back: after those of it that
// were told before.
func (t *Turns) comeBack(account string) time.Duration {
	now := t.now()
	for other, at := range t.returns {
		if !at.After(now) {
			delete(t.returns, other)
		}
	}
	at, told := t.returns[account]
	if told = told && at.Sub(now) >= firstReturn; told {
		at = at.Add(time.Duration(len(t.returns)) * pace)
	} else {
		at = now.Add(firstReturn)
	}
	t.returns[account] = at
	return at.Sub(now)
}

// Close lets nobody begin any more: who waits to gets ErrClosed. Turns that are held
// last on, and who has begun gets those it awaits.
func (t *Turns) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.line = slices.DeleteFunc(t.line, func(w *waiter) bool {
		if w.begins {
			w.turn <- ErrClosed
		}
		return w.begins
	})
}

// Now is how many turns are held and how many wait for one in memory.
func (t *Turns) Now() (held, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken, len(t.line)
}
