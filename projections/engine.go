package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
)

// Engine keeps the views up to the log.
type Engine struct {
	pool  *pgxpool.Pool
	views []*View
}

// NewEngine returns the engine of the views over the log in pool's database.
func NewEngine(pool *pgxpool.Pool, views ...*View) *Engine {
	return &Engine{pool: pool, views: views}
}

// Inline queues what the inline views make of an event, for the transaction
// that appends it (eventstore.Options.Inline).
func (e *Engine) Inline(b *pgx.Batch, r eventstore.Recorded) error {
	for _, v := range e.views {
		if !v.Inline {
			continue
		}
		if err := v.queue(b, r); err != nil {
			return err
		}
	}
	return nil
}

// Apply projects an event on a view that follows the log, in the transaction
// that moves the follower (eventstore.Store.Follow).
func (v *View) Apply(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
	b := &pgx.Batch{}
	if err := v.queue(b, r); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// queue queues the statements for the live tables, which are reached through
// the SQL views that a rebuild switches.
func (v *View) queue(b *pgx.Batch, r eventstore.Recorded) error {
	var rows Rows
	if err := v.Project(&rows, r); err != nil {
		return fmt.Errorf("projections: view %s: event %s of stream %s: %w", v.Name, r.Type, r.Stream, err)
	}
	for _, c := range rows.changes {
		sql, args, err := c.statement(v.live(c.table))
		if err != nil {
			return fmt.Errorf("projections: view %s: event %s of stream %s: %w", v.Name, r.Type, r.Stream, err)
		}
		b.Queue(sql, args...)
	}
	return nil
}

// live is the SQL view that a table of v is read and written through.
func (v *View) live(t *Table) string { return fmt.Sprintf("%s_v%d", t.Name, v.Version) }

// physical is the table that holds a generation's rows.
func (v *View) physical(t *Table, generation int) string {
	return fmt.Sprintf("%s_v%d_g%d", t.Name, v.Version, generation)
}

// Create makes the first generation of every view that has none, on a log that
// is empty; with events in the log a view must be built (Rebuild). Processes
// may start together: one creates, the others find it done.
func (e *Engine) Create(ctx context.Context) error {
	return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE view_generations IN EXCLUSIVE MODE`); err != nil {
			return fmt.Errorf("projections: %w", err)
		}
		for _, v := range e.views {
			if err := v.create(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v *View) create(ctx context.Context, tx pgx.Tx) error {
	var exists, empty bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM view_generations WHERE view = $1 AND version = $2 AND state = 'live'), NOT EXISTS (SELECT FROM events)`,
		v.Name, v.Version).Scan(&exists, &empty); err != nil {
		return fmt.Errorf("projections: %w", err)
	}
	if exists || !empty {
		return nil
	}
	tables := make([]string, len(v.Tables))
	for i, t := range v.Tables {
		tables[i] = v.physical(t, 1)
		for _, sql := range append(append([]string{t.createTable(tables[i])}, t.createIndexes(tables[i])...),
			fmt.Sprintf(`CREATE VIEW %s AS SELECT * FROM %s`, v.live(t), tables[i])) {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return fmt.Errorf("projections: create view %s: %w", v.Name, err)
			}
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO view_generations (view, version, generation, state, position, tables) VALUES ($1, $2, 1, 'live', 0, $3)`, v.Name, v.Version, tables)
	return err
}
