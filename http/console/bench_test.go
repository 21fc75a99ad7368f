package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/routing"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// BenchmarkPages measures pages on the samples and on 5,000 models, as a browser loads them: the time until the entire answer is
// there, its size as it is sent, and its size with style and script.
func BenchmarkPages(b *testing.B) {
	reads, starts, operations := routing.Read.Limit, routing.Start.Limit, routing.Operations.Limit
	routing.Read.Limit, routing.Start.Limit, routing.Operations.Limit = 1<<20, 1<<20, 1<<20
	b.Cleanup(func() { routing.Read.Limit, routing.Start.Limit, routing.Operations.Limit = reads, starts, operations })
	samples := consoletest.Start(b, consoletest.Options{})
	samples.AssessAll("contoso", "ada")
	load(b, "samples", samples.As("contoso", "ada"), samples.API("contoso", "ada"))
	review(b, samples)
	large := consoletest.Start(b, consoletest.Options{Workspaces: consoletest.Many(b),
		Accounts: consoletest.ManyAccounts})
	large.AssessAll("contoso", "ada")
	load(b, "5,000 models", large.As("contoso", "ada"), large.API("contoso", "ada"))
}

// review measures the review of a preview of 200 changes, which has 25 on a page.
func review(b *testing.B, w *consoletest.World) {
	b.Helper()
	d := testworld.Disk{Root: w.Root}
	id := uuid.MustParse("77777777-0000-4000-8000-000000000001")
	var table strings.Builder
	table.WriteString("table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n")
	for i := range 250 {
		fmt.Fprintf(&table, "\n\tmeasure 'Revenue %03d' = SUM(Sales[Amount]) * %d\n", i, i+2)
	}
	d.Model(b, "Retail Analytics", "Wide", id, table.String())
	api := w.API("contoso", "ada")
	workspaces, err := api.ListWorkspacesWithResponse(b.Context(), nil)
	testworld.Check(b, err)
	for _, workspace := range workspaces.JSON200.Value {
		models, err := api.ListSemanticModelsWithResponse(b.Context(), workspace.WorkspaceID, nil)
		testworld.Check(b, err)
		if !slices.ContainsFunc(models.JSON200.Value, func(m client.SemanticModel) bool { return m.SemanticModelID == id }) {
			continue
		}
		assessed, err := api.AssessSemanticModelWithResponse(b.Context(), workspace.WorkspaceID, id, nil)
		testworld.Check(b, err)
		w.Ended(api, assessed.JSON202.OperationID)
		started, err := api.PreviewOptimizationWithResponse(b.Context(), workspace.WorkspaceID, id, "descriptions", nil)
		testworld.Check(b, err)
		w.Ended(api, started.JSON202.OperationID)
		page := "/previews/" + started.JSON202.OperationID.String()
		browser := w.As("contoso", "ada")
		if got := browser.Get(page); !strings.Contains(got.Body, "200\u00a0changes") {
			b.Fatalf("the preview has not 200 changes: %s", got.Body)
		}
		measure(b, "review of 200 changes", browser, page)
		return
	}
	b.Fatal("the model is not listed")
}

// load measures each page.
func load(b *testing.B, of string, browser *consoletest.Browser, api *client.Service) {
	b.Helper()
	first, err := api.GetPortfolioWithResponse(b.Context(), &client.GetPortfolioParams{MaxResults: new(50)})
	testworld.Check(b, err)
	paths := map[string]string{"portfolio": "/", "search": "/?q=sales", "losses": "/?sort=change"}
	m := first.JSON200.Value[0]
	paths["model"] = "/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String()
	paths["evaluation"], paths["pixies"], paths["administration"], paths["audit"] = "/evaluations", "/pixies", "/admin", "/admin/audit"
	if next := first.JSON200.ContinuationToken; next != nil {
		paths["second page"] = "/?continuationToken=" + *next
	}
	for name, path := range paths {
		measure(b, of+"/"+name, browser, path)
	}
}

// measure measures one page.
func measure(b *testing.B, name string, browser *consoletest.Browser, path string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		var took []time.Duration
		size := 0
		for b.Loop() {
			began := time.Now()
			got := browser.Get(path)
			took = append(took, time.Since(began))
			if size = got.Size; got.StatusCode != http.StatusOK {
				b.Fatalf("got status %d: %s", got.StatusCode, got.Body)
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(size), "page-bytes")
	})
}
