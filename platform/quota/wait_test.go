package quota_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"readiness/platform/quota"
	"readiness/test/pgtest"
)

// reaches waits until so many calls wait.
func reaches(t testing.TB, l *quota.Limiter, c quota.Call, n int) {
	t.Helper()
	for began := time.Now(); l.Waiting(c) != n; runtime.Gosched() {
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("%d calls wait after 5 minutes, want %d", l.Waiting(c), n)
		}
	}
}

// A call waits until the window has room for it, and is then counted.
func TestWaitUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, limit(1))
	admitted(t, l, write(ada))
	age(t, url, ada, quota.Window-100*time.Millisecond)
	if err := l.Wait(t.Context(), write(ada)); err != nil {
		t.Fatal(err)
	}
	refused(t, l, write(ada), quota.Window)
	hold(t, l, write(bob), 100*time.Millisecond)
	if err := l.Wait(t.Context(), write(bob)); err != nil {
		t.Fatal(err)
	}
	refused(t, l, write(bob), quota.Window)
	if n := l.Queues(); n != 0 {
		t.Errorf("%d queues are left", n)
	}
}

// A call that cannot be counted before its deadline learns at once when to retry, and is not counted.
func TestBusyAtTheDeadline(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url, limit(1))
	admitted(t, l, write(ada))
	hold(t, l, write(grace), quota.MaxHold)
	for person, most := range map[string]time.Duration{ada: quota.Window, grace: quota.MaxHold} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		var busy *quota.Busy
		if err := l.Wait(ctx, write(person)); !errors.As(err, &busy) || busy.After <= 0 || busy.After > most {
			t.Errorf("%s: got %v, want Busy of at most %s", person, err, most)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: Wait lasted until the deadline", person)
		}
		cancel()
	}
	age(t, url, "", quota.MaxHold)
	admitted(t, l, write(ada))
	admitted(t, l, write(grace))
}

// A person with a thousand waiting calls delays no one else, even on a single connection. One more call is refused.
func TestFairAmongPeople(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	const waiting = 1000
	o := quota.Options{Connections: 1}
	l := open(t, url, o)
	exec(t, url, `INSERT INTO quota_windows SELECT $1, array_fill(clock_timestamp(), ARRAY[100]), true`, quota.Call{Bucket: quota.Platform, Person: ada}.Key())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, waiting)
	for range waiting {
		go func() { ended <- l.Wait(ctx, write(ada)) }()
	}
	reaches(t, l, write(ada), waiting)
	for range 80 {
		c := write(bob)
		c.Urgency = quota.Read
		if err := l.Wait(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	var busy *quota.Busy
	if err := l.Wait(t.Context(), write(ada)); !errors.As(err, &busy) || busy.After < waiting*quota.Window/100 {
		t.Errorf("got %v, want Busy of the time that a thousand calls take", err)
	}
	if len(ended) != 0 {
		t.Errorf("%d of the waiting calls ended: %v", len(ended), <-ended)
	}
	cancel()
	for range waiting {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want the cancellation", err)
		}
	}
	if n := l.Queues(); n != 0 {
		t.Errorf("%d queues are left", n)
	}
}
