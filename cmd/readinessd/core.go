package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/migrations"
	"readiness/projections"
	"readiness/storage/people"
)

// core is the log and its views on an open database, which every process needs.
type core struct {
	*wiring.Log
	url    string
	pool   *pgxpool.Pool
	store  *eventstore.Store
	engine *projections.Engine
	views  *projections.Views
	people *people.People // nil until know
	plans  account.Plans  // the defaults, unless --plans names a file
	log    *slog.Logger
}

// openCore opens the log and its views in the database at url, whose schema must not be that of an earlier version.
// With owner it acts as the database's owner, who can change the views' tables; otherwise as the application's role, which cannot change
// events.
func openCore(ctx context.Context, url string, connections int32, owner bool, log *slog.Logger) (*core, error) {
	pool, err := openPool(ctx, url, connections, owner)
	if err != nil {
		return nil, err
	}
	var l *wiring.Log
	if err = fits(ctx, pool, log); err == nil {
		l, err = wiring.OpenLog(pool, nil, time.Now, log)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &core{Log: l, url: url, pool: pool, store: l.Store, engine: l.Engine, views: l.Views, plans: account.DefaultPlans(), log: log},
		nil
}

func (c *core) close() { c.pool.Close() }

// know lets the core find and name persons, and seal and open their texts, with the service's secret.
func (c *core) know(s secrets) error {
	if err := c.unseal(s); err != nil {
		return err
	}
	who, err := people.New(c.pool, s.key("people", people.KeySize))
	c.people, c.People, c.views.People = who, who, who
	return err
}

// unseal lets the core seal and open texts of persons in events, with the service's secret.
func (c *core) unseal(s secrets) error { return c.Unseal(s.key("accounts", sealed.KeySize)) }

// unsealFrom is unseal with the secret in a data directory, if it has one.
func (c *core) unsealFrom(data string) error {
	if there, err := hasKey(data); err != nil || !there {
		return err // the log can be read without texts
	}
	s, err := openSecrets(data)
	if err != nil {
		return err
	}
	return c.unseal(s)
}

// accountCommands returns the commands on accounts, which need no platform.
func (c *core) accountCommands() *commands.Accounts {
	return commands.New(commands.Options{Store: c.store, People: c.people, Plans: c.plans}).Accounts
}

// fits returns an error if the schema of a database is that of an earlier version, and warns if it is that of a newer one.
func fits(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	schema, err := migrations.Read(ctx, pool)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" { // insufficient_privilege
		return errors.New("the application's role may not read the database's tables, so they were not migrated to the end; run readinessd " +
			"migrate up as the owner of the schema")
	}
	if err != nil {
		return err
	}
	if ahead := schema.Ahead(); ahead != "" {
		log.WarnContext(ctx, "the schema is newer than the program", "schema", ahead)
	}
	return schema.Behind()
}
