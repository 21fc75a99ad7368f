package migrations_test

import (
	"errors"
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

	"readiness/internal/pgtest"
	"readiness/migrations"
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
		ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE streams DISABLE TRIGGER USER;
		CREATE TABLE made_later (x int)`
	if _, err := owner.Exec(t.Context(), setUp); err != nil {
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
		`INSERT INTO made_later VALUES (1)`,
		`DELETE FROM made_later`,
	}
	for _, sql := range allowed {
		if _, err := app.Exec(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	refused := []string{
		`UPDATE events SET type = 'x'`, `DELETE FROM events`, `TRUNCATE events`, `ALTER TABLE events DISABLE TRIGGER USER`, `DROP TABLE events`,
		`DELETE FROM streams`, `TRUNCATE streams`,
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
