package eventstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"readiness/domain"
	"readiness/internal/database"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrConflict is what Change returns when other writers were faster every
// time. The error is also a *domain.Refusal with OperationInProgress: the same
// call may be accepted a moment later.
var ErrConflict = errors.New("eventstore: other writers were faster every time")

// attempts bounds how often Change decides. From the second on it holds the
// streams' rows, so only streams that others are creating at that very moment
// can make it lose again.
const attempts = 8

// Change collects what a decision records. It is valid while decide runs, on
// that goroutine only.
type Change struct {
	store    *Store
	meta     Metadata
	rawMeta  json.RawMessage
	heads    map[string]*head
	now      time.Time
	chain    *chainer
	recorded []Recorded
	chains   [][]byte // of recorded, in the same order
	broken   error    // why nothing may be appended, whatever decide returns
	queued   []statement
	inTx     []func(context.Context, pgx.Tx) error
}

type statement struct {
	sql  string
	args []any
}

// Change loads the pasts, lets decide decide from them, and appends everything
// it recorded: all of it or, on any error, none. decide's error is returned as
// it is.
//
// When another writer appended to a stream that something was recorded on,
// everything is loaded and decided again, so decide must have no effect but
// through c and must not use the pool: later attempts hold a connection and
// the streams' rows while it runs. A past that nothing was recorded on is not
// guarded: it may have moved on when the append commits, unless it is
// Unmoved. What was loaded is in any case what the append builds on: when the
// database was set back or replaced in between, everything is loaded and decided
// again.
//
// A decision takes two round trips, one to load and one to append. One that
// records, queues and adds nothing takes one and writes nothing.
func (s *Store) Change(ctx context.Context, meta Metadata, pasts []Loadable, decide func(c *Change) error) error {
	rawMeta, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("eventstore: encode metadata: %w", err)
	}
	for attempt := range attempts {
		heads, err := s.gather(pasts)
		if err != nil {
			return err
		}
		c := &Change{store: s, meta: meta, rawMeta: rawMeta, heads: make(map[string]*head, len(heads)), chain: newChainer()}
		for _, h := range heads {
			c.heads[h.stream] = h
		}
		if attempt == 0 {
			err = c.optimistic(ctx, heads, decide)
		} else {
			err = c.holding(ctx, heads, decide)
		}
		if moved, ok := errors.AsType[*movedOn](err); !ok {
			return err
		} else if attempt == attempts-1 {
			return fmt.Errorf("%w: %w: %w", ErrConflict, domain.Refuse(domain.OperationInProgress,
				"Other calls were changing the same thing all the time; repeat the call in a moment.").After(time.Second), moved.err)
		}
	}
	panic("unreachable")
}

// movedOn is the append's error when another writer was there first.
type movedOn struct{ err error }

func (m *movedOn) Error() string { return "eventstore: a stream moved on: " + m.err.Error() }

// optimistic decides without holding anything.
func (c *Change) optimistic(ctx context.Context, heads []*head, decide func(*Change) error) error {
	if len(heads) > 0 {
		if err := c.store.load(ctx, c.store.pool, heads); err != nil {
			return err
		}
	}
	if err := c.decide(decide); err != nil || c.empty() {
		return err
	}
	if len(c.inTx) == 0 {
		b := &pgx.Batch{}
		if err := c.queueAppend(b); err != nil {
			return err
		}
		// A failed append rings as well: it held the watermark back.
		defer c.store.ring()
		if err := c.store.pool.SendBatch(ctx, b).Close(); err != nil {
			return c.failed(err)
		}
		return nil
	}
	return c.transaction(ctx, false, nil)
}

// holding decides while holding the rows of the streams, taken in the order of
// their names as every append does.
func (c *Change) holding(ctx context.Context, heads []*head, decide func(*Change) error) error {
	return c.transaction(ctx, true, func(conn *pgx.Conn) error {
		names := make([]string, len(heads))
		for i, h := range heads {
			names[i] = h.stream
		}
		b := &pgx.Batch{}
		b.Queue("BEGIN")
		b.Queue(lockSQL, names)
		// A statement of its own: its snapshot is taken when the rows are held.
		b.Queue(loadSQL, loadArgs(heads)...).Query(func(rows pgx.Rows) error { return c.store.foldRows(rows, heads) })
		if err := c.store.loaded(ctx, conn, heads, conn.SendBatch(ctx, b).Close()); err != nil {
			return c.failed(err)
		}
		return c.decide(decide)
	})
}

