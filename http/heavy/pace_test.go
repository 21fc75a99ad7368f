package heavy

import (
	"testing"
	"time"
)

// Writers together keep the pace, and time in which nobody wrote is not made up for.
func TestPace(t *testing.T) {
	t.Parallel()
	p, start := pace{perSecond: 1000}, time.Unix(1, 0)
	for i, row := range []struct{ at, bytes, want int }{ // times in milliseconds
		{0, 100, 0}, {0, 100, 100}, {0, 50, 200}, {50, 100, 200}, {350, 100, 0}, {5000, 100, 0}, {5000, 100, 100}, {5099, 1, 101}, {5201, 1, 0},
	} {
		at := start.Add(time.Duration(row.at) * time.Millisecond)
		if got, want := p.wait(at, row.bytes), time.Duration(row.want)*time.Millisecond; got != want {
			t.Errorf("write %d waits %s, want %s", i, got, want)
		}
	}
}
