package audit

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
)

// dueAtOnce bounds the heads of one Due; the next one returns others.
const dueAtOnce = 1000

// Due returns the heads of accounts' trees that must be recorded today as account.sealed: at most one a day, and none of an account without
// other events since.
func (l *Log) Due(ctx context.Context) ([]Head, error) {
	rows, _ := l.o.Pool.Query(ctx, `
		SELECT tree, epoch, size, root, position FROM audit_trees
		WHERE epoch = (SELECT max(epoch) FROM audit_epochs) AND tree <> ''
			AND announced_on < ($1::timestamptz AT TIME ZONE 'UTC')::date AND size > announced + 1
		ORDER BY tree LIMIT $2`, l.o.Now(), dueAtOnce)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h Head, err error) {
		var root []byte
		if err = row.Scan(&h.Tree, &h.Epoch, &h.Size, &root, &h.Position); err == nil {
			h.Root = tree.Hash(root)
		}
		return h, err
	})
	return found, wrapped("the heads to record", err)
}

// ErrRecorded is the error of marking a head when another process has recorded one.
var ErrRecorded = errors.New("audit: another process has recorded the head")

// Record marks a head of Due as recorded, in the transaction that records it.
func (l *Log) Record(ctx context.Context, tx pgx.Tx, h Head) error {
	tag, err := tx.Exec(ctx, `UPDATE audit_trees SET announced = $3, announced_on = ($4::timestamptz AT TIME ZONE 'UTC')::date
		WHERE tree = $1 AND epoch = $2 AND announced < $3 AND announced_on < ($4::timestamptz AT TIME ZONE 'UTC')::date`,
		h.Tree, h.Epoch, h.Size, l.o.Now())
	if err == nil && tag.RowsAffected() == 0 {
		return ErrRecorded
	}
	return wrapped("record a head", err)
}
