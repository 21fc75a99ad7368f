package eventstore

// LoadSQL is for the test of its plan.
const LoadSQL = loadSQL

// Appenders is where the locks of appenders begin.
const Appenders = appenders

// KeepAtMost empties what is kept and bounds it.
func (s *Store) KeepAtMost(states, size int) { s.kept = newKept(states, size) }

// Kept is how many states are kept, and the data in bytes of their events.
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
