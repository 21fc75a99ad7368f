package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"readiness/domain"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
	"readiness/internal/lists"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrConflict is the error of Change when other writers appended first in each of its attempts. The
// error is also a *domain.Refusal with OperationInProgress: the caller may repeat the call a moment
// later.
var ErrConflict = errors.New("eventstore: other writers were faster every time")

// AccountErased is the error of an append for the account that it names, which was erased. The error is also a *domain.Refusal with
// AccountNotActive.
type AccountErased string

// Error implements error.
func (a AccountErased) Error() string { return a.Unwrap().Error() }

// Unwrap returns the refusal.
func (a AccountErased) Unwrap() error {
	return domain.Refuse(domain.AccountNotActive, "The account %s was erased.", string(a))
}

// attempts is how often Change decides at most. From the second attempt on it locks the streams' rows.
// It can then lose only where other writers create the streams at the same time.
const attempts = 8

// batches is after how many attempts a change no longer decides together with others.
const batches = 4

// Change collects what a decision records. It is valid only while decide runs, and only on that
// goroutine, which need not be that of the caller.
type Change struct {
	store    *Store
	meta     Metadata
	rawMeta  json.RawMessage
	key      *sealed.Key // of the account; nil without Keys, for an erased account, and while it is missing
	missing  *MissingKey // why no text can be sealed; events without texts can be recorded
	sealed   bool        // whether an event recorded was sealed under it
	alone    bool        // whether no other append may be running
	loads    []*head
	heads    map[string]*head // loads, by stream
	now      time.Time
	chain    *chainer
	recorded []Recorded
	chains   [][]byte // chain values of recorded, in the same order
	broken   error    // why the append must fail, whatever decide returns
	queued   []database.Statement
	queuing  []func(context.Context, pgx.Tx) error
	inTx     []func(context.Context, pgx.Tx) error
	decider  func(*Change) error

	loadedAll func() // releases the loads that wait for this one; called when everything is loaded

	mu   sync.Mutex // held while decider runs in a batch
	left bool       // the caller has left the batch
}

// Change loads the pasts, calls decide, and appends everything that decide recorded: all of it or, on
// any error, none. It returns decide's error unchanged.
//
// When another writer has appended to a stream that decide recorded on, Change loads everything and
// decides again. So decide must have no effect except through c, and must not use the pool: later
// attempts hold a connection and lock the streams' rows while it runs. Change does not guard a past
// that nothing was recorded on: its stream may have moved on by the time the append commits, unless
// the past is Guarded. Change also decides again when the last event loaded of a stream is no longer
// in the log, because the database was restored to an earlier time or replaced.
//
// A decision takes two round trips, one to load and one to append. One that records, queues and adds
// nothing takes two as well, the second to wait for the synchronous standbys, if there are any.
func (s *Store) Change(ctx context.Context, meta Metadata, pasts []Loadable, decide func(c *Change) error) error {
	rawMeta, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("eventstore: encode metadata: %w", err)
	}
	began := time.Now()
	alone := len(pasts) > maxTogether
	for attempt := range attempts {
		c := &Change{store: s, meta: meta, rawMeta: rawMeta, chain: &chainer{}, decider: decide}
		var account *contended
		if !alone && s.together.free() {
			account = s.contention.of(meta.Account, attempt > 0)
		}
		err := c.attempt(ctx, pasts, attempt > 0, account)
		alone = alone || errors.Is(err, errAlone) || attempt >= batches
		if errors.Is(err, errAlone) {
			continue
		}
		moved, ok := errors.AsType[*movedOn](err)
		if err == nil {
			s.metrics.note(c.recorded, began)
		}
		if !ok {
			return err
		}
		s.metrics.conflicts.Inc()
		if attempt == attempts-1 {
			return fmt.Errorf("%w: %w: %w", ErrConflict, domain.Refuse(domain.OperationInProgress,
				"Other calls kept changing the same thing; repeat the call in a moment.").After(time.Second), moved.err)
		}
	}
	panic("unreachable")
}

