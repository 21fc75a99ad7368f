package projections

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

// State is the state of a generation of a view.
type State string

// The states of a generation. A view is Missing when this program has it and the database does not.
const (
	Building State = "building"
	Live     State = "live"
	Retired  State = "retired"
	Missing  State = "missing"
)

// Status is the state of a generation of a view.
type Status struct {
	View       string
	Version    int
	Generation int
	Inline     bool // in this program; false for a version that it does not have
	State      State
	Position   int64     // the last position folded
	Lag        int64     // positions behind the watermark; 0 for a live inline view
	Rows       int64     // in its tables; estimated by the server for tables with over a hundred thousand rows
	UpdatedAt  time.Time // when it last advanced; for a live inline view, when it went live
	Error      string    // why it does not advance; empty when it does
}

// Status returns every generation in the database and the missing views, by view, version and
// generation.
func (e *Engine) Status(ctx context.Context, log *eventstore.Store) ([]Status, error) {
	list, err := e.status(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("projections: status: %w", err)
	}
	return list, nil
}

func (e *Engine) status(ctx context.Context, log *eventstore.Store) ([]Status, error) {
	watermark, err := log.Watermark(ctx)
	if err != nil {
		return nil, err
	}
	list, tables, err := e.generations(ctx, watermark)
	if err != nil {
		return nil, err
	}
	for i := range list {
		for _, t := range tables[i] {
			n, err := e.count(ctx, t)
			if err != nil {
				return nil, err
			}
			list[i].Rows += n
		}
	}
	return e.withMissing(list, watermark), nil
}

// Progress returns how far each view of this program has come towards the watermark, without counting rows: its live generation, or
// that it is missing.
func (e *Engine) Progress(ctx context.Context, watermark int64) ([]Status, error) {
	list, _, err := e.generations(ctx, watermark)
	if err != nil {
		return nil, fmt.Errorf("projections: progress: %w", err)
	}
	list = slices.DeleteFunc(list, func(s Status) bool {
		v := e.view(s.View)
		return v == nil || s.Version != v.Version || s.State != Live
	})
	return e.withMissing(list, watermark), nil
}

// generations returns every generation in the database, and the names of its tables.
func (e *Engine) generations(ctx context.Context, watermark int64) ([]Status, [][]string, error) {
	rows, err := e.pool.Query(ctx, `SELECT g.view, g.version, g.generation, g.state, g.position, g.updated_at, coalesce(g.error, ''),
		g.tables,
			f.position, f.updated_at, coalesce(f.error, '')
		FROM view_generations g LEFT JOIN followers f ON g.state = 'live' AND f.name = g.view || '_v' || g.version ORDER BY 1, 2, 3`)
	if err != nil {
		return nil, nil, err
	}
	var tables [][]string
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Status, err error) {
		var names []string
		var followed *int64
		var followedAt *time.Time
		var followError string
		if err := row.Scan(&s.View, &s.Version, &s.Generation, &s.State, &s.Position, &s.UpdatedAt, &s.Error, &names, &followed,
			&followedAt, &followError); err != nil {
			return s, err
		}
		tables = append(tables, names)
		if v := e.view(s.View); v != nil && v.Version == s.Version {
			s.Inline = v.Inline
		}
		switch {
		case s.State == Live && s.Inline:
			s.Position = watermark
		case followed != nil:
			s.Position, s.UpdatedAt, s.Error = *followed, *followedAt, followError
		}
		if s.State != Retired {
			s.Lag = max(0, watermark-s.Position)
		}
		return s, nil
	})
	return list, tables, err
}

// withMissing adds the views of this program that have no live generation, and sorts by view.
func (e *Engine) withMissing(list []Status, watermark int64) []Status {
	for _, v := range e.views {
		if !slices.ContainsFunc(list, func(s Status) bool { return s.View == v.Name && s.Version == v.Version && s.State == Live }) {
			list = append(list, Status{View: v.Name, Version: v.Version, Inline: v.Inline, State: Missing, Lag: watermark})
		}
	}
	slices.SortStableFunc(list, func(a, b Status) int { return strings.Compare(a.View, b.View) })
	return list
}

// countable is the number of rows up to which a table is counted rather than estimated.
const countable = 100_000

func (e *Engine) count(ctx context.Context, table string) (n int64, err error) {
	err = e.pool.QueryRow(ctx, `SELECT reltuples::bigint FROM pg_class WHERE oid = $1::regclass`, table).Scan(&n)
	if err == nil && n < countable {
		err = e.pool.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM %s LIMIT %d) few`, table, 10*countable)).Scan(&n)
	}
	return n, err
}

// view returns this program's view with the name, nil if there is none.
func (e *Engine) view(name string) *View {
	i := slices.IndexFunc(e.views, func(v *View) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return e.views[i]
}

// Check returns an error when a view of this program is not live, or a newer program has made another inline view live: appends
// would fail.
func (e *Engine) Check(ctx context.Context) error {
	rows, err := e.pool.Query(ctx, `SELECT view, version, inline FROM view_generations WHERE state = 'live' ORDER BY 1, 2`)
	if err != nil {
		return fmt.Errorf("projections: check: %w", err)
	}
	live, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Status, err error) {
		return s, row.Scan(&s.View, &s.Version, &s.Inline)
	})
	if err != nil {
		return fmt.Errorf("projections: check: %w", err)
	}
	for _, l := range live {
		if v := e.view(l.View); l.Inline && (v == nil || v.Version < l.Version) {
			return fmt.Errorf("projections: a newer program made version %d of the view %s live, which this program does not write; run "+
				"the newer program, or withdraw the view: readinessd projections withdraw --view %s", l.Version, l.View, l.View)
		}
	}
	missing, err := e.Missing(ctx)
	if err == nil && len(missing) > 0 {
		err = NotBuilt(missing)
	}
	return err
}

// Retire drops the tables of the view's retired generations and returns how many generations it
// dropped.
func (e *Engine) Retire(ctx context.Context, name string) (int, error) {
	if e.view(name) == nil {
		return 0, fmt.Errorf("projections: there is no view %q", name)
	}
	dropped := 0
	err := pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `DELETE FROM view_generations WHERE view = $1 AND state = 'retired' RETURNING tables`, name)
		if err != nil {
			return err
		}
		retired, err := pgx.CollectRows(rows, pgx.RowTo[[]string])
		for _, tables := range retired {
			if err == nil {
				_, err = tx.Exec(ctx, `DROP TABLE `+strings.Join(tables, ", "))
				dropped++
			}
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("projections: retire %s: %w", name, err)
	}
	return dropped, nil
}
