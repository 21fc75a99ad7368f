// Package rate counts calls in exact sliding windows that every instance of the service shares through PostgreSQL
// (spec 8; decisions 2). It knows nothing of who is counted or what a refusal looks like.
package rate

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

// Window is the length of every window.
const Window = time.Minute

// A Count is how a window stands after a call.
type Count struct {
	// Allowed says whether the call was within the limit. One that was not is not counted.
	Allowed bool
	// Remaining is how many more calls are allowed now.
	Remaining int
	// Reset is how long it is until the oldest call leaves the window and one more is allowed.
	Reset time.Duration
}

// Limiter counts calls. It is safe for concurrent use.
type Limiter struct {
	pool    *pgxpool.Pool
	timeout time.Duration
}

// Options of a Limiter.
type Options struct {
	// Connections is the size of the limiter's own pool, so that a busy service cannot starve it; 0 means 4.
	Connections int32
	// Timeout is how long the database is given for one count, from when it is asked on; 0 means DefaultTimeout.
	Timeout time.Duration
	// Statements are those of others that Send sends with counts, which are prepared on every connection as the limiter's own are.
	Statements []string
	// Tracer is told of every statement; nil for nobody.
	Tracer pgx.QueryTracer
}

// DefaultTimeout is how long one count may take (decisions 9.2).
const DefaultTimeout = 2 * time.Second

