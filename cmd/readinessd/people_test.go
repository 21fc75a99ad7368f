package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/test/pgtest"
)

const southAccounts = `accounts:
  - accountId: south
    plan: Team
    people:
      - {person: ada, role: admin}
      - {person: ada, issuer: "https://login.example.com"}
`

// People are listed, shown and erased by name and by id, in one account or in all.
func TestPeopleCommands(t *testing.T) {
	t.Parallel()
	url, data := pgtest.URL(t), t.TempDir()
	with := func(args ...string) result {
		t.Helper()
		return must(t, append(args, "--database-url", url, "--data", data)...)
	}
	with("accounts", "apply", samplesAccounts)
	south := filepath.Join(t.TempDir(), "south.yaml")
	if err := os.WriteFile(south, []byte(southAccounts), 0o600); err != nil {
		t.Fatal(err)
	}
	with("accounts", "apply", south)
	idOf := func(account, role string) string {
		t.Helper()
		return query[string](t, url, `SELECT min(person) FROM members_v2 WHERE account_id = '`+account+`' AND member->>'role' = '`+role+`'`)
	}
	people := func() int { t.Helper(); return query[int](t, url, `SELECT count(*) FROM people`) }
	erasures := func() int {
		t.Helper()
		return query[int](t, url, `SELECT count(*) FROM events WHERE type = 'person.erased'`)
	}
	all, inSouth, stranger := people(), idOf("south", "admin"), idOf("south", "member")

	list := with("people", "list", "--account", "south").stdout
	if strings.Count(list, "\n") != 3 || !strings.Contains(list, inSouth) || !strings.Contains(list, "https://login.example.com") {
		t.Errorf("listed:\n%s", list)
	}
	show := with("people", "show", "ada").stdout
	if strings.Count(show, "\n") != 3 || !strings.Contains(show, "contoso") || !strings.Contains(show, inSouth) || strings.Contains(show, stranger) {
		t.Errorf("shown:\n%s", show)
	}
	if got := run(t.Context(), "people", "show", "eve", "--database-url", url, "--data", data); got.code != cli.ExitFailed || !strings.Contains(got.stderr, `no account knows "eve"`) {
		t.Errorf("a stranger: %+v", got)
	}

	erase := func(left, recorded int, says string, args ...string) {
		t.Helper()
		if got := with(append([]string{"people", "erase"}, args...)...).stdout; got != says || people() != left || erasures() != recorded {
			t.Errorf("erase %v: %q; %d people and %d erasures, want %q, %d and %d", args, got, people(), erasures(), says, left, recorded)
		}
	}
	erase(all, 0, "no account knows eve: there is nothing to erase\n", "eve")
	erase(all, 0, "no account knows ada: there is nothing to erase\n", "ada", "--account", "fabrikam")
	erase(all-1, 1, "erased from account south: "+stranger+"\n", "ada", "--issuer", "https://login.example.com")
	erase(all-2, 2, "erased from account south: "+inSouth+"\n", inSouth)
	erase(all-2, 2, "no account knows "+inSouth+": there is nothing to erase\n", inSouth)
	contoso := query[string](t, url, `SELECT person_id FROM people WHERE blind_index = (SELECT blind_index FROM people WHERE person_id = '`+idOf("contoso", "admin")+`')`)
	erase(all-3, 3, "erased from account contoso: "+contoso+"\n", "ada")
	if got := with("events", "verify").stdout; !strings.Contains(got, " 0 mismatches\n") || !strings.HasSuffix(got, ": 0 missing\n") {
		t.Errorf("verify: %s", got)
	}

	// A person who is still declared is stored again, as another one.
	applied := with("accounts", "apply", south).stdout
	if !strings.Contains(applied, "+ person ada: role admin") || strings.Contains(applied, "- person") || idOf("south", "admin") == inSouth {
		t.Errorf("applied again:\n%s", applied)
	}

	// With another key no person is added as new, and none is lost.
	other := t.TempDir()
	before, events := people(), query[int](t, url, `SELECT count(*) FROM events`)
	if err := os.WriteFile(filepath.Join(other, keyFile), make([]byte, secretSize), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"apply": {"accounts", "apply", south}, "diff": {"accounts", "diff", south},
		"serve": {"serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces"},
	} {
		got := run(t.Context(), append(args, "--database-url", url, "--data", other)...)
		if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "another service.key") {
			t.Errorf("%s with another key: %+v", name, got)
		}
	}
	if got := must(t, "people", "list", "--database-url", url, "--data", other).stdout; strings.Count(got, "(another service.key)") != before {
		t.Errorf("listed with another key:\n%s", got)
	}
	empty := t.TempDir()
	got := run(t.Context(), "people", "list", "--database-url", url, "--data", empty)
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 || got.code != cli.ExitFailed || !strings.Contains(got.stderr, "has no service.key") {
		t.Errorf("without a key: %+v; it left %v, %v", got, left, err)
	}
	if people() != before || query[int](t, url, `SELECT count(*) FROM events`) != events {
		t.Errorf("%d people of %d are left", people(), before)
	}
}
