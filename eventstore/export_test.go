package eventstore

import (
	"encoding/json"
	"time"
)

// LoadSQL is exported for the test of its plan.
var LoadSQL = loadSQL

// Appenders is the base of the appenders' advisory locks.
const Appenders = appenders

// CacheAtMost drops the cached states and sets new bounds.
func (s *Store) CacheAtMost(states, size int) { s.cache = newStateCache(states, size) }

// Cached returns how many states are cached, and the size of their events' data in bytes.
func (s *Store) Cached() (states, size int) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.cache.states.Len(), s.cache.size
}

// The bounds of a replay.
const (
	ReplayReach = replayReach
	ReplayChunk = replayChunk
)

// MarshalledLine returns a line as encoding/json makes it, and PlainLine as it is made in a sixth of the time, unless ok is false.
func (r *Recorded) MarshalledLine() ([]byte, error) { return json.Marshal(r.exported()) }

// PlainLine is plainLine.
func (r *Recorded) PlainLine() (line []byte, ok bool) { return r.plainLine() }

// ParseLine is parse.
func ParseLine(line []byte) (r Recorded, err error) { return r, r.parse(line) }

// NeverLate lets appends and loads wait for running ones however long these take.
func (s *Store) NeverLate() { s.together.appends.Late, s.loads.Late = 0, 0 }

// Waiting returns how many appends and loads wait for others to end.
func (s *Store) Waiting() (appends, loads int) {
	return s.together.appends.Waiting(), s.loads.Waiting()
}

// Contend lets the account's changes decide together for an hour, or until two have met, however long a batch takes.
func (s *Store) Contend(account string) {
	a := s.contention.of(account, true)
	a.Late, a.until = 0, a.until.Add(time.Hour)
}

// Deciding returns how many changes of a contended account wait for others to decide.
func (s *Store) Deciding(account string) int { return s.contention.of(account, false).Waiting() }
