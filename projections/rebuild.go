package projections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/eventstore"
)

// RebuildOptions configure a rebuild of a view.
type RebuildOptions struct {
	// Diff compares the new rows with the live ones, as of one instant, before the switch.
	Diff bool
	// Restart begins again, even if the same program was interrupted.
	Restart bool
	// Stay builds and does not switch: Switch does, or the next Rebuild. With Diff it keeps only a generation that differs.
	Stay bool
	// Progress is called after each page; nil is not called.
	Progress func(Progress)
}

// Progress is the progress of a rebuild.
type Progress struct {
	View     string
	Position int64         // folded up to here
	Target   int64         // the position to fold up to, so far
	Events   int64         // folded by this run
	Left     time.Duration // estimated from the rate so far
}

// Report is the result of a rebuild.
type Report struct {
	View       string
	Version    int
	Generation int
	Resumed    int64 // the position where an earlier run's work was resumed; 0 when started from the beginning
	Restarted  bool  // the work of an earlier run was dropped, because another program did it, or as asked
	Events     int64 // folded by this run
	Took       time.Duration
	Held       time.Duration // how long the switch blocked appends to the view
	Diff       *Diff         // nil when nothing was compared
}

// ErrRebuilding is the error of Rebuild when the view is already being rebuilt.
var ErrRebuilding = errors.New("projections: the view is being rebuilt by another process; wait for it, or stop it")

const (
	// A page of a rebuild ends when it reaches either bound.
	rebuildEvents = 20_000
	rebuildBytes  = 16 << 20
	// switchBacklog is how many positions may be left for the switch to fold.
	switchBacklog = 500
	// rebuildLocks is the class of the advisory locks of rebuilds.
	rebuildLocks = 0x5642
)

// Rebuild builds the next generation of the view's tables next to the live one. It folds the entire
// log, catches up with newer appends, and switches to the new generation in one short transaction.
// Until the switch, and if Rebuild fails, the live generation is unchanged. The next Rebuild by the same program resumes
// one that its context or a crash interrupted; another program begins again.
//
// A view or version that was never built goes live the same way. The tables of the earlier version are
// then no longer writable, so that older programs fail instead of making appends that the new tables
// miss. The earlier generation is kept until Retire.
func (e *Engine) Rebuild(ctx context.Context, log *eventstore.Store, name string, o RebuildOptions) (Report, error) {
	return e.alone(ctx, log, name, o, (*build).run)
}

// Switch makes the generation live that Rebuild with Stay built, after it caught up with newer appends.
func (e *Engine) Switch(ctx context.Context, log *eventstore.Store, name string) (Report, error) {
	return e.alone(ctx, log, name, RebuildOptions{}, func(b *build, ctx context.Context) error {
		if err := b.takeBuilt(ctx); err != nil {
			return err
		}
		return b.switchBetweenAppends(ctx)
	})
}

// alone calls do with a build of the view while no other process has one.
func (e *Engine) alone(ctx context.Context, log *eventstore.Store, name string, o RebuildOptions,
	do func(*build, context.Context) error) (Report, error) {
	v := e.view(name)
	if v == nil {
		return Report{}, fmt.Errorf("projections: there is no view %q", name)
	}
	program, err := e.program()
	if err != nil {
		return Report{}, err
	}
	if log.TextsLeftOut {
		program += withoutTexts
	}
	b := &build{engine: e, log: log, View: v, options: o, program: program, began: time.Now()}
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("projections: rebuild %s: %w", name, err)
	}
	defer conn.Release()
	b.conn = conn.Conn()
	// The connection holds the lock, and all writes go through it: a build that lost its lock cannot
	// write.
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
			_ = b.conn.Close(end) // the pool must not hand out a connection that holds the lock
		}
	}()
	if err := do(b, ctx); err != nil {
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
	program string
	conn    *pgx.Conn
	began   time.Time

	generation int
	indexed    bool       // the tables have their indexes, and derived ones their rows
	live       []relation // the generations to replace, of this version and others
	resumed    int64
	restarted  bool
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

// liveOf returns the live generations of the view with the name, by version.
func (e *Engine) liveOf(ctx context.Context, tx pgx.Tx, name string) ([]relation, error) {
	rows, err := tx.Query(ctx,
		`SELECT version, generation, tables FROM view_generations WHERE view = $1 AND state = 'live' ORDER BY version`, name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r relation, err error) {
		return r, row.Scan(&r.version, &r.generation, &r.tables)
	})
}

