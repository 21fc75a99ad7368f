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
)

// Apart keeps views in a database of their own, from events that arrive over a stream: those that follow the log, and what the portfolio
// shows (models with their assessments, and the reports on them). Make one with OpenApart.
type Apart struct {
	pool   *pgxpool.Pool
	engine *Engine
	codec  *eventstore.Codec
}

// ApartPlace is the last event that views apart have: where it is in the log, and in the stream.
type ApartPlace struct {
	Epoch    int // of the log; 0 before the first event
	Position int64
	Hash     []byte
	Sequence uint64
}

// after reports whether p is a later event of the log than q.
func (p ApartPlace) after(q ApartPlace) bool {
	return p.Epoch > q.Epoch || p.Epoch == q.Epoch && p.Position > q.Position
}

// ApartEvent is an event with its place. Cut says that its data were too large for the stream, which does not have them.
type ApartEvent struct {
	ApartPlace
	Event eventstore.Recorded
	Cut   bool
}

// apartTable has the place. Only a database with views apart has it.
const apartTable = `views_apart`

// errApart is the error of a database whose views do not follow from its own log.
var errApart = errors.New("projections: the database has views apart from the log (readiness views); name the database of the log")

// refuseApart returns errApart for such a database.
func (*Engine) refuseApart(ctx context.Context, tx pgx.Tx) error {
	var apart bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, apartTable).Scan(&apart); err != nil {
		return err
	}
	if apart {
		return errApart
	}
	return nil
}

// OpenApart opens the views in pool's database, which has the schema of the migrations and no log. Views that the program has in another
// version are made again, empty, with the place before the first event.
func OpenApart(ctx context.Context, pool *pgxpool.Pool, codec *eventstore.Codec) (*Apart, error) {
	views := slices.DeleteFunc(All(), func(v *View) bool { return v.Inline && v != Assessments && v != Pixies })
	a := &Apart{pool: pool, engine: NewEngine(pool, views...), codec: codec}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE view_generations IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		var log, other bool
		var live []string
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events), to_regclass($1) IS NULL AND EXISTS (SELECT FROM view_generations),
			ARRAY(SELECT view || ' ' || version FROM view_generations ORDER BY 1)`, apartTable).Scan(&log, &other, &live)
		if err != nil {
			return err
		}
		if log || other {
			return errors.New("the database has a log or views of its own; name an empty one")
		}
		want := make([]string, len(views))
		for i, v := range views {
			want[i] = v.stored()
		}
		if slices.Sort(want); slices.Equal(live, want) {
			return nil
		}
		return a.make(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("projections: open views apart: %w", err)
	}
	return a, nil
}

// make makes all views again.
func (a *Apart) make(ctx context.Context, tx pgx.Tx) error {
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
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+apartTable+` (one boolean PRIMARY KEY DEFAULT true CHECK (one),
		epoch integer NOT NULL, position bigint NOT NULL, hash bytea NOT NULL, sequence bigint NOT NULL,
		updated_at timestamptz NOT NULL DEFAULT clock_timestamp())`); err != nil {
		return err
	}
	return a.move(ctx, tx, ApartPlace{})
}

// move stores the place, and that every view has reached it.
func (a *Apart) move(ctx context.Context, tx pgx.Tx, to ApartPlace) error {
	if to.Hash == nil {
		to.Hash = []byte{}
	}
	names := make([]string, len(a.engine.views))
	for i, v := range a.engine.views {
		names[i] = v.follower()
	}
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO `+apartTable+` (epoch, position, hash, sequence) VALUES ($1, $2, $3, $4) ON CONFLICT (one)
		DO UPDATE SET epoch = $1, position = $2, hash = $3, sequence = $4, updated_at = clock_timestamp()`,
		to.Epoch, to.Position, to.Hash, int64(to.Sequence)) //nolint:gosec // it counts messages
	b.Queue(`INSERT INTO followers (name, position) SELECT name, $2 FROM unnest($1::text[]) name
		ON CONFLICT (name) DO UPDATE SET position = $2, updated_at = clock_timestamp(), error = NULL, failed_at = NULL`, names, to.Position)
	return tx.SendBatch(ctx, b).Close()
}

// Place returns the last event that the views have.
func (a *Apart) Place(ctx context.Context) (ApartPlace, error) { return a.place(ctx, a.pool, "") }

func (a *Apart) place(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, lock string) (p ApartPlace, err error) {
	var sequence int64
	err = q.QueryRow(ctx, `SELECT epoch, position, hash, sequence FROM `+apartTable+lock).Scan(&p.Epoch, &p.Position, &p.Hash, &sequence)
	if p.Sequence = uint64(sequence); err != nil { //nolint:gosec // it is not negative
		err = fmt.Errorf("projections: the place of views apart: %w", err)
	}
	return p, err
}

// Add folds the events that are after the place, and moves it, in one transaction: an event is folded once, even if several processes add
// it. When the epoch rises, the views begin again, because the log was set back.
func (a *Apart) Add(ctx context.Context, events []ApartEvent) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		at, err := a.place(ctx, tx, ` FOR UPDATE`)
		if err != nil {
			return err
		}
		if len(events) > 0 && events[0].Sequence > at.Sequence+1 {
			return fmt.Errorf("the stream's messages between %d and %d are missing: they were emptied meanwhile", at.Sequence,
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
			at, moved = e.ApartPlace, true
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
			if err := f.flush(ctx, tx, 1); err != nil {
				return err
			}
		}
		return a.move(ctx, tx, at)
	})
	if err != nil {
		return fmt.Errorf("projections: views apart: %w", err)
	}
	return nil
}

func (a *Apart) folds() []*fold {
	folds := make([]*fold, len(a.engine.views))
	for i, v := range a.engine.views {
		folds[i] = newFold(v)
	}
	return folds
}

// fold adds an event to the fold of a view, which is decoded if the view needs that.
func (a *Apart) fold(f *fold, e *ApartEvent) (err error) {
	if !f.view.Undecoded {
		if types := f.view.types(); len(types) > 0 && !slices.Contains(types, e.Event.Type) {
			return nil
		}
		if e.Cut {
			return fmt.Errorf("the stream does not have the data of the event at position %d, which the view %s needs", e.Position,
				f.view.Name)
		}
		if e.Event.Event, err = a.codec.Decode(e.Event.Type, e.Event.SchemaVersion, e.Event.Data); err != nil {
			return err
		}
	}
	return f.add(e.Event)
}

func (a *Apart) truncate(ctx context.Context, tx pgx.Tx) error {
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
func (a *Apart) Empty(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := a.place(ctx, tx, ` FOR UPDATE`); err != nil {
			return err
		}
		if err := a.truncate(ctx, tx); err != nil {
			return err
		}
		return a.move(ctx, tx, ApartPlace{})
	})
	if err != nil {
		return fmt.Errorf("projections: empty views apart: %w", err)
	}
	return nil
}

// Write writes the rows of a view in the order of their keys, as WriteAsOf does for the log up to the place that it returns.
func (a *Apart) Write(ctx context.Context, w io.Writer, view string) (at ApartPlace, err error) {
	v := a.engine.view(view)
	if v == nil {
		return at, fmt.Errorf("projections: the view %q is not apart; %s are", view, strings.Join(a.engine.Names(), ", "))
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
