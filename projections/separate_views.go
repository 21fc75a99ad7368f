package projections

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/internal/lists"
)

// SeparateViews keeps views in a separate database, from events that arrive over a stream. They are the following views, Assessments and
// Pixies. Make one with OpenSeparateViews.
type SeparateViews struct {
	pool   *pgxpool.Pool
	engine *Engine
	codec  *eventstore.Codec
}

// ViewsPlace is the last event that separate views have: where it is in the log, and in the stream.
type ViewsPlace struct {
	Epoch    int // of the log; 0 before the first event
	Position int64
	Hash     []byte
	Sequence uint64
}

// after reports whether p is a later event of the log than q.
func (p ViewsPlace) after(q ViewsPlace) bool {
	return p.Epoch > q.Epoch || p.Epoch == q.Epoch && p.Position > q.Position
}

// ViewsEvent is an event with its place. Cut is true if its data were too large for the stream and are missing.
type ViewsEvent struct {
	ViewsPlace
	Event eventstore.Recorded
	Cut   bool
}

// separateTable has the place. Only a database with separate views has it.
const separateTable = `views_apart`

// errSeparateViews is the error of a database whose views do not follow from its own log.
var errSeparateViews = errors.New("projections: the database has separate views of the log (readinessd views); name the database of the log")

// refuseSeparateViews returns errSeparateViews for such a database.
func (*Engine) refuseSeparateViews(ctx context.Context, tx pgx.Tx) error {
	var separate bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, separateTable).Scan(&separate); err != nil {
		return err
	}
	if separate {
		return errSeparateViews
	}
	return nil
}

// OpenSeparateViews opens the views in pool's database, which has the schema of the migrations and no log. If the program has another
// version of a view, it makes all views again, empty, with the place before the first event.
func OpenSeparateViews(ctx context.Context, pool *pgxpool.Pool, codec *eventstore.Codec) (*SeparateViews, error) {
	views := slices.DeleteFunc(All(), func(v *View) bool { return v.Inline && v != Assessments && v != Pixies })
	a := &SeparateViews{pool: pool, engine: NewEngine(pool, views...), codec: codec}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE view_generations IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		var log, other bool
		var live []string
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events), to_regclass($1) IS NULL AND EXISTS (SELECT FROM view_generations),
			ARRAY(SELECT view || ' ' || version FROM view_generations ORDER BY 1)`, separateTable).Scan(&log, &other, &live)
		if err != nil {
			return err
		}
		if log || other {
			return errors.New("the database has a log, or the views of its log; name an empty database")
		}
		want := lists.Map(views, (*View).stored)
		if slices.Sort(want); slices.Equal(live, want) {
			return nil
		}
		return a.make(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("projections: open separate views: %w", err)
	}
	return a, nil
}

// Names returns the names of the views.
func (a *SeparateViews) Names() []string { return a.engine.Names() }

// make makes all views again.
func (a *SeparateViews) make(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `DELETE FROM view_generations RETURNING view, version, generation, tables`)
	if err != nil {
		return err
	}
	type old struct {
		View                string
		Version, Generation int
		Tables              []string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[old])
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := (relation{o.Version, o.Generation, o.Tables}).drop(ctx, tx, o.View); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DROP TABLE `+strings.Join(o.Tables, ", ")); err != nil {
			return err
		}
	}
	for _, v := range a.engine.views {
		if _, err := tx.Exec(ctx, v.schema()); err != nil {
			return fmt.Errorf("view %s: %w", v.Name, err)
		}
		if err := v.addGeneration(ctx, tx, 1, "live"); err != nil {
			return fmt.Errorf("view %s: %w", v.Name, err)
		}
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+separateTable+` (one boolean PRIMARY KEY DEFAULT true CHECK (one),
		epoch integer NOT NULL, position bigint NOT NULL, hash bytea NOT NULL, sequence bigint NOT NULL,
		updated_at timestamptz NOT NULL DEFAULT clock_timestamp())`); err != nil {
		return err
	}
	return a.move(ctx, tx, ViewsPlace{})
}

