package work

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/internal/lists"
	"readiness/internal/pace"
)

// River knows a job's worker by its id only, and restarts a dead worker's jobs only
// after a timeout. Here a running job is an orphan as soon as its worker's process
// no longer holds its lock (database.Life).

// every is how often a living worker looks for orphans.
const every = 5 * time.Second

// stray is how long a job may be marked as running in a living worker that does not
// run it. That happens when the database fails while it hands out the job.
const stray = 10 * time.Second

// takeUp makes orphaned jobs available again: those of dead workers, and strays of
// the living worker id, which runs the jobs in busy. It returns how many there
// were.
func takeUp(ctx context.Context, pool *pgxpool.Pool, id string, busy []int64) (int64, error) {
	// A running job that names no worker cannot be judged, so it is left alone.
	rows, _ := pool.Query(ctx,
		`SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)] FROM river_job WHERE state = 'running' AND attempted_by <> '{}'`)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("work: look for orphans: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	keys := lists.Map(ids, database.KeyOf)
	tag, err := pool.Exec(ctx, `
		UPDATE river_job j SET state = 'available', scheduled_at = now()
		FROM unnest($1::text[], $2::int[]) AS w (id, key)
		WHERE j.state = 'running' AND j.attempted_by[array_upper(j.attempted_by, 1)] = w.id
		  AND (w.id = $3 AND j.attempted_at < clock_timestamp() - $5::interval AND j.id <> ALL ($4::bigint[])
			OR NOT `+database.Alive("w.key")+`)`,
		ids, keys, id, busy, stray)
	if err != nil {
		return 0, fmt.Errorf("work: take up orphans: %w", err)
	}
	return tag.RowsAffected(), nil
}

// busy is the set of jobs that this process runs, or ran a moment ago:
// River records the end of a job, or that it was snoozed, only after the job
// returned.
type busy struct {
	mu sync.Mutex
	// jobs are when each job ended; zero while it runs.
	jobs map[int64]time.Time
}

// begin adds a job until the returned function is called.
func (b *busy) begin(id int64) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.jobs == nil {
		b.jobs = map[int64]time.Time{}
	}
	b.jobs[id] = time.Time{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.jobs[id] = time.Now()
	}
}

// ids returns the jobs at a time; it is never nil.
func (b *busy) ids(now time.Time) []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.jobs, func(_ int64, ended time.Time) bool { return !ended.IsZero() && now.Sub(ended) > stray })
	return slices.AppendSeq([]int64{}, maps.Keys(b.jobs))
}

// mind keeps the process's lock and looks for orphans, lost steps and expired
// tokens until ctx ends.
func (q *Queue) mind(ctx context.Context) {
	defer q.o.Life.End()
	for range pace.Every(ctx, every) {
		if err := q.look(ctx); err != nil && ctx.Err() == nil {
			q.o.Log.Warn("the database does not answer; orphaned and lost work and expired tokens wait", "error", err)
		}
	}
}

// look makes one pass over all of them.
func (q *Queue) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	if err := q.o.Life.Beat(ctx); err != nil {
		return err
	}
	if err := q.clock.compare(ctx, q.o.Pool); err != nil {
		return err
	}
	n, err := takeUp(ctx, q.o.Pool, q.id, q.shared.ids(time.Now()))
	if err != nil {
		return err
	}
	if n > 0 {
		q.o.Log.Info("restarted steps that no living worker runs", "steps", n)
	}
	if _, err := q.o.Vault.Sweep(ctx, q.o.Now()); err != nil {
		return err
	}
	if time.Since(q.lookedAt) < lostEvery {
		return nil
	}
	q.lookedAt = time.Now()
	_, err = q.findLost(ctx)
	return err
}
