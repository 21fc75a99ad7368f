package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
)

const (
	// tryLimit bounds what Try does on a standby; after it, the primary answers.
	tryLimit = 2 * time.Second
	// restTime is how long a standby that did not answer is not used.
	restTime = 10 * time.Second
	// awaitPause is how often Await looks again.
	awaitPause = 50 * time.Millisecond
)

// Standby is a hot standby of the log's database, from which callers read data that never changes: events up to the position to which
// the log is complete there, and data derived from them. A nil Standby means that there is none. It is safe for concurrent use.
type Standby struct {
	primary *Store
	pool    *pgxpool.Pool
	store   *Store

	mu   sync.Mutex
	rest time.Time // it is not asked before
}

// NotStandby is the error of a server that cannot be read instead of the primary. Only an operator can correct it.
type NotStandby struct {
	What, Do string
	// Writes says that the server takes writes, as one does that was promoted.
	Writes bool
}

// Error implements error.
func (e *NotStandby) Error() string {
	return "the database of --read-database-url cannot be read instead of the primary: " + e.What + ". " + e.Do
}

// Standby returns the standby of s's database at the address; every connection compares it with the primary. configure changes the
// configuration of its pool. It connects to nothing: Check does.
func (s *Store) Standby(ctx context.Context, address string, configure func(*pgxpool.Config)) (*Standby, error) {
	made := &Standby{primary: s}
	pool, err := database.Open(ctx, address, func(c *pgxpool.Config) {
		configure(c)
		c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
		before := c.AfterConnect
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			if before != nil {
				if err := before(ctx, conn); err != nil {
					return err
				}
			}
			return made.compare(ctx, conn)
		}
	})
	if err != nil {
		return nil, err
	}
	made.pool, made.store = pool, New(pool, s.codec, Options{Now: s.now, Logger: s.logger})
	made.store.primary = s
	return made, nil
}

// Close closes its connections.
func (s *Standby) Close() {
	if s != nil {
		s.pool.Close()
	}
}

