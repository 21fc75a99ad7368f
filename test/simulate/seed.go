//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/wiring"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/pixies"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
)

// declare writes the folder of workspaces and the accounts file, and returns the flags that name them.
func (t tenant) declare(dir string) (flags []string, err error) {
	root, accounts := filepath.Join(dir, "workspaces"), filepath.Join(dir, "accounts.yaml")
	put := func(text string, path ...string) {
		file := filepath.Join(append([]string{root}, path...)...)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o755) //nolint:gosec // as in any folder of projects
		}
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644) //nolint:gosec // the same
		}
	}
	for n := range t.workspaces() {
		put(fmt.Sprintf(`{"id": %q, "displayName": %q}`, idOf("workspace", n), workspaceName(n)), workspaceName(n), "workspace.json")
	}
	for n := range t.onDisk() {
		in, name := workspaceName(t.workspaceOf(n)), modelName(n)
		put(fmt.Sprintf(`{"metadata": {"type": "SemanticModel", "displayName": %q}, "config": {"version": "2.0", "logicalId": %q}}`, name,
			idOf("model", n)), in, name+".SemanticModel", ".platform")
		for i := range 4 {
			put(tableText(i), in, name+".SemanticModel", "definition", "tables", fmt.Sprintf("T%d.tmdl", i))
		}
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "accounts:\n  - accountId: %s\n    plan: Enterprise\n    people:\n", account)
	for n := range t.people {
		fmt.Fprintf(&text, "      - {person: %s}\n", personName(n))
	}
	if err == nil {
		err = os.WriteFile(accounts, text.Bytes(), 0o600)
	}
	return []string{"--platform", "folder:" + root, "--accounts", accounts}, err
}

func workspaceName(n int) string { return fmt.Sprintf("Workspace %03d", n) }
func modelName(n int) string     { return fmt.Sprintf("Model %06d", n) }
func personName(n int) string    { return fmt.Sprintf("p%d", n) }

// tableText is a table of twelve columns and twelve measures, with findings.
func tableText(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table T%d\n", i)
	for j := range 12 {
		fmt.Fprintf(&b, "\n\tcolumn cust_nm_%d\n\t\tdataType: string\n\t\tsourceColumn: c%d\n", j, j)
		fmt.Fprintf(&b, "\n\tmeasure 'm %d %d' = SUM('T%d'[cust_nm_%d])\n", i, j, i, j)
	}
	return b.String()
}

// happened is a command that records events as they are.
type happened []domain.Event

// Decide implements domain.Command.
func (h happened) Decide(struct{}) ([]domain.Event, error) { return h, nil }

// past are the events of one stream.
type past struct {
	stream string
	events []domain.Event
}

// batch is how many models or reports one append has.
const batch = 100

