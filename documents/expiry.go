package documents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Expiry returns after when Sweep deletes the document with the hash; nil for never, or if there is none.
func (s *Store) Expiry(ctx context.Context, hash string) (expires *time.Time, err error) {
	err = s.pool.QueryRow(ctx, `SELECT expires_at FROM documents WHERE hash = $1`, hash).Scan(&expires)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("%w: the expiry of %s: %w", ErrUnavailable, hash, err)
	}
	return expires, nil
}
