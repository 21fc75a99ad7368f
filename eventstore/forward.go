package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Forwarder is the name of the forwarder (package forward) in the table followers. Its position is kept outside the database; the row is
// for operators.
const Forwarder = "forward"

// Grown waits until the watermark is above a position, but not longer than atMost, and returns it.
func (s *Store) Grown(ctx context.Context, above int64, atMost time.Duration) (int64, error) {
	end := time.NewTimer(atMost)
	defer end.Stop()
	for {
		wake := s.news.next()
		mark, err := s.marks.settled(ctx, s.pool, wake)
		if err != nil || mark > above {
			return mark, err
		}
		select {
		case <-wake:
		case <-time.After(pollInterval):
		case <-end.C:
			return mark, nil
		case <-ctx.Done():
			return mark, ctx.Err()
		}
	}
}

// Holds reports whether the event at a position has the hash.
func (s *Store) Holds(ctx context.Context, position int64, hash []byte) (bool, error) {
	var there []byte
	err := s.pool.QueryRow(ctx, `SELECT hash FROM events WHERE position = $1`, position).Scan(&there)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("eventstore: the event at %d: %w", position, err)
	}
	return bytes.Equal(there, hash), nil
}

// Forwarded records that all events up to a position were forwarded.
func (s *Store) Forwarded(ctx context.Context, position int64) error {
	return s.forwarding(ctx, `INSERT INTO followers (name, position) VALUES ($1, $2) ON CONFLICT (name)
		DO UPDATE SET position = $2, updated_at = clock_timestamp(), error = NULL, failed_at = NULL`, Forwarder, position)
}

// ForwardFailed records why forwarding has stopped.
func (s *Store) ForwardFailed(ctx context.Context, failure error) error {
	return s.forwarding(ctx, `INSERT INTO followers (name, error, failed_at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT (name)
		DO UPDATE SET error = $2, failed_at = clock_timestamp()`, Forwarder, errorText(failure))
}

// ForgetForwarding removes the recorded state of forwarding.
func (s *Store) ForgetForwarding(ctx context.Context) error {
	return s.forwarding(ctx, `DELETE FROM followers WHERE name = $1`, Forwarder)
}

func (s *Store) forwarding(ctx context.Context, sql string, args ...any) error {
	if _, err := s.pool.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("eventstore: record what was forwarded: %w", err)
	}
	return nil
}

// CloudEventWithoutData returns CloudEvent without the event's data, and the hexadecimal SHA-256 of these.
func (r *Recorded) CloudEventWithoutData() (text []byte, sum string, err error) {
	of := sha256.Sum256(r.Data)
	short := *r
	short.Data = []byte("null")
	text, err = short.CloudEvent()
	return text, hex.EncodeToString(of[:]), err
}
