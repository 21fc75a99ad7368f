package projections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"readiness/eventstore"
)

// RebuildOptions say how a view is rebuilt.
type RebuildOptions struct {
	// Diff compares the new rows with the live ones, as of one instant, before
	// the switch.
	Diff bool
	// Progress is told after each page.
	Progress func(Progress)
}

// Progress is how far a rebuild is.
type Progress struct {
	View     string
	Position int64         // folded up to here
	Target   int64         // of, so far
	Events   int64         // folded by this run
	Left     time.Duration // at the rate so far
}

// Report is what a rebuild did.
type Report struct {
	View       string
	Version    int
	Generation int
	Resumed    int64 // the position from which an earlier run's work was continued; 0 when from the beginning
	Events     int64 // folded by this run
	Took       time.Duration
	Held       time.Duration // how long appends to the view waited for the switch
	Diff       *Diff         // nil when nothing was compared
}

// ErrRebuilding is returned when the view is being rebuilt already.
var ErrRebuilding = errors.New("projections: the view is being rebuilt by another process; wait for it, or stop it")

const (
	// A page of a rebuild is as many events as either bound allows.
	rebuildEvents = 20_000
	rebuildBytes  = 16 << 20
	// nearly is how many positions may be left for the switch to fold.
	nearly = 500
	// switchLock is how long a switch waits for the appends that are running,
	// and lets new ones wait, before it lets them pass and tries again.
	switchLock     = 300 * time.Millisecond
	switchAttempts = 200
	// rebuildLocks is the space of the advisory locks of rebuilds.
	rebuildLocks = 0x5642
)

// Rebuild builds the next generation of the view's tables beside the live ones
// from the whole log, catches up with the appends made meanwhile, and switches
// to it in one short transaction; until then, and if it fails, nothing changes
// for anyone. Ended in the middle, by its context or a crash, it is continued
// by the next Rebuild. A view or version that was never built goes live the
// same way; the tables of the version before stop being writable, so that
// programs of before fail instead of appending what the new tables miss. The
// generation before is kept until Retire.
func (e *Engine) Rebuild(ctx context.Context, log *eventstore.Store, name string, o RebuildOptions) (Report, error) {
	v := e.view(name)
	if v == nil {
		return Report{}, fmt.Errorf("projections: there is no view %q", name)
	}
	b := &build{engine: e, log: log, View: v, options: o, began: time.Now()}
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("projections: rebuild %s: %w", name, err)
	}
	defer conn.Release()
	b.conn = conn.Conn()
	// The lock is the connection's, and everything is written through it: a
	// build that lost its lock cannot write.
	var locked bool
	if err := b.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, hashtext($2))`, rebuildLocks, name).Scan(&locked); err != nil {
		return Report{}, fmt.Errorf("projections: rebuild %s: %w", name, err)
	}
	if !locked {
		return Report{}, ErrRebuilding
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, err := b.conn.Exec(end, `SELECT pg_advisory_unlock($1, hashtext($2))`, rebuildLocks, name); err != nil {
			_ = b.conn.Close(end) // the pool must not hand out a connection that holds it
		}
	}()
	if err := b.run(ctx); err != nil {
		b.keepError(ctx, err)
		return b.report(), err
	}
	return b.report(), nil
}

// build is one run of a rebuild.
type build struct {
	*View
	engine  *Engine
	log     *eventstore.Store
	options RebuildOptions
	conn    *pgx.Conn
	began   time.Time

	generation int
	live       []relation // the generations to be replaced, of this version and others
	resumed    int64
	position   int64 // folded and committed up to here
	events     int64
	held       time.Duration
	diff       *Diff
}

// relation is a live generation.
type relation struct {
	version, generation int
	tables              []string
}

func (b *build) report() Report {
	return Report{View: b.Name, Version: b.Version, Generation: b.generation, Resumed: b.resumed, Events: b.events,
		Took: time.Since(b.began), Held: b.held, Diff: b.diff}
}

func (b *build) run(ctx context.Context) error {
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if err := b.catchUp(ctx); err != nil {
		return err
	}
	if err := b.index(ctx); err != nil {
		return err
	}
	if err := b.catchUp(ctx); err != nil {
		return err
	}
	if b.options.Diff && b.comparable() {
		if err := b.compare(ctx); err != nil {
			return err
		}
	}
	return b.switchBetweenAppends(ctx)
}

// switchBetweenAppends catches up and switches, until it gets the locks that
// takes.
func (b *build) switchBetweenAppends(ctx context.Context) error {
	for attempt := range switchAttempts {
		if err := b.catchUp(ctx); err != nil {
			return err
		}
		err := b.switchOver(ctx)
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "55P03" && pg.Code != "40P01" { // lock_not_available, deadlock_detected
			return err
		}
		// The appends that waited go first; each time they are given longer.
		select {
		case <-time.After(rand.N(time.Duration(1+min(attempt, 20)) * 50 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("projections: rebuild %s: no way between the appends in %d attempts; an append or a reader of the view does not end", b.Name, switchAttempts)
}

// prepare finds the generation to continue or creates the next.
func (b *build) prepare(ctx context.Context) error {
	return b.tx(ctx, "prepare", pgx.TxOptions{}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT version, generation, tables FROM view_generations WHERE view = $1 AND state = 'live' ORDER BY version`, b.Name)
		if err != nil {
			return err
		}
		b.live, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r relation, err error) {
			return r, row.Scan(&r.version, &r.generation, &r.tables)
		})
		if err != nil {
			return err
		}
		if n := len(b.live); n > 0 && b.live[n-1].version > b.Version {
			return fmt.Errorf("version %d is live and this program knows %d only; use the newer program", b.live[n-1].version, b.Version)
		}
		err = tx.QueryRow(ctx, `UPDATE view_generations SET error = NULL WHERE view = $1 AND version = $2 AND state = 'building' RETURNING generation, position`,
			b.Name, b.Version).Scan(&b.generation, &b.position)
		if !errors.Is(err, pgx.ErrNoRows) {
			b.resumed = b.position
			return err
		}
		err = tx.QueryRow(ctx, `SELECT coalesce(max(generation), 0) + 1 FROM view_generations WHERE view = $1 AND version = $2`, b.Name, b.Version).Scan(&b.generation)
		if err != nil {
			return err
		}
		return b.createGeneration(ctx, tx, b.generation, "building")
	})
}