// remember appends the past: every model was assessed once and is a tracked item, and so is every report, which has Pixies. The first
// models, which the folder has, have the lowest scores, so that the first page of the portfolio shows them.
func (t tenant) remember(ctx context.Context, pool *pgxpool.Pool) error {
	log, err := wiring.OpenLog(pool, nil, time.Now, nil)
	if err != nil {
		return err
	}
	hash, document, err := log.Documents.Put(ctx, []byte(`{"schemaVersion":1,"report":{"overall_score":80,"dimensions":[],"findings":[]}}`))
	if err != nil {
		return err
	}
	add := func(all []past) error {
		streams, load := make([]*eventstore.Stream[struct{}], len(all)), make([]eventstore.Loadable, len(all))
		for i, p := range all {
			streams[i] = eventstore.Tail(p.stream)
			load[i] = streams[i]
		}
		return log.Store.Change(ctx, eventstore.Metadata{Account: account}, load, func(c *eventstore.Change) error {
			c.Queue(document)
			for i, p := range all {
				if err := eventstore.Decide(c, streams[i], domain.Command[struct{}](happened(p.events))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	used := 0
	for _, things := range []struct {
		kind  string
		count int
		of    func(n int) []past
	}{
		{"model", t.models, func(n int) []past { return t.model(n, hash) }},
		{"report", t.reports(), t.report},
	} {
		for first := 0; first < things.count; first += batch {
			var all []past
			var ids []uuid.UUID
			for n := first; n < min(first+batch, things.count); n++ {
				all, ids = append(all, things.of(n)...), append(ids, idOf(things.kind, n))
			}
			used += len(ids)
			all = append(all, past{room.Stream(account), []domain.Event{room.Counted{Change: room.Change{ItemIDs: ids,
				Total: room.Total{Used: used, ByLicense: map[string]int{"": used}}}}}})
			if err := add(all); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t tenant) model(n int, document string) []past {
	id, workspace, operation := idOf("model", n), idOf("workspace", t.workspaceOf(n)), idOf("operation", n)
	at := time.Now().UTC().Add(-day).Truncate(time.Microsecond)
	score := 75 + n%20
	if n < t.onDisk() {
		score = n % 20
	}
	a := assessment.Assessment{
		AssessmentID: idOf("assessment", n), OperationID: operation, WorkspaceID: workspace, WorkspaceName: workspaceName(t.workspaceOf(n)),
		ModelID: id, ModelName: modelName(n), AssessedAt: at, Score: &score, FindingsCount: 91,
		Severities: &assessment.Severities{High: 1, Medium: 20, Low: 70}, Dimensions: map[string]*int{"naming": &score},
		RegimeID: "2026-12", Usage: assessment.Usage{Access: item.Granted}, DocumentHash: document, DefinitionHash: document,
		SchemaVersion: 1,
	}
	return []past{
		{assessment.Stream(account, id), []domain.Event{
			assessment.Accepted{OperationID: operation, WorkspaceID: workspace, ModelID: id, ItemType: item.SemanticModel, FirstLook: true,
				Standing: assessment.Standing{Accepted: 1, Running: 1}},
			assessment.Recorded{Assessment: a, Standing: assessment.Standing{Accepted: 1, Recorded: 1, Basis: a.Basis()}},
		}},
		{trackeditem.Stream(account, id), []domain.Event{trackeditem.Claimed{Item: trackeditem.Item{
			ItemID: id, ItemType: item.SemanticModel, WorkspaceID: workspace, WorkspaceName: a.WorkspaceName, DisplayName: a.ModelName,
			Status: trackeditem.StatusTracked, TrackedSince: at, ClaimedVia: trackeditem.ViaAssessment, ClaimedBy: operation,
		}}}},
	}
}

func (t tenant) report(n int) []past {
	id, workspace, model := idOf("report", n), idOf("workspace", t.workspaceOf(n)), idOf("model", n)
	name, count := fmt.Sprintf("Report %05d", n), pages
	at := time.Now().UTC().Add(-day).Truncate(time.Microsecond)
	r := pixies.Report{ReportID: id, WorkspaceID: workspace, ReportName: name, ModelID: &model, Status: pixies.StatusHasPixies,
		Pages: &count, Visuals: &count, ChangedAt: &at}
	for page := range pages {
		r.Placed = append(r.Placed, pixies.Placed{Page: fmt.Sprintf("p%d", page), ID: pixie(n*pages + page)})
	}
	return []past{
		{pixies.Stream(account, id), []domain.Event{pixies.Added{Report: r}}},
		{trackeditem.Stream(account, id), []domain.Event{trackeditem.Claimed{Item: trackeditem.Item{
			ItemID: id, ItemType: item.Report, WorkspaceID: workspace, WorkspaceName: workspaceName(t.workspaceOf(n)), DisplayName: name,
			Status: trackeditem.StatusTracked, TrackedSince: at,
		}}}},
	}
}

// pixie is the id of the n-th Pixie.
func pixie(n int) string { return strings.ReplaceAll(idOf("pixie", n).String(), "-", "") }
