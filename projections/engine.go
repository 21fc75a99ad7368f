package projections

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/internal/lists"
)

// Engine keeps the views up to date with the log.
type Engine struct {
	pool   *pgxpool.Pool
	views  []*View
	inline []string // the name and version of each inline view, as refuse_missed_views wants them
	// Standby is where WriteAsOf reads the log; nil for the primary.
	Standby *eventstore.Standby
	// Program names the code of the views; the hash of the running program's file unless it is set.
	Program string
}

// NewEngine returns the engine of the views over the log in pool's database.
func NewEngine(pool *pgxpool.Pool, views ...*View) *Engine {
	e := &Engine{pool: pool, views: views, inline: []string{}}
	for _, v := range views {
		if v.Inline {
			e.inline = append(e.inline, v.stored())
		}
	}
	return e
}

// stored returns the view's name and version as the database compares them.
func (v *View) stored() string { return fmt.Sprintf("%s %d", v.Name, v.Version) }

// Inline queues the row changes that the inline views make of an append's events, for its transaction
// (eventstore.Options.Inline). Every append locks the rows of a table in the order of their keys, and
// the tables in the order of the views, so that two appends cannot deadlock. The transaction fails when
// the database has a live inline view that this program does not write.
func (e *Engine) Inline(b *pgx.Batch, events []eventstore.Recorded) error {
	b.Queue(`SELECT refuse_missed_views($1)`, e.inline)
	for _, v := range e.views {
		if !v.Inline {
			continue
		}
		if err := v.queue(b, events); err != nil {
			return err
		}
	}
	return nil
}

// Apply writes the changes that an event makes to a view that follows the log. tx is the transaction that
// moves the follower (eventstore.Store.Follow).
func (v *View) Apply(ctx context.Context, tx pgx.Tx, r eventstore.Recorded) error {
	b := &pgx.Batch{}
	if err := v.queue(b, []eventstore.Recorded{r}); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// queue queues the statements for the live tables. They use the SQL views, which a rebuild switches. Changes
// of one row keep their order.
func (v *View) queue(b *pgx.Batch, events []eventstore.Recorded) error {
	type placed struct {
		change
		at   int    // the index of its table in the view's tables
		form []byte // of its row's key
	}
	var changes []placed
	var rows Rows
	for _, r := range events {
		rows.changes = rows.changes[:0]
		err := v.project(&rows, r)
		for i := 0; err == nil && i < len(rows.changes); i++ {
			p := placed{change: rows.changes[i]}
			var key Key
			if p.at, err = v.place(&p.change); err == nil {
				key, p.form, err = p.rowKey(nil)
			}
			if p.kind != 'i' {
				p.key = key
			}
			changes = append(changes, p)
		}
		if err != nil {
			return fmt.Errorf("projections: view %s: event %s of stream %s: %w", v.Name, r.Type, r.Stream, err)
		}
	}
	slices.SortStableFunc(changes, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), bytes.Compare(a.form, b.form))
	})
	for i, p := range changes {
		if p.kind == 'm' {
			if i > 0 && changes[i-1].at == p.at && bytes.Equal(changes[i-1].form, p.form) {
				continue
			}
			for _, sql := range p.table.derive(v.live, true) {
				b.Queue(sql, arraysOf([]Key{p.key})...)
			}
			continue
		}
		sql, args, err := p.statement(v.live(p.table))
		if err != nil {
			return fmt.Errorf("projections: view %s: %w", v.Name, err)
		}
		b.Queue(sql, args...)
	}
	for _, r := range events {
		for _, t := range v.ofAccounts() {
			if v.ends(r) && !v.Inline {
				b.Queue(t.purge(v.live(t)), []string{r.Account})
			}
		}
	}
	return nil
}

// place checks the change and returns the index of its table in the view's tables.
func (v *View) place(c *change) (int, error) {
	i := slices.Index(v.Tables, c.table)
	if i < 0 {
		return 0, fmt.Errorf("the table %s does not belong to the view", c.table.Name)
	}
	return i, c.check()
}

// live returns the name of the SQL view through which a table of v is read and written.
func (v *View) live(t *Table) string { return fmt.Sprintf("%s_v%d", t.Name, v.Version) }

// physical returns the name of the table that holds a generation's rows.
func (v *View) physical(t *Table, generation int) string {
	return fmt.Sprintf("%s_v%d_g%d", t.Name, v.Version, generation)
}

// of returns the names of the tables that hold a generation's rows.
func (v *View) of(generation int) func(*Table) string {
	return func(t *Table) string { return v.physical(t, generation) }
}

// follower returns the name under which a view that is not inline follows the log.
func (v *View) follower() string { return fmt.Sprintf("%s_v%d", v.Name, v.Version) }

// Follow makes the views that are not inline follow the log on router.
func (e *Engine) Follow(log *eventstore.Store, router *message.Router) error {
	for _, v := range e.views {
		if v.Inline {
			continue
		}
		if err := log.Follow(router, v.follower(), v.Apply); err != nil {
			return err
		}
	}
	return nil
}

// Create creates the first generation of every view that was never built, if the log is empty. With
// events in the log a view must be built by Rebuild, and Check returns an error. Processes may call it
// at the same time: one creates, the others find it done.
func (e *Engine) Create(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE view_generations IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if err := e.refuseSeparateViews(ctx, tx); err != nil {
			return err
		}
		var made []string
		var empty bool
		err := tx.QueryRow(ctx, `SELECT ARRAY(SELECT DISTINCT view FROM view_generations), NOT EXISTS (SELECT FROM events)`).Scan(&made,
			&empty)
		if err != nil || !empty {
			return err
		}
		for _, v := range e.views {
			if slices.Contains(made, v.Name) {
				continue
			}
			if _, err := tx.Exec(ctx, v.schema()); err != nil {
				return fmt.Errorf("view %s: %w", v.Name, err)
			}
			if err := v.addGeneration(ctx, tx, 1, "live"); err != nil {
				return fmt.Errorf("view %s: %w", v.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("projections: create: %w", err)
	}
	return nil
}

// Schema returns the SQL with which Create creates the views.
func (e *Engine) Schema() string {
	var all strings.Builder
	for _, v := range e.views {
		all.WriteString(v.schema())
	}
	return all.String()
}

// schema returns the SQL of the first generation: its tables, their indexes and the SQL views on them.
func (v *View) schema() string {
	var all []string
	for _, t := range v.Tables {
		table := v.physical(t, 1)
		all = append(append(append(all, t.createTable(table)), t.createIndexes(table)...), t.createView(v.live(t), table))
	}
	return strings.Join(all, ";\n") + ";\n"
}

// createGeneration creates the row and the empty tables of a generation, without secondary indexes.
func (v *View) createGeneration(ctx context.Context, tx pgx.Tx, generation int, state string) error {
	for _, t := range v.Tables {
		if _, err := tx.Exec(ctx, t.createTable(v.physical(t, generation))); err != nil {
			return err
		}
	}
	return v.addGeneration(ctx, tx, generation, state)
}

// addGeneration records a generation whose tables exist and are empty.
func (v *View) addGeneration(ctx context.Context, tx pgx.Tx, generation int, state string) error {
	tables := lists.Map(v.Tables, func(t *Table) string { return v.physical(t, generation) })
	_, err := tx.Exec(ctx,
		`INSERT INTO view_generations (view, version, generation, state, position, tables, inline) VALUES ($1, $2, $3, $4, 0, $5, $6)`,
		v.Name, v.Version, generation, state, tables, v.Inline)
	return err
}
