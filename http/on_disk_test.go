package http_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/test/testlog"
	"readiness/test/testworld"
	"readiness/work"
)

// onDisk is a world whose platform is a directory and whose steps are executed.
type onDisk struct {
	*world
}

// newOnDisk has the models Actuals, Budget and Plain in the workspace Sales, and Ledger in a workspace that only ada
// sees.
func newOnDisk(t testing.TB) *onDisk {
	t.Helper()
	w := &onDisk{openWorld(t, testlog.URL(t), t.TempDir())}
	w.accounts()
	w.Workspace(t, testworld.Workspace{ID: sales, Name: "Sales"})
	w.Workspace(t, testworld.Workspace{ID: finance, Name: "Finance", Members: []string{"ada"}})
	w.model("Sales", "Actuals", modelA, shop())
	w.model("Sales", "Budget", modelB, shop())
	w.model("Sales", "Plain", modelC, "table Plain\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: amount\n")
	w.model("Finance", "Ledger", kept, shop())
	w.Platform, w.Accounts.Permissions = w.Over, w.Over
	w.Work.Log, w.Work.Workers = slog.New(slog.NewJSONHandler(w.log, nil)), 2
	queue, err := work.NewQueue(w.Work)
	check(t, err)
	check(t, queue.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		check(t, queue.Stop(ctx))
	})
	w.jobs.next = queue
	w.base, w.client = w.serve(w.limiter(w.url))
	return w
}

// shop returns a table with more measures outside display folders than recommended, almost no descriptions, and a column that an AI
// should not see.
func shop() string {
	text := "table Sales\n"
	for _, of := range [][2]string{{"Revenue", "North"}, {"Units", "South"}, {"Margin", "East"}} {
		base, region := of[0], of[1]
		text += fmt.Sprintf("\n\tmeasure '%s' = CALCULATE(SUM(Sales[Amount]), Sales[Region] = \"%s\")\n", base, region)
		for _, span := range []string{"YTD", "QTD", "MTD"} {
			text += fmt.Sprintf("\n\tmeasure '%s %s' = TOTAL%s([%s], Sales[Order Date])\n", base, span, span, base)
		}
	}
	return text + `
	column Amount
		dataType: double
		summarizeBy: sum
		sourceColumn: amount

	column Region
		dataType: string
		summarizeBy: count
		sourceColumn: region

	column 'Order Date'
		dataType: dateTime
		summarizeBy: none
		sourceColumn: order_date

	column 'ETL Batch'
		dataType: string
		summarizeBy: none
		sourceColumn: etl_batch
`
}

func (w *onDisk) write(text string, path ...string) {
	w.t.Helper()
	w.Write(w.t, text, path...)
}

func (w *onDisk) model(workspace, name string, id uuid.UUID, table string) {
	w.t.Helper()
	w.Model(w.t, workspace, name, id, table)
	w.write("database\n\tcompatibilityLevel: 1567\n", workspace, name+".SemanticModel", "definition", "database.tmdl")
}

// files returns the contents of all files of the platform, by path.
func (w *onDisk) files() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	check(w.t, fs.WalkDir(os.DirFS(w.Root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(w.Root, path))
		all[path] = string(text)
		return err
	}))
	return all
}

// untouched runs do and fails if it changed anything: an event, a step of work or a file of the platform.
func (w *onDisk) untouched(do func()) {
	w.t.Helper()
	before := w.files()
	w.world.untouched(do)
	if diff := cmp.Diff(before, w.files()); diff != "" {
		w.t.Errorf("the platform was written to:\n%s", diff)
	}
}

// start starts work as the person. path is relative to the address of Actuals unless it is absolute. The person's rate
// is reset first.
func (w *onDisk) start(person, path, body string, headers ...string) reply {
	w.t.Helper()
	w.uncounted()
	if path[:4] != "/v1/" {
		path = modelPath(modelA) + path
	}
	return w.post(path, w.as(person), body, headers...)
}

// resting waits until an operation has ended or waits for its owner.
func (w *onDisk) resting(id uuid.UUID) operation.Operation {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		op := eventstore.Fold(operation.Stream(id), operation.Evolve)
		check(w.t, w.Store.Load(ctx, op))
		if op.State.Status.Ended() || op.State.Waiting != nil {
			return op.State
		}
		select {
		case <-ctx.Done():
			w.t.Fatalf("operation %s is still %s after %s", id, op.State.Status, patience)
		case <-tick.C:
		}
	}
}

// ended reads an operation as the person until it has ended.
func (w *onDisk) ended(person string, id uuid.UUID) operation.Operation {
	w.t.Helper()
	for {
		op := w.resting(id)
		if op.Status.Ended() {
			return op
		}
		w.uncounted()
		w.get(operationPath(id), w.as(person)).ok(200)
	}
}

// done starts work as the person, waits until it has succeeded, and returns the operation and its result.
func (w *onDisk) done(person, path, body string) (uuid.UUID, map[string]any) {
	w.t.Helper()
	id := w.start(person, path, body).operation()
	if op := w.ended(person, id); op.Status != operation.StatusSucceeded {
		w.t.Fatalf("%s ended %s: %+v", path, op.Status, op.Failure)
	}
	return id, w.get(operationPath(id)+"/result", w.as(person)).ok(200).body
}

// agents opens an account whose AI provider is a data agent. gus has not granted the permission to ask it; for hal
// the permission is unavailable.
func (w *onDisk) agents() {
	w.t.Helper()
	person := func(name string, agent item.Access) account.Person {
		return account.Person{Person: item.Person{ID: name}, Role: account.Member, Permissions: map[item.Permission]item.Access{item.PermissionAgent: agent}}
	}
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{{
		AccountID: "agents", Plan: account.Team, Status: account.Active, Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone},
		People:     []account.Person{person("gus", item.ConsentRequired), person("hal", item.Unavailable), person("ivy", item.Granted)},
		AIProvider: &account.AIProvider{Kind: aiprovider.DataAgent, WorkspaceID: sales, DataAgentID: agent},
	}})
	check(w.t, err)
}
