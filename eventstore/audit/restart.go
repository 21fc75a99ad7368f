package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore/audit/tree"
	"readiness/internal/database"
)

// Restart begins a new epoch, for a database that is behind what it has published. The first entry of each tree names the last head that
// the tree had in the earlier epoch: the largest of those in the database, of Options.Published and of notes. It returns the new epoch's
// number.
func (l *Log) Restart(ctx context.Context, because string, notes [][]byte) (number int, err error) {
	published, err := l.o.Published(ctx)
	if err != nil {
		return 0, wrapped("the heads that were published", err)
	}
	err = database.Transaction(ctx, l.o.Pool, func(tx pgx.Tx) error {
		e, ok, err := lock(ctx, tx)
		if err == nil && !ok {
			err = ErrUnnamed
		}
		if err != nil {
			return err
		}
		last, newest, err := e.lastHeads(ctx, tx, append(published, notes...))
		if err != nil {
			return err
		}
		number = newest + 1
		if _, err := tx.Exec(ctx, `INSERT INTO audit_epochs (epoch, origin, because, began_at) VALUES ($1, $2, $3, $4)`, number,
			Origin(e.base, Service, number), because, l.o.Now()); err != nil {
			return err
		}
		e.number = number
		return e.begin(ctx, tx, l.o, because, last)
	})
	return number, wrapped("restart", err)
}

// lastHeads returns the note of the last head of each tree, and the newest epoch that any of them is from. That is a later one than the
// database's if an imported log was in it.
func (e epoch) lastHeads(ctx context.Context, tx pgx.Tx, notes [][]byte) (last map[string][]byte, newest int, err error) {
	type place struct {
		epoch int
		size  int64
	}
	last, at, newest := map[string][]byte{}, map[string]place{}, e.number
	rows, _ := tx.Query(ctx, `SELECT tree, size, coalesce(note, '') FROM audit_trees WHERE epoch = $1`, e.number)
	var name, note string
	var size int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &size, &note}, func() error {
		last[name], at[name] = []byte(note), place{e.number, size}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	for _, note := range notes {
		origin, head, err := ParseBody(note)
		if err != nil {
			return nil, 0, err
		}
		of, number, ours := treeOf(e.base, origin)
		if was := at[of]; ours && (number > was.epoch || number == was.epoch && head.Size > was.size) {
			last[of], at[of] = note, place{number, head.Size}
			newest = max(newest, number)
		}
	}
	return last, newest, nil
}

// begin stores the trees of a new epoch with their first entries.
func (e epoch) begin(ctx context.Context, tx pgx.Tx, o Options, because string, last map[string][]byte) error {
	b := &pgx.Batch{}
	for of, note := range last {
		entry := fmt.Appendf(nil, "readiness audit restart\nepoch %d\nbecause %q\n\n%s", e.number, because, note)
		edge := &tree.Edge{}
		edge.Append(tree.Leaf(entry))
		head := tree.Head{Size: 1, Root: edge.Root()}
		signed, err := sign(o.Key, Origin(e.base, of, e.number), head)
		if err != nil {
			return err
		}
		b.Queue(`INSERT INTO audit_trees (tree, epoch, size, position, root, first_entry, note, sealed_at, announced_on)
			VALUES ($1, $2, 1, 0, $3, $4, $5, $6::timestamptz, ($6::timestamptz AT TIME ZONE 'UTC')::date)`,
			of, e.number, head.Root[:], entry, string(signed), o.Now())
		b.Queue(`INSERT INTO audit_tiles (tree, epoch, level, index, hashes, first_position, last_position)
			VALUES ($1, $2, 0, 0, $3, 0, 0)`, of, e.number, head.Root[:])
		b.Queue(`INSERT INTO audit_checkpoints (tree, epoch, size, position, root, note, signed_at)
			VALUES ($1, $2, 1, 0, $3, $4, $5)`, of, e.number, head.Root[:], string(signed), o.Now())
	}
	return tx.SendBatch(ctx, b).Close()
}

// Unused returns an error if the trees have entries: then the log of the database is not a new one, even if it is empty.
func Unused(ctx context.Context, tx pgx.Tx) error {
	var used bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_trees WHERE size > 0)`).Scan(&used)
	if err == nil && used {
		err = errors.New("the trees of the log have entries, so it was not always empty; import into a new database")
	}
	return wrapped("look for trees", err)
}
