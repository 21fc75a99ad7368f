package eventstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// appenders is the base of the appenders' advisory locks: an append that may take positions above p
// holds appenders+p, shared. 2^44 positions fit.
const appenders = int64(0x4553) << 44

// gate is the advisory lock that every append holds, shared, from before it takes a position until it
// ends.
const gate = appenders - 1

// HoldAppends waits until no append is running and blocks new ones, those of other programs too, until
// tx ends. At READ COMMITTED the next statement of tx sees the complete log, regardless of the
// watermark; a transaction with one snapshot has taken it too early. Set a lock_timeout: appends wait
// as long as HoldAppends does.
func HoldAppends(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, gate); err != nil {
		return fmt.Errorf("eventstore: hold appends: %w", err)
	}
	return nil
}

// A standby shows no locks, and its sequence is ahead of the events.
const lastSQL = `SELECT CASE WHEN pg_is_in_recovery() THEN ` + replayedSQL + ` ELSE last_value END FROM events_position_seq`

var heldSQL = fmt.Sprintf(`
SELECT min(((classid::bigint << 32) | objid::bigint) - %[1]d) FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND ((classid::bigint << 32) | objid::bigint) BETWEEN %[1]d AND %[1]d + (1::bigint << 44) - 1`, appenders)

// querier is a pool, a connection or a transaction.
type querier interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Watermark returns a position up to which the log is complete: no event will be added at or below it.
// Every event committed before the call began is at or below it, unless an append that is older than
// that event is still running. A later call may return less; an earlier result remains valid.
//
// On a standby it is the position that the followers have reached, which may be below the standby's last event.
func (s *Store) Watermark(ctx context.Context) (int64, error) {
	return watermark(ctx, s.pool)
}

// watermark reads the last position handed out first and the positions held second, each with its own
// snapshot: an append in between either still holds its lock or has committed.
func watermark(ctx context.Context, q querier) (int64, error) {
	_, complete, err := positions(ctx, q)
	return complete, err
}

// Positions returns the last position handed out, and the watermark. The log is complete if they are equal; otherwise an
// append is running.
func (s *Store) Positions(ctx context.Context) (last, watermark int64, err error) {
	return positions(ctx, s.pool)
}

func positions(ctx context.Context, q querier) (last, watermark int64, err error) {
	var held *int64
	b := &pgx.Batch{}
	b.Queue(lastSQL).QueryRow(func(row pgx.Row) error { return row.Scan(&last) })
	b.Queue(heldSQL).QueryRow(func(row pgx.Row) error { return row.Scan(&held) })
	if err := q.SendBatch(ctx, b).Close(); err != nil {
		return 0, 0, fmt.Errorf("eventstore: watermark: %w", err)
	}
	watermark = last
	if held != nil {
		watermark = min(last, *held)
	}
	return last, watermark, nil
}

// marks lets the followers of a process, which the same append wakes all at once, share one query for
// the watermark. Make one with newMarks.
type marks struct {
	turn chan struct{} // holds one value while no goroutine queries

	position int64
	of       <-chan struct{} // the wake channel in use when position was read
	at       time.Time       // when position was read
}

func newMarks() *marks {
	m := &marks{turn: make(chan struct{}, 1)}
	m.turn <- struct{}{}
	return m
}

// settled returns a watermark that was read after wake was taken from the bell, at most pollInterval
// ago. An append that this process was not notified of is seen when a follower polls.
func (m *marks) settled(ctx context.Context, q querier, wake <-chan struct{}) (int64, error) {
	select {
	case <-m.turn:
		defer func() { m.turn <- struct{}{} }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if m.of == wake && time.Since(m.at) < pollInterval {
		return m.position, nil
	}
	at := time.Now()
	position, err := watermark(ctx, q)
	if err != nil {
		return 0, err
	}
	m.position, m.of, m.at = position, wake, at
	return position, nil
}
