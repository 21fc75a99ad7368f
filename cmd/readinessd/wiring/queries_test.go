package wiring_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/cmd/readinessd/wiring"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/test/samples"
	"readiness/work"
)

var (
	_ work.Queries = wiring.SampleQueries{}
	_ work.Queries = wiring.UnionQueries{}
)

// The rows of a query over REST compare equal to those of the folder behind it; a result that is cut off compares with nothing.
func TestFabricQueries(t *testing.T) {
	t.Parallel()
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := emulator.New(emulator.Options{Folder: behind,
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: []string{"Dataset.Read.All"}}, nil
		}})
	server := httptest.NewTLSServer(service)
	t.Cleanup(server.Close)
	p := platformAt(t, server)
	as := item.Caller{Person: item.Person{ID: "ada"}}
	workspace, model := uuid.MustParse("2d9b7a6e-0bf3-5624-9f39-03df83cd285d"), uuid.MustParse("d1238f02-26c2-5524-a655-fb8d0f52d0d0")
	local, remote := wiring.SampleQueries{Platform: behind, Now: time.Now}, wiring.FabricQueries{Platform: p}
	for _, dax := range []string{
		`EVALUATE SUMMARIZECOLUMNS(Agents[Team], "CSAT", [CSAT])`, `EVALUATE ROW("d", DATE(2026, 1, 31))`, `EVALUATE ROW("n", BLANK(), "b", TRUE(), "t", "x")`,
	} {
		want, err := local.Rows(t.Context(), as, workspace, model, dax)
		if err != nil || len(want.Rows) == 0 {
			t.Fatalf("%s: %d rows, %v", dax, len(want.Rows), err)
		}
		got, err := remote.Rows(t.Context(), as, workspace, model, dax)
		if likeness, why := verdict.CompareResultSets(want, got, false); err != nil || likeness != verdict.Equal {
			t.Errorf("%s: got %v %s, %v: %v, want %v", dax, likeness, why, err, got.Rows, want.Rows)
		}
		service.Set(func(o *emulator.Options) { o.Unknown.ArrowRefused = "DatasetNotOnCapacity" })
		again := wiring.FabricQueries{Platform: platformAt(t, server)} // one that has not been answered in Arrow
		got, err = again.Rows(t.Context(), as, workspace, model, dax)
		service.Set(func(o *emulator.Options) { o.Unknown.ArrowRefused = "" })
		if likeness, why := verdict.CompareResultSets(want, got, false); err != nil || likeness != verdict.Equal {
			t.Errorf("%s in JSON: got %v %s, %v: %v, want %v", dax, likeness, why, err, got.Rows, want.Rows)
		}
		service.Set(func(o *emulator.Options) { o.QueryRows = 1 })
		cut, err := remote.Rows(t.Context(), as, workspace, model, dax)
		service.Set(func(o *emulator.Options) { o.QueryRows = 0 })
		if likeness, _ := verdict.CompareResultSets(want, cut, false); err != nil || cut.Truncated != (len(want.Rows) > 1) ||
			cut.Truncated && likeness != verdict.Undecided {
			t.Errorf("%s, cut off: truncated %v, %v, %v", dax, cut.Truncated, likeness, err)
		}
	}
	if _, err := remote.Rows(t.Context(), as, workspace, model, "EVALUATE ["); !domain.IsRefused(err, domain.InvalidRequest) {
		t.Errorf("an error of DAX: %v", err)
	}
}

// platformAt returns a client of an emulator that only runs queries.
func platformAt(t *testing.T, server *httptest.Server) *fabric.Platform {
	t.Helper()
	p, err := fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
		Tokens: func(_ context.Context, as item.Caller, permission item.Permission) (string, error) {
			if permission != item.PermissionUsage {
				t.Errorf("a query asks for permission %s", permission)
			}
			return as.Person.ID, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Decimals and integers are compared exactly where the platform gives them so, which JSON does not.
func TestExactDecimals(t *testing.T) {
	t.Parallel()
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := emulator.New(emulator.Options{Folder: behind, Person: func(bearer string) (emulator.Person, error) {
		return emulator.Person{ID: bearer, Scopes: []string{"Dataset.Read.All"}}, nil
	}})
	server := httptest.NewTLSServer(service)
	t.Cleanup(server.Close)
	as := item.Caller{Person: item.Person{ID: "ada"}}
	workspace, model := uuid.MustParse("2d9b7a6e-0bf3-5624-9f39-03df83cd285d"), uuid.MustParse("d1238f02-26c2-5524-a655-fb8d0f52d0d0")
	for refused, want := range map[string]verdict.Likeness{"": verdict.Different, "DatasetNotOnCapacity": verdict.Equal} {
		service.Set(func(o *emulator.Options) { o.Unknown.ArrowRefused = refused })
		q := wiring.FabricQueries{Platform: platformAt(t, server)}
		for _, numbers := range [][2]string{{"1000000", "1000001"}, {"9999999.0001", "9999999.0002"}} {
			one, err := q.Rows(t.Context(), as, workspace, model, `EVALUATE ROW("n", `+numbers[0]+`)`)
			other, err2 := q.Rows(t.Context(), as, workspace, model, `EVALUATE ROW("n", `+numbers[1]+`)`)
			if got, _ := verdict.CompareResultSets(one, other, false); err != nil || err2 != nil || got != want {
				t.Errorf("%v with %q: %s, %v, %v, want %s", numbers, refused, got, err, err2, want)
			}
			if got, _ := verdict.CompareResultSets(one, one, false); got != verdict.Equal {
				t.Errorf("%v: not equal to itself", numbers)
			}
		}
	}
}

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
	day := verdict.Instant(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC))
	want := verdict.ResultSet{Rows: [][]verdict.Value{
		{verdict.Text("a"), verdict.Number(1.5), day, verdict.Boolean(true), day}, {{}, {}, {}, {}, day},
	}}
	if likeness, _ := verdict.CompareResultSets(want, got, true); likeness != verdict.Equal {
		t.Errorf("got %v, want %v", got.Rows, want.Rows)
	}
	if set, err := q.Rows(t.Context(), as, workspaces[0].ID, models[0].ID, "EVALUATE RANKX(T, 1)"); err == nil || set.Rows != nil {
		t.Errorf("got %v, %v", set, err)
	}
}
