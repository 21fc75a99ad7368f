package erase

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
	"readiness/storage/documents"
)

const (
	// maxHashes bounds how many documents are in memory, and hashesAtOnce how many a statement has.
	maxHashes    = 100_000
	hashesAtOnce = 5000
)

// hashes are documents that the account's events name.
type hashes map[string]bool

func (h hashes) add(data []byte) {
	for _, hash := range documents.Named(data) {
		h[hash] = true
	}
}

func (h hashes) drop(data []byte) {
	for _, hash := range documents.Named(data) {
		delete(h, hash)
	}
}

// delete deletes those of the documents that no event of another account names, and empties the set. Equal documents of several accounts
// are one row, and no index says who names it: so it reads the log, once for each set.
func (h hashes) delete(ctx context.Context, d Deployment, account string, upTo int64, gone *Deleted) error {
	defer clear(h)
	if err := h.keepStored(ctx, d); err != nil || len(h) == 0 {
		return err
	}
	for r, err := range d.Store.Replay(ctx, eventstore.Selection{UpTo: upTo}, nil, true) {
		if err != nil {
			return err
		}
		if r.Account != account {
			h.drop(r.Data)
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(h)), documentsAtOnce) {
		if err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
			return deleteUnnamed(ctx, tx, some, account, upTo, gone)
		}); err != nil {
			return err
		}
	}
	return nil
}

// keepStored drops the documents that are not stored.
func (h hashes) keepStored(ctx context.Context, d Deployment) error {
	for some := range slices.Chunk(slices.Collect(maps.Keys(h)), hashesAtOnce) {
		found, _ := d.Pool.Query(ctx, `SELECT hash FROM unnest($1::text[]) n (hash) WHERE NOT EXISTS (
			SELECT FROM documents d WHERE d.hash = n.hash)`, some)
		var hash string
		if _, err := pgx.ForEachRow(found, []any{&hash}, func() error { delete(h, hash); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// deleteUnnamed deletes the documents, except those that another account's event after the position names. An append that stores one of
// them again locks its row (documents.Put): it is committed when the lock is taken here, and its event is seen, or it waits, and stores
// the document again.
func deleteUnnamed(ctx context.Context, tx pgx.Tx, some []string, account string, upTo int64, gone *Deleted) error {
	if _, err := tx.Exec(ctx, `SELECT FROM documents WHERE hash = ANY($1) ORDER BY hash FOR UPDATE`, some); err != nil {
		return err
	}
	left := hashes{}
	for _, hash := range some {
		left[hash] = true
	}
	for r, err := range eventstore.ReadStoredIn(ctx, tx, upTo, 1<<62) {
		if err != nil {
			return err
		}
		if r.Account != account {
			left.drop(r.Data)
		}
	}
	tag, err := tx.Exec(ctx, `DELETE FROM documents WHERE hash = ANY($1)`, slices.Collect(maps.Keys(left)))
	gone.Documents += tag.RowsAffected()
	return err
}
