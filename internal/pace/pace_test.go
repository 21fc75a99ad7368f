package pace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"readiness/internal/pace"
)

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := pace.Wait(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("it ended with %v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := pace.Wait(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Hour+time.Minute {
			t.Errorf("it ended with %v after %s", err, time.Since(began))
		}
	})
}

func TestEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 210*time.Second)
		defer cancel()
		began, ticks := time.Now(), 0
		for range pace.Every(ctx, time.Minute) {
			if ticks++; time.Since(began) != time.Duration(ticks)*time.Minute {
				t.Errorf("tick %d came after %s", ticks, time.Since(began))
			}
		}
		if ticks != 3 || time.Since(began) != 210*time.Second {
			t.Errorf("%d ticks in %s", ticks, time.Since(began))
		}
		for range pace.Every(t.Context(), time.Minute) {
			break
		}
	})
}
