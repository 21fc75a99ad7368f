package quota

import (
	"context"
	"fmt"
	"time"

	"readiness/internal/pace"
)

// take counts a call of the window $1 on the route $2, unless either is on hold or $3 calls are in the window. The row
// lock serializes the calls of one window, and the clock is read under that lock, so hits stay in order and
// width_bucket finds the expired ones by binary search. OFFSET 0 makes each subquery run once.
//
// If the database's clock was set back, the latest hit is in the future. All hits then move back until it is now, so
// the window stays full for at most one Window. Holds that end more than $5 from now were made before the clock was set
// back and are ignored; the platform's next 429 replaces them.
const take = `
WITH held AS MATERIALIZED (
	SELECT key, extract(epoch FROM ends - clock_timestamp())::float8 AS wait FROM quota_holds
	WHERE key IN ($1::text, $2::text) AND ends > clock_timestamp() AND ends < clock_timestamp() + $5::interval
)
INSERT INTO quota_windows AS w (key, hits, admitted)
SELECT $1, CASE WHEN free THEN ARRAY[clock_timestamp()] ELSE '{}' END, free FROM (SELECT NOT EXISTS (SELECT FROM held) AS free) h
ON CONFLICT (key) DO UPDATE SET (hits, admitted) = (
	SELECT CASE WHEN free THEN hits || now ELSE hits END, free
	FROM (
		SELECT recent.*, excluded.admitted AND cardinality(hits) < $3::int AS free
		FROM (
			SELECT now, hits[width_bucket(now - $4::interval, hits) + 1 :] AS hits
			FROM (
				SELECT now, CASE WHEN latest > now THEN ARRAY(SELECT h - (latest - now) FROM unnest(w.hits) h) ELSE w.hits END AS hits
				FROM (SELECT clock_timestamp() AS now, w.hits[cardinality(w.hits)] AS latest OFFSET 0) t OFFSET 0
			) ordered OFFSET 0
		) recent OFFSET 0
	) counted)
RETURNING admitted,
	CASE WHEN admitted OR cardinality(hits) < $3 THEN 0
		ELSE extract(epoch FROM hits[cardinality(hits) - $3 + 1] + $4 - clock_timestamp()) END::float8,
	coalesce((SELECT wait FROM held WHERE held.key = $1), 0),
	coalesce((SELECT wait FROM held WHERE held.key = $2), 0)`

// hold holds a window and a route for $3. Rows are locked in key order, so holds cannot deadlock. greatest ignores the
// NULL of an earlier hold that ends more than $4 from now (see take).
const hold = `
INSERT INTO quota_holds AS h (key, ends)
SELECT key, clock_timestamp() + $3::interval FROM unnest(ARRAY[$1::text, $2::text]) key ORDER BY key
ON CONFLICT (key) DO UPDATE SET ends = greatest(excluded.ends, CASE WHEN h.ends < clock_timestamp() + $4::interval THEN h.ends END)`

// The sweeps delete rows in no particular order, so they skip locked rows instead of waiting for them.
const (
	sweepWindows = `
DELETE FROM quota_windows WHERE key IN (
	SELECT key FROM quota_windows WHERE cardinality(hits) = 0 OR hits[cardinality(hits)] <= clock_timestamp() - $1::interval
	FOR UPDATE SKIP LOCKED)`
	sweepHolds = `
DELETE FROM quota_holds WHERE key IN (
	SELECT key FROM quota_holds WHERE ends <= clock_timestamp() OR ends >= clock_timestamp() + $1::interval
	FOR UPDATE SKIP LOCKED)`
)

// Sweep deletes windows without a call of the last Window and holds that have ended.
func (l *Limiter) Sweep(ctx context.Context) error {
	_, err := l.pool.Exec(ctx, sweepWindows, Window)
	if err == nil {
		_, err = l.pool.Exec(ctx, sweepHolds, MaxHold+Window)
	}
	if err != nil {
		return fmt.Errorf("quota: sweep: %w", err)
	}
	return nil
}

// KeepSwept sweeps once per period until ctx ends. It ignores errors, because the next sweep does the same work.
func (l *Limiter) KeepSwept(ctx context.Context, period time.Duration) {
	for range pace.Every(ctx, period) {
		_ = l.Sweep(ctx)
	}
}
