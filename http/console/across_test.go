package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// TestAcrossModels shows what differs across models that were assessed together on the pages of the operation and of its progress: a measure with two
// expressions, and models that repeat each other. Names are text. Another account sees nothing of it.
func TestAcrossModels(t *testing.T) {
	t.Parallel()
	d := testworld.Disk{Root: t.TempDir()}
	d.Write(t, `{"id":"44444444-4444-4444-8444-444444444444","displayName":"Many"}`, "Many", "workspace.json")
	in := uuid.MustParse("44444444-4444-4444-8444-444444444444")
	var models []uuid.UUID
	for i, expression := range []string{"SUM('Sales'[Amount])", "SUM('Sales'[Amount])", "AVERAGE('Sales'[Amount])"} {
		dir, id := fmt.Sprintf("Model%d.SemanticModel", i), uuid.MustParse(fmt.Sprintf("44444444-0000-4000-8000-%012d", i))
		models = append(models, id)
		d.Item(t, "Many", dir, fmt.Sprintf("Model <%d>", i), id)
		table := "table Sales\n\n\tmeasure '<b>Total' = " + expression + "\n"
		for c := range 10 {
			table += fmt.Sprintf("\n\tcolumn C%d\n\t\tdataType: string\n", c)
		}
		d.Write(t, table+"\n\tcolumn Amount\n\t\tdataType: double\n", "Many", dir, "definition", "tables", "Sales.tmdl")
	}
	w := consoletest.Start(t, consoletest.Options{Workspaces: d.Root})
	ada, api := w.As("contoso", "ada"), w.API("contoso", "ada")
	for _, tt := range []struct {
		models      []uuid.UUID
		shown, lack []string
	}{
		{models, []string{"<bdi>[&lt;b&gt;Total]</bdi>", "2 expressions in 3 models", "Nearly identical", "This costs no points",
			`<a href="/models/` + in.String() + "/" + models[2].String() + `"><bdi>Model &lt;2&gt;</bdi></a>`}, []string{"<b>Total"}},
		{models[:1], nil, []string{"Across models"}},
		{models[:2], []string{"Nearly identical"}, []string{"expressions in"}},
	} {
		started, err := api.AssessSemanticModelsWithResponse(t.Context(), in, nil, client.BulkAssessRequest{SemanticModelIds: tt.models})
		testworld.Check(t, err)
		id := started.JSON202.OperationID
		w.Ended(api, id)
		for _, path := range []string{"/operations/" + id.String(), "/assessing?id=" + id.String()} {
			got := ada.Get(path)
			want(t, got, http.StatusOK, tt.shown...)
			lacks(t, got, tt.lack...)
			ada.CheckPage(got)
			want(t, w.As("fabrikam", "margaret").Get(path), http.StatusNotFound)
		}
	}
}
