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
	"readiness/http/token"
	"readiness/projections"
	"readiness/test/pgtest"
)

const samplesAccounts = "../../samples/accounts.yaml"

func query[T any](t *testing.T, url, sql string) (v T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// proves: decisions/8/1
func TestTokenIsAloneOnStdout(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	must(t, "accounts", "apply", samplesAccounts, "--database-url", url, "--data", data)
	if _, err := token.OpenIssuer(data); err != nil { // as serve does
		t.Fatal(err)
	}
	began := time.Now()
	got := must(t, "token", "--data", data, "--database-url", url, "--account", "contoso", "--person", "ada", "--scopes", " Service.Read.All ", "--expires", "15m")
	if strings.Count(got.stdout, "\n") != 1 || got.stderr != "" {
		t.Fatalf("got stdout %q and stderr %q, want one line and nothing", got.stdout, got.stderr)
	}
	issuer, err := token.OpenIssuer(data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := token.NewVerifier(token.Options{Embedded: issuer, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	who, err := v.Verify(t.Context(), strings.TrimSpace(got.stdout))
	if err != nil || who.Account != "contoso" || who.Person.ID != "ada" || !who.Has(token.ScopeRead) || who.Has(token.ScopeReadWrite) {
		t.Errorf("got %+v, error %v, want ada of contoso with only the scope %s", who, err, token.ScopeRead)
	}
	if who.Expires.Before(began.Add(15*time.Minute-time.Second)) || time.Until(who.Expires) > 15*time.Minute {
		t.Errorf("it expires at %v, want 15 minutes after it was made, which was after %v", who.Expires, began)
	}
}

// The command creates tokens only for people that the account knows, and only with an existing key.
//
// proves: decisions/9/12
func TestTokenIsRefused(t *testing.T) {
	t.Parallel()
	url, data, empty := pgtest.URL(t), t.TempDir(), t.TempDir()
	must(t, "accounts", "apply", samplesAccounts, "--database-url", url, "--data", data)
	if _, err := token.OpenIssuer(data); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		args []string
		says string
	}{
		"an unknown person":        {[]string{"--data", data, "--database-url", url, "--account", "contoso", "--person", "adda"}, `no account knows a person "adda"`},
		"another account's person": {[]string{"--data", data, "--database-url", url, "--account", "fabrikam", "--person", "ada"}, `accounts that do: contoso`},
		"an unknown account":       {[]string{"--data", data, "--database-url", url, "--account", "nobody", "--person", "ada"}, `"nobody" does not know "ada"`},
		"no key":                   {[]string{"--data", empty, "--database-url", url, "--account", "contoso", "--person", "ada"}, "no key of the embedded issuer"},
		"no key, by force":         {[]string{"--data", empty, "--account", "contoso", "--person", "ada", "--force"}, "no key of the embedded issuer"},
		"no directory":             {[]string{"--data", filepath.Join(empty, "none"), "--account", "contoso", "--person", "ada"}, "no key of the embedded issuer"},
		"no database":              {[]string{"--data", data, "--account", "contoso", "--person", "ada"}, "--database-url"},
	} {
		got := run(t.Context(), append([]string{"token"}, row.args...)...)
		if got.code != cli.ExitFailed || got.stdout != "" || !strings.Contains(got.stderr, row.says) {
			t.Errorf("%s: got exit code %d, stdout %q, stderr %q, want %d and %q", name, got.code, got.stdout, got.stderr, cli.ExitFailed, row.says)
		}
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("a refused token left %v behind, %v", left, err)
	}
	if got := must(t, "token", "--data", data, "--account", "contoso", "--person", "nobody", "--force"); strings.Count(got.stdout, ".") != 2 {
		t.Errorf("with --force: got %q, want a token", got.stdout)
	}
}

func TestOperatorsCommands(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	do := func(args ...string) result {
		t.Helper()
		return must(t, append(args, "--database-url", url, "--data", data)...)
	}

	if got := do("migrate", "up"); got.stdout != "the schema is up to date\n" {
		t.Errorf("migrate up: got %q", got.stdout)
	}
	if got := do("migrate", "status"); !strings.Contains(got.stdout, "0001_events.sql") || !strings.Contains(got.stdout, "river") || strings.Contains(got.stdout, "false") {
		t.Errorf("migrate status: got\n%s\nwant every step applied", got.stdout)
	}

	diff := do("accounts", "diff", samplesAccounts)
	if n := query[int](t, url, `SELECT count(*) FROM events`); n != 0 {
		t.Errorf("accounts diff appended %d events", n)
	}
	applied := do("accounts", "apply", samplesAccounts)
	if applied.stdout != diff.stdout || !strings.Contains(diff.stdout, "+ account contoso: plan Business") || !strings.Contains(diff.stdout, "+ person margaret: role admin") {
		t.Errorf("apply says\n%s\nand diff before it\n%s", applied.stdout, diff.stdout)
	}
	events := query[int](t, url, `SELECT count(*) FROM events`)
	want := "account contoso: no change\naccount fabrikam: no change\naccount northwind: no change\n"
	if got := do("accounts", "apply", samplesAccounts); got.stdout != want || query[int](t, url, `SELECT count(*) FROM events`) != events {
		t.Errorf("applied again: got %q, want %q and no event more", got.stdout, want)
	}

	list := do("events", "list", "--account", "contoso", "--limit", "2")
	if lines := strings.Count(list.stdout, "\n"); lines != 3 || !strings.Contains(list.stdout, "account.opened") || !strings.Contains(list.stderr, "more events follow: --after 2") {
		t.Errorf("events list: got %d lines\n%s%s", lines, list.stdout, list.stderr)
	}
	if got := do("events", "list", "--stream", "account-fabrikam"); strings.Count(got.stdout, "account-fabrikam") != 2 || strings.Contains(got.stdout, "contoso") || got.stderr != "" {
		t.Errorf("events list of a stream: got\n%s%s", got.stdout, got.stderr)
	}
	for format, member := range map[string]string{"ndjson": "eventId", "cloudevents": "specversion"} {
		got := do("events", "export", "--format", format)
		n := 0
		for line := range strings.Lines(got.stdout) {
			n++
			var members map[string]any
			if err := json.Unmarshal([]byte(line), &members); err != nil || members[member] == nil {
				t.Errorf("%s: line %q has no member %s: %v", format, line, member, err)
			}
		}
		if n != events {
			t.Errorf("%s: got %d lines, want %d", format, n, events)
		}
	}
	file := filepath.Join(t.TempDir(), "events.ndjson")
	if got := do("events", "export", "--output", file, "--after", "1"); got.stdout != "" {
		t.Errorf("an export to a file printed %q", got.stdout)
	}
	if b, err := os.ReadFile(file); err != nil || strings.Count(string(b), "\n") != events-1 {
		t.Errorf("the exported file holds %d lines, error %v, want %d", strings.Count(string(b), "\n"), err, events-1)
	}
	if got := run(t.Context(), "events", "export", "--output", file, "--database-url", url); got.code != cli.ExitFailed || !strings.Contains(got.stderr, "exists") {
		t.Errorf("an export over a file: got exit code %d, %q, want %d", got.code, got.stderr, cli.ExitFailed)
	}

	if got := do("projections", "status"); !strings.Contains(got.stdout, "operations") || !strings.Contains(got.stdout, "following") || strings.Contains(got.stdout, "missing") {
		t.Errorf("projections status: got\n%s", got.stdout)
	}
	if got := do("projections", "rebuild", "--diff", "--switch"); strings.Count(got.stdout, "generation 2 is live") != len(projections.All()) || strings.Contains(got.stdout, "different") {
		t.Errorf("projections rebuild: got\n%s\nwant a new generation of every view and no difference", got.stdout)
	}
	if got := do("projections", "retire", "--view", "accounts"); got.stdout != "accounts: 1 generations dropped\n" {
		t.Errorf("projections retire: got %q", got.stdout)
	}
	if got := do("projections", "withdraw", "--view", "accounts"); got.stdout != "accounts: 1 generations withdrawn; their tables stay until they are retired\n" {
		t.Errorf("projections withdraw: got %q", got.stdout)
	}
	if got := do("projections", "status"); !strings.Contains(got.stdout, "missing") {
		t.Errorf("projections status without a view: got\n%s", got.stdout)
	}
	if got := do("projections", "rebuild", "--view", "accounts"); !strings.Contains(got.stdout, "is live") {
		t.Errorf("projections rebuild after it was withdrawn: got %q", got.stdout)
	}
}

func TestDamageIsExitCode3(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	must(t, "accounts", "apply", samplesAccounts, "--database-url", url, "--data", t.TempDir())
	if got := must(t, "events", "verify", "--database-url", url); !strings.Contains(got.stdout, " 0 mismatches\n") || !strings.HasSuffix(got.stdout, ": 0 missing\n") {
		t.Errorf("verify: got %q", got.stdout)
	}

	linus := query[string](t, url, `SELECT max(person) FROM members_v2 WHERE account_id = 'contoso' AND member->>'role' = 'member'`)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range []string{
		`UPDATE members_v2 SET member = '{"role": "admin"}' WHERE person = '` + linus + `'`,
		`ALTER TABLE events DISABLE TRIGGER ALL`,
		`UPDATE events SET data = '{"plan": "Enterprise"}' WHERE position = 1`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t.Context(), "events", "verify", "--database-url", url)
	if got.code != cli.ExitDamaged || !strings.Contains(got.stdout, "position 1, stream account-contoso, version 1: ") || !strings.Contains(got.stdout, "1 mismatches") {
		t.Errorf("verify of a changed log: got exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got = run(t.Context(), "projections", "rebuild", "--view", "accounts", "--diff", "--database-url", url)
	if got.code != cli.ExitDamaged || !strings.Contains(got.stdout, "members: ") || !strings.Contains(got.stdout, linus) {
		t.Errorf("rebuild of a changed view: got exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if role := query[string](t, url, `SELECT member->>'role' FROM members_v2 WHERE person = '`+linus+`'`); role == "member" {
		t.Error("a comparison switched")
	}
	must(t, "projections", "switch", "--database-url", url)
	if role := query[string](t, url, `SELECT member->>'role' FROM members_v2 WHERE person = '`+linus+`'`); role != "member" {
		t.Errorf("after the rebuild linus is %q, want member", role)
	}
}
