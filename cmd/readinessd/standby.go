package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	"readiness/eventstore"
	connections "readiness/internal/database"
	"readiness/migrations"
)

const (
	// catchUp is how long a command waits until a standby has what the primary had when the command began.
	catchUp = time.Minute
	// standbyReads is how many connections a process has to a standby.
	standbyReads = 8
	// verifyAttempts is how often a verification begins that the standby cancels.
	verifyAttempts = 3
)

func standbyFlag(flags *pflag.FlagSet, url *string, what string) {
	flags.StringVar(url, "read-database-url", "", "hot standby of the database, "+what)
}

// standby returns the standby of a log's database at the address. The caller closes it.
func (c *core) standby(ctx context.Context, address string) (*eventstore.Standby, error) {
	if err := connections.CheckOne(address); err != nil {
		return nil, cli.Usage("--read-database-url: %w", err)
	}
	return c.store.Standby(ctx, address, func(config *pgxpool.Config) {
		config.MaxConns = standbyReads
		migrations.AsApplication(config)
	})
}

// readFrom lets the standby answer what it has of the history while the process runs. One of another database is an error; while it does
// not answer, or takes writes, the primary answers.
func (c *core) readFrom(ctx context.Context, life *lifetime, address string) error {
	if address == "" {
		return nil
	}
	s, err := c.standby(ctx, address)
	if err != nil {
		return err
	}
	life.then("connections of the standby", func(context.Context) error { s.Close(); return nil })
	bounded, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	if err := s.Check(bounded); err != nil {
		if not, is := errors.AsType[*eventstore.NotStandby](err); is && !not.Writes || ctx.Err() != nil {
			return err
		}
		c.log.Warn("the standby cannot be read now; the primary answers", "error", err)
	}
	c.ReadFrom(s)
	return nil
}

// withReader calls do with the log of the standby at the address, and the position up to which it is read; without an address with that of
// the database, and 0. If the database is named too, the standby has everything that the database had.
func (r *root) withReader(ctx context.Context, f databaseFlags, address string, do func(c *core, upTo int64) error) error {
	if address == "" {
		return r.withCore(ctx, f, false, func(c *core) error { return do(c, 0) })
	}
	if err := connections.CheckOne(address); err != nil {
		return cli.Usage("--read-database-url: %w", err)
	}
	c, err := openCore(ctx, address, f.connections, false, r.Log)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.unsealFrom(f.data); err != nil {
		return err
	}
	if f.url == "" {
		upTo, err := alone(ctx, c)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.Stderr, "the standby has the log up to position %d; without --database-url it is not known what the primary has "+
			"after it\n", upTo)
		return do(c, upTo)
	}
	var upTo int64
	if err := r.withCore(ctx, f, false, func(primary *core) error {
		s, err := primary.standby(ctx, address)
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.Check(ctx); err != nil {
			return err
		}
		upTo, err = s.Await(ctx, catchUp)
		return err
	}); err != nil {
		return err
	}
	fmt.Fprintf(r.Stderr, "the standby has the log up to position %d, as the primary had it when the command began\n", upTo)
	return do(c, upTo)
}

// alone returns the position up to which a standby has the log, if its primary is not known.
func alone(ctx context.Context, c *core) (int64, error) {
	var standby bool
	if err := c.pool.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&standby); err != nil {
		return 0, err
	}
	if !standby {
		return 0, &eventstore.NotStandby{What: "it takes writes, so it is the primary, or was promoted",
			Do: "Name a standby, or the primary with --database-url.", Writes: true}
	}
	return c.store.Watermark(ctx)
}

// repeated repeats a read of one snapshot that a standby cancels, from its beginning.
func (r *root) repeated(read func() error) (err error) {
	for range verifyAttempts {
		if err = read(); !connections.Conflicts(err) {
			return err
		}
		fmt.Fprintf(r.Stderr, "the standby cancelled the read, to apply changes of the primary (%v)\n", err)
	}
	return fmt.Errorf("the standby cancelled the read %d times, so nothing is verified; set hot_standby_feedback = on there, or raise "+
		"max_standby_streaming_delay: %w", verifyAttempts, err)
}

// standby examines the standby.
func (d *doctor) standby(ctx context.Context, c *core) []symptom {
	if d.flags.read == "" {
		return nil
	}
	s, err := c.standby(ctx, d.flags.read)
	if err != nil {
		return []symptom{{Verdict: failing, Says: err.Error(), Do: "Correct --read-database-url."}}
	}
	defer s.Close()
	var upTo int64
	if err = s.Check(ctx); err == nil {
		upTo, err = s.Await(ctx, checkLimit/4)
	}
	not, is := errors.AsType[*eventstore.NotStandby](err)
	behind, late := errors.AsType[*eventstore.Behind](err)
	switch {
	case is && !not.Writes:
		return []symptom{{Verdict: failing, Says: not.What, Do: not.Do + " serve and worker do not start with it."}}
	case is:
		return []symptom{{Verdict: warning, Says: not.What + "; the primary answers instead", Do: not.Do}}
	case late:
		return []symptom{{Verdict: warning, Says: behind.Error() + "; what it does not have yet comes from the primary",
			Do: "Look at pg_stat_replication on the primary."}}
	case err != nil:
		return []symptom{{Verdict: warning, Says: "it does not answer; the primary answers instead: " + err.Error(),
			Do: "See that it runs with hot_standby = on, and that --read-database-url is right."}}
	}
	return ok("it has the log up to position %d", upTo)
}
