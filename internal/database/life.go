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

// A Life is a process as others see it in the database: a session lock on its id, which it holds while it lives and which is free at once when it is
// killed (docs/adr/0003). What it had in hand is then nobody's. It is safe for concurrent use.
type Life struct {
	id   uuid.UUID
	pool *pgxpool.Pool

	held atomic.Bool   // as far as is known
	turn chan struct{} // to look after conn
	conn *pgx.Conn     // holds the lock; nil while none does
}

// aliveLock is the first key of the locks; the second is the key of the process.
const aliveLock = 0x5244

const (
	// beat is how often a life makes sure that it holds its lock.
	beat = time.Second
	// frozen is after how long without a beat the server ends the session: a process that stands still, or that nothing is heard of, counts as dead.
	frozen = 15 * time.Second
)

// NewLife is a life of a process with the id, beside the connections of the pool. It begins with Take.
func NewLife(pool *pgxpool.Pool, id uuid.UUID) *Life {
	return &Life{id: id, pool: pool, turn: make(chan struct{}, 1)}
}

// ID is the id of the process.
func (l *Life) ID() uuid.UUID { return l.id }

// Key is the number of the process's lock, by which Alive finds it.
func (l *Life) Key() int32 { return KeyOf(l.id.String()) }

// KeyOf is the number of the lock of the process with the id. Two may share one: then the dead counts as living while the other does.
func KeyOf(id string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int32(h.Sum32()) //nolint:gosec // any 32 bits will do
}

// Alive is the condition, in SQL, that the process lives whose key is the expression.
func Alive(key string) string {
	// pg_locks shows the key as an unsigned number.
	return fmt.Sprintf(`EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.classid::bigint = %d
		AND l.objid::bigint = (%s)::bigint & 4294967295 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, aliveLock, key)
}

// Take takes the lock, unless it is held.
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

// begin waits for the turn to look after the session, end gives it to the next.
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
	conn, err := Beside(ctx, l.pool)
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

// Beat makes sure that the lock is held: it is taken again when the server has gone away, and the lock with it.
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

// Keep holds the lock until ctx ends, and gives it back then.
func (l *Life) Keep(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		bounded, cancel := context.WithTimeout(ctx, 5*beat)
		_ = l.Beat(bounded) // the next makes up for it
		cancel()
		select {
		case <-ctx.Done():
			l.End()
			return
		case <-tick.C:
		}
	}
}

// End gives the lock back.
func (l *Life) End() {
	_ = l.begin(context.Background())
	defer l.end()
	if l.conn != nil {
		l.drop()
	}
}

// drop ends the session of the lock. The server gives back what a session held only when it gets to it, so it is asked to first.
func (l *Life) drop() {
	conn := l.conn
	l.conn = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1, $2)`, aliveLock, l.Key())
	_ = conn.Close(ctx)
}