// target is up to where the log is folded for now. A view that follows the log
// is not built beyond its follower, whose position the switch keeps.
func (b *build) target(ctx context.Context) (to int64, err error) {
	if to, err = b.log.Watermark(ctx); err != nil || b.Inline || !b.comparable() {
		return to, err
	}
	var at int64
	err = b.conn.QueryRow(ctx, `SELECT coalesce((SELECT position FROM followers WHERE name = $1), 0)`, b.follower()).Scan(&at)
	return min(to, at), err
}

// comparable reports whether a generation of the same version is live.
func (b *build) comparable() bool {
	return len(b.live) > 0 && b.live[len(b.live)-1].version == b.Version
}

// catchUp folds page after page until hardly anything is left. One goroutine
// reads and folds a page while this one writes the one before.
func (b *build) catchUp(ctx context.Context) error {
	for {
		to, err := b.target(ctx)
		if err != nil {
			return fmt.Errorf("projections: rebuild %s: %w", b.Name, err)
		}
		left := to - b.position
		if left > 0 {
			if err := b.pages(ctx, to); err != nil {
				return err
			}
		}
		if left <= nearly {
			return nil
		}
	}
}

// pages folds the log up to and with to.
func (b *build) pages(ctx context.Context, to int64) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	pages := make(chan *fold)
	var reader sync.WaitGroup
	var readErr error
	from := b.position
	reader.Go(func() {
		defer close(pages)
		readErr = b.fold(ctx, b.read, from, to, func(f *fold) error {
			select {
			case pages <- f:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	defer func() {
		cancel()
		reader.Wait()
	}()
	for f := range pages {
		if err := b.write(ctx, f); err != nil {
			return err
		}
		b.progress(to)
	}
	return readErr
}

// read yields the events of the log that the view is of.
func (b *build) read(ctx context.Context, after, upTo int64) iter.Seq2[eventstore.Recorded, error] {
	return b.log.Replay(ctx, after, upTo, b.types(), b.Undecoded)
}

// fold folds what read yields into pages and gives each to yield. The last one
// goes up to and with to, whether or not there are events.
func (b *build) fold(ctx context.Context, read reader, from, to int64, yield func(*fold) error) error {
	f := newFold(b.View)
	for r, err := range read(ctx, from, to) {
		if err == nil {
			err = f.add(r)
		}
		if err != nil {
			return err
		}
		if f.events >= rebuildEvents || f.bytes >= rebuildBytes {
			if err := yield(f); err != nil {
				return err
			}
			f = newFold(b.View)
		}
	}
	f.through = to
	return yield(f)
}

// write commits a page together with how far the build is.
func (b *build) write(ctx context.Context, f *fold) error {
	err := b.tx(ctx, "build", pgx.TxOptions{}, func(tx pgx.Tx) error {
		// What a crash of the server could lose is lost together with the position.
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		if err := f.flush(ctx, tx, b.generation); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE view_generations SET position = $5, updated_at = clock_timestamp()
			WHERE view = $1 AND version = $2 AND generation = $3 AND position = $4 AND state = 'building'`,
			b.Name, b.Version, b.generation, b.position, f.through)
		if err == nil && tag.RowsAffected() != 1 {
			err = errors.New("another process has changed the generation that is being built")
		}
		return err
	})
	if err == nil {
		b.position = f.through
		b.events += f.events
	}
	return err
}

// index creates the secondary indexes, once the rows are there.
func (b *build) index(ctx context.Context) error {
	return b.tx(ctx, "index", pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, t := range b.Tables {
			name := b.physical(t, b.generation)
			var indexes int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`, name).Scan(&indexes); err != nil {
				return err
			}
			if indexes > 0 { // by a run before this one
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
}

func (b *build) progress(target int64) {
	if b.options.Progress == nil {
		return
	}
	p := Progress{View: b.Name, Position: b.position, Target: target, Events: b.events}
	if done := b.position - b.resumed; done > 0 {
		p.Left = time.Duration(float64(time.Since(b.began)) * float64(target-b.position) / float64(done))
	}
	b.options.Progress(p)
}

// keepError makes visible why a build stopped.
func (b *build) keepError(ctx context.Context, failure error) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, _ = b.engine.pool.Exec(end, `UPDATE view_generations SET error = left($3, 1000), updated_at = clock_timestamp() WHERE view = $1 AND version = $2 AND state = 'building'`,
		b.Name, b.Version, failure.Error())
}

func (b *build) tx(ctx context.Context, step string, o pgx.TxOptions, fn func(pgx.Tx) error) error {
	if err := pgx.BeginTxFunc(ctx, b.conn, o, fn); err != nil {
		return fmt.Errorf("projections: rebuild %s: %s: %w", b.Name, step, err)
	}
	return nil
}

const noEnd = math.MaxInt64
