package folder_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// proves: decisions/9/15-letter-case
func TestModelOf(t *testing.T) {
	t.Parallel()
	here, there, hidden, unknown, twin := uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()
	path := func(to string) string {
		return `{"datasetReference":{"byPath":{"path":"` + to + `"}}}`
	}
	connection := func(text string) string {
		return `{"datasetReference":{"byConnection":{"connectionString":"` + text + `"}}}`
	}
	reports := map[string]struct {
		pbir string
		want item.Item // id, workspace id and name; zero if not visible
		in   string
	}{
		"by path":                    {path("../../Sales.SemanticModel"), item.Item{ID: here, DisplayName: "Sales"}, "ws"},
		"by path, older":             {path(`..\\..\\Sales.SemanticModel`), item.Item{ID: here, DisplayName: "Sales"}, "ws"},
		"by path, letter case":       {path("../../SALES.semanticmodel"), item.Item{ID: here, DisplayName: "Sales"}, "ws"},
		"by path, the very one":      {path("../../Twin.SemanticModel"), item.Item{ID: twin, DisplayName: "Twin"}, "ws"},
		"by path, one of two":        {path("../../twin.semanticmodel"), item.Item{}, ""},
		"by path, hidden, case":      {path("../../../hidden/h.semanticmodel"), item.Item{}, ""},
		"by path, another workspace": {path("../../../other/Costs.Dataset"), item.Item{ID: there, DisplayName: "Costs"}, "other"},
		"by path, hidden workspace":  {path("../../../hidden/H.SemanticModel"), item.Item{}, ""},
		"by path, out of the root":   {path("../../../../../../etc/passwd"), item.Item{}, ""},
		"by path, no model":          {path("../by path.Report"), item.Item{}, ""},
		"by path, nothing":           {path("../Gone.SemanticModel"), item.Item{}, ""},
		"by id":                      {connection("semanticmodelid=" + here.String()), item.Item{ID: here, DisplayName: "Sales"}, "ws"},
		"by id, another workspace":   {connection("initial catalog=x;semanticmodelid=" + there.String()), item.Item{ID: there, DisplayName: "Costs"}, "other"},
		"by id, hidden workspace":    {connection("initial catalog=H;semanticmodelid=" + hidden.String()), item.Item{ID: hidden, DisplayName: "H"}, ""},
		"by an id of the service":    {connection("Data Source=powerbi://a/v1.0/myorg/other;initial catalog=Costs;semanticmodelid=" + unknown.String()), item.Item{ID: there, DisplayName: "Costs"}, "other"},
		"by an unknown id":           {connection("Data Source=powerbi://a/v1.0/myorg/ws;initial catalog=Costs;semanticmodelid=" + unknown.String()), item.Item{ID: unknown, DisplayName: "Costs"}, ""},
		"by name":                    {connection("initial catalog=Sales"), item.Item{ID: here, DisplayName: "Sales"}, "ws"},
		"by name, another workspace": {connection("initial catalog=Costs"), item.Item{}, ""},
		"by nothing":                 {`{}`, item.Item{}, ""},
		"paginated":                  {"", item.Item{}, ""},
	}
	tree := map[string]string{
		"ws/Sales.SemanticModel/.platform":      platformFile(here.String(), "Sales"),
		"ws/Twin.SemanticModel/.platform":       platformFile(twin.String(), "Twin"),
		"ws/TWIN.SemanticModel/.platform":       platformFile(uuid.NewString(), "Another"),
		"other/Costs.Dataset/.platform":         platformFile(there.String(), "Costs"),
		"hidden/H.SemanticModel/.platform":      platformFile(hidden.String(), "H"),
		"hidden/workspace.json":                 `{"members":["ben"]}`,
		"ws/area/broken.Report/definition.pbir": "{",
		"ws/area/large.Report/definition.pbir":  strings.Repeat(" ", 2<<20),
	}
	for name, r := range reports {
		tree["ws/area/"+name+".Report/report.rdl"] = ""
		if r.pbir != "" {
			tree["ws/area/"+name+".Report/definition.pbir"] = r.pbir
		}
	}
	root := files(t, tree)
	if err := os.Mkdir(root+"/ws/area/link.Report", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", root+"/ws/area/link.Report/definition.pbir"); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	workspaces, err := p.Workspaces(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]uuid.UUID{}
	for _, w := range workspaces {
		ids[w.DisplayName] = w.ID
	}
	for _, it := range items(t, p, ids["ws"], item.Report) {
		got, ok, err := p.ModelOf(t.Context(), anna, it)
		r, known := reports[it.DisplayName]
		if !known {
			refused(t, it.DisplayName, err, domain.ItemNotReadable)
			continue
		}
		want := r.want
		if want != (item.Item{}) {
			want.Type, want.WorkspaceID = item.SemanticModel, ids[r.in]
			if r.in != "" {
				want.Description = "About " + want.DisplayName
			}
		}
		if err != nil || got != want || ok != (want != item.Item{}) {
			t.Errorf("%s: got %+v, %v, %v, want %+v", it.DisplayName, got, ok, err, want)
		}
	}
	listed, err := p.Reports(t.Context(), anna, ids["ws"])
	if err != nil || len(listed) != len(reports)+3 {
		t.Fatalf("got %d reports, %v, want %d", len(listed), err, len(reports)+3)
	}
	for i, it := range items(t, p, ids["ws"], item.Report) {
		got := listed[i]
		if got.Item != it || got.Paginated != (it.DisplayName == "paginated") {
			t.Errorf("%s: got %+v", it.DisplayName, got)
		}
		model, ok, err := p.ModelOf(t.Context(), anna, it)
		if ok != (got.Model != nil) || ok && *got.Model != model || err != nil && ok {
			t.Errorf("%s: listed with the model %+v, its own is %+v", it.DisplayName, got.Model, model)
		}
	}
	_, err = p.Reports(t.Context(), anna, ids["hidden"])
	refused(t, "an invisible workspace", err, domain.WorkspaceNotFound)
	_, _, err = p.ModelOf(t.Context(), anna, item.Item{Type: item.Report, ID: unknown, WorkspaceID: ids["ws"]})
	refused(t, "an unknown report", err, domain.ItemNotFound)
}