// Check returns a *NotStandby if the server is not a standby of the primary, or another error if it does not answer.
func (s *Standby) Check(ctx context.Context) error {
	conn, err := database.OutsidePool(ctx, s.pool)
	if err != nil {
		return fmt.Errorf("eventstore: connect to the standby: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return s.compare(ctx, conn)
}

// compare compares the server of a connection with the primary: it must be in the same cluster, and its last complete event must be the
// primary's. A server that was promoted, or whose primary was restored to an earlier time, may have another.
func (s *Standby) compare(ctx context.Context, conn *pgx.Conn) error {
	var cluster, name string
	var position *int64
	var hash []byte
	var standby bool
	err := conn.QueryRow(ctx, `SELECT system_identifier::text, current_database(), pg_is_in_recovery(), e.position, e.hash
		FROM pg_control_system() LEFT JOIN LATERAL (
			SELECT position, hash FROM events WHERE position <= `+replayedSQL+` ORDER BY position DESC LIMIT 1) e ON true`).
		Scan(&cluster, &name, &standby, &position, &hash)
	if err != nil {
		return fmt.Errorf("eventstore: the standby: %w", err)
	}
	var own, ownName string
	var same bool
	err = s.primary.pool.QueryRow(ctx, `SELECT system_identifier::text, current_database(),
		$1::bigint IS NULL OR EXISTS (SELECT FROM events WHERE position = $1 AND hash = $2) FROM pg_control_system()`, position, hash).
		Scan(&own, &ownName, &same)
	switch {
	case err != nil:
		return fmt.Errorf("eventstore: compare the standby with the primary: %w", err)
	case cluster != own:
		return &NotStandby{What: "it belongs to another cluster of PostgreSQL", Do: "Name a standby of the database of --database-url."}
	case name != ownName:
		return &NotStandby{What: "it is the database " + name + ", and the log is in " + ownName, Do: "Name the same database."}
	case !same:
		return &NotStandby{What: fmt.Sprintf("the log does not have its event at position %d: it was promoted and diverged, or the "+
			"primary was restored to an earlier time", *position), Do: "Make it a standby of the primary again."}
	case !standby:
		return &NotStandby{What: "it takes writes, so it is the primary, or was promoted", Do: "Name a standby.", Writes: true}
	}
	return nil
}

// replayedSQL selects a position up to which the log is complete on a standby, which shows no locks of the primary. A follower, a forwarder
// and the trees reach a position only after all events up to it were committed, and a standby shows commits in their order.
const replayedSQL = `greatest((SELECT coalesce(max(position), 0) FROM followers),
	(SELECT coalesce(max(position), 0) FROM audit_trees WHERE tree = '' AND epoch = (SELECT max(epoch) FROM audit_epochs)))`

// errPromoted is the error of a standby that has become a primary.
var errPromoted = errors.New("eventstore: the standby was promoted")

// replayed returns a position up to which the log is complete on the standby.
func (s *Standby) replayed(ctx context.Context) (position int64, err error) {
	var standby bool
	if err := s.pool.QueryRow(ctx, `SELECT pg_is_in_recovery(), `+replayedSQL).Scan(&standby, &position); err != nil {
		return 0, fmt.Errorf("eventstore: the standby: %w", err)
	}
	if !standby {
		return 0, errPromoted
	}
	return position, nil
}

// Try calls do with the standby and a position up to which the log is complete there. It reports whether do has an answer;
// otherwise the caller asks the primary. A read that a recovery conflict cancelled is tried once more; a standby that does not answer
// is not asked again for a while.
func (s *Standby) Try(ctx context.Context, do func(ctx context.Context, pool *pgxpool.Pool, upTo int64) (found bool, err error)) bool {
	if s == nil || s.resting() {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	for attempt := 1; ; attempt++ {
		found := false
		upTo, err := s.replayed(bounded)
		if err == nil {
			found, err = do(bounded, s.pool, upTo)
		}
		if err == nil {
			return found
		}
		if ctx.Err() != nil {
			return false
		}
		if !database.Conflicts(err) {
			s.mu.Lock()
			s.rest = time.Now().Add(restTime)
			s.mu.Unlock()
		}
		if !database.Conflicts(err) || attempt == 2 {
			s.primary.logger.WarnContext(ctx, "a read of the standby failed; the primary answers", "error", err)
			return false
		}
	}
}

func (s *Standby) resting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.rest)
}

// Covering returns the standby's copy of the log if it is complete up to a position, else nil.
func (s *Standby) Covering(ctx context.Context, position int64) (log *Store) {
	s.Try(ctx, func(_ context.Context, _ *pgxpool.Pool, upTo int64) (bool, error) {
		if position <= upTo {
			log = s.store
		}
		return log != nil, nil
	})
	return log
}

// Behind is the error of a standby that did not catch up in time.
type Behind struct {
	Bytes int64 // of the primary's changes that it lacks
	After time.Duration
}

// Error implements error.
func (e *Behind) Error() string {
	return fmt.Sprintf("the standby lacks %d bytes of the primary's changes, and did not catch up within %s", e.Bytes, e.After)
}

// Await waits until the standby has everything that the primary had when Await was called. It returns a position up to which the log is
// then complete on both.
func (s *Standby) Await(ctx context.Context, atMost time.Duration) (int64, error) {
	end := time.NewTimer(atMost)
	defer end.Stop()
	upTo, err := s.primary.Watermark(ctx)
	if err != nil {
		return 0, err
	}
	var flushed string
	if err := s.primary.pool.QueryRow(ctx, `SELECT pg_current_wal_flush_lsn()::text`).Scan(&flushed); err != nil {
		return 0, fmt.Errorf("eventstore: how far the primary is: %w", err)
	}
	for {
		var left int64
		err := s.pool.QueryRow(ctx, `SELECT greatest(coalesce(pg_wal_lsn_diff($1::text::pg_lsn, pg_last_wal_replay_lsn()), 1), 0)::bigint
			WHERE pg_is_in_recovery()`, flushed).Scan(&left)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return 0, errPromoted
		case err != nil:
			return 0, fmt.Errorf("eventstore: how far the standby is: %w", err)
		case left == 0:
			return upTo, nil
		}
		select {
		case <-time.After(awaitPause):
		case <-end.C:
			return 0, &Behind{left, atMost}
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}
