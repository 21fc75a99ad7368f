// Package pgtest gives each test a migrated PostgreSQL database of its own. It never skips: with READINESS_TEST_DATABASE_URL it
// uses that server, without it starts one that lives as long as the test's process.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"sync"
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
	made, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, made)
}

// Prepared returns the address of a fresh migrated database in which prepare has
// been at work once: what it did is copied for every test that asks for the same
// name. The name holds whatever prepare's work depends on, in letters and digits.
func Prepared(t testing.TB, name string, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	p, _ := prepared.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		s, err := shared()
		if err != nil {
			return "", err
		}
		return template(context.Background(), s.url, name, prepare)
	}))
	made, err := p.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, made)
}

// EmptyURL returns the address of a fresh database that nothing was migrated into; it is dropped when t ends.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

func create(t testing.TB, template string) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	name := "readiness_test_" + strings.ToLower(rand.Text())
	create := fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)
	if s.copiesFiles {
		create += " STRATEGY file_copy"
	}
	if _, err := s.Exec(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.Exec(context.Background(), fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)); err != nil {
			t.Error(err)
		}
	})
	return in(s.url, name)
}

// server is where the databases of this process are made, on few connections that stay: to open one costs a good part of what a database does.
type server struct {
	*pgxpool.Pool
	url         string
	copiesFiles bool
}

var shared = sync.OnceValues(func() (*server, error) {
	url, err := address()
	if err != nil {
		return nil, err
	}
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 4
	ctx := context.Background()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &server{Pool: pool, url: url}
	// Where nothing is synced, files are copied at half the cost of logging their pages (PostgreSQL 15 can do both).
	err = pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int >= 150000 AND current_setting('fsync') = 'off'`).Scan(&s.copiesFiles)
	return s, err
})

// migrated is the template's name, once it is there.
var migrated = sync.OnceValues(func() (string, error) {
	s, err := shared()
	if err != nil {
		return "", err
	}
	return template(context.Background(), s.url, "", func(context.Context, string) error { return nil })
})

// prepared are the templates beyond the migrated one, by what they are prepared for.
var prepared sync.Map

// template returns the name of a database that holds the migrated schema and what prepare adds, made by whichever process needs it
// first. It is made under another name and then renamed, so that a killed process never leaves a half-made template.
func template(ctx context.Context, server, added string, prepare func(ctx context.Context, url string) error) (string, error) {
	name := "readiness_template_" + migrations.Fingerprint() + added
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
	if err := prepare(ctx, in(server, building)); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+building+" RENAME TO "+name)
	return name, err
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
