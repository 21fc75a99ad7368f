package documents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"readiness/internal/bucket"
	"readiness/internal/database"
)

// Row is a row of the table documents. If Object is nil, Body is the compressed document; otherwise Object is the key of the object in the
// bucket that has it.
type Row struct {
	Hash   string
	Body   []byte
	Object *string
}

const (
	// openAtOnce is how many objects OpenAll reads at once.
	openAtOnce = 8
	// maxMoves is how often a body may move while it is read.
	maxMoves = 5
)

// open returns the document of a row, or ErrNotFound if it was deleted since the row was read. If the body has moved since, open reads it
// from its new place.
func (s *Store) open(ctx context.Context, r Row) ([]byte, error) {
	for moved := 0; r.Object != nil; moved++ {
		if s.objects == nil {
			return nil, fmt.Errorf("%w: %s is in a bucket, and this process was started without --documents", ErrUnavailable, r.Hash)
		}
		packed, err := s.objects.get(ctx, *r.Object)
		if err == nil {
			return unpack(r.Hash, packed)
		}
		if !errors.Is(err, bucket.ErrMissing) {
			return nil, err
		}
		was := *r.Object
		err = s.pool.QueryRow(ctx, `SELECT body, object FROM documents WHERE hash = $1`, r.Hash).Scan(&r.Body, &r.Object)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil, ErrNotFound
		case err != nil:
			return nil, fmt.Errorf("%w: read %s: %w", ErrUnavailable, r.Hash, err)
		case r.Object != nil && *r.Object == was || moved == maxMoves:
			return nil, fmt.Errorf("%w: the bucket lacks the object %s of document %s; restore it from a backup of the bucket", ErrDamaged,
				was, r.Hash)
		}
	}
	return unpack(r.Hash, r.Body)
}

// OpenAll returns the documents of rows, by hash, each verified. Documents that were deleted since the rows were read are left out.
func (s *Store) OpenAll(ctx context.Context, rows []Row) (map[string][]byte, error) {
	opened, there := make([][]byte, len(rows)), make([]bool, len(rows))
	group, opening := errgroup.WithContext(ctx)
	group.SetLimit(openAtOnce)
	for i, r := range rows {
		if r.Object == nil {
			continue
		}
		group.Go(func() (err error) {
			opened[i], err = s.open(opening, r)
			if there[i] = err == nil; errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := make(map[string][]byte, len(rows))
	for i, r := range rows {
		if r.Object == nil {
			body, err := unpack(r.Hash, r.Body)
			if err != nil {
				return nil, err
			}
			opened[i], there[i] = body, true
		}
		if there[i] {
			all[r.Hash] = opened[i]
		}
	}
	return all, nil
}

// GetAll returns the documents with the hashes, by hash, each verified, in one
// round trip to the database. If one is missing it returns ErrNotFound.
func (s *Store) GetAll(ctx context.Context, hashes []string) (map[string][]byte, error) {
	found, _ := s.pool.Query(ctx, `SELECT hash, body, object FROM documents WHERE hash = ANY($1)`, hashes)
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[Row])
	if err != nil {
		return nil, fmt.Errorf("documents: read %d documents: %w", len(hashes), err)
	}
	all, err := s.OpenAll(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("documents: read %d documents: %w", len(hashes), err)
	}
	for _, h := range hashes {
		if _, ok := all[h]; !ok {
			return nil, ErrNotFound
		}
	}
	return all, nil
}

// Expire returns the statement that lets Sweep delete the documents after expires.
// A document keeps a later expiry, and one without an expiry stays without.
func Expire(hashes []string, expires time.Time) database.Statement {
	return database.Statement{SQL: `UPDATE documents SET expires_at = greatest(expires_at, $2) WHERE hash = ANY($1)`,
		Args: []any{hashes, expires}}
}
