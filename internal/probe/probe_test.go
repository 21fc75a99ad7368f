package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"readiness/internal/probe"
	"readiness/test/pgtest"
)

// unfit probes and returns what is wrong; "" if nothing is.
func unfit(t *testing.T, url string) string {
	t.Helper()
	err := probe.Database(t.Context(), url)
	if err == nil {
		return ""
	}
	found, is := errors.AsType[*probe.Unfit](err)
	if !is {
		t.Fatalf("got %v, which does not say that the database is unfit", err)
	}
	if found.Do == "" || !strings.HasSuffix(found.Do, ".") || !strings.Contains(found.Error(), found.Do) {
		t.Errorf("%q does not say what to do: %q", found.What, found.Do)
	}
	return found.What
}

func TestFitDatabases(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"migrated": pgtest.URL(t), "empty": pgtest.EmptyURL(t)} {
		if what := unfit(t, url); what != "" {
			t.Errorf("%s: %s", name, what)
		}
	}
}

// Each thing that the log relies on is missing once. A view in front of pg_locks simulates a database that lists no advisory locks.
func TestUnfitDatabases(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		sql, options, want string
	}{
		"no locks listed": {`CREATE SCHEMA fake; CREATE VIEW fake.pg_locks AS SELECT * FROM pg_catalog.pg_locks WHERE locktype <> 'advisory'`,
			"&search_path=fake,public,pg_catalog", "pg_locks"},
		"numbers kept back":  {`ALTER SEQUENCE events_position_seq CACHE 100`, "", "keeps 100 numbers"},
		"no limit on locks":  {``, "&lock_timeout=0", "lock_timeout"},
		"no limit when idle": {``, "&idle_in_transaction_session_timeout=0", "idle_in_transaction_session_timeout"},
	} {
		url := pgtest.URL(t)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), row.sql); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if what := unfit(t, url+row.options); !strings.Contains(what, row.want) {
			t.Errorf("%s: got %q, want %q", name, what, row.want)
		}
	}
}

func TestAnotherEncoding(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	name := "latin_" + strings.TrimPrefix(conn.Config().Database, "readiness_test_")
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name+" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	defer conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
	if what := unfit(t, strings.Replace(url, conn.Config().Database, name, 1)); !strings.Contains(what, "LATIN1") {
		t.Errorf("got %q", what)
	}
}

// A database that does not answer is not unfit.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	err := probe.Database(t.Context(), "postgres://x@127.0.0.1:1/x")
	if _, is := errors.AsType[*probe.Unfit](err); err == nil || is {
		t.Errorf("got %v", err)
	}
}

// A probe leaves no session, lock or listener behind.
func TestProbeLeavesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if err := probe.Database(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for left := 1; left > 0; { // a session ends a moment after its connection
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type = 'client backend'`).Scan(&left)
		if err != nil {
			t.Fatal(err)
		}
	}
}
