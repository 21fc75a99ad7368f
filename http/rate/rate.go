// Package rate counts calls in exact sliding windows that all instances of the service share through PostgreSQL
// (docs/decisions.md 2). It does not know what a key stands for or how a refusal looks to the caller.
package rate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/internal/pace"
)

// Window is the length of every window.
const Window = time.Minute

// Count is the state of a window after a call.
type Count struct {
	// Allowed reports whether the call was within the limit. A call over the limit is not counted.
	Allowed bool
	// Remaining is how many more calls are allowed now.
	Remaining int
	// Reset is how long until the oldest call leaves the window and one more call is allowed.
	Reset time.Duration
}

// Limiter counts calls against limits. It is safe for concurrent use.
type Limiter struct {
	pool    *pgxpool.Pool
	timeout time.Duration
}

// Options configures a Limiter.
type Options struct {
	// Connections is the size of the limiter's own connection pool, so that a busy service cannot starve it; 0 means
	// 4.
	Connections int32
	// Timeout bounds one count, from the moment a connection is acquired; 0 means DefaultTimeout.
	Timeout time.Duration
	// Statements are the caller's own SQL statements that it sends through Send. They are prepared on every
	// connection, like the limiter's own.
	Statements []string
	// Tracer traces every statement; nil for no tracing.
	Tracer pgx.QueryTracer
}

// DefaultTimeout bounds one count unless Options.Timeout says otherwise (docs/decisions.md 2).
const DefaultTimeout = 2 * time.Second