// move stores the place, and that every view has reached it.
func (a *SeparateViews) move(ctx context.Context, tx pgx.Tx, to ViewsPlace) error {
	if to.Hash == nil {
		to.Hash = []byte{}
	}
	names := lists.Map(a.engine.views, (*View).follower)
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO `+separateTable+` (epoch, position, hash, sequence) VALUES ($1, $2, $3, $4) ON CONFLICT (one)
		DO UPDATE SET epoch = $1, position = $2, hash = $3, sequence = $4, updated_at = clock_timestamp()`,
		to.Epoch, to.Position, to.Hash, int64(to.Sequence)) //nolint:gosec // it counts messages
	b.Queue(`INSERT INTO followers (name, position) SELECT name, $2 FROM unnest($1::text[]) name
		ON CONFLICT (name) DO UPDATE SET position = $2, updated_at = clock_timestamp(), error = NULL, failed_at = NULL`, names, to.Position)
	return tx.SendBatch(ctx, b).Close()
}

// Place returns the last event that the views have.
func (a *SeparateViews) Place(ctx context.Context) (ViewsPlace, error) {
	return a.place(ctx, a.pool, "")
}

func (a *SeparateViews) place(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, lock string) (p ViewsPlace, err error) {
	var sequence int64
	err = q.QueryRow(ctx, `SELECT epoch, position, hash, sequence FROM `+separateTable+lock).Scan(&p.Epoch, &p.Position, &p.Hash, &sequence)
	if p.Sequence = uint64(sequence); err != nil { //nolint:gosec // it is not negative
		err = fmt.Errorf("projections: read the place of separate views: %w", err)
	}
	return p, err
}

// Add folds the events that are after the place, and moves it, in one transaction: an event is folded once, even if several processes add
// it. When the epoch rises, the views begin again, because the log was set back.
func (a *SeparateViews) Add(ctx context.Context, events []ViewsEvent) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		at, err := a.place(ctx, tx, ` FOR UPDATE`)
		if err != nil {
			return err
		}
		if len(events) > 0 && events[0].Sequence > at.Sequence+1 {
			return fmt.Errorf("the messages of the stream between %d and %d are missing: the views were emptied meanwhile", at.Sequence,
				events[0].Sequence)
		}
		first, folds, moved := at.Epoch, a.folds(), false
		for i := range events {
			e := &events[i]
			if !e.after(at) {
				continue
			}
			if e.Epoch > at.Epoch {
				folds = a.folds()
			}
			for _, f := range folds {
				if err := a.fold(f, e); err != nil {
					return err
				}
			}
			at, moved = e.ViewsPlace, true
		}
		if !moved {
			return nil
		}
		if at.Epoch > first {
			if err := a.truncate(ctx, tx); err != nil {
				return err
			}
		}
		for _, f := range folds {
			if err := f.flush(ctx, tx, 1, true); err != nil {
				return err
			}
		}
		return a.move(ctx, tx, at)
	})
	if err != nil {
		return fmt.Errorf("projections: separate views: %w", err)
	}
	return nil
}

func (a *SeparateViews) folds() []*fold {
	return lists.Map(a.engine.views, newFold)
}

// fold adds an event to the fold of a view, which is decoded if the view needs that. Texts of persons are absent: the stream has them
// sealed, and the keys of accounts are in the database of the log.
func (a *SeparateViews) fold(f *fold, e *ViewsEvent) (err error) {
	if !f.view.Undecoded {
		if types := f.view.types(); len(types) > 0 && !slices.Contains(types, a.codec.Present(e.Event.Type)) {
			return nil
		}
		if e.Cut {
			return fmt.Errorf("the stream lacks the data of the event at position %d, which the view %s needs: they were larger than a "+
				"message may be", e.Position, f.view.Name)
		}
		if e.Event.Event, err = a.codec.Decode(e.Event.Type, e.Event.SchemaVersion, e.Event.Data, sealed.LeftOut); err != nil {
			return err
		}
	}
	return f.add(e.Event)
}

func (a *SeparateViews) truncate(ctx context.Context, tx pgx.Tx) error {
	var tables []string
	for _, v := range a.engine.views {
		for _, t := range v.Tables {
			tables = append(tables, v.physical(t, 1))
		}
	}
	_, err := tx.Exec(ctx, `TRUNCATE `+strings.Join(tables, ", "))
	return err
}

// Empty empties the views, which begin again with the stream's first event.
func (a *SeparateViews) Empty(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := a.place(ctx, tx, ` FOR UPDATE`); err != nil {
			return err
		}
		if err := a.truncate(ctx, tx); err != nil {
			return err
		}
		return a.move(ctx, tx, ViewsPlace{})
	})
	if err != nil {
		return fmt.Errorf("projections: empty separate views: %w", err)
	}
	return nil
}

// Write writes the rows of a view in the order of their keys and returns the place that they include. WriteAsOf writes the same rows for
// the log up to that place.
func (a *SeparateViews) Write(ctx context.Context, w io.Writer, view string) (at ViewsPlace, err error) {
	v := a.engine.view(view)
	if v == nil {
		return at, fmt.Errorf("projections: the view %q is not one of the separate views: %s", view, strings.Join(a.Names(), ", "))
	}
	err = pgx.BeginTxFunc(ctx, a.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if at, err = a.place(ctx, tx, ""); err != nil {
			return err
		}
		for _, t := range v.Tables {
			if err := t.writeAsOf(ctx, tx, w, v.physical(t, 1), false); err != nil {
				return err
			}
		}
		return nil
	})
	return at, err
}
