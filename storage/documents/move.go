package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// movePage is how many documents are listed at once, and moveAtOnce how many of them move at once. Each of them is in memory meanwhile.
const (
	movePage   = 500
	moveAtOnce = 4
)

// ToBucket moves the bodies in the database to the bucket, and calls moved after each page with how many it has moved. A document can be
// read at every moment, by processes that have the bucket: its row has the body until it has the key of an object that was read back.
// After a move that was killed, Sweep removes the objects that no document names, and the next move does the rest.
func (s *Store) ToBucket(ctx context.Context, moved func(n int)) error {
	return s.move(ctx, `SELECT hash FROM documents WHERE object IS NULL AND hash > $1 ORDER BY hash LIMIT $2`, s.toBucket, moved)
}

// ToDatabase moves the bodies in the bucket to the database, like ToBucket.
func (s *Store) ToDatabase(ctx context.Context, moved func(n int)) error {
	return s.move(ctx, `SELECT hash FROM documents WHERE object IS NOT NULL AND hash > $1 ORDER BY hash LIMIT $2`, s.toDatabase, moved)
}

func (s *Store) move(ctx context.Context, page string, one func(context.Context, string) (bool, error), moved func(n int)) error {
	for after := ""; ; {
		rows, _ := s.pool.Query(ctx, page, after, movePage)
		hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("documents: move: %w", err)
		}
		if len(hashes) == 0 {
			return nil
		}
		var n atomic.Int64
		group, moving := errgroup.WithContext(ctx)
		group.SetLimit(moveAtOnce)
		for _, hash := range hashes {
			group.Go(func() error {
				did, err := one(moving, hash)
				if did {
					n.Add(1)
				}
				return err
			})
		}
		err = group.Wait()
		moved(int(n.Load()))
		if err != nil {
			return err
		}
		after = hashes[len(hashes)-1]
	}
}

// toBucket moves one body, and reports whether it did. A document that was deleted or moved meanwhile is not moved.
func (s *Store) toBucket(ctx context.Context, hash string) (bool, error) {
	var packed []byte
	err := s.pool.QueryRow(ctx, `SELECT body FROM documents WHERE hash = $1 AND object IS NULL`, hash).Scan(&packed)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("documents: move %s: %w", hash, err)
	}
	if _, err := unpack(hash, packed); err != nil {
		return false, err
	}
	key, err := s.putNew(ctx, hash, packed)
	if err != nil {
		return false, err
	}
	back, err := s.objects.get(ctx, key)
	if err != nil {
		return false, err
	}
	if !bytes.Equal(back, packed) {
		return false, fmt.Errorf("documents: the bucket returned other bytes than were put as %s; the document stays in the database", key)
	}
	tag, err := s.pool.Exec(ctx, `WITH ours AS (SELECT key FROM document_objects WHERE key = $2 AND NOT condemned FOR UPDATE),
		moved AS (UPDATE documents SET body = '', object = ours.key FROM ours WHERE hash = $1 AND object IS NULL RETURNING object)
		DELETE FROM document_objects o USING moved WHERE o.key = moved.object`, hash, key)
	if err != nil {
		return false, fmt.Errorf("documents: move %s: %w", hash, err)
	}
	return tag.RowsAffected() == 1, nil
}

// toDatabase moves one body back.
func (s *Store) toDatabase(ctx context.Context, hash string) (bool, error) {
	var key string
	err := s.pool.QueryRow(ctx, `SELECT object FROM documents WHERE hash = $1 AND object IS NOT NULL`, hash).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("documents: move %s: %w", hash, err)
	}
	body, err := s.open(ctx, Row{Hash: hash, Object: &key})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tag, err := s.pool.Exec(ctx, `UPDATE documents SET body = $3, object = NULL WHERE hash = $1 AND object = $2`, hash, key,
		encoder.EncodeAll(body, nil))
	if err != nil {
		return false, fmt.Errorf("documents: move %s: %w", hash, err)
	}
	return tag.RowsAffected() == 1, nil
}

// Places returns how many documents are in the database and in the bucket, and how many objects no document names.
func (s *Store) Places(ctx context.Context) (inDatabase, inBucket, unnamed int64, err error) {
	err = s.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE object IS NULL), count(object),
		(SELECT count(*) FROM document_objects) FROM documents`).Scan(&inDatabase, &inBucket, &unnamed)
	if err != nil {
		err = fmt.Errorf("documents: count: %w", err)
	}
	return inDatabase, inBucket, unnamed, err
}

// Belongs returns an error if documents are in a bucket that this store does not have. A bucket that does not answer is no error.
func (s *Store) Belongs(ctx context.Context) error {
	var key string
	err := s.pool.QueryRow(ctx, `SELECT object FROM documents WHERE object IS NOT NULL ORDER BY hash LIMIT 1`).Scan(&key)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("documents: %w", err)
	case s.objects == nil:
		return errors.New("documents are in a bucket: name it with --documents, or first move them to the database with " +
			"readinessd documents move --to database")
	}
	return s.objects.has(ctx, key)
}
