// Package pgtest gives each test its own migrated PostgreSQL database. It never
// skips: it uses the server in READINESS_TEST_DATABASE_URL, or else starts one that
// lives as long as the test's process.
package pgtest

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/internal/database"
	"readiness/internal/memdir"
	"readiness/migrations"
)

// atOnce is how many tests of a package run at once.
const atOnce = 6

// Main runs the tests of a package and returns the exit code. At least atOnce tests run at once, because tests with a database, a server
// or a process wait more than they compute; -parallel in the command line has precedence. Temporary files and the server's files are in
// memory if there is enough of it.
func Main(m *testing.M) (code int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if n := flag.Lookup("test.parallel").Value; !given && n.(flag.Getter).Get().(int) < atOnce {
		if err := n.Set(strconv.Itoa(atOnce)); err != nil {
			fmt.Fprintln(os.Stderr, "pgtest:", err)
			return 1
		}
	}
	if dir, remove := memdir.Make(); dir != "" {
		defer func() {
			stop()
			if err := remove(); err != nil {
				fmt.Fprintln(os.Stderr, "pgtest:", err)
				code = 1
			}
		}()
		if err := os.Setenv("TMPDIR", dir); err != nil {
			fmt.Fprintln(os.Stderr, "pgtest:", err)
			return 1
		}
	}
	return m.Run()
}

// Pool returns a pool of up to 32 connections on a fresh migrated database. Both
// end with t.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := database.Open(t.Context(), URL(t), func(c *pgxpool.Config) { c.MaxConns = 32 })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL returns the address of a fresh migrated database, which is dropped when t
// ends, even with open connections.
func URL(t testing.TB) string {
	t.Helper()
	made, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, made)
}

// Prepared returns the address of a fresh migrated database to which prepare was
// applied. prepare runs once per name; each test gets a copy. The name must
// identify everything that prepare's work depends on, in letters and digits.
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

// EmptyURL returns the address of a fresh database without migrations. It is
// dropped when t ends.
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

// server is where the databases of this process are created. It keeps few
// connections open, because opening one costs much of what creating a database
// does.
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
	// Without fsync, copying files costs half as much as logging their pages (from
	// PostgreSQL 15).
	err = pool.QueryRow(ctx,
		`SELECT current_setting('server_version_num')::int >= 150000 AND current_setting('fsync') = 'off'`).Scan(&s.copiesFiles)
	return s, err
})

// migrated returns the name of the migrated template, which it creates first.
var migrated = sync.OnceValues(func() (string, error) {
	s, err := shared()
	if err != nil {
		return "", err
	}
	return template(context.Background(), s.url, "", func(context.Context, string) error { return nil })
})

// prepared are further templates, by name.
var prepared sync.Map

// template returns the name of a database with the migrated schema and what prepare
// adds. The first process that needs it creates it, under another name that is then
// replaced, so a killed process never leaves an incomplete template.
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
