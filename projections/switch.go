package projections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/eventstore"
	"readiness/internal/pace"
)

const (
	// switchLock is how long a switch waits for running appends, blocking new ones, before it gives up
	// and retries.
	switchLock     = 300 * time.Millisecond
	switchAttempts = 200
)

// reader reads the log after a position, up to and including another.
type reader = func(ctx context.Context, after, upTo int64) iter.Seq2[eventstore.Recorded, error]

// switchOver makes the generation live. Every append has either committed, or waits for this
// transaction and then writes to the new generation, because it writes through SQL views.
func (b *build) switchOver(ctx context.Context) error {
	var asked time.Time
	err := b.tx(ctx, "switch", pgx.TxOptions{}, func(tx pgx.Tx) error {
		asked = time.Now()
		to, err := b.hold(ctx, tx)
		if err != nil {
			return err
		}
		if err := b.foldVisible(ctx, tx, to); err != nil {
			return err
		}
		return b.goLive(ctx, tx)
	})
	if err == nil {
		b.held = time.Since(asked)
	}
	return err
}

// waitBriefly bounds how long the transaction waits for appends.
func (e *Engine) waitBriefly(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, switchLock.Milliseconds()))
	return err
}

// betweenAppends repeats fn, which wants the locks of appends, until it gets them. what is for the error.
func (e *Engine) betweenAppends(ctx context.Context, what string, fn func() error) error {
	for attempt := range switchAttempts {
		err := fn()
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok ||
			pg.Code != "55P03" && pg.Code != "40P01" { // lock_not_available, deadlock_detected
			return err
		}
		// Let the waiting appends run first; the pause grows with each attempt.
		if err := pace.Wait(ctx, rand.N(time.Duration(1+min(attempt, 20))*50*time.Millisecond)); err != nil {
			return err
		}
	}
	return fmt.Errorf("projections: %s: did not get the locks between appends in %d attempts; an append or a reader of the view "+
		"does not end", what, switchAttempts)
}

// hold blocks writers of the view and returns the position to fold up to: noEnd for an inline view,
// else the position of the view's follower.
func (b *build) hold(ctx context.Context, tx pgx.Tx) (to int64, err error) {
	if err := b.engine.waitBriefly(ctx, tx); err != nil {
		return 0, err
	}
	if b.Inline {
		return noEnd, eventstore.HoldAppends(ctx, tx)
	}
	_, err = tx.Exec(ctx, `INSERT INTO followers (name, position) VALUES ($1, $2) ON CONFLICT DO NOTHING`, b.follower(), b.position)
	if err != nil {
		return 0, err
	}
	if err = tx.QueryRow(ctx, `SELECT position FROM followers WHERE name = $1 FOR UPDATE`, b.follower()).Scan(&to); err != nil {
		return 0, err
	}
	if to < b.position { // the follower could not advance before a generation was live
		to = b.position
		_, err = tx.Exec(ctx,
			`UPDATE followers SET position = $2, updated_at = clock_timestamp(), error = NULL, failed_at = NULL WHERE name = $1`,
			b.follower(), to)
	}
	return to, err
}

// foldVisible folds into the generation the events after its position that tx sees.
func (b *build) foldVisible(ctx context.Context, tx pgx.Tx, to int64) error {
	read := func(ctx context.Context, after, upTo int64) iter.Seq2[eventstore.Recorded, error] {
		return b.log.ReadVisible(ctx, tx, after, upTo, b.Undecoded)
	}
	return b.fold(ctx, read, b.position, to, func(f *fold) error { return f.flush(ctx, tx, b.generation, b.indexed) })
}

// goLive points the SQL views at the generation and retires the earlier ones.
func (b *build) goLive(ctx context.Context, tx pgx.Tx) error {
	for _, t := range b.Tables {
		if _, err := tx.Exec(ctx, t.createView(b.View.live(t), b.physical(t, b.generation))); err != nil {
			return fmt.Errorf("the columns of %s changed; give the view a new version: %w", t.Name, err)
		}
	}
	for _, old := range b.live {
		if old.version == b.Version {
			continue
		}
		if err := old.drop(ctx, tx, b.Name); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx,
		`UPDATE view_generations SET state = 'retired', updated_at = clock_timestamp() WHERE view = $1 AND state = 'live'`, b.Name)
	if err == nil {
		_, err = tx.Exec(ctx,
			`UPDATE view_generations SET state = 'live', error = NULL, updated_at = clock_timestamp() WHERE view = $1 AND version = $2
				AND generation = $3`,
			b.Name, b.Version, b.generation)
	}
	return err
}

// drop ends a live generation of the view with the name: its follower, and the SQL views on its tables.
func (r relation) drop(ctx context.Context, tx pgx.Tx, name string) error {
	before := View{Name: name, Version: r.version}
	if _, err := tx.Exec(ctx, `DELETE FROM followers WHERE name = $1`, before.follower()); err != nil {
		return err
	}
	for _, table := range r.tables {
		if _, err := tx.Exec(ctx, `DROP VIEW `+generationSuffix.ReplaceAllString(table, "")); err != nil {
			return err
		}
	}
	return nil
}

// generationSuffix matches the part of a table's name that the name of its SQL view does not have.
var generationSuffix = regexp.MustCompile(`_g[0-9]+$`)
