// Package reads remembers in PostgreSQL the reads of definitions that a remote platform has begun for a step of work, so that
// any process continues them and none reads twice, and the definitions of bulk exports. Both last until the step has its outcome.
// The tables are not logged: after a crash of the server the reads begin again.
package reads

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/platform/fabric"
)

// Store implements fabric.Reads. It is safe for concurrent use, within and across processes.
type Store struct{ Pool *pgxpool.Pool }

const key = `operation_id = $1 AND issuer = '' AND person = $2 AND item_id = $3`

// Find implements fabric.Reads.
func (s Store) Find(ctx context.Context, r fabric.Read) (operation string, begun time.Time, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT remote, begun FROM pending_reads WHERE `+key, r.Operation, r.Person, r.Item).
		Scan(&operation, &begun)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", time.Time{}, nil
	}
	return operation, begun, wrapped(err)
}

// Keep implements fabric.Reads. Of two processes that begin the same read, the later one is remembered.
func (s Store) Keep(ctx context.Context, r fabric.Read, operation string) error {
	_, err := s.Pool.Exec(ctx, `INSERT INTO pending_reads AS p (operation_id, issuer, person, item_id, remote) VALUES ($1, '', $2, $3, $4)
		ON CONFLICT (operation_id, issuer, person, item_id) DO UPDATE SET remote = excluded.remote, begun = excluded.begun`,
		r.Operation, r.Person, r.Item, operation)
	return wrapped(err)
}

// Drop implements fabric.Reads.
func (s Store) Drop(ctx context.Context, r fabric.Read) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM pending_reads WHERE `+key, r.Operation, r.Person, r.Item)
	return wrapped(err)
}

// Life is how long a read is remembered; none counts as long.
const Life = time.Hour

// Sweep deletes the reads that no step released.
func (s Store) Sweep(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM pending_reads WHERE begun < now() - $1::interval`, Life)
	return wrapped(err)
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("reads: %w", err)
	}
	return nil
}
