package documents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Expiry returns the time after which Sweep deletes the document with the hash. It is nil if the document has no expiry, or if there is no
// such document.
func (s *Store) Expiry(ctx context.Context, hash string) (expires *time.Time, err error) {
	err = s.pool.QueryRow(ctx, `SELECT expires_at FROM documents WHERE hash = $1`, hash).Scan(&expires)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("%w: read the expiry of %s: %w", ErrUnavailable, hash, err)
	}
	return expires, nil
}
