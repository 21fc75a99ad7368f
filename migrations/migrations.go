// Package migrations holds the database's schema, one numbered file per change, and upgrades a
// database to it. A released file is never edited: the next file changes its result.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"readiness/internal/database"
	"readiness/internal/pace"
)

//go:embed *.sql
var files embed.FS

// lockKey is the advisory lock that a process holds while it migrates.
const lockKey = 0x7265_6164_696e_6573 // "readines"

// The components of the schema.
const (
	own   = "readiness"
	river = "river"
)

// Step is one numbered change of the schema.
type Step struct {
	// Component is "readiness" for the service's own files and "river" for those of the job queue.
	Component string
	Version   int
	// Name is the file's name, or the job queue's name for the step.
	Name string
	// Applied reports whether the database has the step.
	Applied bool
	// Newer reports that only a newer program has the step.
	Newer bool
}

// Up applies, in order, every step that the database at url lacks: first the service's own files, then
// those of the job queue. Several processes may call it at once: one applies the steps, the others
// wait and find nothing to do. Each step is applied completely or not at all. Up then grants the
// application's role its rights (see AsApplication).
func Up(ctx context.Context, url string) error {
	unlock, err := lock(ctx, url)
	if err != nil {
		return err
	}
	defer unlock()
	return with(ctx, url, func(own *goose.Provider, queue *rivermigrate.Migrator[pgx.Tx]) error {
		if err := repeated(ctx, func() error { _, err := own.Up(ctx); return err }); err != nil {
			return fmt.Errorf("migrations: %w", err)
		}
		if _, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrations of the job queue: %w", err)
		}
		return grant(ctx, url)
	})
}

const (
	// repeatFor is how long a step that did not get its lock is repeated, and repeatAfter the time in which the calls that
	// waited behind it proceed.
	repeatFor   = 2 * time.Minute
	repeatAfter = 500 * time.Millisecond
)

// repeated calls up again while it fails because a step did not get a lock within its lock_timeout.
func repeated(ctx context.Context, up func() error) error {
	for began := time.Now(); ; {
		err := up()
		if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "55P03" || time.Since(began) > repeatFor {
			return err
		}
		if pace.Wait(ctx, repeatAfter) != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// Status returns every step that this program knows, in the order in which Up applies them, and
// whether the database at url has it; then the steps that only a newer program knows.
func Status(ctx context.Context, url string) ([]Step, error) {
	conn, err := database.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	schema, err := Read(ctx, conn)
	if err != nil {
		return nil, err
	}
	all, err := steps()
	for i := range all {
		all[i].Applied = !slices.Contains(schema.Missing, all[i])
	}
	return append(all, schema.Newer...), err
}

// Fingerprint returns a name of the schema that Up makes: programs with the same fingerprint make the
// same schema.
func Fingerprint() string {
	h := sha256.New()
	h.Write([]byte(makeRole + grants))
	names, _ := fs.Glob(files, "*.sql")
	for _, name := range names {
		b, _ := files.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
	}
	if queue, err := rivermigrate.New(riverpgxv5.New(nil), nil); err == nil {
		for _, m := range queue.AllVersions() {
			fmt.Fprintf(h, "river %d %d\n%s", m.Version, len(m.SQLUp), m.SQLUp)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// waitForReaders raises lock_timeout, unless it is set: a migration may wait for readers of the entire
// log longer than a call may.
func waitForReaders(c *pgx.ConnConfig) {
	if _, set := c.RuntimeParams["lock_timeout"]; !set {
		c.RuntimeParams["lock_timeout"] = "60s"
	}
}

// with calls do with the migrators of the service's own schema and of the job queue's.
func with(ctx context.Context, url string, do func(own *goose.Provider, queue *rivermigrate.Migrator[pgx.Tx]) error) error {
	pool, err := database.Open(ctx, url, func(c *pgxpool.Config) { waitForReaders(c.ConnConfig) })
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	own, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	queue, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return fmt.Errorf("migrations of the job queue: %w", err)
	}
	return do(own, queue)
}

// lock waits until no other process migrates the database. It polls instead of waiting inside one
// statement, whose snapshot would block CREATE INDEX CONCURRENTLY.
func lock(ctx context.Context, url string) (unlock func(), err error) {
	conn, err := database.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	unlock = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	for {
		var locked bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(lockKey)).Scan(&locked); err != nil {
			unlock()
			return nil, fmt.Errorf("migrations: %w", err)
		}
		if locked {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, fmt.Errorf("migrations: another process is migrating this database: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