func (b *build) report() Report {
	return Report{View: b.Name, Version: b.Version, Generation: b.generation, Resumed: b.resumed, Restarted: b.restarted, Events: b.events,
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
	if b.options.Stay {
		return b.stay(ctx)
	}
	return b.switchBetweenAppends(ctx)
}

// switchBetweenAppends catches up and switches, and retries until it gets the locks.
func (b *build) switchBetweenAppends(ctx context.Context) error {
	return b.engine.betweenAppends(ctx, "rebuild "+b.Name, func() error {
		if err := b.catchUp(ctx); err != nil {
			return err
		}
		return b.switchOver(ctx)
	})
}

// prepare finds the generation to resume, or creates the next.
func (b *build) prepare(ctx context.Context) error {
	return b.tx(ctx, "prepare", pgx.TxOptions{}, func(tx pgx.Tx) error {
		err := b.engine.refuseSeparateViews(ctx, tx)
		if err != nil {
			return err
		}
		if b.live, err = b.engine.liveOf(ctx, tx, b.Name); err != nil {
			return err
		}
		if n := len(b.live); n > 0 && b.live[n-1].version > b.Version {
			return fmt.Errorf("version %d is live and this program knows %d only; use the newer program, or withdraw the view first: "+
				"readinessd projections withdraw --view %s", b.live[n-1].version, b.Version, b.Name)
		}
		if found, err := b.resume(ctx, tx); err != nil || found {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT coalesce(max(generation), 0) + 1 FROM view_generations WHERE view = $1 AND version = $2`, b.Name,
			b.Version).Scan(&b.generation)
		if err != nil {
			return err
		}
		if err := b.createGeneration(ctx, tx, b.generation, "building"); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE view_generations SET program = $4 WHERE view = $1 AND version = $2 AND generation = $3`, b.Name,
			b.Version, b.generation, b.program)
		return err
	})
}

// target returns the position to fold up to for now. A view that follows the log is not built beyond
// its follower, whose position the switch keeps.
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

// catchUp folds page after page until at most switchBacklog positions are left. One goroutine reads
// and folds a page while this one writes the previous page.
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
		if left <= switchBacklog {
			return nil
		}
	}
}

// pages folds the log up to and including to.
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

// read yields the events of the log that the view projects.
func (b *build) read(ctx context.Context, after, upTo int64) iter.Seq2[eventstore.Recorded, error] {
	return b.log.Replay(ctx, eventstore.Selection{After: after, UpTo: upTo}, b.types(), b.Undecoded)
}

// fold folds the events of read into pages and passes each to yield. The last page reaches to, even
// without events.
func (b *build) fold(ctx context.Context, read reader, from, to int64, yield func(*fold) error) error {
	f := newFold(b.View)
	for r, err := range read(ctx, from, to) {
		if err == nil {
			err = f.add(r)
		}
		if err != nil {
			return err
		}
		if f.full() {
			if err := yield(f); err != nil {
				return err
			}
			f = newFold(b.View)
		}
	}
	f.through = to
	return yield(f)
}

// full reports whether the page ends here.
func (f *fold) full() bool { return f.events >= rebuildEvents || f.bytes >= rebuildBytes }

// write commits a page together with the build's position.
func (b *build) write(ctx context.Context, f *fold) error {
	err := b.tx(ctx, "build", pgx.TxOptions{}, func(tx pgx.Tx) error {
		// If the server crashes, the page and the position are lost together.
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		if err := f.flush(ctx, tx, b.generation, b.indexed); err != nil {
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

// keepError stores in the generation's row why a build stopped.
func (b *build) keepError(ctx context.Context, failure error) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, _ = b.engine.pool.Exec(end,
		`UPDATE view_generations SET error = left($3, 1000), updated_at = clock_timestamp() WHERE view = $1 AND version = $2
			AND state = 'building'`,
		b.Name, b.Version, failure.Error())
}

func (b *build) tx(ctx context.Context, step string, o pgx.TxOptions, fn func(pgx.Tx) error) error {
	if err := pgx.BeginTxFunc(ctx, b.conn, o, fn); err != nil {
		return fmt.Errorf("projections: rebuild %s: %s: %w", b.Name, step, err)
	}
	return nil
}

const noEnd = math.MaxInt64
