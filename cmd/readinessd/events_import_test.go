package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/cmd/cli"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/test/pgtest"
)

// replica is an empty database to import into.
func (a *auditor) replica() (types func(stdin string, args ...string) result, url string) {
	a.Helper()
	url = pgtest.URL(a)
	must(a.T, "migrate", "up", "--database-url", url, "--data", a.data)
	return func(stdin string, args ...string) result {
		var stdout, stderr bytes.Buffer
		r := newRoot(&stdout, &stderr)
		r.Command.SetIn(strings.NewReader(stdin))
		code := r.Run(a.Context(), append(args, "--database-url", url, "--data", a.data))
		return result{code, stdout.String(), stderr.String()}
	}, url
}

const rowsOfViews = `SELECT concat((SELECT string_agg(a::text, E'\n' ORDER BY a::text) FROM accounts_v2 a), (SELECT string_agg(m::text, E'\n' ORDER BY m::text) FROM members_v2 m))`

// An imported log equals the exported one: the file, the log, and the views built from it. Nothing serves before they are built.
//
// proves: decisions/20/exact decisions/20/views
func TestEventsImport(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.more()
	file := filepath.Join(a.files, "events.ndjson")
	a.wants(a.types("events", "export", "--output", file), cli.ExitOK, "exported up to position")
	lines, err := os.ReadFile(file)
	a.ok(err)
	for name, row := range map[string]struct{ stdin, from string }{"a file": {"", file}, "stdin": {string(lines), "-"}} {
		types, url := a.replica()
		a.wants(types(row.stdin, "events", "import", row.from), cli.ExitOK, fmt.Sprintf("imported %d events in 3 streams", bytes.Count(lines, []byte("\n"))),
			"next: readinessd projections rebuild")
		if got := types("", "events", "export"); got.stdout != string(lines) {
			t.Errorf("%s: the export is\n%s\nwant\n%s", name, got.stdout, lines)
		}
		a.wants(types("", "events", "verify"), cli.ExitOK, "0 mismatches")
		refused := types("", "serve", "--listen", "127.0.0.1:0", "--platform", "folder:../../samples/workspaces")
		a.wants(refused, cli.ExitFailed, "is not built; run: readinessd projections build")
		a.wants(types("", "projections", "rebuild"), cli.ExitOK)
		a.wants(types("", "projections", "rebuild", "--diff"), cli.ExitOK)
		if rows, want := query[string](t, url, rowsOfViews), query[string](t, a.url, rowsOfViews); rows != want {
			t.Errorf("%s: the views have\n%s\nwant\n%s", name, rows, want)
		}
		before := query[string](t, url, rowsOfViews)
		a.wants(types("", "events", "import", file), cli.ExitFailed, "the log of the database is not empty", "nothing was imported")
		if after := query[string](t, url, rowsOfViews); after != before || query[int](t, url, `SELECT count(*) FROM view_generations WHERE state = 'live'`) == 0 {
			t.Errorf("%s: a refused import changed the views", name)
		}
	}
}

// A refusal names the line, and leaves an empty database for another import.
func TestEventsImportRefuses(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	types, url := a.replica()
	lines := a.types("events", "export").stdout
	state := func() string {
		return query[string](t, url, `SELECT concat((SELECT count(*) FROM events), (SELECT count(*) FROM streams), (SELECT last_value FROM events_position_seq),
			(SELECT string_agg(g::text, ' ' ORDER BY g::text) FROM view_generations g))`)
	}
	empty := state()
	for name, row := range map[string]struct {
		stdin string
		args  []string
		code  int
		says  string
	}{
		"nothing named":   {"", nil, cli.ExitUsage, "an argument is missing"},
		"two files":       {"", []string{"a", "b"}, cli.ExitUsage, "there are too many arguments: "},
		"a missing file":  {"", []string{"none.ndjson"}, cli.ExitFailed, "none.ndjson"},
		"an empty file":   {"", []string{"-"}, cli.ExitFailed, "the file has no line"},
		"a changed event": {strings.Replace(lines, `"plan":"Business"`, `"plan":"Free"`, 1), []string{"-"}, cli.ExitFailed, "the hash is not that of the event"},
		"cloud events":    {a.types("events", "export", "--format", "cloudevents").stdout, []string{"-"}, cli.ExitFailed, "line 1: it is not a line of readinessd events export --format ndjson"},
	} {
		got := types(row.stdin, append([]string{"events", "import"}, row.args...)...)
		if got.code != row.code || got.stdout != "" || !strings.Contains(got.stderr, row.says) {
			t.Errorf("%s: %+v, want %d, %q", name, got, row.code, row.says)
		}
		if after := state(); after != empty {
			t.Errorf("%s: it left %s, and before it was %s", name, after, empty)
		}
	}
	a.wants(types(lines, "events", "import", "-"), cli.ExitOK, "imported")
}

// A process that is killed after storing a part leaves the database empty, and the import can be repeated.
//
// proves: decisions/20/all-or-nothing
func TestEventsImportKilled(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.operations(10, 1000)
	lines := a.types("events", "export").stdout
	types, url := a.replica()

	self, err := os.Executable()
	a.ok(err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "events", "import", "-", "--database-url", url, "--data", a.data)
	cmd.Env = append(os.Environ(), "READINESS_TEST_AS_PROGRAM=readinessd")
	stdin, err := cmd.StdinPipe()
	a.ok(err)
	a.ok(cmd.Start())
	_, err = io.WriteString(stdin, lines[:len(lines)*9/10]) // more than a page, and not the end
	a.ok(err)
	waiting := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%INSERT INTO streams%'`
	for began := time.Now(); query[int](t, url, waiting) == 0; {
		if time.Since(began) > waits {
			t.Fatal("the import did not store a page")
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	a.ok(cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		t.Error("the import ended before it was killed")
	}
	for began := time.Now(); query[int](t, url, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0; {
		if time.Since(began) > waits {
			t.Fatal("the server did not notice that the import was killed")
		}
	}
	if n := query[int](t, url, `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM streams) + (SELECT last_value FROM events_position_seq)`); n != 0 {
		t.Errorf("it left %d", n)
	}
	a.wants(types(lines, "events", "import", "-"), cli.ExitOK, "imported")
	if got := types("", "events", "export"); got.stdout != lines {
		t.Error("the export differs")
	}
}

// operations records n operations of so many events each.
func (a *auditor) operations(n, events int) {
	a.Helper()
	for range n {
		id := uuid.New()
		past := eventstore.Tail(operation.Stream(id))
		recorded := record{operation.Accepted{OperationID: id, AccountID: "contoso", Type: operation.AssessSemanticModel, Owner: item.PersonID(uuid.NewString()),
			Resource: operation.Resource{WorkspaceID: id, ItemID: &id, ItemType: item.SemanticModel}, Impact: operation.Impact{Assessments: new(1)}}}
		for len(recorded) < events {
			recorded = append(recorded, operation.Progressed{Percent: len(recorded) * 100 / events})
		}
		a.ok(a.core.store.Change(a.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			return eventstore.Decide(c, past, recorded)
		}))
	}
}

// record is a command that records its events regardless of the past.
type record []domain.Event

// Decide implements domain.Command.
func (r record) Decide(struct{}) ([]domain.Event, error) { return r, nil }