// Open returns a Limiter on the database at url, which is not asked yet. Close it.
func Open(ctx context.Context, url string, o Options) (*Limiter, error) {
	if o.Connections == 0 {
		o.Connections = 4
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	pool, err := database.Open(ctx, url, func(c *pgxpool.Config) {
		c.ConnConfig.Tracer = o.Tracer
		c.MaxConns = o.Connections
		c.MinConns = o.Connections // no call waits for a connection to be made
		c.ConnConfig.RuntimeParams["application_name"] = "readiness rates"
		c.ConnConfig.RuntimeParams["statement_timeout"] = fmt.Sprint(o.Timeout.Milliseconds())
		// Nothing is lost with the table, so nothing waits for the disk.
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			for _, sql := range append([]string{take, hold, takeAll, look}, o.Statements...) {
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

// Timeout is how long the database is given for one count.
func (l *Limiter) Timeout() time.Duration { return l.timeout }

// Ready makes all the connections, and prepares on them what they will be asked, so that the first calls wait for none of that.
func (l *Limiter) Ready(ctx context.Context) error {
	for range l.pool.Config().MaxConns {
		conn, err := l.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("rate: connect: %w", err)
		}
		defer conn.Release() // once there are all
	}
	return nil
}

// Close ends the limiter's connections.
func (l *Limiter) Close() { l.pool.Close() }

// The row's lock puts the calls of one key in line, and everything is decided after it is taken: the clock is read then
// too, so hits are in order, and those that have left the window are found by halving. OFFSET 0 makes each subquery be computed
// once. Rows are locked in the order of their keys, so that calls cannot deadlock. SELECT $1 keeps the planner from counting the values,
// which would make it plan the statement anew each time.
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

// A Limit is a window and how many calls it lets through.
type Limit struct {
	Key   string
	Calls int // at least one
}

// Take counts a call under the key against a limit of at least one call in a Window. An error means that the calls
// cannot be counted now.
func (l *Limiter) Take(ctx context.Context, key string, limit int) (c Count, err error) {
	b := &pgx.Batch{}
	l.Queue(b, []Limit{{key, limit}}, func(counts []Count) { c = counts[0] })
	return c, l.Send(ctx, b)
}

// Queue queues what counts calls, each in one window, of which several may be the same: it lets those through that come
// first. counted is given the counts in the order of the calls, once they are counted.
func (l *Limiter) Queue(b *pgx.Batch, all []Limit, counted func([]Count)) {
	var keys []string
	var calls, wanted []int32
	place := make(map[string]int, len(all)) // of a window
	for _, one := range all {
		i, known := place[one.Key]
		if !known {
			i = len(keys)
			place[one.Key] = i
			keys, calls, wanted = append(keys, one.Key), append(calls, int32(one.Calls)), append(wanted, 0) //nolint:gosec // limits are small numbers of ours
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
			if w.admitted > 0 { // those after it are still to come
				w.admitted--
				counts[i].Remaining += w.admitted
			}
		}
		counted(counts)
		return nil
	})
}

// Send sends a batch, which may hold more than counts, on the limiter's own connections. The database has the timeout to answer it; waiting for a
// connection is not the database's time, and bounded by ctx alone.
func (l *Limiter) Send(ctx context.Context, b *pgx.Batch) error {
	err := l.asked(ctx, func(ctx context.Context, conn *pgxpool.Conn) error { return conn.SendBatch(ctx, b).Close() })
	if err != nil {
		return fmt.Errorf("rate: count calls: %w", err)
	}
	return nil
}

// asked does something on a connection within the timeout, which begins when there is one.
func (l *Limiter) asked(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return do(ctx, conn)
}

// hold locks the windows, in the order of their keys so that calls cannot deadlock; those that are new begin empty.
const hold = `
INSERT INTO rate_windows AS r (key, hits) SELECT key, '{}' FROM unnest($1::text[]) key ORDER BY key
ON CONFLICT (key) DO UPDATE SET calls = r.calls`

// takeAll sees the windows as they are once they are locked. What it finds comes in the order of the keys given.
const takeAll = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
recent AS MATERIALIZED (
	SELECT l.n, l.key, clock.now, ARRAY(SELECT h FROM unnest(r.hits) h WHERE h > clock.now - $3::interval) AS hits, l.calls
	FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS l (key, calls, n) JOIN rate_windows r USING (key), clock
), verdict AS MATERIALIZED (SELECT bool_and(cardinality(hits) < calls) AS allowed FROM recent),
counted AS (
	UPDATE rate_windows r SET hits = CASE WHEN verdict.allowed THEN recent.hits || greatest(recent.now, recent.hits[cardinality(recent.hits)]) ELSE recent.hits END
	FROM recent, verdict WHERE r.key = recent.key
	RETURNING r.key, cardinality(r.hits) AS used, coalesce(extract(epoch FROM r.hits[1] + $3::interval - recent.now), 0)::float8 AS reset
)
SELECT cardinality(recent.hits) < recent.calls, counted.used, counted.reset FROM recent JOIN counted USING (key) ORDER BY recent.n`

// TakeAll counts a call under every key or, when one of the windows is full, under none. The counts are in the order of
// the limits, whose keys differ: Allowed says of each window alone whether it had room. An error means that the calls
// cannot be counted now.
func (l *Limiter) TakeAll(ctx context.Context, limits ...Limit) ([]Count, error) {
	if len(limits) == 1 { // one round trip less
		c, err := l.Take(ctx, limits[0].Key, limits[0].Calls)
		return []Count{c}, err
	}
	keys, calls := make([]string, len(limits)), make([]int32, len(limits))
	for i, one := range limits {
		keys[i], calls[i] = one.Key, int32(one.Calls) //nolint:gosec // limits are small numbers of ours
	}
	counts := make([]Count, 0, len(limits))
	b := &pgx.Batch{} // one transaction, each statement of which sees what was there when it began
	b.Queue(hold, keys)
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

// Look says how the window of a key stands without counting a call: Allowed says whether one would be within the limit.
func (l *Limiter) Look(ctx context.Context, key string, limit int) (Count, error) {
	var used int
	var reset float64
	err := l.asked(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return conn.QueryRow(ctx, look, key, Window).Scan(&used, &reset)
	})
	if err != nil {
		return Count{}, fmt.Errorf("rate: look at the calls counted: %w", err)
	}
	return Count{Allowed: used < limit, Remaining: max(0, limit-used), Reset: max(0, time.Duration(reset*float64(time.Second)))}, nil
}

// It comes to the rows in any order, so it waits for none.
const sweep = `
DELETE FROM rate_windows WHERE key IN (
	SELECT key FROM rate_windows WHERE cardinality(hits) = 0 OR hits[cardinality(hits)] <= clock_timestamp() - $1::interval
	FOR UPDATE SKIP LOCKED)`

// Sweep deletes the windows of keys that have not been used for a Window, but for those that are being counted in.
func (l *Limiter) Sweep(ctx context.Context) error {
	_, err := l.pool.Exec(ctx, sweep, Window)
	if err != nil {
		return fmt.Errorf("rate: sweep: %w", err)
	}
	return nil
}

// KeepSwept sweeps every period until ctx ends. A sweep that fails is made up for by the next.
func (l *Limiter) KeepSwept(ctx context.Context, period time.Duration) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.Sweep(ctx)
		}
	}
}
