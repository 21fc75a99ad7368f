package eventstore

// LoadSQL is exported for the test of its plan.
const LoadSQL = loadSQL

// Appenders is the base of the appenders' advisory locks.
const Appenders = appenders

// KeepAtMost drops the kept states and sets new bounds.
func (s *Store) KeepAtMost(states, size int) { s.kept = newKept(states, size) }

// Kept returns how many states are kept, and the size of their events' data in bytes.
func (s *Store) Kept() (states, size int) {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	return s.kept.states.Len(), s.kept.size
}

// The bounds of a replay.
const (
	ReplayReach = replayReach
	ReplayChunk = replayChunk
)
