package documents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	// sweepPage is how many objects a sweep condemns at once, and sweepAtOnce how many of them it deletes at once.
	sweepPage   = 500
	sweepAtOnce = 8
	// sweepAgain is when another process may take up what a sweep left, because its process died or the bucket did not answer.
	sweepAgain = 10 * time.Minute
)

// Sweep deletes the documents whose expiry is before now, and then the objects that no document names. Several processes may sweep at
// once: each page of objects belongs to one of them.
//
// No document that a committed event names loses its object. An object is deleted only after it was condemned, in a separate transaction.
// Condemning locks the object's registration and so does naming it, so one of them is first. If it is naming, the registration is gone,
// and is restored only by the transaction that deletes the document's row or gives it another body. If it is condemning, naming fails, and
// with it the transaction of the event. This does not depend on any clock: namedWithin only makes it unlikely that naming fails.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM documents WHERE expires_at < $1`, now); err != nil {
		return fmt.Errorf("documents: sweep: %w", err)
	}
	if s.objects == nil {
		return nil
	}
	for {
		n, err := s.sweepObjects(ctx)
		if err != nil || n < sweepPage {
			return err
		}
	}
}

// sweepObjects condemns a page of objects and deletes them. It returns how many there were.
func (s *Store) sweepObjects(ctx context.Context) (int, error) {
	rows, _ := s.pool.Query(ctx, `UPDATE document_objects SET condemned = true, due = now() + $1::interval WHERE key IN (
		SELECT key FROM document_objects WHERE due < now() ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING key`,
		sweepAgain.String(), sweepPage)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("documents: sweep objects: %w", err)
	}
	group := errgroup.Group{}
	group.SetLimit(sweepAtOnce)
	failed := make([]error, len(keys))
	for i, key := range keys {
		group.Go(func() error {
			failed[i] = s.objects.delete(ctx, key)
			return nil
		})
	}
	_ = group.Wait() // the errors are in failed
	var gone []string
	for i, key := range keys {
		if failed[i] == nil {
			gone = append(gone, key)
		} else if err == nil {
			err = failed[i]
		}
	}
	if _, err := s.pool.Exec(ctx, `DELETE FROM document_objects WHERE key = ANY($1)`, gone); err != nil {
		return 0, fmt.Errorf("documents: sweep objects: %w", err)
	}
	return len(keys), err
}
