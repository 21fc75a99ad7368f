package entra_test

import (
	"testing"
	"time"

	"readiness/domain/item"
)

// A token that the library does not keep, because it ends within five minutes, is used while it lives and not longer.
func TestShortTokens(t *testing.T) {
	t.Parallel()
	for _, life := range []time.Duration{300 * time.Second, 299 * time.Second, 100 * time.Second} {
		t.Run(life.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.provider.SetTokenLife(life)
			as := w.ada(t)
			first, err := w.For(t.Context(), as, item.PermissionPlatform)
			if err != nil {
				t.Fatal(err)
			}
			if who, err := w.provider.Person(first); err != nil || who.ID != contoso+"/"+ada {
				t.Fatalf("the token stands for %+v, %v", who, err)
			}
			if again, err := w.For(t.Context(), as, item.PermissionPlatform); err != nil || again != first || w.provider.Exchanges() != 1 {
				t.Errorf("asked again: %v; %d exchanges", err, w.provider.Exchanges())
			}
			w.ahead.Store(int64(life))
			next, err := w.For(t.Context(), as, item.PermissionPlatform)
			if err != nil || next == first {
				t.Fatalf("it is used after its end: %t, %v", next == first, err)
			}
			if _, err := w.provider.Person(next); err != nil {
				t.Error(err)
			}
			lasting := as
			if lasting.Token, _, err = w.Lasting(t.Context(), as, 24*time.Hour); err != nil || lasting.Token == as.Token {
				t.Fatalf("a lasting token: %v", err)
			}
			if _, err := w.For(t.Context(), lasting, item.PermissionUsage); err != nil {
				t.Errorf("for a lasting token: %v", err)
			}
		})
	}
}
