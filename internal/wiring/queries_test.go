package wiring_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"readiness/domain/comparison"
	"readiness/domain/item"
	"readiness/internal/wiring"
	"readiness/platform/folder"
	"readiness/work"
)

var _ work.Queries = wiring.SampleQueries{}

// proves: decisions/10/sample-data
func TestSampleQueries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"model.bim": `{"model":{"tables":[{"name":"T","columns":[{"name":"S","dataType":"string"},{"name":"N","dataType":"double"},
			{"name":"D","dataType":"dateTime"},{"name":"B","dataType":"boolean"}]}]}}`,
		".data/T.csv": "S,N,D,B\na,1.5,2026-01-31,true\n,,,\n",
	} {
		path := filepath.Join(root, "M.SemanticModel", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := folder.Open(root, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	as := item.Caller{Person: item.Person{ID: "anna"}}
	workspaces, err := p.Workspaces(t.Context(), as)
	if err != nil {
		t.Fatal(err)
	}
	models, err := p.Items(t.Context(), as, workspaces[0].ID, item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 2, 1, 0, 30, 0, 0, time.FixedZone("", 3600)) // still January in UTC
	q := wiring.SampleQueries{Platform: p, Now: func() time.Time { return now }}
	got, err := q.Rows(t.Context(), as, workspaces[0].ID, models[0].ID, "EVALUATE ADDCOLUMNS(T, \"today\", TODAY())")
	if err != nil || got.Engine != "embedded" {
		t.Fatalf("by %q, %v", got.Engine, err)
	}
	day := comparison.Instant(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC))
	want := comparison.ResultSet{Rows: [][]comparison.Value{
		{comparison.Text("a"), comparison.Number(1.5), day, comparison.Boolean(true), day}, {{}, {}, {}, {}, day},
	}}
	if likeness, _ := comparison.CompareResultSets(want, got, true); likeness != comparison.Equal {
		t.Errorf("got %v, want %v", got.Rows, want.Rows)
	}
	if set, err := q.Rows(t.Context(), as, workspaces[0].ID, models[0].ID, "EVALUATE RANKX(T, 1)"); err == nil || set.Rows != nil {
		t.Errorf("got %v, %v", set, err)
	}
}
