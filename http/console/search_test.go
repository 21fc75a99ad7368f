package console_test

import (
	"net/http"
	"strings"
	"testing"

	"readiness/client"
	"readiness/test/consoletest"
)

// TestSearch finds models, also one that cannot be read, workspaces, reports and operations by part of a name, and nothing that a person does
// not see.
func TestSearch(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	ada, linus, margaret := w.As("contoso", "ada"), w.As("contoso", "linus"), w.As("fabrikam", "margaret")
	all, err := w.API("contoso", "ada").ListOperationsWithResponse(t.Context(), &client.ListOperationsParams{})
	if err != nil || len(all.JSON200.Value) == 0 {
		t.Fatalf("got no operations, %v", err)
	}
	operation := all.JSON200.Value[0].ID.String()
	for text, row := range map[string]struct{ has, lacks []string }{
		"RETAIL": {[]string{`id="models"`, "Retail Sales</bdi>", `id="workspaces"`, "Retail Analytics</bdi>", `id="reports"`, "Retail Sales Overview</bdi>"},
			[]string{"Headcount", "Nothing that you see"}},
		"budget":         {[]string{"Budget 2024", "last assessment failed"}, []string{`id="reports"`}},
		"several models": {[]string{`id="operations"`, "Assessment of several models"}, []string{`id="models"`}},
		operation:        {[]string{"/operations/" + operation}, []string{"Nothing that you see"}},
		"<b>zz</b>":      {[]string{"Nothing that you see has this in its name.", "&lt;b&gt;zz"}, []string{"<b>zz"}},
		"":               {[]string{"The key <kbd>/</kbd>"}, []string{"Nothing that you see"}},
	} {
		got := ada.Get("/search?q=" + strings.NewReplacer("<", "%3C", ">", "%3E", "/", "%2F", " ", "+").Replace(text))
		want(t, got, http.StatusOK, row.has...)
		lacks(t, got, row.lacks...)
		ada.CheckPage(got)
	}
	want(t, linus.Get("/search?q=headcount"), http.StatusOK, "Nothing that you see")
	want(t, margaret.Get("/search?q="+operation), http.StatusOK, "Nothing that you see")
	lacks(t, margaret.Get("/search?q=retail"), `id="models"`, `id="operations"`)
}
