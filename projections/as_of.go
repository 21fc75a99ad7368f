package projections

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/auditview"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/lists"
)

// AsOf asks for the rows of a view as they follow from the events up to a position.
type AsOf struct {
	View     string
	Position int64
	Account  string // only this account's events; "" for all
	CSV      bool   // of the only table, or of Table; otherwise JSON, one row a line
	Table    string // only this table; "" for all
	// WithoutTexts leaves out what people wrote, for a log that was imported without the keys of its texts.
	WithoutTexts bool
}

// NoTable is the error of AsOf about a table that the view does not have, or that must be named. It has the names of the view's tables.
type NoTable []string

// Error implements error.
func (e NoTable) Error() string {
	return "projections: name a table of the view: " + strings.Join(e, ", ")
}

// WriteAsOf folds the events up to a position into temporary tables, writes their rows in the order of their keys, and leaves nothing
// behind, whenever it ends. The live rows are neither read nor changed.
func (e *Engine) WriteAsOf(ctx context.Context, log *eventstore.Store, w io.Writer, q AsOf) error {
	log.TextsLeftOut = log.TextsLeftOut || q.WithoutTexts
	v := e.view(q.View)
	if v == nil {
		return fmt.Errorf("projections: there is no view %q", q.View)
	}
	tables, err := v.asked(q)
	if err != nil {
		return err
	}
	last, err := log.Watermark(ctx)
	if err != nil {
		return err
	}
	if q.Position < 0 || q.Position > last {
		return fmt.Errorf("projections: the log has no position %d; it ends at %d", q.Position, last)
	}
	if past := e.Standby.Covering(ctx, q.Position); past != nil {
		rows := &begun{Writer: w}
		if err = e.writeAsOf(ctx, v, tables, past, rows, q); err == nil || rows.any || ctx.Err() != nil {
			return err
		}
	}
	return e.writeAsOf(ctx, v, tables, log, w, q)
}

// begun notes whether anything was written.
type begun struct {
	io.Writer
	any bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.any = true
	return b.Writer.Write(p)
}

// writeAsOf folds the events that log has. The temporary tables are the primary's: a standby has none.
func (e *Engine) writeAsOf(ctx context.Context, v *View, tables []*Table, log *eventstore.Store, w io.Writer, q AsOf) error {
	tx, err := e.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("projections: %s as of %d: %w", q.View, q.Position, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // drops the tables
	if err = v.foldAsOf(ctx, tx, log, q); err == nil {
		for _, t := range tables {
			if err = t.writeAsOf(ctx, tx, w, v.physical(t, 0), q.CSV); err != nil {
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("projections: %s as of %d: %w", q.View, q.Position, err)
	}
	return nil
}

// Names returns the names of the engine's views.
func (e *Engine) Names() []string {
	return lists.Map(e.views, func(v *View) string { return v.Name })
}

// asked returns the tables that are asked for.
func (v *View) asked(q AsOf) (tables []*Table, err error) {
	names := make([]string, len(v.Tables))
	for i, t := range v.Tables {
		if names[i] = t.Name; q.Table == "" || q.Table == t.Name {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 || q.CSV && len(tables) > 1 {
		return nil, NoTable(names)
	}
	return tables, nil
}

// foldAsOf makes the tables of generation 0, which nothing else uses: they are temporary.
func (v *View) foldAsOf(ctx context.Context, tx pgx.Tx, log *eventstore.Store, q AsOf) error {
	for _, t := range v.Tables {
		if _, err := tx.Exec(ctx, t.createTable("pg_temp."+v.physical(t, 0))); err != nil {
			return err
		}
	}
	f := newFold(v)
	for r, err := range log.Replay(ctx, eventstore.Selection{UpTo: q.Position, Account: q.Account}, v.types(), v.Undecoded) {
		if err == nil {
			err = f.add(r)
		}
		if err == nil && f.full() {
			err = f.flush(ctx, tx, 0, false)
			f = newFold(v)
		}
		if err != nil {
			return err
		}
	}
	if err := f.flush(ctx, tx, 0, false); err != nil {
		return err
	}
	for _, t := range v.Tables {
		if err := v.deriveAll(ctx, tx, t, 0); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) writeAsOf(ctx context.Context, tx pgx.Tx, w io.Writer, name string, csv bool) error {
	columns := lists.Map(t.Columns, func(c Column) string { return c.Name })
	rows := fmt.Sprintf(`SELECT %s FROM %s ORDER BY %s`, strings.Join(columns, ", "), name, strings.Join(t.Key, ", "))
	if csv {
		_, err := tx.Conn().PgConn().CopyTo(ctx, w, `COPY (`+rows+`) TO STDOUT (FORMAT csv, HEADER)`)
		return err
	}
	found, err := tx.Query(ctx, `SELECT json_build_object('table', $1::text, 'row', to_json(r))::text FROM (`+rows+`) r`, t.Name)
	if err != nil {
		return err
	}
	var line string
	_, err = pgx.ForEachRow(found, []any{&line}, func() error {
		_, err := io.WriteString(w, line+"\n")
		return err
	})
	return err
}

// Listing folds an operation that listed a view from its stream.
func (v *Views) Listing(ctx context.Context, operationID uuid.UUID) (auditview.Listing, error) {
	listing := eventstore.Fold(operation.Stream(operationID), auditview.Evolve)
	err := v.Store.Load(ctx, listing)
	return listing.State, err
}
