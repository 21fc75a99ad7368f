package eventstore

import (
	"bytes"
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
SELECT stream, account_id, type, version, chain
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bytea[]) AS n (stream, account_id, type, version, chain)
ON CONFLICT (stream) DO UPDATE SET version = excluded.version, chain = excluded.chain
WHERE s.version = ($6::bigint[])[array_position($1::text[], s.stream)]`

// eventsSQL inserts the events of one or more changes, in the order given: $2 are their accounts, $10 their metadata; $16
// and $17 say which ones each event has. It takes two advisory locks before it takes the
// first position: the one that HoldAppends waits for, and one that says "this transaction may still
// take positions above this one".
//
// The append is stale when the last event loaded of a stream is missing: then the log is not the one
// that was loaded. It is also stale when a stream that must be guarded has a newer event, when a key that sealed events ($15)
// is not that of its account, or when an account was erased. The function account_erased takes its snapshot after
// the lock is held: so an append that waited for an erasure (Alone) sees it. The events of
// a stale append get no version, which the table refuses. The subqueries end in OFFSET 0 for the reason
// given at loadSQL.
var eventsSQL, accountEventsSQL = insertEvents(`EXISTS (
	SELECT FROM unnest((SELECT $2::text[]), (SELECT $15::bytea[])) AS a (account_id, key)
	WHERE ` + staleAccount(`account_id`, `a.key`) + `
)`), insertEvents(staleAccount(`($2::text[])[1]`, `($15::bytea[])[1]`))

// staleAccount says whether key, unless it is NULL, is not that of the account, or the account was erased.
func staleAccount(account, key string) string {
	return fmt.Sprintf(`(%[2]s IS NOT NULL AND NOT EXISTS (SELECT FROM account_keys k WHERE k.account_id = %[1]s AND k.key = %[2]s)
		OR account_erased(%[1]s))`, account, key)
}

func insertEvents(staleAccounts string) string {
	return fmt.Sprintf(`
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
	) OR %s AS yes
	FROM held
), placed AS MATERIALIZED (
	SELECT nextval('events_position_seq') AS position, n.*
	FROM held, unnest($1::uuid[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::text[], $8::timestamptz[], $9::bytea[], $16::int[],
		$17::int[]) AS n (event_id, stream, version, type, schema_version, data, recorded_at, chain, account, change)
)
INSERT INTO events (position, event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
SELECT position, event_id, ($2::text[])[account], stream, CASE WHEN NOT yes THEN version END, type, schema_version, data::json,
	($10::text[])[change]::json, recorded_at,
	sha256(chain || int8send(position))
FROM placed, stale
RETURNING position`, gate, appenders, staleAccounts)
}

// queueAppend queues the statements for the streams, the events, their inline views and c.queued, in
// this order.
func (c *Change) queueAppend(b *pgx.Batch) error {
	if c.alone {
		b.Queue(`SET LOCAL lock_timeout = '2s'`)
		b.Queue(`SELECT pg_advisory_xact_lock($1)`, gate)
	}
	return c.store.queueAppends(b, []*Change{c})
}

// queueAppends queues the statements of queueAppend for several changes. One that records on a stream that an earlier one records on
// follows it.
func (s *Store) queueAppends(b *pgx.Batch, changes []*Change) error {
	var recorded []Recorded
	for _, c := range changes {
		recorded = append(recorded, c.recorded...)
	}
	if len(recorded) > 0 {
		queueStreams(b, changes)
		queueEvents(b, changes, len(recorded))
		if s.inline != nil {
			if err := s.inline(b, recorded); err != nil {
				return fmt.Errorf("eventstore: append: %w", err)
			}
		}
	}
	for _, c := range changes {
		for _, q := range c.queued {
			b.Queue(q.SQL, q.Args...)
		}
	}
	return nil
}

func queueStreams(b *pgx.Batch, changes []*Change) {
	type moved struct {
		*head
		owner string
	}
	var all []moved
	for _, c := range changes {
		for _, h := range c.heads {
			if h.version > h.loaded {
				all = append(all, moved{h, c.meta.Account})
			}
		}
	}
	slices.SortFunc(all, func(a, b moved) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.version, b.version))
	})
	var names, accounts, types []string
	var versions, loaded []int64
	var chains [][]byte
	for i, h := range all {
		if i == 0 || h.stream != all[i-1].stream {
			names, accounts, types = append(names, h.stream), append(accounts, h.owner), append(types, streamType(h.stream))
			versions, chains, loaded = append(versions, 0), append(chains, nil), append(loaded, h.loaded)
		}
		last := len(names) - 1
		versions[last], chains[last] = h.version, h.chain[:]
	}
	b.Queue(streamsSQL, names, accounts, types, versions, chains, loaded)
}

// queueEvents queues the insert of the n events that the changes recorded.
func queueEvents(b *pgx.Batch, changes []*Change, n int) {
	metas := make([]string, len(changes))
	var accounts []string
	var keys [][]byte             // that sealed events of the accounts; nil: none did
	ids := make([][16]byte, 0, n) // a uuid.UUID would be sent by way of its text
	streams, versions, types := make([]string, 0, n), make([]int64, 0, n), make([]string, 0, n)
	schemas, data, ats := make([]int32, 0, n), make([]string, 0, n), make([]time.Time, 0, n)
	chains, accountOf, changeOf := make([][]byte, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	var loaded loadedEnds
	for i, c := range changes {
		metas[i] = string(c.rawMeta)
		var key []byte
		if c.sealed {
			key = c.key.Stored()
		}
		account := 0
		for account < len(accounts) && (accounts[account] != c.meta.Account || !bytes.Equal(keys[account], key)) {
			account++
		}
		if account == len(accounts) {
			accounts, keys = append(accounts, c.meta.Account), append(keys, key)
		}
		for _, r := range c.recorded {
			ids, streams, versions, types = append(ids, r.ID), append(streams, r.Stream), append(versions, r.Version), append(types, r.Type)
			schemas, data, ats = append(schemas, int32(r.SchemaVersion)), append(data, string(r.Data)), append(ats, r.RecordedAt)
			accountOf, changeOf = append(accountOf, int32(account+1)), append(changeOf, int32(i+1))
		}
		chains = append(chains, c.chains...)
		loaded.add(c)
	}
	sql := eventsSQL
	if len(accounts) == 1 {
		sql = accountEventsSQL // takes a twentieth less time
	}
	b.Queue(sql, ids, accounts, streams, versions, types, schemas, data, ats, chains, metas, loaded.streams, loaded.versions,
		loaded.last, loaded.guarded, keys, accountOf, changeOf).Query(func(rows pgx.Rows) error {
		var i, next int
		var position int64
		_, err := pgx.ForEachRow(rows, []any{&position}, func() error {
			for next == len(changes[i].recorded) {
				i, next = i+1, 0
			}
			c := changes[i]
			hash := positioned([32]byte(c.chains[next]), position)
			c.recorded[next].Position, c.recorded[next].Hash = position, hash[:]
			next++
			return nil
		})
		return err
	})
}

// loadedEnds are the streams that were loaded: the version and the last event of each, and whether it must be guarded. One that follows
// an earlier change has the version that this change expects.
type loadedEnds struct {
	streams  []string
	versions []int64
	last     [][16]byte
	guarded  []bool
}

func (l *loadedEnds) add(c *Change) {
	for _, h := range c.heads {
		if !h.follows && (h.loaded > 0 || h.still()) {
			l.streams, l.versions = append(l.streams, h.stream), append(l.versions, h.loaded)
			l.last, l.guarded = append(l.last, h.id), append(l.guarded, h.still())
		}
	}
}

// still reports whether no other event may follow the last one loaded.
func (h *head) still() bool {
	return h.version == h.loaded && slices.ContainsFunc(h.pasts, Loadable.guarded)
}
