package documents

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/time/rate"
)

// ErrDamaged reports that the bytes of a document are not those that were stored, or are gone from its bucket.
var ErrDamaged = errors.New("documents: the document is damaged")

// verifyPage is how many documents Verify reads at once.
const verifyPage = 16

// VerifyOptions are the inputs of Verify.
type VerifyOptions struct {
	// After leaves out the documents up to this hash, to continue a verification; "" for none.
	After string
	// Rate is how many documents are read a second; 0 for no limit.
	Rate int
	// Damaged is called with each document that cannot be read as it was stored.
	Damaged func(hash string, why error)
	// Read is called after each page with how many documents were read, and the hash of the last.
	Read func(n int, last string)
}

// Verify reads all stored documents in the order of their hashes, and compares each with its hash. It cannot find a document that was
// deleted with its row: compare with what names documents. An error is about reading.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) error {
	limit := rate.NewLimiter(rate.Inf, 0)
	if o.Rate > 0 {
		limit = rate.NewLimiter(rate.Limit(o.Rate), verifyPage)
	}
	for n := 0; ; {
		if err := limit.WaitN(ctx, verifyPage); o.Rate > 0 && err != nil {
			return err
		}
		rows, _ := s.pool.Query(ctx, `SELECT hash, body, object FROM documents WHERE hash > $1 ORDER BY hash LIMIT $2`, o.After, verifyPage)
		page, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
		if err != nil {
			return fmt.Errorf("documents: verify: %w", err)
		}
		for _, r := range page {
			switch _, err := s.open(ctx, r); {
			case errors.Is(err, ErrDamaged):
				o.Damaged(r.Hash, err)
			case err != nil && !errors.Is(err, ErrNotFound): // deleted meanwhile
				return err
			}
		}
		if len(page) == 0 {
			return nil
		}
		n, o.After = n+len(page), page[len(page)-1].Hash
		if o.Read != nil {
			o.Read(n, o.After)
		}
	}
}
