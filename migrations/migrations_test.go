package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"readiness/migrations"
	"readiness/test/pgtest"
)

func open(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	migrations.AsApplication(config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func TestProcessesThatStartTogether(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := migrations.Up(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	steps, err := migrations.Status(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(steps, func(s migrations.Step) bool { return !s.Applied }); i >= 0 {
		t.Errorf("%+v was not applied", steps[i])
	}
}

func TestStatusListsMissingSteps(t *testing.T) {
	t.Parallel()
	steps, err := migrations.Status(t.Context(), pgtest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	components := make(map[string]int)
	for _, s := range steps {
		components[s.Component]++
		if s.Applied || s.Version == 0 || s.Name == "" {
			t.Errorf("in an empty database got %+v", s)
		}
	}
	if components["readiness"] == 0 || components["river"] == 0 || len(components) != 2 {
		t.Errorf("got steps of %v, want some of readiness and river", components)
	}
	if want := (migrations.Step{Component: "readiness", Version: 1, Name: "0001_events.sql"}); steps[0] != want {
		t.Errorf("the first step is %+v, want %+v", steps[0], want)
	}
}

// schema describes every user-defined column, index, constraint, function and trigger of the schema.
const schema = `
SELECT format('%s %s %s %s', table_name, column_name, data_type, is_nullable) FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
ORDER BY 1`

func TestEachMigrationCanBeReverted(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	list := func() []string {
		t.Helper()
		rows, err := pool.Query(t.Context(), schema)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files,
		goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	want := list()
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	for _, line := range list() {
		if !strings.Contains(line, "river_") && !strings.Contains(line, "schema_versions") {
			t.Errorf("after all were reverted there is %s", line)
		}
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Errorf("reverted and applied again, the schema differs:\n%s", diff)
	}
}

func TestApplicationHasNoRightToChangeTheLog(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	owner, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	// The right is missing even where the triggers that guard the log are off.
	const setUp = `
		ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE streams DISABLE TRIGGER USER; ALTER TABLE audit_epochs DISABLE TRIGGER USER;
		ALTER TABLE audit_trees DISABLE TRIGGER USER; ALTER TABLE audit_tiles DISABLE TRIGGER USER; ALTER TABLE audit_checkpoints DISABLE TRIGGER USER;
		CREATE TABLE made_later (x int)`
	// A database may be stricter than PostgreSQL's default.
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Exec(t.Context(), setUp+"; REVOKE TEMPORARY ON DATABASE "+config.Database+" FROM PUBLIC"); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	app := open(t, url)
	allowed := []string{
		`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
		 VALUES (gen_random_uuid(), 'a', 's', 1, 't', 1, '{}', '{}', now(), '')`,
		`INSERT INTO streams VALUES ('s', 'a', 't', 1, decode(repeat('00', 32), 'hex'))`,
		`UPDATE streams SET version = 2`,
		`SELECT last_value FROM events_position_seq`,
		`INSERT INTO river_queue (name, updated_at) VALUES ('q', now())`,
		`DELETE FROM river_queue`,
		`INSERT INTO audit_epochs VALUES (1, 'o', '', now()); INSERT INTO audit_trees (tree, epoch, size, position, root, sealed_at, announced_on) VALUES ('', 1, 0, 0, sha256(''), now(), now())`,
		`UPDATE audit_trees SET size = 1`,
		`INSERT INTO made_later VALUES (1)`,
		`DELETE FROM made_later`,
		`CREATE TEMPORARY TABLE of_a_fold (x int)`,
	}
	for _, sql := range allowed {
		if _, err := app.Exec(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	refused := []string{
		`UPDATE events SET type = 'x'`, `DELETE FROM events`, `TRUNCATE events`, `ALTER TABLE events DISABLE TRIGGER USER`, `DROP TABLE events`,
		`DELETE FROM streams`, `TRUNCATE streams`, `UPDATE audit_epochs SET origin = 'x'`, `DELETE FROM audit_epochs`, `DELETE FROM audit_trees`,
		`UPDATE audit_checkpoints SET note = 'x'`, `DELETE FROM audit_checkpoints`, `DELETE FROM audit_tiles`, `TRUNCATE audit_tiles`,
	}
	for _, sql := range refused {
		_, err := app.Exec(t.Context(), sql)
		if refusal, ok := errors.AsType[*pgconn.PgError](err); !ok || refusal.Code != "42501" {
			t.Errorf("%s: got %v, want it refused for a missing right", sql, err)
		}
	}
	var left int
	if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM events WHERE type = 't'").Scan(&left); err != nil || left != 1 {
		t.Errorf("the log holds %d events, %v, want 1", left, err)
	}
}

func TestUserWithoutTheRightToCreateRoles(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	user := "plain_" + strings.TrimPrefix(config.Database, "readiness_test_")
	if _, err := owner.Exec(t.Context(), "CREATE ROLE "+user+" LOGIN PASSWORD 'x'; GRANT ALL ON SCHEMA public TO "+user); err != nil {
		t.Fatal(err)
	}
	defer owner.Exec(t.Context(), "DROP OWNED BY "+user+"; DROP ROLE "+user)
	_, host, _ := strings.Cut(url, "@")
	plain := "postgres://" + user + ":x@" + host
	if err := migrations.Up(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := open(t, plain).QueryRow(t.Context(), "SELECT current_user FROM events RIGHT JOIN (SELECT) one ON true").Scan(&got); err != nil || got != user {
		t.Errorf("connections act as %q, %v, want %q", got, err, user)
	}
}

// While the indexes of migration 0005 wait for a transaction that appends, other appends proceed.
func TestIndexesAreBuiltWhileAppendsContinue(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files,
		goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	const appends = `INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash)
		VALUES (gen_random_uuid(), 'a', $1, 1, 't', 1, '{}', '{}', now(), '')`
	running, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer running.Rollback(t.Context())
	if _, err := running.Exec(t.Context(), appends, "first"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := provider.UpTo(t.Context(), 5)
		ended <- err
	}()
	for waits := false; !waits; {
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INDEX%')`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("the migration did not wait for the append: %v", err)
		default:
		}
	}
	if _, err := pool.Exec(t.Context(), `SET lock_timeout = '5s'; `+strings.ReplaceAll(appends, "$1", "'second'")); err != nil {
		t.Errorf("an append waited for the migration: %v", err)
	}
	if err := running.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var built int
	err = pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_index JOIN pg_class ON oid = indexrelid
		WHERE relname LIKE 'events_account_id_%' AND indisvalid`).Scan(&built)
	if err != nil || built != 5 {
		t.Errorf("%d indexes are complete, %v, want 5", built, err)
	}
}

// A step that does not get its lock in time is repeated until it does; any other failure is not.
func TestLocksAreRepeated(t *testing.T) {
	t.Parallel()
	locked := fmt.Errorf("goose: %w", &pgconn.PgError{Code: "55P03"})
	tries := 0
	if err := migrations.Repeated(t.Context(), func() error {
		if tries++; tries < 3 {
			return locked
		}
		return nil
	}); err != nil || tries != 3 {
		t.Errorf("got %v after %d tries", err, tries)
	}
	for name, other := range map[string]error{"another refusal": &pgconn.PgError{Code: "42501"}, "another error": errors.New("boom")} {
		tries = 0
		if err := migrations.Repeated(t.Context(), func() error { tries++; return other }); !errors.Is(err, other) || tries != 1 {
			t.Errorf("%s: got %v after %d tries", name, err, tries)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries = 0
	if err := migrations.Repeated(ctx, func() error { tries++; cancel(); return locked }); !errors.Is(err, context.Canceled) || tries != 1 {
		t.Errorf("without a caller: got %v after %d tries", err, tries)
	}
}
