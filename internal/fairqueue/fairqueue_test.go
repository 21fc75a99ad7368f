package fairqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"readiness/internal/fairqueue"
)

// line records who took turns, in order; each holds its turn until end.
type line struct {
	*fairqueue.Turns
	t   *testing.T
	ctx context.Context
	now time.Time

	mu    sync.Mutex // several may have their turn at once
	began []string
	ends  map[string]func()
	errs  map[string]error
}

func newLine(t *testing.T, l fairqueue.Limits) *line {
	made := &line{t: t, ctx: t.Context(), ends: map[string]func(){}, errs: map[string]error{}, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	made.Turns = fairqueue.New(l, func() time.Time { return made.now })
	return made
}

// enter asks for a turn under the name, and waits until the call is in the queue.
func (l *line) enter(name string, k fairqueue.Key) {
	l.t.Helper()
	go func() {
		release, err := l.Take(l.ctx, k)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.errs[name] = err; err == nil {
			l.began, l.ends[name] = append(l.began, name), release
		}
	}()
	synctest.Wait()
}

func (l *line) end(name string) {
	l.t.Helper()
	release, ok := l.ends[name]
	if !ok {
		l.t.Fatalf("%s holds no turn; %v do", name, l.began)
	}
	release()
	release() // a second call changes nothing
	synctest.Wait()
}

func (l *line) want(began ...string) {
	l.t.Helper()
	if !slices.Equal(l.began, began) {
		l.t.Errorf("turns went to %v, want %v", l.began, began)
	}
}

func of(account string) fairqueue.Key { return fairqueue.Key{Account: account, Person: account + "'s"} }

// No one holds more than a share, whether others wait or not, and others get their
// turn at once.
//
// proves: decisions/9/4
func TestShares(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		same, other fairqueue.Key
	}{
		"account":  {fairqueue.Key{Account: "a"}, fairqueue.Key{Account: "b"}},
		"person":   {fairqueue.Key{Person: "ana"}, fairqueue.Key{Person: "ben"}},
		"provider": {fairqueue.Key{Provider: "gpt"}, fairqueue.Key{Provider: "llama"}},
		"person of two accounts": {
			fairqueue.Key{Account: "a", Person: "ana"}, fairqueue.Key{Account: "a", Person: "ben"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t, fairqueue.Limits{Size: 4, Share: 2, MaxWaiting: 9})
				same := c.same
				for i := range 4 {
					if name == "person of two accounts" {
						same.Account = string(rune('w' + i))
					}
					l.enter(fmt.Sprint("same", i), same)
				}
				l.want("same0", "same1")
				l.enter("other", c.other)
				l.want("same0", "same1", "other")
				l.end("same0")
				l.want("same0", "same1", "other", "same2")
				if held, waiting := l.Now(); held != 3 || waiting != 1 {
					t.Errorf("%d are held and %d wait, want 3 and 1", held, waiting)
				}
				l.Close()
			})
		})
	}
}

// A free turn goes to the account that holds the fewest, then to the person who
// does, then to the first in the queue.
func TestNextTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, fairqueue.Limits{Size: 4, Share: 4, MaxWaiting: 9})
		ana, ben := fairqueue.Key{Account: "a", Person: "ana"}, fairqueue.Key{Account: "a", Person: "ben"}
		for i := range 6 {
			l.enter(fmt.Sprint("ana", i), ana)
		}
		l.enter("ben", ben)
		l.enter("b0", of("b"))
		l.enter("b1", of("b"))
		l.want("ana0", "ana1", "ana2", "ana3")
		for i := range 4 {
			l.end(fmt.Sprint("ana", i))
		}
		l.want("ana0", "ana1", "ana2", "ana3", "b0", "b1", "ben", "ana4")
		l.end("ben")
		l.want("ana0", "ana1", "ana2", "ana3", "b0", "b1", "ben", "ana4", "ana5")
		l.Close()
	})
}

// A waiter whose share is full does not delay those behind it.
func TestFullShareDelaysNoOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, fairqueue.Limits{Size: 8, Share: 2, MaxWaiting: 64})
		for i := range 40 { // three providers that never answer
			l.enter(fmt.Sprint("silent", i), fairqueue.Key{Account: "a" + fmt.Sprint(i%3), Provider: "p" + fmt.Sprint(i%3)})
		}
		for i := range 2 {
			l.enter(fmt.Sprint("other", i), fairqueue.Key{Account: "b", Provider: "p9"})
		}
		l.want("silent0", "silent1", "silent2", "silent3", "silent4", "silent5", "other0", "other1")
		l.Close()
	})
}

