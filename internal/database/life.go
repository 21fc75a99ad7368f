package database

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Life shows other processes that this process is alive: it holds a session lock
// on the process's id, which the server releases at once when the process is killed
// (docs/adr/0003). Others may then take over its work. It is safe for concurrent
// use.
type Life struct {
	id   uuid.UUID
	pool *pgxpool.Pool

	held atomic.Bool   // as far as is known
	turn chan struct{} // guards conn
	conn *pgx.Conn     // holds the lock; nil while none does
}

// aliveLock is the first key of the locks; the second is the key of the process.
const aliveLock = 0x5244

const (
	// beat is how often a life checks that it holds its lock.
	beat = time.Second
	// frozen is how long the session may be idle before the server ends it, so that
	// a frozen or unreachable process counts as dead.
	frozen = 15 * time.Second
)

// NewLife returns a life for a process with the id, with a connection in addition
// to the pool's. It holds no lock until Take.
func NewLife(pool *pgxpool.Pool, id uuid.UUID) *Life {
	return &Life{id: id, pool: pool, turn: make(chan struct{}, 1)}
}

// ID returns the id of the process.
func (l *Life) ID() uuid.UUID { return l.id }

// Key returns the number of the process's lock, for Alive.
func (l *Life) Key() int32 { return KeyOf(l.id.String()) }

// KeyOf returns the lock number of the process with the id. Two ids may share a
// number: a dead process then counts as alive while the other lives.
func KeyOf(id string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int32(h.Sum32()) //nolint:gosec // any 32 bits will do
}

// Alive returns the SQL condition that the process whose key is the expression is
// alive.
func Alive(key string) string {
	// pg_locks shows the key as an unsigned number.
	return fmt.Sprintf(`EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
		AND l.classid::bigint = %d AND l.objid::bigint = (%s)::bigint & 4294967295
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, aliveLock, key)
}

// Lives returns how many processes are alive on the database.
func Lives(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (n int, err error) {
	err = q.QueryRow(ctx, `SELECT count(DISTINCT objid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
		AND classid::bigint = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, aliveLock).Scan(&n)
	if err != nil {
		err = fmt.Errorf("database: count the processes that are alive: %w", err)
	}
	return n, err
}

// Take acquires the lock, unless it is already held.
func (l *Life) Take(ctx context.Context) error {
	if l.held.Load() {
		return nil
	}
	ctx, waited := Waiting(ctx)
	defer waited()
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer l.end()
	return l.take(ctx)
}

// begin waits for exclusive use of the session; end passes it on.
func (l *Life) begin(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("database: take the lock of the process: %w", ctx.Err())
	}
}

func (l *Life) end() {
	l.held.Store(l.conn != nil)
	<-l.turn
}

func (l *Life) take(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	conn, err := OutsidePool(ctx, l.pool)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	b := &pgx.Batch{}
	b.Queue(`SELECT set_config('idle_session_timeout', $1, false)`, milliseconds(frozen))
	b.Queue(`SELECT pg_advisory_lock_shared($1, $2)`, aliveLock, l.Key())
	l.conn = conn
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		l.drop()
		return fmt.Errorf("database: take the lock of the process: %w", err)
	}
	return nil
}

// Beat checks that the lock is held, and acquires it again if the session was lost.
func (l *Life) Beat(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer l.end()
	if l.conn != nil && l.conn.Ping(ctx) != nil {
		l.drop()
	}
	return l.take(ctx)
}

// Keep holds the lock until ctx ends, then releases it.
func (l *Life) Keep(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		bounded, cancel := context.WithTimeout(ctx, 5*beat)
		_ = l.Beat(bounded) // the next beat retries
		cancel()
		select {
		case <-ctx.Done():
			l.End()
			return
		case <-tick.C:
		}
	}
}

// End releases the lock.
func (l *Life) End() {
	_ = l.begin(context.Background())
	defer l.end()
	if l.conn != nil {
		l.drop()
	}
}

// drop ends the session of the lock. It unlocks explicitly first, because the
// server may notice the closed connection late.
func (l *Life) drop() {
	conn := l.conn
	l.conn = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1, $2)`, aliveLock, l.Key())
	_ = conn.Close(ctx)
}