// attempt loads, decides and appends once: together with others of the account, if it is not nil; else, after another attempt, under locks.
func (c *Change) attempt(ctx context.Context, pasts []Loadable, again bool, account *contended) error {
	s := c.store
	release, err := s.cache.awaitFolds(ctx, pasts)
	if err != nil {
		return err
	}
	defer release()
	if c.loads, err = s.gather(pasts); err != nil {
		return err
	}
	c.heads = make(map[string]*head, len(c.loads))
	for _, h := range c.loads {
		c.heads[h.stream] = h
	}
	if s.Keys != nil && len(c.loads) > 0 {
		// From the second attempt on the key may be another: the database was restored, or the account erased.
		c.key, err = s.Keys.Current(ctx, s.pool, c.meta.Account, again)
		var missing bool
		if c.missing, missing = errors.AsType[*MissingKey](err); err != nil && !missing {
			return err
		}
	}
	c.loadedAll = release
	switch {
	case account != nil:
		err = c.withOthers(ctx, account)
	case again:
		err = c.holding(ctx)
	default:
		err = c.optimistic(ctx)
	}
	if err == nil && c.empty() {
		err = s.confirm(ctx)
	}
	return err
}

// movedOn is the error of an append that another writer overtook. Change then decides again.
type movedOn struct{ err error }

func (m *movedOn) Error() string { return "eventstore: a stream moved on: " + m.err.Error() }

// optimistic decides without holding locks.
func (c *Change) optimistic(ctx context.Context) error {
	if len(c.loads) > 0 {
		if err := c.store.loadTogether(ctx, c.loads); err != nil {
			return err
		}
	}
	if err := c.decide(); err != nil || c.empty() {
		return err
	}
	if len(c.inTx) == 0 && !c.alone {
		if err := c.queueAll(ctx); err != nil {
			return err
		}
		return c.append(ctx)
	}
	return c.transaction(ctx, false, nil)
}

// holding decides while it holds the locks on the streams' rows. It locks them in the order of their
// names, as every append does.
func (c *Change) holding(ctx context.Context) error {
	return c.transaction(ctx, true, func(conn *pgx.Conn) error {
		names := lists.Map(c.loads, func(h *head) string { return h.stream })
		b := &pgx.Batch{}
		b.Queue("BEGIN")
		b.Queue(lockSQL, names)
		// In a separate statement: its snapshot is taken after the rows are locked.
		b.Queue(loadSQL, loadArgs(c.loads)...).Query(func(rows pgx.Rows) error { return c.store.foldRows(rows, c.loads) })
		if err := c.store.loaded(ctx, conn, c.loads, conn.SendBatch(ctx, b).Close()); err != nil {
			return c.failed(err)
		}
		return c.decide()
	})
}

// transaction appends in an explicit transaction. With begun, before has already sent BEGIN; otherwise
// BEGIN is sent with the append. COMMIT is sent with the append when nothing follows it.
func (c *Change) transaction(ctx context.Context, begun bool, before func(*pgx.Conn) error) (err error) {
	pooled, err := c.store.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("eventstore: append: %w", err)
	}
	defer c.store.ring()
	defer pooled.Release()
	conn := pooled.Conn()
	defer func() {
		if conn.PgConn().TxStatus() != 'I' && !conn.IsClosed() {
			// The caller may be gone; the locks must be released nevertheless.
			end, cancel := database.Beyond(ctx, 5*time.Second)
			defer cancel()
			if _, e := conn.Exec(end, "ROLLBACK"); e != nil {
				err = errors.Join(err, fmt.Errorf("eventstore: roll back: %w", e))
			}
		}
	}()
	if before != nil {
		if err := before(conn); err != nil || c.empty() {
			return err
		}
	}
	b := &pgx.Batch{}
	if !begun {
		b.Queue("BEGIN")
	}
	if err := c.queueAll(ctx); err != nil {
		return err
	}
	if err := c.queueAppend(b); err != nil {
		return err
	}
	if len(c.inTx) == 0 {
		b.Queue("COMMIT")
	}
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return c.failed(err)
	}
	for _, fn := range c.inTx {
		if err := fn(ctx, &appending{connection: conn}); err != nil {
			return err
		}
	}
	if len(c.inTx) > 0 {
		tag, err := conn.Exec(ctx, "COMMIT")
		if err != nil {
			return c.failed(err)
		}
		if tag.String() != "COMMIT" {
			return fmt.Errorf("eventstore: append: %w", pgx.ErrTxCommitRollback)
		}
	}
	return c.confirmed(conn)
}

// confirmed returns an error unless the synchronous standbys, if there are any, have the append.
func (c *Change) confirmed(conn *pgx.Conn) error {
	if err := database.Confirmed(conn); err != nil {
		return c.failed(err)
	}
	return nil
}

// confirm ends a change that appends nothing. Its decision may depend on a commit that is not confirmed yet.
func (s *Store) confirm(ctx context.Context) error {
	if err := database.Confirm(ctx, s.pool); err != nil {
		return fmt.Errorf("eventstore: %w", err)
	}
	return nil
}

