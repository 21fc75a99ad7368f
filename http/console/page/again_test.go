package page

import (
	"testing"
	"time"
)

func TestAgain(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]int{-time.Hour: 1, 0: 1, time.Second: 1, time.Minute: 3, 100 * time.Hour: 3} {
		if got := Again(time.Now().Add(-age)); got != want {
			t.Errorf("what began %s ago: got %d, want %d", age, got, want)
		}
	}
}
