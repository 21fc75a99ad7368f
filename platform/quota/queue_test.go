package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// crowd are calls of one person that wait in one queue; answers decides on each that asks.
type crowd struct {
	*queues
	t       *testing.T
	answers func(Call) (answer, error)

	results sync.Mutex // several may end at once
	asked   []string   // routes
	ended   []string   // routes, in order, with their error
}

func newCrowd(t *testing.T, most int, answers func(Call) (answer, error)) *crowd {
	return &crowd{queues: newQueues(most, func(Call) int { return 2 }), t: t, answers: answers}
}

func admitAll(Call) (answer, error) { return answer{}, nil }

// come adds a call and waits until it is in the queue. The route is its name.
func (c *crowd) come(ctx context.Context, route string, urgency int) {
	go func() {
		err := c.wait(ctx, Call{Platform, "north/ada", route, urgency}, func(_ context.Context, one Call) (answer, error) {
			c.results.Lock()
			c.asked = append(c.asked, one.Route)
			answers := c.answers
			c.results.Unlock()
			return answers(one)
		})
		end := route
		if err != nil {
			end += ": " + err.Error()
		}
		c.results.Lock()
		defer c.results.Unlock()
		c.ended = append(c.ended, end)
	}()
	synctest.Wait()
}

// now changes the answers.
func (c *crowd) now(answers func(Call) (answer, error)) {
	c.results.Lock()
	defer c.results.Unlock()
	c.answers = answers
}

// want checks which calls asked and which ended since the last check, in order.
func (c *crowd) want(asked, ended []string) {
	c.t.Helper()
	synctest.Wait()
	c.results.Lock()
	defer c.results.Unlock()
	if !slices.Equal(c.asked, asked) || !slices.Equal(c.ended, ended) {
		c.t.Errorf("asked %q, ended %q, want %q and %q", c.asked, c.ended, asked, ended)
	}
	c.asked, c.ended = nil, nil
}

// wantTogether is want for calls that end at once, in any order.
func (c *crowd) wantTogether(asked, ended []string) {
	c.t.Helper()
	synctest.Wait()
	c.results.Lock()
	slices.Sort(c.ended)
	c.results.Unlock()
	c.want(asked, ended)
}

func (c *crowd) empty() {
	c.t.Helper()
	synctest.Wait()
	if len(c.byKey) != 0 {
		c.t.Errorf("%d queues are left", len(c.byKey))
	}
}

// Writes leave before polls and polls before reads, each in order of arrival, and only one call asks at a time.
func TestOrderOfAQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, 10, func(Call) (answer, error) { return answer{window: 10 * time.Second}, nil })
		for i, urgency := range []int{Read, Poll, Write, Read, Poll, Write} {
			c.come(t.Context(), fmt.Sprint(i), urgency)
		}
		// What a read, a poll and a write learned applies to those behind them.
		c.want([]string{"0", "1", "2"}, nil)
		<-time.After(10 * time.Second) // of the test's own clock
		c.want([]string{"2"}, nil)
		c.now(admitAll)
		<-time.After(10 * time.Second)
		c.want([]string{"2", "5", "1", "4", "0", "3"}, []string{"2", "5", "1", "4", "0", "3"})
		c.empty()
	})
}

// A window without room for reads does not stop writes, and a route on hold stops only its own calls.
func TestOthersPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := newCrowd(t, 10, func(one Call) (answer, error) {
			left := max(0, time.Minute-time.Since(began))
			switch {
			case one.Route == "held":
				return answer{route: left}, nil
			case one.Urgency == Read:
				return answer{window: left}, nil
			}
			return answer{}, nil
		})
		c.come(t.Context(), "held", Write)
		c.come(t.Context(), "held", Write)
		c.come(t.Context(), "read", Read)
		c.come(t.Context(), "poll", Poll)
		c.come(t.Context(), "write", Write)
		c.want([]string{"held", "read", "poll", "write"}, []string{"poll", "write"})
		<-time.After(time.Minute)
		c.want([]string{"held", "held", "read"}, []string{"held", "held", "read"})
		c.empty()
	})
}

// The hold of the person's bucket stops calls of every urgency; a longer hold that a later call meets replaces it.
func TestHoldOfABucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		held := func(until time.Time) func(Call) (answer, error) {
			return func(Call) (answer, error) { return answer{person: max(0, time.Until(until))}, nil }
		}
		until := time.Now().Add(time.Minute)
		c := newCrowd(t, 10, held(until))
		c.come(t.Context(), "read", Read)
		c.come(t.Context(), "write", Write)
		c.want([]string{"read"}, nil)
		c.now(held(until.Add(time.Minute)))
		<-time.After(time.Minute)
		c.want([]string{"write"}, nil)
		<-time.After(time.Minute)
		c.want([]string{"write", "read"}, []string{"write", "read"})
		c.empty()
	})
}

// Calls that cannot be counted before their deadline leave as soon as that is known.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			t.Cleanup(cancel)
			return ctx
		}
		full := func(wait time.Duration) func(Call) (answer, error) {
			return func(Call) (answer, error) { return answer{window: wait}, nil }
		}
		c := newCrowd(t, 4, full(10*time.Second))
		c.come(t.Context(), "patient", Write)
		c.want([]string{"patient"}, nil)
		const busy = ": quota: the platform's quota for this person is in use; retry in "
		c.come(in(5*time.Second), "too early for the window", Write)
		c.want(nil, []string{"too early for the window" + busy + "1m0s"}) // the second of two a minute
		c.come(in(25*time.Second), "short", Write)
		c.come(in(59*time.Second), "two before it", Write)
		c.come(t.Context(), "last", Write)
		c.want(nil, []string{"two before it" + busy + "1m30s"}) // two calls fill a window, so it opens a minute later
		c.come(t.Context(), "another", Read)
		c.come(t.Context(), "too many", Read)
		c.want(nil, []string{"too many" + busy + "2m30s"})
		c.now(full(20 * time.Second))
		<-time.After(10 * time.Second) // what the first call learns is too late for the second
		c.want([]string{"patient"}, []string{"short" + busy + "1m0s"})
		c.come(in(25*time.Second), "in front", Write) // sees its deadline pass
		<-time.After(20 * time.Second)
		c.want([]string{"patient"}, []string{"in front" + busy + "1m30s"})
	})
}

// A database that does not answer fails those that would ask now, once, and none that wait for later.
func TestFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		c := newCrowd(t, 10, func(one Call) (answer, error) {
			if one.Route == "later" {
				return answer{route: time.Minute}, nil
			}
			<-answered
			return answer{}, errors.New("away")
		})
		c.come(t.Context(), "later", Write)
		for _, route := range []string{"a", "b", "c"} {
			c.come(t.Context(), route, Write)
		}
		c.want([]string{"later", "a"}, nil)
		close(answered)
		c.wantTogether(nil, []string{"a: away", "b: away", "c: away"})
		c.now(admitAll)
		<-time.After(time.Minute)
		c.want([]string{"later"}, []string{"later"})
		c.empty()
	})
}

// A caller that is cancelled while it asks gives its turn to the next, which does not fail with it.
func TestCancelledWhileAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := newCrowd(t, 10, func(one Call) (answer, error) {
			if one.Route != "gone" {
				return answer{}, nil
			}
			<-ctx.Done()
			return answer{}, ctx.Err()
		})
		c.come(ctx, "gone", Write)
		c.come(t.Context(), "next", Write)
		c.want([]string{"gone"}, nil)
		cancel()
		c.wantTogether([]string{"next"}, []string{"gone: context canceled", "next"})
		c.empty()
	})
}
