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
)

// River knows a job's worker by its id only and waits for a timeout before it
// gives a dead worker's jobs to others. So a running job whose worker's process
// holds no lock (database.Life) is an orphan, at once.

// every is how often a living worker looks for orphans.
const every = 5 * time.Second

// stray is how long a job may be said to run in a worker that lives and knows
// nothing of it: the server died while it handed the job out.
const stray = 10 * time.Second

// takeUp makes running jobs available again that nobody runs: those of workers
// that are no more, and strays of the living worker with the id, which carries
// out those in busy. It says how many they were.
func takeUp(ctx context.Context, pool *pgxpool.Pool, id string, busy []int64) (int64, error) {
	// A job without a worker is nobody's to judge.
	rows, err := pool.Query(ctx, `SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)] FROM river_job WHERE state = 'running' AND attempted_by <> '{}'`)
	if err != nil {
		return 0, fmt.Errorf("work: look for orphans: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("work: look for orphans: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	keys := make([]int32, len(ids))
	for i, id := range ids {
		keys[i] = database.KeyOf(id)
	}
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

// busy are the jobs that this process carries out right now.
type busy struct {
	mu   sync.Mutex
	jobs map[int64]struct{}
}

// begin notes a job until the function it returns is called.
func (b *busy) begin(id int64) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.jobs == nil {
		b.jobs = map[int64]struct{}{}
	}
	b.jobs[id] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.jobs, id)
	}
}

// ids lists them; it is never nil.
func (b *busy) ids() []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.AppendSeq([]int64{}, maps.Keys(b.jobs))
}

// mind keeps the process's lock and looks after orphans and what has expired,
// until ctx ends.
func (q *Queue) mind(ctx context.Context) {
	defer q.o.Life.End()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := q.look(ctx); err != nil && ctx.Err() == nil {
			q.o.Log.Warn("the database does not answer; orphaned and lost work and expired tokens wait", "error", err)
		}
	}
}

// look is one look after everything.
func (q *Queue) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	if err := q.o.Life.Beat(ctx); err != nil {
		return err
	}
	n, err := takeUp(ctx, q.o.Pool, q.id, q.shared.ids())
	if err != nil {
		return err
	}
	if n > 0 {
		q.o.Log.Info("took up work that nobody was doing any more", "steps", n)
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
