package projections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"readiness/internal/lists"
)

// MissingView is a view of this program that is not live.
type MissingView struct {
	Name    string
	Version int
	// Built reports that this program has built a generation, which Switch makes live.
	Built bool
}

// NotBuilt is the error of Check when views of this program are not live.
type NotBuilt []MissingView

func (n NotBuilt) Error() string {
	views := lists.Map(n, func(v MissingView) string { return fmt.Sprintf("version %d of the view %s", v.Version, v.Name) })
	if !slices.ContainsFunc(n, func(v MissingView) bool { return !v.Built }) {
		return "projections: " + strings.Join(views, ", ") + " is built and not live; run: readinessd projections switch"
	}
	return "projections: " + strings.Join(views, ", ") + " is not built; run: readinessd projections build, then start again, or start with --build-views"
}

// Missing returns the views of this program that are not live.
func (e *Engine) Missing(ctx context.Context) ([]MissingView, error) {
	program, err := e.program()
	if err != nil {
		return nil, err
	}
	rows, err := e.pool.Query(ctx, `SELECT view, version, state = 'live' FROM view_generations
		WHERE state = 'live' OR state = 'building' AND built_at IS NOT NULL AND program IN ($1, $1 || $2)`, program, withoutTexts)
	if err != nil {
		return nil, fmt.Errorf("projections: missing views: %w", err)
	}
	type found struct {
		View    string
		Version int
		Live    bool
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	if err != nil {
		return nil, fmt.Errorf("projections: missing views: %w", err)
	}
	var missing []MissingView
	for _, v := range e.views {
		if !slices.Contains(all, found{v.Name, v.Version, true}) {
			missing = append(missing, MissingView{v.Name, v.Version, slices.Contains(all, found{v.Name, v.Version, false})})
		}
	}
	return missing, nil
}

// withoutTexts ends the name of a program that left texts out: its rows are other ones.
const withoutTexts = " without texts"

// Built returns the names of the views that this program has built and that are not live.
func (e *Engine) Built(ctx context.Context) ([]string, error) {
	program, err := e.program()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range e.views {
		var built bool
		if err := e.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM view_generations WHERE view = $1 AND version = $2 AND state = 'building'
			AND built_at IS NOT NULL AND program IN ($3, $3 || $4))`, v.Name, v.Version, program, withoutTexts).Scan(&built); err != nil {
			return nil, fmt.Errorf("projections: built views: %w", err)
		}
		if built {
			names = append(names, v.Name)
		}
	}
	return names, nil
}

// program names the code that folds: a build that another program began is not finished by this one.
func (e *Engine) program() (string, error) {
	if e.Program != "" {
		return e.Program, nil
	}
	return running()
}

// running returns the hash of the program's own file. Any change of code changes it, also one of a package that a view only uses.
var running = sync.OnceValues(func() (string, error) {
	name := "/proc/self/exe" // the file that runs, even if another replaced it
	if _, err := os.Stat(name); err != nil {
		if name, err = os.Executable(); err != nil {
			return "", fmt.Errorf("projections: find the program's own file: %w", err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("projections: read the program's own file: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("projections: read the program's own file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
})

// resume finds the generation to resume. One that another program began, and with restart any, is dropped: it finds none then.
func (b *build) resume(ctx context.Context, tx pgx.Tx) (found bool, err error) {
	var program string
	var tables []string
	err = tx.QueryRow(ctx, `UPDATE view_generations SET error = NULL, built_at = NULL WHERE view = $1 AND version = $2 AND state = 'building'
		RETURNING generation, position, coalesce(program, ''), tables`, b.Name, b.Version).Scan(&b.generation, &b.position, &program, &tables)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if program == b.program && !b.options.Restart {
		b.resumed = b.position
		return true, nil
	}
	b.restarted, b.position = true, 0
	return false, b.discard(ctx, tx, tables)
}

// discard drops the generation that is being built.
func (b *build) discard(ctx context.Context, tx pgx.Tx, tables []string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM view_generations WHERE view = $1 AND version = $2 AND generation = $3`, b.Name, b.Version,
		b.generation); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DROP TABLE `+strings.Join(tables, ", "))
	return err
}

// stay ends a build without a switch: it notes that the generation is complete. One that was only compared, and has the rows of the live
// one, is dropped.
func (b *build) stay(ctx context.Context) error {
	return b.tx(ctx, "complete", pgx.TxOptions{}, func(tx pgx.Tx) error {
		if b.diff != nil && b.diff.None() {
			tables := lists.Map(b.Tables, func(t *Table) string { return b.physical(t, b.generation) })
			return b.discard(ctx, tx, tables)
		}
		_, err := tx.Exec(ctx, `UPDATE view_generations SET built_at = clock_timestamp() WHERE view = $1 AND version = $2 AND generation = $3`,
			b.Name, b.Version, b.generation)
		return err
	})
}

// takeBuilt finds the generation that this program has built.
func (b *build) takeBuilt(ctx context.Context) error {
	return b.tx(ctx, "find what is built", pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
		if b.live, err = b.engine.liveOf(ctx, tx, b.Name); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT generation, position FROM view_generations WHERE view = $1 AND version = $2 AND state = 'building'
			AND built_at IS NOT NULL AND program = $3`, b.Name, b.Version, b.program).Scan(&b.generation, &b.position)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("this program has built no generation of version %d; run: readinessd projections build --view %s", b.Version, b.Name)
		}
		b.resumed, b.indexed = b.position, true
		return err
	})
}

// index creates the secondary indexes after the rows are written, and the rows of derived tables from them.
func (b *build) index(ctx context.Context) error {
	err := b.tx(ctx, "index", pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, t := range b.Tables {
			name := b.physical(t, b.generation)
			if err := b.deriveAll(ctx, tx, t, b.generation); err != nil { // again if an earlier run did
				return err
			}
			var indexes int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`,
				name).Scan(&indexes); err != nil {
				return err
			}
			if indexes > 0 { // created by an earlier run
				continue
			}
			for _, sql := range t.createIndexes(name) {
				if _, err := tx.Exec(ctx, sql); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, `ANALYZE `+name); err != nil {
				return err
			}
		}
		return nil
	})
	b.indexed = err == nil
	return err
}
