//go:build hard

package person_test

import "testing"

// TestHardNoCallAfterTheTokensEnd lets the token end during every call of every route and of its steps.
func TestHardNoCallAfterTheTokensEnd(t *testing.T) {
	s := newOverEntra(t)
	s.entra.SetTokenLife(3 * life)
	during := 0
	for _, r := range rowsOfRoutes {
		succeeded := false
		for n := 1; ; n++ {
			s.restore(r)
			ended, began, done := s.endsDuring(r, n)
			succeeded = succeeded || done
			if !ended || done && !began {
				break
			}
			during++
		}
		if !succeeded {
			s.restore(r)
			s.accepted(r)
		}
	}
	t.Logf("the token ended during %d calls of %d routes", during, len(rowsOfRoutes))
}
