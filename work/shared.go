package work

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/work/turns"
)

// shared is what all steps of a process share: which of them it carries out, and
// whose turn it is.
//
// River hands out what was enqueued first, so whoever enqueues much would have all
// of the workers. Its jobs therefore only wait here, which costs next to nothing,
// and work when they have a turn: of one kind while they read and write
// definitions, of another while an AI provider is asked, which may never answer.
type shared struct {
	busy
	// definitions are the turns of steps that read and write definitions and score
	// them.
	definitions *turns.Turns
	// asks are the turns of steps that ask. Of definitions they read, they have one of
	// definitions besides, for as long as that takes: who holds one of definitions
	// never waits for one of these.
	asks *turns.Turns
}

const (
	// turnTimeout bounds a wait for a turn. A step whose turn has not come goes back
	// to the queue, from where another process may take it.
	turnTimeout = 30 * time.Second
	// line is how many steps of an account wait here for each kind of turn.
	line = 32
	// inMemory is how many steps are here at once: those that work, those that wait
	// for their turn, and those that are only told to come back later.
	inMemory = 1000
	// DefaultAsks is how many steps ask AI providers at once by default.
	DefaultAsks = 32
)

func newShared(o Options) *shared {
	definitions, asks := max(1, o.Workers), max(1, o.Asks)
	return &shared{
		// On the platform, a step waits for a minute at worst.
		definitions: turns.New(turns.Limits{Size: definitions, Share: (definitions + 1) / 2, Line: line}, time.Now),
		// Three providers that never answer leave room for a fourth.
		asks: turns.New(turns.Limits{Size: asks, Share: (asks + 3) / 4, Line: line}, time.Now),
	}
}

// close lets no step begin any more.
func (s *shared) close() {
	s.definitions.Close()
	s.asks.Close()
}

// turn waits for a turn, for which the step's own time does not count. Its error is
// for River: the step goes back to the queue, and no attempt is counted.
func turn(ctx context.Context, of *turns.Turns, k turns.Key) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	release, err = of.Take(ctx, k)
	if err == nil {
		return release, nil
	}
	if later, ok := errors.AsType[*turns.Later](err); ok {
		return nil, river.JobSnooze(later.After)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, river.JobSnooze(time.Second)
	}
	return nil, river.JobSnooze(0) // the process ends
}

// turnOf waits for the turn of a step in which the settings' provider is asked, if
// it is one that may not answer.
func (s *shared) turnOf(ctx context.Context, k turns.Key, asked aiprovider.Settings) (release func(), err error) {
	if k.Provider = answering(asked); k.Provider != "" {
		return turn(ctx, s.asks, k)
	}
	return turn(ctx, s.definitions, k)
}

// reading waits for the turn to read a definition in a step that has one by turnOf.
func (s *shared) reading(ctx context.Context, k turns.Key, asked aiprovider.Settings) (release func(), err error) {
	if answering(asked) == "" {
		return func() {}, nil
	}
	return s.definitions.Await(ctx, k)
}

// keyOf is whose turn it is, but for the AI provider.
func keyOf(accountID string, person item.Person) turns.Key {
	return turns.Key{Account: accountID, Person: person.ID}
}

// answering is the provider of the settings as turns know it: "" where nobody
// outside of the process answers.
func answering(s aiprovider.Settings) string {
	switch {
	case s.IsEmbedded(), s.IsDataAgent():
		return ""
	case s.ProviderID == "": // the accounts file's, which accounts may have in common
		return "declared " + s.Name
	}
	return s.ProviderID
}
