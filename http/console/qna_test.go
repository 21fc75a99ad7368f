package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"readiness/internal/optional"
	"readiness/test/consoletest"
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
		want(t, got, 200, fmt.Sprintf(`<th scope="row">%s</th><td class="number">%d</td>`, name, counts[format]), "Not known here: Q&amp;A visuals")
	}
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
