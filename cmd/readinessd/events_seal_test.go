package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/domain"
	"readiness/eventstore"
)

// Events as programs stored them before texts were sealed and people were ids.
type (
	plainProvider struct{ json.RawMessage }
	plainPerson   struct{ json.RawMessage }
)

func (plainProvider) EventType() string { return "aiprovider.saved" }
func (plainPerson) EventType() string   { return "operation.accepted" }

type plainly struct{ domain.Event }

// Decide implements domain.Command.
func (p plainly) Decide(struct{}) ([]domain.Event, error) { return []domain.Event{p.Event}, nil }

// plain appends an event in its first form, of a person whom metadata name.
func (a *auditor) plain(stream string, e domain.Event) {
	a.Helper()
	codec, err := eventstore.NewCodec(eventstore.Events(plainProvider{}, plainPerson{})...)
	a.ok(err)
	store := eventstore.New(a.core.pool, codec, eventstore.Options{})
	past := eventstore.Tail(stream)
	a.ok(store.Change(a.Context(), eventstore.Metadata{Account: "contoso", Person: "tid/quokka"}, []eventstore.Loadable{past},
		func(c *eventstore.Change) error { return eventstore.Decide(c, past, plainly{e}) }))
}

const (
	quokkaProvider = `{"configuration":{"providerId":"00000000-0000-0000-0000-000000000007","name":"Numbat of a person","kind":"openai_compatible",` +
		`"baseUrl":"https://texts.example/v1","model":"m","purposes":[],"enabled":true,"dataPolicy":{},"limits":{}}}`
	quokkaPerson = `{"operationId":"00000000-0000-0000-0000-000000000001","accountId":"contoso","type":"AssessSemanticModel",` +
		`"owner":{"issuer":"https://issuer.example","id":"tid/quokka"},"resource":{"workspaceId":"00000000-0000-0000-0000-000000000003",` +
		`"itemId":"00000000-0000-0000-0000-000000000004","itemType":"SemanticModel"},"impact":{"assessments":1}}`
)

// A log from before texts were sealed becomes one in which an erased account leaves nothing: erase refuses and names the way, the import
// seals texts and replaces names, and afterwards no table and no dump has them. Other hashes are those of another epoch.
//
// proves: decisions/20/sealed
func TestPlainLogIsSealedAndErased(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.overrule("contoso")
	a.plain("operation-00000000-0000-0000-0000-000000000001", plainPerson{json.RawMessage(quokkaPerson)})
	a.plain("aiproviders-contoso", plainProvider{json.RawMessage(quokkaProvider)})
	a.plain("aiproviders-contoso", plainProvider{json.RawMessage(strings.ReplaceAll(quokkaProvider, "0007", "0008"))})
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	kept, _ := a.kept("head", "")
	if dump := a.dump(a.url); !strings.Contains(dump, "Numbat") || !strings.Contains(dump, "tid/quokka") {
		t.Fatal("the log is not plain")
	}
	a.wants(a.types("accounts", "erase", "contoso"), cli.ExitFailed, "2 texts", "4 names", "nothing was erased", "events import --seal")
	file := filepath.Join(a.files, "events.ndjson")
	a.wants(a.types("events", "export", "--output", file), cli.ExitOK, "exported up to position")

	types, url := a.replica()
	a.wants(types("", "events", "import", "--seal", file), cli.ExitFailed, "copy the table account_keys", "nothing was imported")
	if n := query[int](t, url, `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM account_keys)`); n != 0 {
		t.Errorf("a refused import leaves %d rows", n)
	}
	copyTables(t, a.url, url, "account_keys", "people")
	cut, err := os.ReadFile(file)
	a.ok(err)
	a.wants(types(strings.Replace(string(cut), "Numbat", "Wombat", 1), "events", "import", "--seal", "-"), cli.ExitFailed, "the line was changed")
	a.wants(types("", "events", "import", "--seal", file), cli.ExitOK, "imported", "sealed 2 texts and replaced 4 names", "audit restart")
	a.wants(types("", "events", "verify"), cli.ExitOK, "0 mismatches")
	a.wants(types("", "audit", "verify", "--checkpoint", kept), cli.ExitDamaged)
	a.wants(types("", "projections", "rebuild"), cli.ExitOK, "is live")
	if n := query[int](t, url, `SELECT count(*) FROM events WHERE data::text ~ 'Numbat|quokka|issuer.example' OR metadata::text ~ 'quokka'`); n != 0 {
		t.Errorf("%d events of the imported log have texts or names in plain form", n)
	}
	if n := query[int](t, url, `SELECT count(DISTINCT metadata->>'person') FROM events WHERE metadata->>'person' <> ''`); n != 1 {
		t.Errorf("the person has %d ids", n)
	}

	closed := filepath.Join(a.files, "closed.yaml")
	a.ok(os.WriteFile(closed, []byte("accounts:\n  - {accountId: contoso, plan: Team, status: Closed, people: []}\n"), 0o600))
	a.wants(types("", "accounts", "apply", closed), cli.ExitOK)
	a.wants(types("", "accounts", "erase", "contoso"), cli.ExitOK, "erased account contoso")
	dump := a.dump(url)
	for _, text := range []string{"Numbat", "Quokka", "tid/quokka", "issuer.example"} {
		for line := range strings.Lines(dump) {
			if strings.Contains(line, text) {
				t.Errorf("after the erasure the dump has %s: %.300s", text, line)
			}
		}
	}
	a.wants(types("", "events", "verify"), cli.ExitOK, "0 mismatches")
}

// dump returns a dump of a database.
func (a *auditor) dump(url string) string {
	a.Helper()
	dump, err := exec.CommandContext(a.Context(), "pg_dump", "--inserts", url).Output()
	a.ok(err)
	return string(dump)
}

// copyTables copies rows as docs/operating.md says.
func copyTables(t *testing.T, from, to string, tables ...string) {
	t.Helper()
	args := []string{"--data-only"}
	for _, table := range tables {
		args = append(args, "--table", table)
	}
	dump, err := exec.CommandContext(t.Context(), "pg_dump", append(args, from)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	psql := exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", to)
	psql.Stdin = strings.NewReader(string(dump))
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
}
