package operate_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/http/token"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// An account of a running service is erased while its steps run and its people call, by a command that is killed several times. A dump
// then has nothing that its people wrote, nor its key; what another account has is complete, and one person of it is erased. The log, its
// trees and earlier heads are as before, and views rebuilt from it are equal.
//
// proves: decisions/23/last decisions/23/refused decisions/23/deleted decisions/23/others decisions/23/repeated
func TestEraseAccount(t *testing.T) {
	t.Parallel()
	eraseAccount(t, 2)
}

// tenants are two accounts of a service: acme, which is erased, and umbrella.
type tenants struct {
	*program.Program
	file  string // of the accounts
	model uuid.UUID
}

func eraseAccount(t *testing.T, kills int) {
	t.Helper()
	c := &tenants{Program: program.New(t, nil, "--database-url", testlog.URL(t)), model: uuid.New()}
	c.file = filepath.Join(t.TempDir(), "accounts.yaml")
	for i, arg := range c.Args {
		if arg == "--accounts" {
			c.Args[i+1] = c.file
		}
	}
	c.declare("Active")
	c.Args = append(c.Args, "--ai-private-addresses")
	c.Item(t, "Retail", "Sales.SemanticModel", "Sales", c.model)
	c.Put(program.Table(0)+"\n\tmeasure Revenue = 1\n", "Sales.SemanticModel", "definition", "tables", "T0.tmdl")
	c.Launch()
	for account, person := range map[string]string{"acme": "quillpepper", "umbrella": "wobblesworth"} {
		c.write(account, person)
	}
	read := func() any {
		t.Helper()
		return c.as("umbrella", "tumbledown", http.MethodGet, c.of("benchmark/questions"), http.StatusOK, nil)["value"]
	}
	questions := read()
	key, _ := program.Query[string](c.Program, `SELECT encode(key, 'hex') FROM account_keys WHERE account_id = 'acme'`)
	for _, text := range []string{"acme-words", "umbrella-words", key} {
		if dump := c.dump(); !strings.Contains(dump, text) {
			t.Fatalf("before, the dump does not have %s", text)
		}
	}
	c.Await("the trees have everything", func() bool {
		all, _ := program.Query[bool](c.Program, `SELECT EXISTS (SELECT FROM audit_trees WHERE tree = '' AND position = (SELECT max(position) FROM events))`)
		return all
	})
	heads := map[string]string{}
	for _, tree := range []string{"", "acme"} {
		note, _ := program.Query[string](c.Program, `SELECT note FROM audit_trees WHERE tree = '`+tree+`'`)
		heads[tree] = filepath.Join(t.TempDir(), "head")
		testworld.Check(t, os.WriteFile(heads[tree], []byte(note), 0o600))
	}
	hashes := hashesOfEvents(c.Program)

	for range 20 {
		c.as("acme", "quillpepper", http.MethodPost, c.of("assess"), http.StatusAccepted, nil)
	}
	if err := c.Try(t, "accounts", "erase", "acme"); err == nil || !strings.Contains(err.Error(), "only a Closed account") {
		t.Errorf("an account in use is erased: %v", err)
	}
	stop, calling := make(chan struct{}), sync.WaitGroup{}
	mine := c.mintFor("acme", "quillpepper")
	calling.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = program.Exchange(t.Context(), c.Base, mine, http.MethodPost, c.of("schedules"), map[string]any{"frequency": "Daily", "timeUtc": "06:30"})
			}
		}
	})
	c.declare("Closed")
	c.Operate("accounts", "apply", c.file)
	c.Strike(kills, 100*time.Millisecond, func(lasts time.Duration) bool {
		p := c.Begin(append([]string{"accounts", "erase", "acme"}, c.Database...)...)
		c.Wait(t.Context(), lasts)
		p.Kill()
		if half, ok := program.Query[bool](c.Program, `SELECT EXISTS (SELECT FROM events WHERE type = 'account.erased') <>
			EXISTS (SELECT FROM account_keys WHERE account_id = 'acme' AND key IS NULL)`); half || !ok {
			t.Error("the event and the key are not one change")
		}
		begun, _ := program.Query[bool](c.Program, `SELECT EXISTS (SELECT FROM events WHERE type = 'account.erased')`)
		return begun // a kill before the key is gone does not count
	})
	var erasers sync.WaitGroup
	for range 2 {
		erasers.Go(func() { c.Operate("accounts", "erase", "acme") })
	}
	c.Operate("people", "erase", "wobblesworth")
	erasers.Wait()
	close(stop)
	calling.Wait()

	c.Token = mine
	if status, got, err := program.Exchange(t.Context(), c.Base, mine, http.MethodGet, "/v1/workspaces", nil); err != nil || status != http.StatusForbidden || got["errorCode"] != "UserNotRegistered" {
		t.Errorf("a person of the account gets %d %v, %v", status, got, err)
	}
	c.leavesNothing()
	dump := c.dump()
	for _, text := range []string{"acme-words", key, "wobblesworth", "quillpepper"} {
		for line := range strings.Lines(dump) {
			if strings.Contains(line, text) {
				t.Errorf("the dump has %s: %.200s", text, line)
			}
		}
	}
	if !strings.Contains(dump, "umbrella-words") || fmt.Sprint(read()) != fmt.Sprint(questions) {
		t.Error("something of the other account is gone")
	}
	now := hashesOfEvents(c.Program)
	for position, hash := range hashes {
		if now[position] != hash {
			t.Errorf("the event at %d has changed", position)
		}
	}
	if err := c.Try(t, "accounts", "apply", c.file); err == nil || !strings.Contains(err.Error(), `account "acme" was erased`) {
		t.Errorf("it is declared again: %v", err)
	}
	c.Operate("events", "verify")
	for _, head := range heads {
		c.Operate("audit", "verify", "--checkpoint", head)
	}
	c.Operate("projections", "rebuild", "--diff")
	c.leavesNothing()
}

