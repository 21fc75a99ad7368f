package work

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// River knows a job's worker by its id only and waits for a timeout before it
// gives a dead worker's jobs to others. So each worker holds a session lock on
// its id while it lives: a running job whose worker holds no lock is an orphan,
// at once.

// aliveLock is the first key of the locks; the second is the hash of the id.
const aliveLock = 0x5244

// every is how often a living worker looks for orphans.
const every = 5 * time.Second

// alive is the session that holds a worker's lock.
type alive struct {
	id   string
	conn *pgxpool.Conn
}

func lockKey(id string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int32(h.Sum32()) //nolint:gosec // any 32 bits will do
}

// hold takes the lock of the worker with the id.
func hold(ctx context.Context, pool *pgxpool.Pool, id string) (*alive, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock_shared($1, $2)`, aliveLock, lockKey(id)); err != nil {
		conn.Release()
		return nil, fmt.Errorf("work: take the worker's lock: %w", err)
	}
	return &alive{id, conn}, nil
}

// release gives the lock back and ends the session, which would give it back
// too, but only when the server gets to it.
func (a *alive) release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = a.conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1, $2)`, aliveLock, lockKey(a.id))
	_ = a.conn.Hijack().Close(ctx)
}

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
	// The lock's second key is compared as the unsigned number that pg_locks
	// shows.
	keys := make([]int64, len(ids))
	for i, id := range ids {
		keys[i] = int64(uint32(lockKey(id))) //nolint:gosec // the same 32 bits
	}
	tag, err := pool.Exec(ctx, `
		UPDATE river_job j SET state = 'available', scheduled_at = now()
		FROM unnest($1::text[], $2::bigint[]) AS w (id, key)
		WHERE j.state = 'running' AND j.attempted_by[array_upper(j.attempted_by, 1)] = w.id
		  AND (w.id = $4 AND j.attempted_at < clock_timestamp() - $6::interval AND j.id <> ALL ($5::bigint[])
			OR NOT EXISTS (SELECT FROM pg_locks l
				WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.classid::bigint = $3 AND l.objid::bigint = w.key
				  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())))`,
		ids, keys, int64(aliveLock), id, busy, stray)
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

// mind keeps the worker's lock and looks after orphans and what has expired,
// until ctx ends.
func (q *Queue) mind(ctx context.Context, a *alive) {
	defer func() {
		if a != nil {
			a.release()
		}
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var err error
		if a, err = q.look(ctx, a); err != nil && ctx.Err() == nil {
			q.o.Log.Warn("the database does not answer; orphaned and lost work and expired tokens wait", "error", err)
		}
	}
}

// look is one look after everything. It returns the session that holds the
// worker's lock now, nil when none does.
func (q *Queue) look(ctx context.Context, a *alive) (*alive, error) {
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	if a != nil && a.conn.Ping(ctx) != nil { // the server went away, and the lock with it
		a.release()
		a = nil
	}
	if a == nil {
		var err error
		if a, err = hold(ctx, q.o.Pool, q.id); err != nil {
			return nil, err
		}
	}
	n, err := takeUp(ctx, q.o.Pool, q.id, q.shared.ids())
	if err != nil {
		return a, err
	}
	if n > 0 {
		q.o.Log.Info("took up work that nobody was doing any more", "steps", n)
	}
	if _, err := q.o.Vault.Sweep(ctx, q.o.Now()); err != nil {
		return a, err
	}
	if time.Since(q.lookedAt) < lostEvery {
		return a, nil
	}
	q.lookedAt = time.Now()
	_, err = q.findLost(ctx)
	return a, err
}
