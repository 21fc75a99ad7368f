package rate_test

import (
	"testing"
	"time"

	"readiness/http/rate"
	"readiness/internal/pgtest"
)

// The calls of a window stay in order when the clock of the database is set back, whichever way they are counted: what has left the
// window is found by halving.
func TestCallsStayInOrderWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	const limit = 3
	for _, key := range []string{"alone", "together"} {
		take(t, l, key, limit)
		age(t, url, key, -30*time.Second) // as the clock that is set back sees it
	}
	take(t, l, "alone", limit)
	if _, err := l.TakeAll(t.Context(), rate.Limit{Key: "together", Calls: limit}, rate.Limit{Key: "another", Calls: limit}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"alone", "together"} {
		age(t, url, key, rate.Window)
		if c := take(t, l, key, limit); !c.Allowed || c.Remaining != 0 {
			t.Errorf("%s: got %+v, want the last of the window", key, c)
		}
	}
}
