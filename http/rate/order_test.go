package rate_test

import (
	"testing"
	"time"

	"readiness/http/rate"
	"readiness/test/pgtest"
)

// The calls of a window stay in order when the database's clock is set back, however they are counted, because
// expired calls are found by binary search.
func TestCallsStayInOrderWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	l := open(t, url)
	const limit = 3
	for _, key := range []string{"alone", "together"} {
		take(t, l, key, limit)
		age(t, url, key, -30*time.Second) // as seen after the clock was set back
	}
	take(t, l, "alone", limit)
	if _, err := l.TakeAll(t.Context(), rate.Limit{Key: "together", Calls: limit}, rate.Limit{Key: "another", Calls: limit}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"alone", "together"} {
		age(t, url, key, rate.Window)
		if c := take(t, l, key, limit); !c.Allowed || c.Remaining != 0 {
			t.Errorf("%s: got %+v, want the last call that the window allows", key, c)
		}
	}
}