// transaction appends in an explicit transaction, which before, when given,
// has begun. Otherwise BEGIN goes with the append; COMMIT does when nothing
// follows it.
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
			// The caller may be gone; what it held must be let go all the same.
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
	return nil
}

// failed tells a conflict, which is decided again, from any other error.
func (c *Change) failed(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case pg.Code == "23505" && pg.ConstraintName == "events_stream_version_key",
			pg.Code == "23502" && pg.TableName == "events" && pg.ColumnName == "version", // see stale in eventsSQL
			pg.Code == "40001", // serialization_failure
			pg.Code == "40P01": // deadlock_detected: queued statements may take rows in any order
			return &movedOn{err}
		}
	}
	if len(c.recorded) == 0 {
		return fmt.Errorf("eventstore: append: %w", err)
	}
	return fmt.Errorf("eventstore: append %s to %s: %w", c.recorded[0].Type, c.recorded[0].Stream, err)
}

func (c *Change) decide(decide func(*Change) error) error {
	for _, h := range c.heads {
		if h.loaded > 0 && h.account != c.meta.Account {
			return fmt.Errorf("eventstore: the stream %s belongs to another account than the change", h.stream)
		}
	}
	c.now = c.store.now().UTC().Truncate(time.Microsecond)
	if err := decide(c); err != nil {
		return err
	}
	return c.broken
}