// Open returns a Limiter for the database at url. It does not connect yet. The caller must close the Limiter.
func Open(ctx context.Context, url string, o Options) (*Limiter, error) {
	o.Connections = cmp.Or(o.Connections, 4)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	pool, err := database.Open(ctx, url, func(c *pgxpool.Config) {
		c.ConnConfig.Tracer = o.Tracer
		c.MaxConns = o.Connections
		c.MinConns = o.Connections // no call waits for a new connection
		c.ConnConfig.RuntimeParams["application_name"] = "readiness rates"
		c.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(o.Timeout.Milliseconds())
		// Losing the table's latest rows in a crash is harmless, so commits do not wait for the disk.
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			for _, sql := range append([]string{take, lockWindows, takeAll, look}, o.Statements...) {
				if _, err := conn.Prepare(ctx, sql, sql); err != nil {
					return err
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("rate: %w", err)
	}
	return &Limiter{pool, o.Timeout}, nil
}

// Timeout returns how long the database may take for one count.
func (l *Limiter) Timeout() time.Duration { return l.timeout }

// Ready opens all connections and prepares their statements, so that the first calls do not wait for that.
func (l *Limiter) Ready(ctx context.Context) error {
	for range l.pool.Config().MaxConns {
		conn, err := l.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("rate: connect: %w", err)
		}
		defer conn.Release() // released only after all have been acquired
	}
	return nil
}

// Close closes the limiter's connections.
func (l *Limiter) Close() { l.pool.Close() }

// The row lock serializes the calls of one key. The clock is read under that lock, so hits stay in order and
// width_bucket can find the expired ones by binary search. OFFSET 0 makes each subquery run once. Rows are locked in
// key order, so calls cannot deadlock. SELECT $1 keeps the planner from estimating the array lengths, which would
// force a new plan for each execution.
const take = `
INSERT INTO rate_windows AS r (key, hits, calls, admitted)
SELECT key, array_fill(clock_timestamp(), ARRAY[least(wanted, calls)]), calls, least(wanted, calls)
FROM unnest((SELECT $1::text[]), (SELECT $2::int[]), (SELECT $3::int[])) AS w (key, calls, wanted) ORDER BY key
ON CONFLICT (key) DO UPDATE SET (hits, calls, admitted) = (
	SELECT hits || array_fill(now, ARRAY[n]), excluded.calls, n
	FROM (
		SELECT recent.*, greatest(0, least(excluded.admitted, excluded.calls - cardinality(hits))) AS n
		FROM (
			SELECT t.now, r.hits[width_bucket(t.now - $4::interval, r.hits) + 1 :] AS hits
			FROM (SELECT greatest(clock_timestamp(), r.hits[cardinality(r.hits)]) AS now OFFSET 0) t OFFSET 0
		) recent OFFSET 0
	) counted)
RETURNING key, admitted, cardinality(hits), coalesce(extract(epoch FROM hits[1] + $4::interval - clock_timestamp()), 0)::float8`

// Limit is a window's key and how many calls the window allows.
type Limit struct {
	Key   string
	Calls int // at least one
}

// Take counts one call under the key against a limit of at least one call per Window. An error means that the call
// cannot be counted now.
func (l *Limiter) Take(ctx context.Context, key string, limit int) (c Count, err error) {
	b := &pgx.Batch{}
	l.Queue(b, []Limit{{key, limit}}, func(counts []Count) { c = counts[0] })
	return c, l.Send(ctx, b)
}

// Queue adds a statement to b that counts each call in one window; several calls may name the same window. Calls
// earlier in all are admitted first. After the batch is sent, counted receives the counts in the order of all.
func (l *Limiter) Queue(b *pgx.Batch, all []Limit, counted func([]Count)) {
	var keys []string
	var calls, wanted []int32
	place := make(map[string]int, len(all)) // index of each window's key
	for _, one := range all {
		i, known := place[one.Key]
		if !known {
			i = len(keys)
			place[one.Key] = i
			keys, calls, wanted = append(keys, one.Key), append(calls, int32(one.Calls)),
				append(wanted, 0) //nolint:gosec // limits are small numbers of ours
		}
		wanted[i]++
	}
	b.Queue(take, keys, calls, wanted, Window).Query(func(rows pgx.Rows) error {
		windows := make([]struct {
			admitted, used int
			reset          time.Duration
		}, len(keys))
		var key string
		var admitted, used int
		var reset float64
		if _, err := pgx.ForEachRow(rows, []any{&key, &admitted, &used, &reset}, func() error {
			w := &windows[place[key]]
			w.admitted, w.used, w.reset = admitted, used, max(0, time.Duration(reset*float64(time.Second)))
			return nil
		}); err != nil {
			return err
		}
		counts := make([]Count, len(all))
		for i, one := range all {
			w := &windows[place[one.Key]]
			counts[i] = Count{Allowed: w.admitted > 0, Remaining: max(0, one.Calls-w.used), Reset: w.reset}
			if w.admitted > 0 { // the later calls of this window are not counted yet at this point
				w.admitted--
				counts[i].Remaining += w.admitted
			}
		}
		counted(counts)
		return nil
	})
}

// Send sends a batch, which may contain statements other than counts, on the limiter's own connections. The timeout
// starts when a connection has been acquired; waiting for a connection is bounded by ctx alone.
func (l *Limiter) Send(ctx context.Context, b *pgx.Batch) error {
	err := l.withConn(ctx, func(ctx context.Context, conn *pgxpool.Conn) error { return conn.SendBatch(ctx, b).Close() })
	if err != nil {
		return fmt.Errorf("rate: count calls: %w", err)
	}
	return nil
}

// withConn runs do on a connection. The timeout starts once the connection is acquired.
func (l *Limiter) withConn(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return do(ctx, conn)
}

// lockWindows locks the windows in key order, so that calls cannot deadlock, and creates missing windows empty.
const lockWindows = `
INSERT INTO rate_windows AS r (key, hits) SELECT key, '{}' FROM unnest($1::text[]) key ORDER BY key
ON CONFLICT (key) DO UPDATE SET calls = r.calls`

// takeAll reads the windows after lockWindows has locked them. Its rows are in the order of the given keys.
const takeAll = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
recent AS MATERIALIZED (
	SELECT l.n, l.key, clock.now, ARRAY(SELECT h FROM unnest(r.hits) h WHERE h > clock.now - $3::interval) AS hits, l.calls
	FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS l (key, calls, n) JOIN rate_windows r USING (key), clock
), verdict AS MATERIALIZED (SELECT bool_and(cardinality(hits) < calls) AS allowed FROM recent),
counted AS (
	UPDATE rate_windows r SET hits = CASE WHEN verdict.allowed
		THEN recent.hits || greatest(recent.now, recent.hits[cardinality(recent.hits)]) ELSE recent.hits END
	FROM recent, verdict WHERE r.key = recent.key
	RETURNING r.key, cardinality(r.hits) AS used, coalesce(extract(epoch FROM r.hits[1] + $3::interval - recent.now), 0)::float8 AS reset
)
SELECT cardinality(recent.hits) < recent.calls, counted.used, counted.reset FROM recent JOIN counted USING (key) ORDER BY recent.n`

// TakeAll counts one call under every key or, when any window is full, under none. The keys must differ. The counts
// are in the order of limits, and each Allowed reports whether that window alone had room. An error means that the
// call cannot be counted now.
func (l *Limiter) TakeAll(ctx context.Context, limits ...Limit) ([]Count, error) {
	if len(limits) == 1 { // saves a round trip
		c, err := l.Take(ctx, limits[0].Key, limits[0].Calls)
		return []Count{c}, err
	}
	keys, calls := make([]string, len(limits)), make([]int32, len(limits))
	for i, one := range limits {
		keys[i], calls[i] = one.Key, int32(one.Calls) //nolint:gosec // limits are small numbers of ours
	}
	counts := make([]Count, 0, len(limits))
	b := &pgx.Batch{} // one transaction; takeAll runs after the lock and sees what others committed before
	b.Queue(lockWindows, keys)
	b.Queue(takeAll, keys, calls, Window).Query(func(rows pgx.Rows) error {
		var c Count
		var used int
		var reset float64
		_, err := pgx.ForEachRow(rows, []any{&c.Allowed, &used, &reset}, func() error {
			c.Remaining = max(0, limits[len(counts)].Calls-used)
			c.Reset = max(0, time.Duration(reset*float64(time.Second)))
			counts = append(counts, c)
			return nil
		})
		return err
	})
	return counts, l.Send(ctx, b)
}

const look = `
SELECT count(h), coalesce(extract(epoch FROM min(h) + $2::interval - t.now), 0)::float8
FROM (SELECT clock_timestamp() AS now OFFSET 0) t
LEFT JOIN rate_windows r ON r.key = $1
LEFT JOIN LATERAL unnest(r.hits) h ON h > t.now - $2::interval
GROUP BY t.now`

// Look returns the state of a key's window without counting a call. Allowed reports whether one more call would be
// within the limit.
func (l *Limiter) Look(ctx context.Context, key string, limit int) (Count, error) {
	var used int
	var reset float64
	err := l.withConn(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return conn.QueryRow(ctx, look, key, Window).Scan(&used, &reset)
	})
	if err != nil {
		return Count{}, fmt.Errorf("rate: look at the calls counted: %w", err)
	}
	return Count{Allowed: used < limit, Remaining: max(0, limit-used), Reset: max(0, time.Duration(reset*float64(time.Second)))}, nil
}

// sweep deletes rows in no particular order, so it skips locked rows instead of waiting for them.
const sweep = `
DELETE FROM rate_windows WHERE key IN (
	SELECT key FROM rate_windows WHERE cardinality(hits) = 0 OR hits[cardinality(hits)] <= clock_timestamp() - $1::interval
	FOR UPDATE SKIP LOCKED)`

// Sweep deletes windows unused for longer than Window, except those that are locked by a count in progress.
func (l *Limiter) Sweep(ctx context.Context) error {
	_, err := l.pool.Exec(ctx, sweep, Window)
	if err != nil {
		return fmt.Errorf("rate: sweep: %w", err)
	}
	return nil
}

// KeepSwept sweeps once per period until ctx ends. It ignores errors, because the next sweep does the same work.
func (l *Limiter) KeepSwept(ctx context.Context, period time.Duration) {
	for range pace.Every(ctx, period) {
		_ = l.Sweep(ctx)
	}
}
