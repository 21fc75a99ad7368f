// Package pgtest gives each test a migrated PostgreSQL database of its own. It never skips: with READINESS_TEST_DATABASE_URL it
// uses that server, without it starts one that lives as long as the test's process.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/migrations"
)

// Pool returns a pool of up to 32 connections on a fresh migrated database. Both end with t.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := database.Open(t.Context(), URL(t), func(c *pgxpool.Config) { c.MaxConns = 32 })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL returns the address of a fresh migrated database, which is dropped, whoever is connected, when t ends.
func URL(t testing.TB) string {
	t.Helper()
	server := server(t)
	template, err := template(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	return create(t, server, template)
}

// EmptyURL returns the address of a fresh database that nothing was migrated into; it is dropped when t ends.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, server(t), "template0")
}

func create(t testing.TB, server, template string) string {
	t.Helper()
	name := "readiness_test_" + strings.ToLower(rand.Text())
	if err := copied(t.Context(), server, name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(context.Background(), server, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)); err != nil {
			t.Error(err)
		}
	})
	return in(server, name)
}

// copied makes a database as a copy of template.
func copied(ctx context.Context, server, name, template string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// Files that are kept in memory are copied in less time than their pages are logged; those on a disk are not (PostgreSQL 15 can do both).
	var files bool
	err = conn.QueryRow(ctx, `SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 AND pg_has_role('pg_read_all_settings', 'USAGE')
		THEN starts_with(current_setting('data_directory'), '/dev/shm/') ELSE false END`).Scan(&files)
	if err != nil {
		return err
	}
	create := fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)
	if files {
		create += " STRATEGY file_copy"
	}
	_, err = conn.Exec(ctx, create)
	return err
}

// template returns the name of a database that holds the migrated schema, made by whichever process needs it first. It is
// migrated under another name and then renamed, so that a killed process never leaves a half-made template.
func template(ctx context.Context, server string) (string, error) {
	name := "readiness_template_" + migrations.Fingerprint()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err != nil || exists {
		return name, err
	}
	building := name + "_building"
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+building+" WITH (FORCE)"); err != nil {
		return "", err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+building+" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
		return "", err
	}
	if err := migrations.Up(ctx, in(server, building)); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+building+" RENAME TO "+name)
	return name, err
}

func execute(ctx context.Context, server, sql string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// in returns server's address with the database replaced.
func in(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}
