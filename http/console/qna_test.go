package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/internal/optional"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// TestLeavingQnA counts the formats of what models tell an AI, lists those that have to be upgraded or looked at, and exports all; it says
// what it does not know, and shows nobody a model that they do not see.
func TestLeavingQnA(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada := w.As("contoso", "ada")
	const nothing = "No assessed model that you see has to leave Q&amp;A."
	want(t, ada.Get("/leaving-qna"), 200, nothing)
	w.AssessAll("contoso", "ada")
	list, err := w.API("contoso", "ada").GetPortfolioWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := ada.Get("/leaving-qna")
	names := map[string]string{"linguistic": "Linguistic schema", "both": "Both", "": "Not known", "copilot": "Folder Copilot", "none": "None"}
	counts := map[string]int{}
	for _, m := range list.JSON200.Value {
		format := optional.Text(m.AiFormat)
		counts[format]++
		row := "<bdi>" + m.SemanticModelName + "</bdi>"
		if listed := strings.Contains(got.Body, row); listed != (format != "copilot" && format != "none") {
			t.Errorf("%s of format %q is listed: %v", m.SemanticModelName, format, listed)
		}
	}
	if len(counts) < 3 || counts["linguistic"] == 0 || counts["copilot"] == 0 {
		t.Errorf("the samples show too little: %v", counts)
	}
	for format, name := range names {
		want(t, got, 200, fmt.Sprintf(`<th scope="row">%s</th><td class="number">%d</td>`, name, counts[format]))
	}
	want(t, got, 200, "<td>none in ") // they were assessed together
	lacks(t, got, "none in 0 reports", "not known: assess again")
	ada.CheckPage(got)
	file := ada.Get("/leaving-qna.csv")
	want(t, file, 200, "workspace,model,aiFormat,", ",linguistic,")
	if lines := strings.Count(file.Body, "\n"); lines != len(list.JSON200.Value)+1 {
		t.Errorf("the file has %d lines for %d models", lines, len(list.JSON200.Value))
	}
	lacks(t, w.As("contoso", "linus").Get("/leaving-qna"), "Corporate Functions")
	want(t, w.As("fabrikam", "margaret").Get("/leaving-qna"), http.StatusOK, nothing)
	want(t, ada.Get("/"), 200, `<a href="/leaving-qna">Leaving Q&amp;A</a>`)
}

// Models of all formats that are assessed at once over Fabric's interface are in the file, each with its own.
func TestLeavingQnAOverFabric(t *testing.T) {
	t.Setenv("READINESS_TEST_PLATFORM", "fabric")
	samples := filepath.Join(consoletest.Samples(t), "workspaces")
	root := t.TempDir()
	below := func(model string) string { return filepath.Join(root, "Retail Analytics", model+".SemanticModel") }
	ledger, sales := "Corporate Functions/Financial Statements.SemanticModel", "Retail Analytics/Retail Sales.SemanticModel"
	from := map[string]string{"linguistic": ledger, "copilot": sales, "both": sales, "none": "Corporate Functions/Support Tickets.SemanticModel"}
	for model, sample := range from {
		testworld.Check(t, os.CopyFS(below(model), os.DirFS(filepath.Join(samples, sample))))
		testworld.Check(t, os.WriteFile(filepath.Join(below(model), ".platform"), fmt.Appendf(nil, `{"metadata":{"type":"SemanticModel","displayName":%q},"config":{"version":"2.0","logicalId":%q}}`,
			model, uuid.New()), 0o600))
	}
	for to, source := range map[string]string{
		filepath.Join(below("both"), "definition/cultures/en-US.tmdl"): ledger + "/definition/cultures/en-US.tmdl",
		filepath.Join(root, "Retail Analytics", "workspace.json"):      "Retail Analytics/workspace.json",
	} {
		text, err := os.ReadFile(filepath.Join(samples, source))
		testworld.Check(t, err)
		testworld.Check(t, os.WriteFile(to, text, 0o600))
	}
	w := consoletest.Start(t, consoletest.Options{Workspaces: root})
	w.AssessAll("contoso", "ada")
	got := w.As("contoso", "ada").Get("/leaving-qna.csv")
	lines, err := csv.NewReader(strings.NewReader(got.Body)).ReadAll()
	testworld.Check(t, err)
	var order []string
	for _, line := range lines[1:] {
		if order = append(order, line[2]); line[1] != line[2] || line[0] != "Retail Analytics" {
			t.Errorf("got %v", line)
		}
		for n, column := range lines[0] { // where reports were not looked for, none is said to have no visual
			looked := line[2] == "linguistic" || line[2] == "both"
			if (column == "qnaVisuals" || column == "qnaBookmarks" || strings.HasPrefix(column, "reports")) && (line[n] != "") != looked || column == "qnaReports" && line[n] != "" {
				t.Errorf("%s of %s is %q", column, line[1], line[n])
			}
		}
	}
	if want := []string{"linguistic", "both", "copilot", "none"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}
