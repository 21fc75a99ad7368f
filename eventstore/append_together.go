package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"readiness/internal/coalesce"
	"readiness/internal/database"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// together appends changes of several callers in one transaction, so they share its round trip and its commit. It never waits for more:
// changes that arrive while an append runs form the next one. A transaction is small and sent as a whole, so a process that freezes
// between round trips holds no lock.
//
// If a change cannot be appended, or a lock is not free at once, none of the transaction is, and each change goes alone. So a caller
// learns only its own error, and is delayed by others at most for lockTime.
type together struct {
	appends coalesce.Batcher[*Change, error]
	alone   atomic.Int64 // until when changes go alone, in Unix nanoseconds
}

const (
	// secondAppend is how many changes wait until a second transaction starts beside the running one.
	secondAppend = 12
	// lateTime is how long an append or a load waits for a running one at most: the connection may hang.
	lateTime = 250 * time.Millisecond
	// lockTime is how long a transaction of several changes waits for a lock.
	lockTime = 100 * time.Millisecond
	// aloneTime is how long changes go alone after a lock was not free: some other process may be frozen while it holds it.
	aloneTime = time.Second
	// appendTime bounds a transaction of several changes.
	appendTime = 10 * time.Second
	// maxTogether is how many events and queued statements a change may have to be appended with others.
	maxTogether = 16
	// maxTogetherSize is how many bytes of data, likewise.
	maxTogetherSize = 8 << 10
)

// errAlone says that a change was not appended with others, and must go alone.
var errAlone = errors.New("eventstore: append alone")

// free reports whether locks were free lately.
func (t *together) free() bool { return time.Now().UnixNano() > t.alone.Load() }

// small reports whether the change can be appended with others without delaying them much.
func (c *Change) small() bool {
	if len(c.inTx) > 0 || c.alone || len(c.recorded)+len(c.queued) > maxTogether {
		return false
	}
	size := 0
	for _, r := range c.recorded {
		size += len(r.Data)
	}
	for _, q := range c.queued {
		for _, arg := range q.Args {
			switch arg := arg.(type) {
			case []byte:
				size += len(arg)
			case [][]byte:
				for _, one := range arg {
					size += len(one)
				}
			case string:
				size += len(arg)
			}
		}
	}
	return size <= maxTogetherSize
}

// append appends the change with those of other callers, or alone if that fails or it is not small.
func (c *Change) append(ctx context.Context) error {
	s := c.store
	if c.small() && s.together.free() {
		waiting, waited := database.Waiting(ctx)
		own, err := s.together.appends.Do(waiting, c, s.appendTogether)
		waited()
		if err == nil {
			err = own
		}
		if !errors.Is(err, errAlone) {
			return err
		}
	}
	return c.appendAlone(ctx)
}

// appendAlone appends the change in a transaction of its own.
func (c *Change) appendAlone(ctx context.Context) error {
	b := &pgx.Batch{}
	if err := c.queueAppend(b); err != nil {
		return c.failed(err)
	}
	if err := c.store.send(ctx, b); err != nil {
		return c.failed(err)
	}
	return nil
}

// appendTogether appends the changes, and returns the error of each.
func (s *Store) appendTogether(ctx context.Context, changes []*Change) ([]error, error) {
	if len(changes) == 1 {
		return []error{changes[0].appendAlone(ctx)}, nil
	}
	ctx, cancel := database.Beyond(ctx, appendTime)
	defer cancel()
	errs := make([]error, len(changes))
	first, moved := make([]*Change, 0, len(changes)), map[string]bool{}
	for i, c := range changes {
		if errs[i] = c.overtaken(moved); errs[i] == nil {
			first = append(first, c)
		}
	}
	err := s.appendAll(ctx, first)
	for i := range errs {
		if errs[i] == nil {
			errs[i] = err
		}
	}
	return errs, nil
}

// appendAll appends the changes in one transaction. Its error is errAlone if none of them was appended and each may succeed alone.
func (s *Store) appendAll(ctx context.Context, changes []*Change) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT set_config('lock_timeout', $1, true)`, fmt.Sprint(lockTime.Milliseconds()))
	if err := s.queueAppends(b, changes); err != nil {
		return errAlone
	}
	err := s.send(ctx, b)
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.SeverityUnlocalized == "ERROR" {
		if said.Code == "55P03" { // lock_not_available
			s.together.alone.Store(time.Now().Add(aloneTime).UnixNano())
		}
		return fmt.Errorf("%w: %w", errAlone, err)
	}
	return fmt.Errorf("eventstore: append with others: %w", err)
}

// overtaken returns an error if an earlier change of the same transaction appends to a stream of c: to one that c appends to as well,
// or that it guards. It adds those that c appends to.
func (c *Change) overtaken(moved map[string]bool) error {
	for _, h := range c.heads {
		if moved[h.stream] && (h.version > h.loaded || h.still()) {
			return &movedOn{fmt.Errorf("another caller appends to %s", h.stream)}
		}
	}
	for _, h := range c.heads {
		if h.version > h.loaded {
			moved[h.stream] = true
		}
	}
	return nil
}

// send sends an append as one transaction, and returns an error unless it is committed and confirmed.
func (s *Store) send(ctx context.Context, b *pgx.Batch) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	// A failed append rings too: it held the watermark back.
	defer s.ring()
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return database.Confirmed(conn.Conn())
}
