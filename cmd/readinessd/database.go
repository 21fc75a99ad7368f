package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/pflag"

	"readiness/cmd/cli"
	connections "readiness/internal/database"
	"readiness/internal/postgres"
	"readiness/migrations"
	"readiness/projections"
)

// defaultData is the default data directory.
const defaultData = ".readiness"

func dataFlag(flags *pflag.FlagSet, data *string) {
	flags.StringVar(data, "data", defaultData, "directory for the service's keys and, without --database-url, its own PostgreSQL")
}

// databaseFlags select the database of a command.
type databaseFlags struct {
	url, data   string
	connections int32
}

func (f *databaseFlags) add(flags *pflag.FlagSet) {
	dataFlag(flags, &f.data)
	flags.StringVar(&f.url, "database-url", "", "PostgreSQL database to use instead of the service's own")
	flags.Int32Var(&f.connections, "database-connections", 20, "size of the main connection pool, unless the address sets pool_max_conns")
}

// database is the database of a command, and its server if the command started one.
type database struct {
	url    string
	server *postgres.Server // nil if the database belongs to another process
}

// stop stops the server that the command started.
func (d *database) stop(ctx context.Context) error {
	if d.server == nil {
		return nil
	}
	return d.server.Stop(ctx)
}

// run returns the database of a process that serves or works: the one of --database-url, else that of the server in the
// data directory, which run starts. With share it uses a server that another process already runs there.
func (r *root) run(ctx context.Context, f databaseFlags, share bool) (*database, error) {
	if f.url != "" {
		if err := connections.Check(f.url); err != nil {
			return nil, cli.Usage("--database-url: %w", err)
		}
		return &database{url: f.url}, nil
	}
	if share {
		if running, ok := postgres.Running(f.data); ok {
			return &database{url: running}, nil
		}
	}
	server, err := postgres.Start(ctx, postgres.Options{DataDir: f.data, Log: r.Log})
	if err != nil {
		return nil, err
	}
	return &database{server.URL(), server}, nil
}

// operate calls do with the database of an operator's command. It uses the server of a running service, or starts one
// in the data directory for the duration of the call. A missing data directory is an error.
func (r *root) operate(ctx context.Context, f databaseFlags, do func(url string) error) (err error) {
	if _, missing := os.Stat(f.data); f.url == "" && errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("there is no data directory %s; name it with --data, or the database with --database-url", f.data)
	}
	d, err := r.run(ctx, f, true)
	if err != nil {
		return err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, d.stop(stopping))
	}()
	return withSchema(ctx, d.url, do(d.url))
}

// withSchema adds to an error about what the database does not have that its schema belongs to another version, if it does.
func withSchema(ctx context.Context, url string, failure error) error {
	refused, ok := errors.AsType[*pgconn.PgError](failure)
	if !ok || !slices.Contains([]string{"42P01", "42703", "42883"}, refused.Code) { // no such table, column or function
		return failure
	}
	conn, err := connections.Connect(context.WithoutCancel(ctx), url)
	if err != nil {
		return failure
	}
	defer conn.Close(context.WithoutCancel(ctx))
	schema, err := migrations.Read(ctx, conn)
	if err != nil {
		return failure
	}
	if behind := schema.Behind(); behind != nil {
		return behind
	}
	if ahead := schema.Ahead(); ahead != "" {
		return errors.New(ahead)
	}
	return failure
}

// migrate brings the database's schema up to date and creates missing views of an empty log.
func migrate(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" { // insufficient_privilege
			return fmt.Errorf("the database's user may not change its schema; run readinessd migrate up as the owner of the schema: %w", err)
		}
		return err
	}
	pool, err := connections.Open(ctx, url, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	return projections.NewEngine(pool, projections.All()...).Create(ctx)
}

// openPool returns the main pool of a process.
func openPool(ctx context.Context, address string, most int32, owner bool) (*pgxpool.Pool, error) {
	return connections.Open(ctx, address, func(c *pgxpool.Config) {
		if !strings.Contains(address, "pool_max_conns") {
			c.MaxConns = max(4, most)
		}
		if !owner {
			migrations.AsApplication(c)
		}
	})
}