// declare writes the accounts file.
func (c *tenants) declare(status string) {
	c.T.Helper()
	testworld.Check(c.T, os.WriteFile(c.file, fmt.Appendf(nil, `accounts:
  - {accountId: acme, plan: Enterprise, status: %s, people: [{person: quillpepper, role: admin}, {person: tumbledown, role: admin}]}
  - {accountId: umbrella, plan: Enterprise, people: [{person: wobblesworth, role: admin}, {person: tumbledown, role: admin}]}
`, status), 0o600))
}

// of returns a path of the model.
func (c *tenants) of(path string) string {
	return "/v1/workspaces/" + c.WorkspaceID.String() + "/semanticModels/" + c.model.String() + "/aiReadiness/" + path
}

func (c *tenants) mintFor(account, person string) string {
	c.T.Helper()
	issuer, err := token.FindIssuer(c.Data)
	testworld.Check(c.T, err)
	made, err := issuer.Mint(account, person, []string{token.ScopeRead, token.ScopeReadWrite}, time.Now(), time.Hour)
	testworld.Check(c.T, err)
	return made
}

func (c *tenants) as(account, person, method, path string, want int, body any) map[string]any {
	c.T.Helper()
	c.Token = c.mintFor(account, person)
	got, ok := c.Call(c.T.Context(), method, path, want, body)
	if !ok {
		c.T.Fatalf("%s %s of %s: %v", method, path, person, c.Last)
	}
	return got
}

