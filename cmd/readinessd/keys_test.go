package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/eventstore"
)

type overrules struct{ reason string }

// Decide implements domain.Command.
func (o overrules) Decide(struct{}) ([]domain.Event, error) {
	return []domain.Event{benchmark.VerdictOverruled{Overrule: benchmark.Overrule{QuestionID: "q1", Reason: o.reason}}}, nil
}

// overrule appends an event with a text of a person.
func (a *auditor) overrule(account string) {
	a.Helper()
	secrets, err := openSecrets(a.data)
	a.ok(err)
	a.ok(a.core.know(secrets))
	past := eventstore.Tail("benchmarkrun-" + account)
	a.ok(a.core.store.Change(a.Context(), eventstore.Metadata{Account: account}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, past, overrules{"Quokka"})
	}))
}

// owner runs SQL as the owner of the database.
func (a *auditor) owner(sql string) {
	a.Helper()
	pool, err := openPool(a.Context(), a.url, 1, true)
	a.ok(err)
	defer pool.Close()
	_, err = pool.Exec(a.Context(), sql)
	a.ok(err)
}

// A key of texts that is missing is found by every command that examines the log, and keeps processes from starting and from being ready;
// once it is back, all is as before. The service's own role cannot delete it.
func TestMissingKeyIsFound(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.overrule("contoso")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	kept, _ := a.kept("head", "")
	doctor := []string{"doctor", "--platform", "folder:../../samples/workspaces"}
	serving := serve(t, "--database-url", a.url, "--data", a.data, "--platform", "folder:../../samples/workspaces")
	ready := func() int {
		status, _, err := get(t, serving.base+"/readyz", "")
		a.ok(err)
		return status
	}
	healthy := func() {
		t.Helper()
		a.wants(a.types("events", "verify"), cli.ExitOK, "1 keys of texts: 0 missing")
		a.wants(a.types("audit", "verify", "--checkpoint", kept), cli.ExitOK, "0 missing")
		if got := a.types(doctor...); !strings.Contains(got.stdout, "the 1 keys of texts that the log names are stored") {
			t.Errorf("doctor says\n%s", got.stdout)
		}
		if got := ready(); got != http.StatusOK {
			t.Errorf("readyz answers %d", got)
		}
	}
	healthy()
	for _, sql := range []string{`DELETE FROM account_keys`, `UPDATE account_keys SET key = NULL`, `TRUNCATE account_keys`, `SELECT erase_account_key('contoso')`} {
		if _, err := a.core.pool.Exec(context.Background(), sql); err == nil {
			t.Errorf("the service's role may %s", sql)
		}
	}
	healthy()
	a.owner(`CREATE TABLE backup AS TABLE account_keys; DELETE FROM account_keys WHERE account_id = 'contoso'`)
	for _, args := range [][]string{{"events", "verify"}, {"audit", "verify", "--checkpoint", kept}} {
		a.wants(a.types(args...), cli.ExitDamaged, "account contoso, key ", "is not in the table account_keys", "1 missing")
	}
	got := a.types(doctor...)
	a.wants(got, cli.ExitDamaged, "failing", "account contoso, key ", "A missing key of texts")
	a.wants(a.types("serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces"), cli.ExitFailed, "account contoso", "restore that row")
	a.wants(a.types("projections", "rebuild", "--view", "benchmark_runs"), cli.ExitFailed, "account contoso", "restore that row")
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("readyz answers %d without the key", got)
	}
	if query[int](t, a.url, `SELECT count(*) FROM account_keys WHERE account_id = 'contoso'`) != 0 {
		t.Error("another key was made")
	}
	a.owner(`INSERT INTO account_keys SELECT * FROM backup WHERE account_id = 'contoso'`)
	healthy()
}

// An auditor's copy of the log has no keys: it verifies, and views can be built without the texts if that is asked for.
func TestImportedLogWithoutKeys(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.overrule("contoso")
	lines := a.types("events", "export").stdout
	types, url := a.replica()
	a.wants(types(lines, "events", "import", "-"), cli.ExitOK, "imported")
	a.wants(types("", "events", "verify"), cli.ExitOK, "the log was imported without the 1 keys of its texts")
	a.wants(types("", "projections", "rebuild"), cli.ExitFailed, "is not in the table account_keys")
	a.wants(types("", "projections", "rebuild", "--without-texts"), cli.ExitOK, "is live")
	if query[int](t, url, `SELECT count(*) FROM account_keys`) != 0 {
		t.Error("a key was made")
	}
}

// White space that was changed in stored data is found with the heads, which do not cover it, and not only by the chains.
func TestChangedWhiteSpaceIsFound(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	kept, _ := a.kept("head", "")
	a.wants(a.types("audit", "verify", "--checkpoint", kept), cli.ExitOK, "0 mismatches")
	a.owner(`ALTER TABLE events DISABLE TRIGGER events_append_only; UPDATE events SET data = (' ' || data::text)::json WHERE position = 1`)
	a.wants(a.types("audit", "verify", "--checkpoint", kept), cli.ExitDamaged, "position 1", "white space was changed")
	a.wants(a.types("events", "verify"), cli.ExitDamaged, "position 1")
}

// Lines of programs from before lines had a version are imported; those of a later form name the program that can.
func TestFormerLinesAreImported(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	lines := a.types("events", "export").stdout
	types, _ := a.replica()
	a.wants(types(strings.ReplaceAll(lines, `{"v":1,`, `{"v":2,`), "events", "import", "-"), cli.ExitFailed, "import with the program that exported it, or a newer one")
	a.wants(types(strings.ReplaceAll(lines, `{"v":1,"position"`, `{"position"`), "events", "import", "-"), cli.ExitOK, "imported")
	if got := types("", "events", "export").stdout; got != lines {
		t.Errorf("the export is\n%s\nwant\n%s", got, lines)
	}
}

// An account whose events hold texts or names in plain form is not erased as if they were gone.
func TestEraseNamesWhatStays(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	erase := []string{"accounts", "erase", "contoso"}
	a.wants(a.types(erase...), cli.ExitFailed, "losed") // it is not closed
	a.owner(`INSERT INTO events (event_id, account_id, stream, version, type, schema_version, data, metadata, recorded_at, hash) VALUES
		(gen_random_uuid(), 'contoso', 'benchmarkrun-1', 1, 'benchmark.verdict-overruled', 1, '{"questionId":"","reason":"Quokka"}', '{"person":"ada@contoso.com"}', now(), '')`)
	a.wants(a.types(erase...), cli.ExitFailed, "benchmark.verdict-overruled: 1 texts, 1 names", "nothing was erased", "--leave-plain")
	if query[int](t, a.url, `SELECT count(*) FROM events WHERE type = 'account.erased'`) != 0 || query[int](t, a.url, `SELECT count(*) FROM account_keys WHERE key IS NULL`) != 0 {
		t.Error("it was erased")
	}
	a.wants(a.types(append(erase, "--leave-plain")...), cli.ExitFailed, "losed")
}
