package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/test/pgtest"
)

// events is a command that appends exactly these events.
type events []domain.Event

func (e events) Decide(pixies.Run) ([]domain.Event, error) { return e, nil }

// keep appends events of an operation of contoso that copied a report with the parts, and returns operation and report.
func keep(t *testing.T, url string, parts ...definition.Part) (operationID, reportID uuid.UUID) {
	t.Helper()
	core, err := openCore(t.Context(), url, 2, false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer core.close()
	operationID, reportID = uuid.New(), uuid.New()
	body, err := json.Marshal(pixies.Copy{ReportID: reportID, Parts: parts})
	if err != nil {
		t.Fatal(err)
	}
	hash, stored, err := core.Documents.Put(t.Context(), body)
	if err != nil {
		t.Fatal(err)
	}
	run := eventstore.Fold(operation.Stream(operationID), pixies.EvolveRun)
	err = core.store.Change(t.Context(), eventstore.Metadata{Account: "contoso"}, []eventstore.Loadable{run}, func(c *eventstore.Change) error {
		c.Queue(stored)
		return eventstore.Decide(c, run, events{
			operation.Accepted{OperationID: operationID, AccountID: "contoso", Type: operation.AddPixies},
			pixies.RunAccepted{Verb: pixies.Adds, KeepCopies: true, Reports: []pixies.Named{{ReportID: reportID, ReportName: "Sales Overview"}}},
			pixies.ChangeIntended{ReportID: reportID, Outcome: pixies.OutcomeAdded, CopyHash: hash},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return operationID, reportID
}

func TestReportsCopies(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	must(t, "migrate", "up", "--database-url", url)
	parts := []definition.Part{
		{Path: "definition.pbir", Data: []byte(`{"version":"4.0"}`)}, {Path: "definition/pages/p1/page.json", Data: []byte("{\r\n}\x00\xff")},
	}
	operationID, reportID := keep(t, url, parts...)
	list := must(t, "reports", "copies", "list", "--account", "contoso", "--database-url", url).stdout
	if strings.Count(list, "\n") != 2 || !strings.Contains(list, "Sales Overview") || !strings.Contains(list, reportID.String()) || !strings.Contains(list, operationID.String()) {
		t.Errorf("copies list:\n%s", list)
	}
	if other := must(t, "reports", "copies", "list", "--account", "fabrikam", "--database-url", url).stdout; strings.Count(other, "\n") != 1 {
		t.Errorf("another account's list:\n%s", other)
	}
	restore := func(account, to string) result {
		return run(t.Context(), "reports", "copies", "restore", "--account", account, "--operation", operationID.String(), "--report", reportID.String(), "--to", to, "--database-url", url)
	}
	to := filepath.Join(t.TempDir(), "Before.Report")
	if got := restore("fabrikam", to); got.code == 0 || !strings.Contains(got.stderr, "has no copy") {
		t.Errorf("another account's copy: %d %s", got.code, got.stderr)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Error("a missing copy left a folder")
	}
	if got := restore("contoso", to); got.code != 0 || got.stdout == "" {
		t.Fatalf("restore: %d %s", got.code, got.stderr)
	}
	for _, p := range parts {
		data, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(p.Path)))
		if err != nil || string(data) != string(p.Data) {
			t.Errorf("%s: %q, %v", p.Path, data, err)
		}
	}
	if got := restore("contoso", to); got.code == 0 {
		t.Error("a copy was written over an existing folder")
	}
	query[int](t, url, `WITH gone AS (DELETE FROM documents RETURNING 1) SELECT count(*) FROM gone`)
	if got := restore("contoso", filepath.Join(t.TempDir(), "Lost.Report")); got.code == 0 || strings.Contains(got.stderr, "expired") || !strings.Contains(got.stderr, "restore it from a backup") {
		t.Errorf("a copy that the store lost: %d %s", got.code, got.stderr)
	}
}

// A part is never written outside the folder, whatever its path.
func TestRestoreStaysInItsFolder(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	must(t, "migrate", "up", "--database-url", url)
	for i, path := range []string{"../outside", "/outside", "a/../../outside"} {
		operationID, reportID := keep(t, url, definition.Part{Path: path, Data: []byte("x")})
		dir := t.TempDir()
		got := run(t.Context(), "reports", "copies", "restore", "--account", "contoso", "--operation", operationID.String(), "--report", reportID.String(),
			"--to", filepath.Join(dir, fmt.Sprint(i)), "--database-url", url)
		if _, err := os.Stat(filepath.Join(dir, "outside")); got.code == 0 || !os.IsNotExist(err) {
			t.Errorf("%s was written: %d %s", path, got.code, got.stderr)
		}
	}
}
