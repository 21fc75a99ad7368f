package eventstore

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// streamsSQL inserts or advances the streams' rows. The row of a stream that another writer has advanced stays as it is. The insert of
// the stream's events then violates UNIQUE (stream, version) and aborts the
// transaction. The statement locks the rows in the order of the names, so that appends cannot
// deadlock.
const streamsSQL = `
INSERT INTO streams AS s (stream, account_id, type, version, chain)
SELECT stream, $2, type, version, chain
FROM unnest($1::text[], $3::text[], $4::bigint[], $5::bytea[]) AS n (stream, type, version, chain)
ON CONFLICT (stream) DO UPDATE SET version = excluded.version, chain = excluded.chain
WHERE s.version = ($6::bigint[])[array_position($1::text[], s.stream)]`

// eventsSQL inserts the events, in the order given. It takes two advisory locks before it takes the
// first position: the one that HoldAppends waits for, and one that says "this transaction may still
// take positions above this one".
//
// The append is stale when the last event loaded of a stream is missing: then the log is not the one
// that was loaded. It is also stale when a stream that must be guarded has a newer event, when the key that sealed the events ($15)
// is not that of the account, or when the account was erased. The function account_erased takes its snapshot after
// the lock is held: so an append that waited for an erasure (Alone) sees it. The events of
// a stale append get no version, which the table refuses. The subqueries end in OFFSET 0 for the reason
// given at loadSQL.
var eventsSQL = fmt.Sprintf(`
WITH held AS MATERIALIZED (
	SELECT pg_advisory_xact_lock_shared(%d), pg_advisory_xact_lock_shared(%d + last_value) FROM events_position_seq
), stale AS MATERIALIZED (
	SELECT EXISTS (
		SELECT FROM unnest((SELECT $11::text[]), (SELECT $12::bigint[]), (SELECT $13::uuid[]), (SELECT $14::boolean[]))
			AS l (stream, version, event_id, guarded)
		LEFT JOIN LATERAL (
			SELECT event_id FROM events WHERE stream = l.stream AND version = l.version OFFSET 0
		) e ON true
		LEFT JOIN LATERAL (
			SELECT version FROM events WHERE l.guarded AND stream = l.stream AND version = l.version + 1 OFFSET 0
		) next ON true
		WHERE l.version > 0 AND e.event_id IS DISTINCT FROM l.event_id OR next.version IS NOT NULL
	) OR $15::bytea IS NOT NULL AND NOT EXISTS (SELECT FROM account_keys WHERE account_id = $2 AND key = $15) OR account_erased($2) AS yes
	FROM held
), placed AS MATERIALIZED (
	SELECT nextval('events_position_seq') AS position, n.*
	FROM held, unnest($1::uuid[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::text[], $8::timestamptz[], $9::bytea[])
		AS n (event_id, stream, version, type, schema_version, data, recorded_at, chain)
)
INSERT INTO events (position, event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
SELECT position, event_id, $2, stream, CASE WHEN NOT yes THEN version END, type, schema_version, data::json, $10, recorded_at,
	sha256(chain || int8send(position))
FROM placed, stale
RETURNING position`, gate, appenders)

// queueAppend queues the statements for the streams, the events, their inline views and c.queued, in
// this order.
func (c *Change) queueAppend(b *pgx.Batch) error {
	if c.alone {
		b.Queue(`SET LOCAL lock_timeout = '2s'`)
		b.Queue(`SELECT pg_advisory_xact_lock($1)`, gate)
	}
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
		b.Queue(q.SQL, q.Args...)
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
	loaded, at, last, guarded := c.loaded()
	var key []byte
	if c.sealed {
		key = c.key.Stored()
	}
	b.Queue(eventsSQL, ids, c.meta.Account, streams, versions, types, schemas, data, ats, c.chains, string(c.rawMeta), loaded, at, last,
		guarded, key).Query(func(rows pgx.Rows) error {
		i := 0
		var position int64
		_, err := pgx.ForEachRow(rows, []any{&position}, func() error {
			r := &c.recorded[i]
			r.Position = position
			hash := positioned([32]byte(c.chains[i]), position)
			r.Hash = hash[:]
			i++
			return nil
		})
		return err
	})
}

// loaded returns the streams that were loaded: the version and the last event of each, and whether it
// must be guarded.
func (c *Change) loaded() (streams []string, versions []int64, last [][16]byte, guarded []bool) {
	for _, h := range c.heads {
		still := slices.ContainsFunc(h.pasts, Loadable.guarded) && h.version == h.loaded
		if h.loaded > 0 || still {
			streams, versions, last, guarded = append(streams, h.stream), append(versions, h.loaded), append(last, h.id),
				append(guarded, still)
		}
	}
	return streams, versions, last, guarded
}
