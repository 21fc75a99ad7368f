package documents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// GetAll returns the documents with the hashes, by hash, each checked against
// it, in one round trip. Where one is missing it returns ErrNotFound.
func GetAll(ctx context.Context, pool *pgxpool.Pool, hashes []string) (map[string][]byte, error) {
	rows, err := pool.Query(ctx, `SELECT hash, body FROM documents WHERE hash = ANY($1)`, hashes)
	if err != nil {
		return nil, fmt.Errorf("documents: read %d: %w", len(hashes), err)
	}
	all := make(map[string][]byte, len(hashes))
	var hash string
	var packed []byte
	if _, err := pgx.ForEachRow(rows, []any{&hash, &packed}, func() error {
		body, err := unpack(hash, packed)
		all[hash] = body
		return err
	}); err != nil {
		return nil, fmt.Errorf("documents: read %d: %w", len(hashes), err)
	}
	for _, h := range hashes {
		if _, ok := all[h]; !ok {
			return nil, ErrNotFound
		}
	}
	return all, nil
}

// Expire returns the statement after which Sweep deletes the documents once
// expires has passed, and not before what keeps them for longer.
func Expire(hashes []string, expires time.Time) (sql string, args []any) {
	return `UPDATE documents SET expires_at = greatest(expires_at, $2) WHERE hash = ANY($1)`, []any{hashes, expires}
}
