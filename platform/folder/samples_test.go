package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// ada sees all workspaces of the samples.
var ada = item.Caller{Person: item.Person{ID: "ada"}}

// models calls do with each semantic model of the samples that can be read, also with
// those of a workspace whose capacity is paused.
func models(t *testing.T, do func(p *folder.Platform, it item.Item, m *semanticmodel.Model)) {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "Seasonal Campaigns", "workspace.json")); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	workspaces, err := p.Workspaces(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workspaces {
		all, err := p.Items(t.Context(), ada, w.ID, item.SemanticModel)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range all {
			d, err := p.Definition(t.Context(), ada, it)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := semanticmodel.Read(d); err == nil { // one has an unresolved merge conflict
				do(p, it, m)
			}
		}
	}
}

func ask(t *testing.T, p *folder.Platform, it item.Item, dax string) (string, error) {
	t.Helper()
	r, err := p.Query(t.Context(), ada, it.WorkspaceID, it.ID, dax, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	var lines []string
	for _, row := range r.Rows {
		var values []string
		for _, v := range row {
			values = append(values, v.String())
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	return strings.Join(lines, "; "), err
}

// The queries of generated questions are evaluated over the samples. One in fifty at most
// may be refused, with a reason.
func TestGeneratedQueriesOverSamples(t *testing.T) {
	t.Parallel()
	evaluated, empty, refused, asked := 0, 0, 0, map[uuid.UUID]bool{}
	models(t, func(p *folder.Platform, it item.Item, m *semanticmodel.Model) {
		queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 25})
		if err != nil {
			return // it has no measures
		}
		asked[it.ID] = true
		for _, q := range queries {
			rows, err := ask(t, p, it, q.DAX())
			switch {
			case err != nil:
				refused++
				t.Logf("%s: %v\n%s", it.DisplayName, err, q.DAX())
			case rows == "":
				empty++
			default:
				evaluated++
			}
		}
	})
	t.Logf("%d models: %d queries evaluated, %d of them without rows, %d refused", len(asked), evaluated+empty, empty, refused)
	if len(asked) != 7 || evaluated < 9*(empty+refused) || evaluated < 49*refused {
		t.Errorf("%d models, %d queries with rows, %d without, %d refused", len(asked), evaluated, empty, refused)
	}
}

// The sample data are small.
func TestSizeOfSampleData(t *testing.T) {
	t.Parallel()
	total := 0
	for _, text := range samples.Texts(t, samples.Ending(".csv")) {
		total += len(text)
	}
	if total > 200_000 {
		t.Errorf("the sample data have %d bytes", total)
	}
}
