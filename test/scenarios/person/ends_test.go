package person_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"readiness/platform/fabric/emulator"
	"readiness/test/samples"
	"readiness/test/testworld"
)

// No call is made to the platform after the end of the token that the person sent, wherever the token ends: during one of the
// first calls of each route, or of the steps that it starts. Tokens that it was exchanged for would be valid for longer.
func TestNoCallAfterTheTokensEnd(t *testing.T) {
	t.Parallel()
	s := newOverEntra(t)
	s.entra.SetTokenLife(3 * life)
	for i, r := range rowsOfRoutes {
		s.restore(r)
		if _, _, done := s.endsDuring(r, 1+i%5); !done {
			s.restore(r)
			s.accepted(r)
		}
	}
}

// endsDuring makes the call of a row as ada, with a token that ends while the n-th call to the platform since then is answered.
// It reports whether there were that many, and what try does.
func (s *overEntra) endsDuring(r row, n int) (ended, began, done bool) {
	s.T.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	s.service.Script(emulator.Fault{Before: func() {
		if left.Add(-1) == 0 {
			s.Clock.Advance(life)
		}
	}, Times: 1000})
	defer s.service.Unscript()
	from := len(s.service.Calls())
	began, done, _ = s.try(r, s.signIn("ada"))
	for _, c := range s.calls(from) {
		s.made(c, "ada")
	}
	return left.Load() <= 0, began, done
}

// restore restores the workspaces, and does what the call of a row needs.
func (s *overEntra) restore(r row) {
	s.T.Helper()
	const name = "Retail Analytics"
	testworld.Check(s.T, os.RemoveAll(filepath.Join(s.Root, name)))
	testworld.Check(s.T, os.CopyFS(filepath.Join(s.Root, name), os.DirFS(filepath.Join(samples.Workspaces(s.T), name))))
	undescribed(s.T, s.Root)
	s.Members(s.T, "ada", "vera")
	for _, route := range r.needs {
		s.accepted(rowsOfRoutes[slices.IndexFunc(rowsOfRoutes, func(of row) bool { return of.route == route })])
	}
}
