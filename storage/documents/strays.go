package documents

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/bucket"
)

// strayPage is how many objects are listed and looked up at once.
const strayPage = 500

// objectName is the name of an object (keyOf), or of what a process that was killed while it put one left in a folder (bucket.Delete): its
// key and the digest of its document.
var objectName = regexp.MustCompile(`^(` + prefix + `[0-9a-f]{2}/([0-9a-f]{64})-[0-9a-f-]{36})(?:\.[^/]*\.tmp)?$`)

// Strays lists the bucket and passes to found the keys of objects older than old that this database does not know: no row names them, and
// they are not registered. With remove it deletes each before. Sweep does not find them, because it looks in the database alone. A put
// that was frozen until its registration was swept leaves one, and so does a database that was restored to an earlier time.
//
// No document loses its object, whatever old is. A key is registered, and that is committed, before the object is put, and only a
// registered key can be named. Naming and releasing move it between the two tables in one transaction, and one statement, with one
// snapshot, looks in both after the object was listed. So a key that it does not find is in neither from then on.
func (s *Store) Strays(ctx context.Context, old time.Time, remove bool, found func(key string)) error {
	var belongs bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM documents WHERE object IS NOT NULL)`).Scan(&belongs); err != nil {
		return fmt.Errorf("documents: strays: %w", err)
	}
	if !belongs {
		return errors.New("documents: no document of this database is in a bucket, so nothing shows that this bucket is its own")
	}
	for place := bucket.FirstPage; len(place) > 0; {
		listed, next, err := s.objects.list(ctx, place)
		if err != nil {
			return err
		}
		strays, err := s.unknown(ctx, listed, old)
		if err != nil {
			return err
		}
		for _, key := range strays {
			if remove {
				if err := s.objects.delete(ctx, key); err != nil {
					return err
				}
			}
			found(key)
		}
		place = next
	}
	return nil
}

// list returns a page of the objects in the bucket, and the place of the next page.
func (o *objects) list(ctx context.Context, place []byte) ([]bucket.Entry, []byte, error) {
	type page struct {
		listed []bucket.Entry
		next   []byte
	}
	pages := make(chan page, tries) // a try that took too long may be answered later
	_, err := o.try(ctx, lists, prefix, 0, func(ctx context.Context) ([]byte, error) {
		listed, next, err := o.bucket.List(ctx, place, strayPage, prefix, "")
		if err == nil {
			pages <- page{listed, next}
		}
		return nil, err
	})
	if err != nil {
		return nil, nil, err
	}
	p := <-pages
	return p.listed, p.next, nil
}

// unknown returns the keys of listed objects older than old that are neither named nor registered.
func (s *Store) unknown(ctx context.Context, listed []bucket.Entry, old time.Time) ([]string, error) {
	var keys, hashes []string
	for _, o := range listed {
		is := objectName.FindStringSubmatch(o.Key)
		if is == nil || !o.Written.Before(old) || slices.Contains(keys, is[1]) {
			continue
		}
		keys, hashes = append(keys, is[1]), append(hashes, "sha256:"+is[2])
	}
	rows, _ := s.pool.Query(ctx, `SELECT l.key FROM unnest($1::text[], $2::text[]) AS l (key, hash)
		WHERE NOT EXISTS (SELECT FROM documents d WHERE d.hash = l.hash AND d.object = l.key)
		AND NOT EXISTS (SELECT FROM document_objects o WHERE o.key = l.key) ORDER BY l.key`, keys, hashes)
	strays, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("documents: strays: %w", err)
	}
	return strays, nil
}
