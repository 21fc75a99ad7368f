package audit

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
)

const headColumns = `tree, epoch, size, position, root, note, signed_at`

func scanHead(row pgx.CollectableRow) (h Head, err error) {
	var root []byte
	var note string
	err = row.Scan(&h.Tree, &h.Epoch, &h.Size, &h.Position, &root, &note, &h.SignedAt)
	if err == nil {
		h.Root, h.Note = tree.Hash(root), []byte(note)
	}
	return h, err
}

// Base returns the name of the service's tree in the first epoch, ErrUnnamed before Begin.
func (l *Log) Base(ctx context.Context) (base string, err error) {
	err = l.o.Pool.QueryRow(ctx, `SELECT origin FROM audit_epochs WHERE epoch = 1`).Scan(&base)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrUnnamed
	}
	return base, wrapped("read the name of the trees", err)
}

// Epoch returns the number of the current epoch; 1 before Begin.
func (l *Log) Epoch(ctx context.Context) (number int, err error) {
	err = l.o.Pool.QueryRow(ctx, `SELECT coalesce(max(epoch), 1) FROM audit_epochs`).Scan(&number)
	return number, wrapped("the epoch", err)
}

// SignedAfter returns the head of the service's tree that was signed next after the one of that size, or else the first of the next
// epoch, and ErrNotSealed after the last.
func (l *Log) SignedAfter(ctx context.Context, epoch int, size int64) (Head, error) {
	return l.signed(ctx, `SELECT `+headColumns+` FROM audit_checkpoints WHERE tree = '' AND (epoch, size) > ($1, $2)
		ORDER BY epoch, size LIMIT 1`, epoch, size)
}

// LastSigned returns the head of the service's tree that was signed last in the epoch of the head.
func (l *Log) LastSigned(ctx context.Context, h Head) (Head, error) {
	return l.signed(ctx, `SELECT `+headColumns+` FROM audit_checkpoints WHERE tree = '' AND epoch = $1 ORDER BY size DESC LIMIT 1`, h.Epoch)
}

// SignedAt returns the head of the service's tree that was signed last at or before a time, ErrNotSealed if there is none. The current
// epoch is searched first: heads of an earlier epoch may cover events that a restore lost.
func (l *Log) SignedAt(ctx context.Context, at time.Time) (Head, error) {
	return l.signed(ctx, `SELECT `+headColumns+` FROM audit_checkpoints WHERE tree = '' AND signed_at <= $1
		ORDER BY epoch DESC, size DESC LIMIT 1`, at)
}

// SignedOver returns the first head of the service's tree, in the current epoch, that includes the event at a position; ErrNotSealed if
// there is none yet.
func (l *Log) SignedOver(ctx context.Context, position int64) (Head, error) {
	return l.signed(ctx, `SELECT `+headColumns+` FROM audit_checkpoints WHERE tree = '' AND position >= $1
		ORDER BY epoch DESC, size LIMIT 1`, position)
}

func (l *Log) signed(ctx context.Context, sql string, args ...any) (Head, error) {
	rows, _ := l.o.Pool.Query(ctx, sql, args...)
	h, err := pgx.CollectExactlyOneRow(rows, scanHead)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, ErrNotSealed
	}
	return h, wrapped("read signed heads", err)
}

// accountsAtOnce bounds a page of AccountsSigned.
const accountsAtOnce = 1000

// AccountsSigned passes the heads of accounts' trees to do that were signed up to the head of the service's tree, and after the head of
// the size before it in its epoch.
func (l *Log) AccountsSigned(ctx context.Context, before int64, head Head, do func([]Head) error) error {
	position, after := int64(-1), ""
	err := l.o.Pool.QueryRow(ctx, `SELECT position FROM audit_checkpoints WHERE tree = '' AND epoch = $1 AND size <= $2 AND size < $3
		ORDER BY size DESC LIMIT 1`, head.Epoch, before, head.Size).Scan(&position)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return wrapped("read signed heads", err)
	}
	for {
		rows, _ := l.o.Pool.Query(ctx, `SELECT `+headColumns+` FROM audit_checkpoints
			WHERE epoch = $1 AND tree <> '' AND (position, tree) > ($2, $3) AND position <= $4 ORDER BY position, tree LIMIT $5`,
			head.Epoch, position, after, head.Position, accountsAtOnce)
		found, err := pgx.CollectRows(rows, scanHead)
		if err != nil || len(found) == 0 {
			return wrapped("read signed heads", err)
		}
		if err := do(found); err != nil || len(found) < accountsAtOnce {
			return err
		}
		position, after = found[len(found)-1].Position, found[len(found)-1].Tree
	}
}

// Cosigned stores the note of the service's tree with the signatures of witnesses, unless the tree has a later head by now.
func (l *Log) Cosigned(ctx context.Context, h Head) error {
	_, err := l.o.Pool.Exec(ctx, `UPDATE audit_trees SET note = $3 WHERE tree = '' AND epoch = $1 AND size = $2`,
		h.Epoch, h.Size, string(h.Note))
	return wrapped("store the signatures of witnesses", err)
}