// Decide lets cmd decide from p's state and records its events on p's stream.
// They are folded into p and every other past of that stream, so a second
// Decide sees them. cmd's error is returned as it is.
func Decide[S any](c *Change, p *Past[S], cmd domain.Command[S]) error {
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

// record folds the events into the pasts and keeps them to be appended. After an
// error only some of that was done.
func (c *Change) record(p Loadable, events []domain.Event) error {
	h := c.heads[p.name()]
	if h == nil || !slices.Contains(h.pasts, p) {
		return fmt.Errorf("eventstore: the past of %s is not one this change loaded", p.name())
	}
	for _, e := range events {
		name, schema, data, err := c.store.codec.Encode(e)
		if err != nil {
			return err
		}
		if err := c.store.codec.checkStream(name, h.stream); err != nil {
			return fmt.Errorf("eventstore: record: %w", err)
		}
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

// Queue adds a statement that runs after the append, in its transaction and
// its round trip.
func (c *Change) Queue(sql string, args ...any) {
	c.queued = append(c.queued, statement{sql, args})
}

// InTx adds work that runs in the appending transaction after everything
// queued, such as inserting jobs. It costs round trips: its own and one to
// commit. fn must not end the transaction.
func (c *Change) InTx(fn func(ctx context.Context, tx pgx.Tx) error) {
	c.inTx = append(c.inTx, fn)
}

// Recorded returns what has been recorded so far. Positions are known in InTx
// and once Change has returned.
func (c *Change) Recorded() []Recorded { return c.recorded }

func (c *Change) empty() bool {
	return len(c.recorded) == 0 && len(c.queued) == 0 && len(c.inTx) == 0
}

// A stream that moved on keeps its row; the insert of its events then breaks
// UNIQUE (stream, version) and with it the transaction. The rows are taken in
// the order of the names, so that appends cannot deadlock.
const streamsSQL = `
INSERT INTO streams AS s (stream, account_id, type, version, chain)
SELECT stream, $2, type, version, chain
FROM unnest($1::text[], $3::text[], $4::bigint[], $5::bytea[]) AS n (stream, type, version, chain)
ON CONFLICT (stream) DO UPDATE SET version = excluded.version, chain = excluded.chain
WHERE s.version = ($6::bigint[])[array_position($1::text[], s.stream)]`

// The first lock is the one HoldAppends takes. The second says "positions above
// this one may still be taken by me" before the first is taken (architecture
// 2). What is inserted comes in the order given.
//
// When an event that was loaded last of a stream is not there (any more), the log
// is not the one that was loaded; when a stream that must not have moved has
// another event, it has. Either way the append is stale, and its events get no
// version, which the table refuses. The subqueries end in OFFSET 0 for the reason
// given at loadSQL.
var eventsSQL = fmt.Sprintf(`
WITH held AS MATERIALIZED (
	SELECT pg_advisory_xact_lock_shared(%d), pg_advisory_xact_lock_shared(%d + last_value) FROM events_position_seq
), stale AS MATERIALIZED (
	SELECT EXISTS (
		SELECT FROM unnest((SELECT $11::text[]), (SELECT $12::bigint[]), (SELECT $13::uuid[]), (SELECT $14::boolean[])) AS l (stream, version, event_id, unmoved)
		LEFT JOIN LATERAL (
			SELECT event_id FROM events WHERE stream = l.stream AND version = l.version OFFSET 0
		) e ON true
		LEFT JOIN LATERAL (
			SELECT version FROM events WHERE l.unmoved AND stream = l.stream AND version = l.version + 1 OFFSET 0
		) next ON true
		WHERE l.version > 0 AND e.event_id IS DISTINCT FROM l.event_id OR next.version IS NOT NULL
	) AS yes
), placed AS MATERIALIZED (
	SELECT nextval('events_position_seq') AS position, n.*
	FROM held, unnest($1::uuid[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::text[], $8::timestamptz[], $9::bytea[])
		AS n (event_id, stream, version, type, schema_version, data, recorded_at, chain)
)
INSERT INTO events (position, event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
SELECT position, event_id, $2, stream, CASE WHEN NOT yes THEN version END, type, schema_version, data::json, $10, recorded_at, sha256(chain || int8send(position))
FROM placed, stale
RETURNING position`, gate, appenders)

// queueAppend queues the streams, the events, their inline views and what else
// was queued, in this order.
func (c *Change) queueAppend(b *pgx.Batch) error {
	if len(c.recorded) > 0 {
		c.queueStreams(b)
		c.queueEvents(b)
	}
	if c.store.inline != nil && len(c.recorded) > 0 {
		if err := c.store.inline(b, c.recorded); err != nil {
			return fmt.Errorf("eventstore: append: %w", err)
		}
	}
	for _, q := range c.queued {
		b.Queue(q.sql, q.args...)
	}
	return nil
}

func (c *Change) queueStreams(b *pgx.Batch) {
	var moved []*head
	for _, h := range c.heads {
		if h.version > h.loaded {
			moved = append(moved, h)
		}
	}
	slices.SortFunc(moved, func(a, b *head) int { return cmp.Compare(a.stream, b.stream) })
	n := len(moved)
	names, types, versions, chains, loaded := make([]string, n), make([]string, n), make([]int64, n), make([][]byte, n), make([]int64, n)
	for i, h := range moved {
		names[i], types[i], versions[i], chains[i], loaded[i] = h.stream, streamType(h.stream), h.version, h.chain[:], h.loaded
	}
	b.Queue(streamsSQL, names, c.meta.Account, types, versions, chains, loaded)
}

func (c *Change) queueEvents(b *pgx.Batch) {
	n := len(c.recorded)
	ids := make([][16]byte, n) // a uuid.UUID would be sent by way of its text
	streams, versions, types := make([]string, n), make([]int64, n), make([]string, n)
	schemas, data, ats := make([]int32, n), make([]string, n), make([]time.Time, n)
	for i, r := range c.recorded {
		ids[i], streams[i], versions[i], types[i] = r.ID, r.Stream, r.Version, r.Type
		schemas[i], data[i], ats[i] = int32(r.SchemaVersion), string(r.Data), r.RecordedAt
	}
	loaded, at, last, unmoved := c.loaded()
	b.Queue(eventsSQL, ids, c.meta.Account, streams, versions, types, schemas, data, ats, c.chains, string(c.rawMeta), loaded, at, last, unmoved).Query(func(rows pgx.Rows) error {
		i := 0
		var position int64
		_, err := pgx.ForEachRow(rows, []any{&position}, func() error {
			r := &c.recorded[i]
			r.Position = position
			hash := sealed([32]byte(c.chains[i]), position)
			r.Hash = hash[:]
			i++
			return nil
		})
		return err
	})
}

// loaded are the streams that were loaded: at which version, with which event
// last, and whether none may have followed it.
func (c *Change) loaded() (streams []string, versions []int64, last [][16]byte, unmoved []bool) {
	for _, h := range c.heads {
		still := slices.ContainsFunc(h.pasts, Loadable.unmoved) && h.version == h.loaded
		if h.loaded > 0 || still {
			streams, versions, last, unmoved = append(streams, h.stream), append(versions, h.loaded), append(last, h.id), append(unmoved, still)
		}
	}
	return streams, versions, last, unmoved
}
