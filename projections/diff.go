package projections

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"readiness/internal/lists"
)

// Diff is the difference between a generation and the live one, as of one instant.
type Diff struct {
	Same   int64 // rows
	Tables []TableDiff
}

// None reports whether there is no difference.
func (d *Diff) None() bool {
	return !slices.ContainsFunc(d.Tables, func(t TableDiff) bool { return t.OnlyLive+t.OnlyNew+t.Different > 0 })
}

// TableDiff is the difference between a table and the live one.
type TableDiff struct {
	Table     string
	OnlyLive  int64    // rows whose key the new table does not have
	OnlyNew   int64    // rows whose key the live table does not have
	Different int64    // rows with the same key and other columns
	First     []string // the keys of up to ten of these rows, as JSON arrays, in order
}

// compare compares the generation with the live one, as of one snapshot and without blocking writers.
// Events and the rows of the live generation are committed together, so in a snapshot the rows are the
// fold of the events. compare folds the new generation up to that point, compares, and rolls the fold
// back, because events at lower positions may still commit.
func (b *build) compare(ctx context.Context) error {
	tx, err := b.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return fmt.Errorf("projections: rebuild %s: compare: %w", b.Name, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	to := int64(noEnd)
	if !b.Inline {
		err = tx.QueryRow(ctx, `SELECT coalesce((SELECT position FROM followers WHERE name = $1), 0)`, b.follower()).Scan(&to)
	}
	if err == nil {
		err = b.foldVisible(ctx, tx, to)
	}
	diff, old := &Diff{}, b.live[len(b.live)-1].generation
	for _, t := range b.Tables {
		if err == nil {
			err = t.compare(ctx, tx, diff, b.physical(t, old), b.physical(t, b.generation))
		}
	}
	if err != nil {
		return fmt.Errorf("projections: rebuild %s: compare: %w", b.Name, err)
	}
	b.diff = diff
	return nil
}

// compare adds to diff the difference between the two tables.
func (t *Table) compare(ctx context.Context, tx pgx.Tx, diff *Diff, before, after string) error {
	keys := lists.Map(t.Key, func(k string) string { return fmt.Sprintf("coalesce(o.%[1]s, n.%[1]s)", k) })
	d := TableDiff{Table: t.Name}
	var same int64
	err := tx.QueryRow(ctx, fmt.Sprintf(`WITH pairs AS MATERIALIZED (
			SELECT jsonb_build_array(%[1]s) AS key, o.%[2]s IS NULL AS fresh, n.%[2]s IS NULL AS gone,
				(%[3]s) IS DISTINCT FROM (%[4]s) AS differ
			FROM %[5]s o FULL JOIN %[6]s n ON %[7]s
		)
		SELECT count(*) FILTER (WHERE NOT differ), count(*) FILTER (WHERE gone), count(*) FILTER (WHERE fresh),
			count(*) FILTER (WHERE differ AND NOT gone AND NOT fresh),
			array(SELECT key::text FROM pairs WHERE differ ORDER BY key LIMIT 10) FROM pairs`,
		strings.Join(keys, ", "), t.Key[0], each(t.names(), "o.%s"), each(t.names(), "n.%s"), before, after, t.sameKey("o", "n")),
	).Scan(&same, &d.OnlyLive, &d.OnlyNew, &d.Different, &d.First)
	diff.Same += same
	diff.Tables = append(diff.Tables, d)
	return err
}
