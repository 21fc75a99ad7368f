package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/cmd/cli"
	"readiness/test/pgtest"
)

// examined runs the doctor and returns its findings by check and verdict.
func examined(t *testing.T, code int, args ...string) map[string][]symptom {
	t.Helper()
	got := run(t.Context(), append([]string{"doctor", "--json"}, args...)...)
	var said struct {
		Findings []symptom `json:"findings"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &said); err != nil || got.code != code {
		t.Fatalf("readinessd doctor %s: got exit code %d, want %d: %v\n%s%s", strings.Join(args, " "), got.code, code, err, got.stdout, got.stderr)
	}
	found := map[string][]symptom{}
	for _, f := range said.Findings {
		key := f.Check + " " + string(f.Verdict)
		found[key] = append(found[key], f)
		if (f.Do == "") != (f.Verdict == healthy) || f.Says == "" {
			t.Errorf("%+v: what is not healthy needs what to do, and only that", f)
		}
	}
	return found
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	s := serve(t, "--database-url", url, "--data", data, "--accounts", samplesAccounts)
	args := []string{"--database-url", url, "--data", data, "--platform", "folder:../../samples/workspaces", "--models"}
	var found map[string][]symptom
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) { // until River has elected a worker
		if found = examined(t, cli.ExitOK, args...); found["queue ok"] != nil {
			break
		}
		if time.Since(began) > waits {
			t.Fatalf("in %s: %+v", waits, found)
		}
	}
	for _, check := range []string{"database", "migrations", "roles", "clock", "views", "queue", "data", "providers", "platform", "models"} {
		if found[check+" ok"] == nil {
			t.Errorf("%s is not healthy: %+v", check, found)
		}
	}
	if found := examined(t, cli.ExitOK, append(args, "--read-database-url", url)...)["standby warning"]; len(found) != 1 ||
		!strings.Contains(found[0].Says, "takes writes") {
		t.Errorf("of a standby that is the primary: %+v", found)
	}
	s.stop()

	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range []string{
		`ALTER TABLE events DISABLE TRIGGER events_append_only`,
		`DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, readiness_app', current_database()); END $$`,
		`DELETE FROM view_generations WHERE view = 'operations'`,
		`UPDATE followers SET error = 'boom' WHERE name LIKE 'audit%'`,
		`DELETE FROM river_leader`,
		`INSERT INTO river_job (kind, args, state, max_attempts, created_at) VALUES ('ask-questions', '{}', 'available', 3, now() - interval '1 hour')`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(data, keyFile), 0o644); err != nil {
		t.Fatal(err)
	}
	found = examined(t, cli.ExitDamaged, append(args, "--issuer", "http://127.0.0.1:1")...)
	if roles := found["roles failing"]; len(roles) != 2 || !strings.Contains(roles[1].Says, "temporary tables") {
		t.Errorf("the missing right is not reported: %+v", roles)
	}
	for check, says := range map[string]string{
		"roles failing": "trigger", "views failing": "operations", "queue failing": "1 steps wait", "queue warning": "1h0m", "data failing": "read by others",
		"issuer failing": "127.0.0.1",
	} {
		told := false
		for _, f := range found[check] {
			told = told || strings.Contains(f.Says, says)
		}
		if !told {
			t.Errorf("%s does not say %q: %+v", check, says, found)
		}
	}
	if len(found["views failing"]) != 2 {
		t.Errorf("got %+v, want the view that is missing and the one that fails", found["views failing"])
	}
	text := run(t.Context(), append([]string{"doctor"}, args...)...)
	if text.code != cli.ExitDamaged || !strings.Contains(text.stdout, "→ Run readinessd projections rebuild --view operations") {
		t.Errorf("got exit code %d\n%s%s", text.code, text.stdout, text.stderr)
	}
}