// At most MaxWaiting calls of an account wait. Further calls get increasing retry times,
// spaced so that a process sees at most one retry per pace, however many accounts
// there are.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, fairqueue.Limits{Size: 4, Share: 1, MaxWaiting: 2})
		for i := range 3 {
			l.enter(fmt.Sprint("a", i), of("a"))
			l.enter(fmt.Sprint("b", i), of("b"))
		}
		for i, c := range []struct {
			after   time.Duration // of the call before, in milliseconds as want
			account string
			want    time.Duration
		}{
			{0, "a", 500}, {0, "a", 505}, {1, "a", 509}, {3, "a", 511}, {0, "b", 500}, {0, "b", 510}, {2, "a", 519}, {30, "b", 500}, {20, "b", 500},
			{1, "b", 509},
		} {
			l.now = l.now.Add(c.after * time.Millisecond)
			c.want *= time.Millisecond
			_, err := l.Take(t.Context(), of(c.account))
			if later, ok := errors.AsType[*fairqueue.Later](err); !ok || later.After != c.want {
				t.Errorf("call %d got %v, want a retry after %s", i+1, err, c.want)
			}
		}
		l.now = l.now.Add(time.Second)
		_, err := l.Take(t.Context(), of("a"))
		if later, ok := errors.AsType[*fairqueue.Later](err); !ok || later.After != 500*time.Millisecond {
			t.Errorf("after a second: %v", err)
		}
		l.want("a0", "b0")
		if held, waiting := l.Now(); held != 2 || waiting != 4 {
			t.Errorf("%d are held and %d wait, want 2 and 4", held, waiting)
		}
		// A caller of Await cannot retry, so it waits.
		got := make(chan error, 1)
		go func() {
			_, err := l.Await(t.Context(), of("a"))
			got <- err
		}()
		synctest.Wait()
		if held, waiting := l.Now(); held != 2 || waiting != 5 {
			t.Errorf("%d are held and %d wait, want 2 and 5", held, waiting)
		}
		l.Close()
		if held, waiting := l.Now(); held != 2 || waiting != 1 {
			t.Errorf("after the close %d are held and %d wait, want 2 and 1", held, waiting)
		}
		l.end("a0")
		if err := <-got; err != nil {
			t.Errorf("Await after Close got %v", err)
		}
	})
}

// As many calls of an account may wait as it took turns within six seconds, but not fewer than MaxWaiting, and no more than MaxWaiting
// when Room calls wait.
func TestMoreMayWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, fairqueue.Limits{Size: 2, Share: 1, MaxWaiting: 2, Room: 8})
		began := l.now
		n := 0
		fill := func(account string) (wait int) { // returns how many calls were admitted
			for {
				n++
				name := fmt.Sprint(account, n)
				l.enter(name, of(account))
				if l.errs[name] != nil {
					return wait
				}
				wait++
			}
		}
		take := func(turns int) { // the account a takes its next turns
			for range turns {
				for _, name := range slices.Backward(l.began) {
					if strings.HasPrefix(name, "a") {
						l.end(name)
						break
					}
				}
			}
		}
		for _, c := range []struct {
			after time.Duration // since the beginning
			turns int           // that a takes
			more  int           // calls of a that are admitted then
		}{
			{0, 0, 3},               // one has a turn, two wait
			{0, 2, 3},               // three turns were taken, so three may wait
			{time.Second, 3, 6},     // six turns
			{6 * time.Second, 1, 1}, // six turns in the period before, one in this
			{6*time.Second - 1 + 6*time.Second, 0, 0}, // still
			{12 * time.Second, 5, 4},                  // one turn before, five now
			{24 * time.Second, 3, 1},                  // three now, two wait
		} {
			l.now = began.Add(c.after)
			take(c.turns)
			if got := fill("a"); got != c.more {
				_, waiting := l.Now()
				t.Errorf("after %s and %d turns, %d were admitted, want %d; %d wait", c.after, c.turns, got, c.more, waiting)
			}
		}
		take(3)
		if got := fill("b"); got != 3 {
			t.Errorf("%d of another account were admitted, want 3", got)
		}
		for range 10 {
			take(1)
			fill("a")
		}
		if _, waiting := l.Now(); waiting != 8 {
			t.Errorf("%d wait, want 8", waiting)
		}
		l.Close()
	})
}

// A caller whose context ends leaves the queue without a turn. Close ends all
// waiting but no turn.
func TestLeaveAndClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t, fairqueue.Limits{Size: 1, Share: 1, MaxWaiting: 9})
		l.enter("first", of("a"))
		ctx, cancel := context.WithCancel(t.Context())
		all := l.ctx
		l.ctx = ctx
		l.enter("leaves", of("b"))
		l.ctx = all
		l.enter("second", of("c"))
		cancel()
		synctest.Wait()
		if err := l.errs["leaves"]; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got %v", err)
		}
		l.end("first")
		l.want("first", "second")
		l.enter("third", of("d"))
		l.Close()
		synctest.Wait()
		if err := l.errs["third"]; !errors.Is(err, fairqueue.ErrClosed) {
			t.Errorf("the waiting caller got %v", err)
		}
		l.end("second")
		if _, err := l.Take(t.Context(), of("e")); !errors.Is(err, fairqueue.ErrClosed) {
			t.Errorf("the late caller got %v", err)
		}
		if held, waiting := l.Now(); held != 0 || waiting != 0 {
			t.Errorf("%d are held and %d wait after the end", held, waiting)
		}
	})
}
