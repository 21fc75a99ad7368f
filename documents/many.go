package documents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/database"
)

// GetAll returns the documents with the hashes, by hash, each verified, in one
// round trip. If one is missing it returns ErrNotFound.
func (s *Store) GetAll(ctx context.Context, hashes []string) (map[string][]byte, error) {
	rows, err := s.pool.Query(ctx, `SELECT hash, body FROM documents WHERE hash = ANY($1)`, hashes)
	if err != nil {
		return nil, fmt.Errorf("documents: read %d: %w", len(hashes), err)
	}
	all := make(map[string][]byte, len(hashes))
	var hash string
	var packed []byte
	if _, err := pgx.ForEachRow(rows, []any{&hash, &packed}, func() error {
		body, err := Unpack(hash, packed)
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

// Expire returns the statement that lets Sweep delete the documents after expires.
// A later expiry or none that was set before is kept.
func Expire(hashes []string, expires time.Time) database.Statement {
	return database.Statement{SQL: `UPDATE documents SET expires_at = greatest(expires_at, $2) WHERE hash = ANY($1)`,
		Args: []any{hashes, expires}}
}