func TestDoctorWithoutMuch(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	found := examined(t, cli.ExitDamaged, "--data", none)
	if found["database failing"] == nil || found["platform unknown"] == nil || found["data warning"] == nil {
		t.Errorf("of nothing: %+v", found)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("the doctor created the data directory")
	}
	found = examined(t, cli.ExitDamaged, "--data", t.TempDir(), "--database-url", pgtest.EmptyURL(t), "--platform", "folder:"+none)
	if found["database ok"] == nil || found["migrations failing"] == nil || found["views ok"] != nil || found["platform failing"] == nil {
		t.Errorf("of an empty database: %+v", found)
	}
	found = examined(t, cli.ExitDamaged, "--data", t.TempDir(), "--database-url", "postgres://x@127.0.0.1:1/x")
	if found["database failing"] == nil || found["migrations failing"] != nil {
		t.Errorf("of no database: %+v", found)
	}
	if got := run(t.Context(), "doctor", "--platform", "ftp:x"); got.code != cli.ExitUsage || got.stdout != "" {
		t.Errorf("of an unknown platform: got exit code %d, %q", got.code, got.stdout)
	}
}

func TestClocksApart(t *testing.T) {
	t.Parallel()
	for by, want := range map[time.Duration]verdict{
		0: healthy, 4999 * time.Millisecond: healthy, -4999 * time.Millisecond: healthy, 5 * time.Second: warning, -5 * time.Second: warning,
		59 * time.Second: warning, time.Minute: failing, -time.Hour: failing,
	} {
		if got := apart(by)[0].Verdict; got != want {
			t.Errorf("%s apart: got %s, want %s", by, got, want)
		}
	}
}

func TestKeyVariable(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{"": "", "{}": "", `{"kind":"openai","apiKeyEnv":"KEY"}`: "KEY", "[": ""} {
		if got := keyVariable(document); got != want {
			t.Errorf("%q: got %q, want %q", document, got, want)
		}
	}
}

// TestDoctorOfModels: the doctor names a model that a person changed, but no model that the service itself wrote or has read since.
func TestDoctorOfModels(t *testing.T) {
	t.Parallel()
	url, data, models := pgtest.URL(t), t.TempDir(), t.TempDir()
	if err := os.CopyFS(models, os.DirFS("../../samples/workspaces")); err != nil {
		t.Fatal(err)
	}
	platform := []string{"--database-url", url, "--data", data, "--platform", "folder:" + models}
	s := serveWith(t, append([]string{"--accounts", samplesAccounts}, platform...)...)
	y := newTypist(t)
	y.types(0, strings.TrimSpace(must(t, "token", "--data", data, "--account", "contoso", "--person", "ada", "--force").stdout), "login", "--base-url", s.base)
	const in, of = "Retail Analytics", "Inventory"
	says := func(of verdict, want string) {
		t.Helper()
		found := examined(t, cli.ExitOK, append([]string{"--models"}, platform...)...)["models "+string(of)]
		if len(found) != 1 || !strings.Contains(found[0].Says, want) {
			t.Errorf("got %+v, want %q", found, want)
		}
	}
	says(healthy, "all 0 models")
	y.types(0, "", "assess", in, of)
	says(healthy, "all 1 models")
	y.types(0, "", "apply", in, of, "properties", "--approval", "none")
	says(healthy, "all 1 models")

	parts, err := filepath.Glob(filepath.Join(models, in, "*", of+".SemanticModel", "definition", "model.tmdl"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("got %q, %v", parts, err)
	}
	text, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(parts[0], append([]byte("/// Changed by a person.\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	says(warning, "does not know the definition of Inventory in Retail Analytics")
	y.types(0, "", "assess", in, of)
	says(healthy, "all 1 models")
}

// Whether a view moves is judged by the database's clock, which says when it did, wherever this machine's clock is.
func TestDoctorOfViewsByOneClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []string{"-1 hour", "1 hour"} {
		a := newAuditor(t)
		a.exec(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + interval ''` + ahead + `''';
			DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`)
		for ago, want := range map[string]string{"10 seconds": "views       ok", "2 minutes": "has not moved for over a minute"} {
			a.exec(`UPDATE view_generations SET updated_at = public.clock_timestamp() - interval '` + ago + `'`)
			a.wants(a.types("doctor"), cli.ExitDamaged, want) // the clocks differ
		}
	}
}
