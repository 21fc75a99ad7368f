package eventstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Checkpoint is a hash over all events of an account, up to one of them. A checkpoint kept elsewhere
// detects two changes that Verify cannot: that the end of a stream, or an entire stream, was removed.
type Checkpoint struct {
	Position int64 // of the last event; 0 when there is none
	Events   int64
	// Head is 32 zero bytes before the first event and, after each in the order
	// of positions, SHA-256(head ‖ position as 8 bytes, big-endian ‖ its hash).
	Head [sha256.Size]byte
}

// Next returns the checkpoint after one more event.
func (c Checkpoint) Next(position int64, hash []byte) Checkpoint {
	b := make([]byte, 0, 2*sha256.Size+8)
	b = append(b, c.Head[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(position)) //nolint:gosec // positions are not negative
	return Checkpoint{position, c.Events + 1, sha256.Sum256(append(b, hash...))}
}

// Checkpoint returns the account's checkpoint at its last event at or below the watermark. From
// time to time it stores the checkpoint, so that the next call need not start from the first event.
func (s *Store) Checkpoint(ctx context.Context, account string) (Checkpoint, error) {
	upTo, err := s.Watermark(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	var c Checkpoint
	var head []byte
	err = s.pool.QueryRow(ctx, `SELECT position, events, head FROM checkpoints WHERE account_id = $1`, account).Scan(&c.Position, &c.Events,
		&head)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Checkpoint{}, fmt.Errorf("eventstore: checkpoint: %w", err)
	}
	copy(c.Head[:], head)
	kept := c.Events
	rows, err := s.pool.Query(ctx,
		`SELECT position, hash FROM events WHERE account_id = $1 AND position > $2 AND position <= $3 ORDER BY position`,
		pgx.QueryExecModeCacheDescribe, account, c.Position, upTo)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("eventstore: checkpoint: %w", err)
	}
	var position int64
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&position, &hash}, func() error {
		c = c.Next(position, hash)
		return nil
	})
	if err == nil && c.Events >= kept+pageSize {
		_, err = s.pool.Exec(ctx, `INSERT INTO checkpoints AS c (account_id, position, events, head) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account_id) DO UPDATE SET position = excluded.position, events = excluded.events, head = excluded.head
				WHERE c.position < excluded.position`,
			account, c.Position, c.Events, c.Head[:])
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("eventstore: checkpoint: %w", err)
	}
	return c, nil
}
