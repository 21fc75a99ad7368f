package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/spf13/cobra"

	"readiness/cmd/cli"
	"readiness/http/token"
	"readiness/test/pgtest"
)

// afterUpgrade are the commands that open the log's database, with their arguments.
var afterUpgrade = map[string][]string{
	"accounts erase":       {"contoso"},
	"accounts export":      {"contoso", "--to", "KEY"},
	"accounts import":      {"FILE"},
	"audit export":         {"--account", "contoso"},
	"audit key":            nil,
	"audit restart":        {"--because", "the log was restored"},
	"audit verify":         {"--checkpoint-to", "s3://bucket"},
	"documents move":       {"--to", "database", "--documents", "s3://bucket"},
	"documents show":       nil,
	"documents verify":     nil,
	"documents strays":     {"--documents", "s3://bucket"},
	"events export":        nil,
	"events import":        {"FILE"},
	"events list":          nil,
	"events verify":        nil,
	"forward":              {"--forward", "nats://127.0.0.1:1", "--forward-system", "nats://127.0.0.1:1"},
	"forward forget":       nil,
	"forward rebuild":      {"--forward", "nats://127.0.0.1:1", "--forward-system", "nats://127.0.0.1:1"},
	"people erase":         {"019a8f3e-0000-7000-8000-000000000000"},
	"people list":          nil,
	"people show":          {"019a8f3e-0000-7000-8000-000000000000"},
	"projections as-of":    {"accounts", "--position", "1"},
	"projections build":    nil,
	"projections switch":   nil,
	"projections rebuild":  nil,
	"projections retire":   {"--view", "accounts"},
	"projections status":   nil,
	"projections withdraw": {"--view", "accounts"},
	"reports copies list":  {"--account", "contoso"},
	"reports copies restore": {"--account", "contoso", "--operation", "019a8f3e-0000-7000-8000-000000000000", "--report",
		"019a8f3e-0000-7000-8000-000000000000", "--to", "OUT"},
	"token": {"--account", "contoso", "--person", "ada"},
}

// otherwise are the commands with a database that do not pass there, and why.
var otherwise = map[string]string{
	"accounts apply":  "migrates",
	"accounts diff":   "migrates",
	"accounts key":    "reads the data directory only",
	"accounts schema": "opens no database",
	"doctor":          "has its own check: TestDoctorOnAnotherSchema",
	"migrate status":  "lists the steps",
	"migrate up":      "migrates",
	"serve":           "migrates",
	"worker":          "migrates",
}

// withDatabase returns the names of the commands that have --database-url and do something.
func withDatabase(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		names = append(names, withDatabase(sub)...)
	}
	if f := c.Flag("database-url"); f != nil && (!c.HasSubCommands() || c.Name() == "forward") {
		names = append(names, strings.TrimPrefix(c.CommandPath(), "readinessd "))
	}
	return names
}

// schemaArguments returns the command line of a command.
func schemaArguments(t *testing.T, name, url, data string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(name), afterUpgrade[name]...)
	for i := range args {
		switch args[i] {
		case "FILE":
			args[i] = file
		case "OUT":
			args[i] = filepath.Join(t.TempDir(), "out")
		}
	}
	return append(args, "--database-url", url, "--data", data)
}

// keptData returns a data directory with the keys of a service.
func keptData(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	if _, err := token.OpenIssuer(data); err != nil {
		t.Fatal(err)
	}
	if _, err := openSecrets(data); err != nil {
		t.Fatal(err)
	}
	return data
}

// execute runs SQL in the database.
func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// earlierSchema returns a database with the tables of an earlier version.
func earlierSchema(t *testing.T) string {
	t.Helper()
	pgtest.URL(t) // makes the application's role
	url := pgtest.EmptyURL(t)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	earlier, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("../../migrations"), goose.WithTableName("schema_versions"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := earlier.UpTo(t.Context(), 22); err != nil {
		t.Fatal(err)
	}
	execute(t, url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO readiness_app`)
	return url
}

// Every command that opens a database with the tables of another version says so and names the command to run.
func TestCommandsOnAnotherSchema(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	for _, name := range withDatabase(newRoot(&stdout, &stderr).Command) {
		if _, known := afterUpgrade[name]; !known && otherwise[name] == "" {
			t.Errorf("readiness %s has a database and is not in this test", name)
		}
	}
	data := keptData(t)
	earlier, empty, newer := earlierSchema(t), pgtest.EmptyURL(t), pgtest.URL(t)
	execute(t, newer, `INSERT INTO schema_versions (version_id, is_applied) VALUES (9999, true)`)
	endless := []string{"forward"} // they continue with a newer schema
	t.Run("commands", func(t *testing.T) {
		for name := range afterUpgrade {
			for kind, row := range map[string]struct{ url, says string }{
				"earlier": {earlier, "run this version's readinessd migrate up"},
				"empty":   {empty, "readinessd migrate up"},
				"newer":   {newer, "the schema of the database is that of a newer version"},
			} {
				if kind == "newer" && slices.Contains(endless, name) {
					continue
				}
				t.Run(name+" "+kind, func(t *testing.T) {
					t.Parallel()
					got := run(t.Context(), schemaArguments(t, name, row.url, data)...)
					if !strings.Contains(got.stderr, row.says) || strings.Contains(got.stderr, "SQLSTATE") {
						t.Errorf("exit code %d, stdout %q, stderr\n%s\nwant %q", got.code, got.stdout, got.stderr, row.says)
					}
					if kind != "newer" && got.code != cli.ExitFailed {
						t.Errorf("got exit code %d, want %d", got.code, cli.ExitFailed)
					}
				})
			}
		}
	})
	if n := query[int](t, earlier, `SELECT max(version_id) FROM schema_versions`); n != 22 {
		t.Errorf("a command brought the schema to %d", n)
	}
	if n := query[int](t, empty, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`); n != 0 {
		t.Errorf("a command made %d tables", n)
	}
}

// A table that a newer program took away is no raw SQL error.
func TestTableOfANewerSchemaIsGone(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	execute(t, url, `INSERT INTO schema_versions (version_id, is_applied) VALUES (9999, true); ALTER TABLE followers RENAME TO pursuers`)
	got := run(t.Context(), "projections", "status", "--database-url", url, "--data", t.TempDir())
	if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "newer version") || strings.Contains(got.stderr, "SQLSTATE") {
		t.Errorf("got exit code %d and\n%s", got.code, got.stderr)
	}
}

func TestDoctorOnAnotherSchema(t *testing.T) {
	t.Parallel()
	newer := pgtest.URL(t)
	execute(t, newer, `INSERT INTO schema_versions (version_id, is_applied) VALUES (9999, true)`)
	for url, says := range map[string]string{earlierSchema(t): "readinessd migrate up", pgtest.EmptyURL(t): "readinessd migrate up", newer: "newer version"} {
		got := run(t.Context(), "doctor", "--platform", "folder:../../samples/workspaces", "--database-url", url, "--data", keptData(t))
		if !strings.Contains(got.stdout, says) || strings.Contains(got.stdout, "SQLSTATE") {
			t.Errorf("got exit code %d and\n%s\nwant %q", got.code, got.stdout, says)
		}
	}
}
