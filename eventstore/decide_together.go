package eventstore

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"readiness/internal/coalesce"
	"readiness/internal/database"
	"readiness/internal/lists"

	"github.com/jackc/pgx/v5/pgtype"
)

const (
	// contendedTime is how long an account's changes decide together after two of them met.
	contendedTime = time.Second
	// lateDecisions is how long a change waits for those that decide before it: a connection may hang. Batches of one account that run
	// at the same time overtake each other, so it is longer than a batch takes.
	lateDecisions = time.Second
)

// contention knows the accounts of which changes have met on a stream lately. Their changes decide together: a batch loads all streams
// at once, decides each change on what the ones before it have decided, and appends everything in one transaction. Otherwise each would
// lose to the others, and then wait for their locks.
//
// As with together, the transaction is sent as a whole. If another process was faster, all changes wait for the next batch; if it fails
// otherwise, or a change is not small, that change goes alone.
type contention struct {
	mu       sync.Mutex
	accounts map[string]*contended
}

// contended is an account whose changes decide together.
type contended struct {
	coalesce.Batcher[*Change, error]
	until time.Time
}

// of returns where the account's changes decide together; nil: they do not. met says that two of them have met.
func (k *contention) of(account string, met bool) *contended {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	a := k.accounts[account]
	switch {
	case met:
		if a == nil {
			maps.DeleteFunc(k.accounts, func(_ string, a *contended) bool { return now.After(a.until) })
			a = &contended{}
			a.Late = lateDecisions
			k.accounts[account] = a
		}
		a.until = now.Add(contendedTime)
	case a != nil && now.After(a.until):
		return nil
	}
	return a
}

// withOthers decides and appends the change together with those of the same account that wait.
func (c *Change) withOthers(ctx context.Context, account *contended) error {
	waiting, waited := database.Waiting(ctx)
	own, err := account.Do(waiting, c, c.store.decideTogether)
	waited()
	if err != nil {
		// The batch may go on. Once Change has returned, it must not call decide.
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left = true
		return err
	}
	return own
}

// decideTogether decides the changes, each on what the ones before it have decided, and appends them. It returns the error of each, which
// is errAlone if nothing was appended and the change may succeed alone. A refusal may rest on what changes before it have
// decided, so it holds only once they are appended.
func (s *Store) decideTogether(ctx context.Context, changes []*Change) ([]error, error) {
	if len(changes) == 1 {
		return []error{changes[0].optimistic(ctx)}, nil
	}
	ctx, cancel := database.Beyond(ctx, appendTime)
	defer cancel()
	errs, err := s.loadAll(ctx, lists.Map(changes, func(c *Change) []*head { return c.loads }))
	if err != nil {
		return lists.Map(changes, func(*Change) error { return errAlone }), nil
	}
	earlier := decisions{}
	var appended []*Change
	var met bool
	for i, c := range changes {
		if errs[i] != nil {
			errs[i] = errAlone
			continue
		}
		errs[i] = c.decideAfter(ctx, earlier)
		met = met || c.follows()
		if errs[i] == nil && !c.empty() {
			appended = append(appended, c)
			earlier.add(c)
		}
	}
	if met {
		s.contention.of(changes[0].meta.Account, true)
	}
	if len(appended) == 0 {
		return errs, nil
	}
	if err := s.appendAll(ctx, appended); err != nil {
		again := errAlone
		if moved, ok := errors.AsType[*movedOn](appended[0].failed(err)); ok {
			err, again = moved, moved // all wait for the next batch: alone they would overtake it
		}
		for i, c := range changes {
			if errs[i] != nil || c.empty() {
				errs[i] = again
			} else {
				errs[i] = err
			}
		}
	}
	return errs, nil
}

// decideAfter decides the change on what was loaded and on the earlier decisions.
func (c *Change) decideAfter(ctx context.Context, earlier decisions) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left {
		return errAlone
	}
	defer func() {
		if recover() != nil { // it panics again when the change goes alone, where the caller sees it
			err = errAlone
		}
	}()
	for _, h := range c.loads {
		if err := c.store.follow(h, earlier[h.stream]); err != nil {
			return errAlone
		}
	}
	if err := c.decide(); err != nil {
		return err
	}
	if err := c.queueAll(ctx); err != nil || !c.small() {
		return errAlone
	}
	return nil
}

// follows reports whether an earlier change of the batch records on a stream of c.
func (c *Change) follows() bool {
	for _, h := range c.loads {
		if h.follows {
			return true
		}
	}
	return false
}

// decisions are the events that the changes of a batch have recorded so far, by stream, in the form in which they will be loaded.
type decisions map[string][]loadedRow

func (d decisions) add(c *Change) {
	for i := range c.recorded {
		r := &c.recorded[i]
		row := loadedRow{account: &r.Account, name: &r.Type, chain: c.chains[i], data: r.Data, version: &r.Version,
			id: pgtype.UUID{Bytes: r.ID, Valid: true}, schema: &r.SchemaVersion, at: &r.RecordedAt}
		if c.sealed {
			row.key = c.key.Stored()
		}
		d[r.Stream] = append(d[r.Stream], row)
	}
}

// follow folds the events that changes of the same batch have recorded on the stream, as if they had been loaded.
func (s *Store) follow(h *head, recorded []loadedRow) error {
	for _, r := range recorded {
		if r.end = *recorded[len(recorded)-1].version; h.version == 0 && *r.version < min(h.first, r.end) {
			continue // the stream began in this batch, and its first events need not be read
		}
		if err := s.foldRow(&r, h); err != nil {
			return err
		}
		h.follows = true
	}
	return nil
}