// failed wraps err; a conflict becomes movedOn, which Change retries.
func (c *Change) failed(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case pg.Code == "23505" && pg.ConstraintName == "events_stream_version_key",
			pg.Code == "23502" && pg.TableName == "events" && pg.ColumnName == "version", // see stale in eventsSQL
			c.alone && pg.Code == "55P03", // lock_not_available: an append takes long
			pg.Code == "40001",            // serialization_failure
			pg.Code == "40P01":            // deadlock_detected: queued statements may lock rows in any order
			return &movedOn{err}
		}
	}
	if len(c.recorded) == 0 {
		return fmt.Errorf("eventstore: append: %w", err)
	}
	return fmt.Errorf("eventstore: append %s to %s: %w", c.recorded[0].Type, c.recorded[0].Stream, err)
}

func (c *Change) decide() error {
	c.loadedAll()
	for _, h := range c.heads {
		if h.loaded > 0 && h.account != c.meta.Account {
			return fmt.Errorf("eventstore: the stream %s belongs to another account than the change", h.stream)
		}
	}
	c.now = c.store.now().UTC().Truncate(time.Microsecond)
	if err := c.decider(c); err != nil {
		return err
	}
	return c.broken
}

// Decide lets cmd decide from p's state and records its events on p's stream. It folds them into p and
// every other past of that stream, so a second Decide sees them. It returns cmd's error unchanged.
func Decide[S any](c *Change, p *Stream[S], cmd domain.Command[S]) error {
	events, err := cmd.Decide(p.State)
	if err != nil {
		return err
	}
	if err := c.record(p, events); err != nil {
		c.broken = err
		return err
	}
	return nil
}

// record folds the events into the pasts and keeps them for the append. When it fails, it may have
// done part of that.
func (c *Change) record(p Loadable, events []domain.Event) error {
	h := c.heads[p.name()]
	if h == nil || !slices.Contains(h.pasts, p) {
		return fmt.Errorf("eventstore: the past of %s was not loaded by this change", p.name())
	}
	if c.store.Keys != nil && c.key == nil && c.missing == nil && len(events) > 0 {
		return AccountErased(c.meta.Account)
	}
	for _, e := range events {
		name, schema, data, err := c.store.codec.Encode(e, c.key)
		if errors.Is(err, sealed.ErrNoKey) && c.missing != nil {
			return fmt.Errorf("eventstore: record %s: %w", e.EventType(), c.missing)
		}
		if err != nil {
			return err
		}
		if err := c.store.codec.checkStream(name, h.stream); err != nil {
			return fmt.Errorf("eventstore: record: %w", err)
		}
		c.sealed = c.sealed || sealed.Holds(data)
		r := Recorded{
			ID: c.store.newID(), Account: c.meta.Account, Stream: h.stream, Version: h.version + 1, Type: name, SchemaVersion: schema,
			Event: e, Data: data, RawMetadata: c.rawMeta, Metadata: c.meta, RecordedAt: c.now,
		}
		if r.RecordedAt.Before(h.last) {
			r.RecordedAt = h.last.UTC()
		}
		h.chain = c.chain.next(h.chain, &r)
		h.version, h.last = r.Version, r.RecordedAt
		c.recorded = append(c.recorded, r)
		c.chains = append(c.chains, slices.Clone(h.chain[:]))
		for _, p := range h.pasts {
			if err := p.fold(e, r.Version, r.RecordedAt); err != nil {
				return fmt.Errorf("eventstore: record on %s: %w", h.stream, err)
			}
		}
	}
	return nil
}

// Queue adds a statement that runs after the append, in the same transaction and round trip.
func (c *Change) Queue(s database.Statement) { c.queued = append(c.queued, s) }

// InTx adds work that runs in the appending transaction after the queued statements, such as inserting
// jobs of calls that are rare. It costs its own round trips and one more for the commit. fn must not end the transaction.
func (c *Change) InTx(fn func(ctx context.Context, tx pgx.Tx) error) {
	c.inTx = append(c.inTx, fn)
}

// Alone lets the append wait until no other append is running. Those that begin meanwhile wait for this one, and then see what it
// committed.
func (c *Change) Alone() { c.alone = true }

// Recorded returns the events recorded so far. Their positions are known in InTx and once Change has
// returned.
func (c *Change) Recorded() []Recorded { return c.recorded }

func (c *Change) empty() bool {
	return len(c.recorded) == 0 && len(c.queued) == 0 && len(c.queuing) == 0 && len(c.inTx) == 0
}
