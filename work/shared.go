package work

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/internal/fairqueue"
	"readiness/internal/processors"
)

// shared is what all steps of a process share: the set of running jobs and the
// turns.
//
// River hands out jobs in the order in which they were enqueued, so one account's
// many jobs would take all workers. Jobs therefore wait here in memory, which costs
// little, and run when they have a turn: one kind of turn for reading and writing
// definitions, another for asking an AI provider, which may never answer.
type shared struct {
	busy
	// definitions are the turns of steps that read, write and score definitions.
	definitions *fairqueue.Turns
	// asks are the turns of steps that ask an AI provider. To read a definition,
	// such a step takes a turn of definitions as well. A step with a turn of
	// definitions never waits for one of asks, so there is no deadlock.
	asks *fairqueue.Turns
	// processors are those that steps may use to parse, score and rewrite, so that calls find a free one.
	processors *processors.Share
}

const (
	// turnTimeout bounds the wait for a turn. After it the step returns to the
	// queue, where another process may take it.
	turnTimeout = 30 * time.Second
	// maxWaiting is how many steps of an account wait in memory for each kind of turn.
	maxWaiting = 32
	// waitingRoom is how many steps of all accounts may wait in memory for each kind of turn, before maxWaiting holds for each account.
	// The rest of inMemory is for steps of accounts that come later.
	waitingRoom = 400
	// inMemory is how many steps are in memory at once: running, waiting for their
	// turn, or about to be sent back to the queue.
	inMemory = 1000
	// DefaultAsks is how many steps ask AI providers at once by default.
	DefaultAsks = 32
)

func newShared(o Options) *shared {
	definitions, asks := max(1, o.Workers), max(1, o.Asks)
	return &shared{
		// On the platform, a step waits at most a minute.
		definitions: fairqueue.New(fairqueue.Limits{Size: definitions, Share: (definitions + 1) / 2, MaxWaiting: maxWaiting, Room: waitingRoom},
			time.Now),
		// Three providers that never answer leave turns for a fourth.
		asks:       fairqueue.New(fairqueue.Limits{Size: asks, Share: (asks + 3) / 4, MaxWaiting: maxWaiting, Room: waitingRoom}, time.Now),
		processors: processors.Half(),
	}
}

// close lets no further step begin.
func (s *shared) close() {
	s.definitions.Close()
	s.asks.Close()
}

// turn waits for a turn; the wait does not count towards the step's timeout. The
// error is for River: the step returns to the queue without a counted attempt.
func (s *shared) turn(ctx context.Context, of *fairqueue.Turns, k fairqueue.Key) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	release, err = of.Take(ctx, k)
	if err == nil {
		return release, nil
	}
	if later, ok := errors.AsType[*fairqueue.Later](err); ok {
		return nil, river.JobSnooze(later.After)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, river.JobSnooze(time.Second)
	}
	return nil, river.JobSnooze(0) // the process ends
}

// turnOf waits for the turn of a step that asks the settings' provider, if that
// provider may not answer, else for a turn of definitions.
func (s *shared) turnOf(ctx context.Context, k fairqueue.Key, asked aiprovider.Settings) (release func(), err error) {
	if k.Provider = answering(asked); k.Provider != "" {
		return s.turn(ctx, s.asks, k)
	}
	return s.turn(ctx, s.definitions, k)
}

// reading waits for the turn to read a definition, in a step whose turn is from
// turnOf.
func (s *shared) reading(ctx context.Context, k fairqueue.Key, asked aiprovider.Settings) (release func(), err error) {
	if answering(asked) == "" {
		return func() {}, nil
	}
	return s.definitions.Await(ctx, k)
}

// keyOf returns the turn key of the account and person, without an AI provider.
func keyOf(accountID string, person item.PersonID) fairqueue.Key {
	return fairqueue.Key{Account: accountID, Person: string(person)}
}

// answering returns the id under which turns count the settings' provider; "" if
// the settings ask nothing outside the process.
func answering(s aiprovider.Settings) string {
	switch {
	case s.IsEmbedded(), s.IsDataAgent():
		return ""
	case s.ProviderID == "": // the accounts file's provider, which several accounts may share
		return "declared " + s.Name
	}
	return s.ProviderID
}