// write makes the calls with which a person of an account writes texts, leaves a schedule with its token, and stores a key.
func (c *tenants) write(account, person string) {
	c.T.Helper()
	words := account + "-words"
	as := func(method, path string, want int, body any) map[string]any {
		c.T.Helper()
		return c.as(account, person, method, path, want, body)
	}
	work := func(path string, body any) string {
		c.T.Helper()
		id := as(http.MethodPost, path, http.StatusAccepted, body)["operationId"].(string)
		c.Await("the work has ended", func() bool {
			return as(http.MethodGet, "/v1/operations/"+id, http.StatusOK, nil)["status"] == "Succeeded"
		})
		return id
	}
	work(c.of("assess"), nil)
	assessment := as(http.MethodGet, c.of("assessments"), http.StatusOK, nil)["value"].([]any)[0].(map[string]any)["assessmentId"].(string)
	as(http.MethodPost, c.of("assessments/"+assessment+"/pin"), http.StatusOK, nil)
	work(c.of("benchmark/questions/save"), map[string]any{"questions": []map[string]any{
		{"questionId": "q1", "text": "What is the revenue?", "expected": map[string]any{"fields": []map[string]any{{"role": "measure", "table": "T0", "name": "Revenue"}}}},
	}})
	run := work(c.of("benchmark/runs"), map[string]any{"answeredBy": map[string]any{"kind": "PlatformAssistant"}})
	as(http.MethodPost, c.of("benchmark/runs/"+run+"/questions/q1/verdict"), http.StatusOK, map[string]any{"verdict": "correct", "reason": words})
	side := map[string]any{"semanticModelId": c.model, "workspaceId": c.WorkspaceID, "answeredBy": map[string]any{"kind": "PlatformAssistant"}}
	work("/v1/aiReadiness/abTests", map[string]any{"name": words, "description": words, "sideA": side, "sideB": side, "source": map[string]any{"kind": "Questions"}})
	as(http.MethodPost, "/v1/aiProviders", http.StatusOK, map[string]any{"name": words, "kind": "openai_compatible", "baseUrl": "http://127.0.0.1:9/v1", "model": "small", "apiKey": "sk-secret", "saveAnyway": true})
	as(http.MethodPost, c.of("schedules"), http.StatusOK, map[string]any{"frequency": "Daily", "timeUtc": "06:30"})
	work(c.of("descriptions/preview"), nil)
	if _, ok := program.Query[int](c.Program, `WITH made AS (INSERT INTO console_choices VALUES ('`+account+`', gen_random_uuid(), 'change', 'accepted', '`+words+`', 'p', now(), 1,
		now() + interval '1 day') RETURNING 1) SELECT count(*)::int FROM made`); !ok {
		c.T.Fatal("no choice was stored")
	}
}

// leavesNothing waits until no table has a row of the account acme, other than the log, and what says that it was erased.
func (c *tenants) leavesNothing() {
	c.T.Helper()
	tables, ok := program.Query[[]string](c.Program, `SELECT array_agg(attrelid::regclass::text) FROM pg_attribute JOIN pg_class ON oid = attrelid
		WHERE attname = 'account_id' AND relkind = 'r' AND relname NOT IN ('events', 'streams', 'account_keys')`)
	if !ok || len(tables) < 20 {
		c.T.Fatalf("the tables are %v", tables)
	}
	conditions := map[string]string{"river_job": `args ->> 'accountId' = 'acme'`,
		"step_tokens": `operation_id IN (SELECT substr(stream, 11)::uuid FROM streams WHERE account_id = 'acme' AND stream LIKE 'operation-%')`,
		"documents":   `NOT EXISTS (SELECT FROM events WHERE account_id = 'umbrella' AND position(documents.hash IN data::text) > 0)`}
	for _, name := range tables {
		conditions[name] = `account_id = 'acme'`
	}
	for name, of := range conditions {
		c.Await("there is no row of the account in "+name, func() bool {
			n, ok := program.Query[int](c.Program, `SELECT count(*)::int FROM `+name+` WHERE `+of)
			if !ok {
				c.T.Fatalf("%s cannot be read", name)
			}
			return n == 0
		})
	}
}

// dump returns a dump of the database.
func (c *tenants) dump() string {
	c.T.Helper()
	dump, err := exec.CommandContext(c.T.Context(), "pg_dump", "--inserts", c.URL()).Output()
	testworld.Check(c.T, err)
	return string(dump)
}
