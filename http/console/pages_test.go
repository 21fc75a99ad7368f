package console_test

import (
	"net/http"
	"testing"

	"readiness/http/console/consoletest"
)

// pages returns the addresses of all pages in a world of the samples, whose models ada of contoso has assessed.
func pages(w *consoletest.World, t *testing.T) []string {
	t.Helper()
	all := []string{"/", "/?q=nothing+is+named+so", "/?sort=change", "/sign-in", "/nothing"}
	portfolio, err := w.API("contoso", "ada").GetPortfolioWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range portfolio.JSON200.Value {
		all = append(all, "/models/"+m.WorkspaceID.String()+"/"+m.SemanticModelID.String())
	}
	if len(portfolio.JSON200.Value) == 0 {
		t.Fatal("no model is assessed")
	}
	return all
}

// TestEveryPage opens every page, with everything that can be on it, as its reader, as a person who sees less, and as one of
// another account. No page breaks a rule of all pages, and none shows the other account anything.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	ada, margaret := w.As("contoso", "ada"), w.As("fabrikam", "margaret")
	for _, path := range pages(w, t) {
		got := ada.Get(path)
		status := http.StatusOK
		if path == "/nothing" {
			status = http.StatusNotFound
		}
		want(t, got, status)
		ada.CheckPage(got)
		other := margaret.Get(path)
		want(t, other, other.StatusCode)
		margaret.CheckPage(other)
	}
}
