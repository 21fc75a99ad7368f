package console_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/testworld"
)

// pages returns the addresses of all pages in a world of the samples, whose models ada of contoso has assessed.
func pages(w *consoletest.World, t *testing.T) []string {
	t.Helper()
	all := []string{"/", "/?q=nothing+is+named+so", "/?sort=change", "/?owner=me", "/leaving-qna", "/sign-in", "/nothing"}
	var previews []uuid.UUID
	portfolio, err := w.API("contoso", "ada").GetPortfolioWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range portfolio.JSON200.Value {
		model, assessment := "/models/"+m.WorkspaceID.String()+"/"+m.SemanticModelID.String(), m.AssessmentID.String()
		all = append(all, model, model+"/compare?a="+assessment+"&b="+assessment)
		if _, err := w.API("contoso", "ada").SetOwnerWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, client.SetOwnerRequest{}); err != nil {
			t.Fatal(err)
		}
		note := client.NoteRequest{Text: "</p><script>window.x=1</script>\n" + strings.Repeat("long", 400)}
		if _, err := w.API("contoso", "ada").AddNoteWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, note); err != nil {
			t.Fatal(err)
		}
		started, err := w.API("contoso", "ada").PreviewOptimizationWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, "descriptions", nil)
		if err != nil {
			t.Fatal(err)
		}
		previews = append(previews, started.JSON202.OperationID)
	}
	for _, id := range previews {
		w.Ended(w.API("contoso", "ada"), id)
		all = append(all, "/previews/"+id.String(), "/operations/"+id.String())
	}
	all = append(all, "/operations", "/evaluations", "/evaluations?q=nothing")
	if len(portfolio.JSON200.Value) == 0 {
		t.Fatal("no model is assessed")
	}
	first := portfolio.JSON200.Value[0]
	model := "/models/" + first.WorkspaceID.String() + "/" + first.SemanticModelID.String()
	hook := webhookPage(t, w)
	all = append(all, "/search", "/search?q=a", "/admin", "/admin/webhooks", hook, "/pixies", "/pixies?workspaceId="+first.WorkspaceID.String())
	all = append(all, "/evaluations?workspaceId="+first.WorkspaceID.String(), model+"/evaluation", model+"/questions", model+"/questions/import")
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

// TestSeen shows a person only what they may see: not another account's models, nor a workspace that has other members.
func TestSeen(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	ada := w.As("contoso", "ada").Get("/")
	want(t, ada, 200, "Retail Sales", "Headcount", "Scores by workspace")
	linus := w.As("contoso", "linus")
	for _, path := range []string{"/", "/portfolio.csv", "/?q=head", "/assess"} {
		got := linus.Get(path)
		want(t, got, 200)
		if strings.Contains(got.Body, "Headcount") || strings.Contains(got.Body, "Corporate Functions") {
			t.Errorf("%s shows a person what they may not see", path)
		}
	}
	want(t, linus.Get("/"), 200, "Retail Sales")
	for _, path := range []string{"/", "/portfolio.csv"} {
		if got := w.As("fabrikam", "margaret").Get(path); strings.Contains(got.Body, "Retail") {
			t.Errorf("%s shows another account's models", path)
		}
	}
	edsger := w.As("northwind", "edsger") // of a suspended account
	want(t, edsger.Get("/"), http.StatusForbidden, "AccountNotActive")
}

// TestCSV has every model of the list, also the one that cannot be read, and no name that a spreadsheet takes for a formula.
func TestCSV(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	got := w.As("contoso", "ada").Get("/portfolio.csv")
	want(t, got, 200)
	if kind, name := got.Header.Get("Content-Type"), got.Header.Get("Content-Disposition"); kind != "text/csv; charset=utf-8" || name != "attachment; filename=portfolio.csv" {
		t.Errorf("got %q, %q", kind, name)
	}
	lines := strings.Split(strings.TrimSpace(got.Body), "\n")
	if len(lines) != 10 || !strings.HasPrefix(lines[0], "workspace,model,score,") || !strings.HasPrefix(lines[1], "Corporate Functions,crm_export,") {
		t.Errorf("got\n%s", got.Body)
	}
}

// TestHostileText shows hostile names as text on every page, within its size limit.
func TestHostileText(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{Workspaces: consoletest.Hostile(t)})
	w.AssessAll("contoso", "ada")
	b := w.As("contoso", "ada")
	models := 0
	for _, path := range pages(w, t) {
		got := b.Get(path)
		want(t, got, got.StatusCode)
		b.CheckPage(got)
		for _, markup := range []string{"<script>window", "<img", `onerror="window`, "</title><h1>"} {
			if strings.Contains(strings.ReplaceAll(got.Body, "· Readiness</title>", ""), markup) {
				t.Errorf("%s has a name as markup: %s", path, markup)
			}
		}
		if strings.HasPrefix(path, "/previews/") {
			want(t, got, 200, "Review: Descriptions of")
		}
		if strings.HasPrefix(path, "/models/") && strings.Count(path, "/") == 3 {
			models++
			want(t, got, 200, "Findings, by rule")
		}
	}
	if models != len(consoletest.HostileNames) {
		t.Errorf("%d models are shown, want %d", models, len(consoletest.HostileNames))
	}
}

// TestAssessAnew shows which models were scored by earlier rules, and assesses them anew at one press; then none is left, and the model's
// page says that the two scores do not compare.
func TestAssessAnew(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	b, api := w.As("contoso", "ada"), w.API("contoso", "ada")
	const waits, button = "scored by earlier rules", `action="/assess/outdated"`
	if got := b.Get("/"); strings.Contains(got.Body, waits) || strings.Contains(got.Body, button) {
		t.Error("a model waits although the rules of today scored all")
	}
	want(t, b.Send("/assess/outdated", nil), http.StatusSeeOther)
	retail, headcount := w.Assessed("Retail Sales"), w.Assessed("Headcount")
	w.ScoredByEarlierRules("Retail Sales", "Headcount")
	got := b.Get("/")
	want(t, got, 200, "2\u00a0models were "+waits, button, "earlier rules</span>")
	b.CheckPage(got)
	got = b.Get("/?outdated=yes")
	want(t, got, 200, "Retail Sales", "Headcount", `name="outdated" value="yes"`)
	b.CheckPage(got)
	if strings.Contains(got.Body, "Inventory") {
		t.Error("a model that does not wait is listed")
	}
	want(t, b.Get("/portfolio.csv?outdated=yes"), 200, retail.SemanticModelID.String()+",2026-12,true")
	path := "/models/" + retail.WorkspaceID.String() + "/" + retail.SemanticModelID.String()
	want(t, b.Get(path), 200, "Scored by the rules 2026-12, which are not those of today")

	got = b.Send("/assess/outdated", nil)
	want(t, got, http.StatusSeeOther)
	at, err := got.Location()
	if err != nil || at.Path != "/assessing" || len(at.Query()["id"]) != 2 {
		t.Fatalf("the form leads to %s, %v; want two operations", at, err)
	}
	for _, id := range at.Query()["id"] {
		w.Ended(api, uuid.MustParse(id))
	}
	if got := b.Get("/"); strings.Contains(got.Body, waits) {
		t.Errorf("a model still waits:\n%s", got.Body)
	}
	got = b.Get(path)
	want(t, got, 200, "The assessment before was scored by the rules 2026-12, so the two scores do not compare.")
	b.CheckPage(got)
	if anew := w.Assessed("Headcount"); anew.Outdated || anew.AssessmentID == headcount.AssessmentID {
		t.Errorf("got %+v", anew)
	}
}

// TestRefusedByPowerBI shows where Power BI refuses a model, and nothing of the kind for another.
func TestRefusedByPowerBI(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	const file = "definition/tables/Sales.tmdl"
	path := filepath.Join(w.Root, "Retail Analytics", "Retail Sales.SemanticModel", filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	testworld.Check(t, err)
	text = append(text, "\n\tcolumn Wrong\n\t\tdataType: int64\n\t\tsourceColumn: w\n\t\tannotation a = b\n\t\tisHidden\n"...)
	testworld.Check(t, os.WriteFile(path, text, 0o600))
	w.AssessAll("contoso", "ada")
	b := w.As("contoso", "ada")
	const refused = "Power BI refuses this model."
	for name, is := range map[string]bool{"Retail Sales": true, "Inventory": false} {
		m := w.Assessed(name)
		got := b.Get("/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String())
		want(t, got, 200, "Findings, by rule")
		b.CheckPage(got)
		if strings.Contains(got.Body, refused) != is || strings.Contains(got.Body, file+":") != is {
			t.Errorf("%s: the page says that Power BI refuses it: %v, want %v", name, !is, is)
		}
	}
}

// TestAssess starts what the form names: one operation for each workspace; nothing for a form without a model, with a foreign id,
// or of a person who may not start work.
func TestAssess(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	b := w.As("contoso", "ada")
	const unknown = "11111111-1111-4111-8111-111111111111"
	for _, row := range []struct {
		models []string
		status int
		text   string
	}{
		{nil, http.StatusBadRequest, "No model is chosen"}, {[]string{"x"}, http.StatusBadRequest, "No model is chosen"},
		{[]string{unknown + "/y"}, http.StatusBadRequest, "No model is chosen"},
		{[]string{unknown + "/" + unknown}, http.StatusNotFound, "WorkspaceNotFound"},
	} {
		want(t, b.Send("/assess", url.Values{"model": row.models}), row.status, row.text)
	}
	var operations int
	if err := w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE account_id = 'contoso' AND type LIKE 'operation.%'`).Scan(&operations); err != nil || operations != 0 {
		t.Fatalf("%d events of operations, %v: a refused form did something", operations, err)
	}
	workspaces, err := w.API("contoso", "ada").ListWorkspacesWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var chosen []string
	for _, workspace := range workspaces.JSON200.Value {
		models, err := w.API("contoso", "ada").ListSemanticModelsWithResponse(t.Context(), workspace.WorkspaceID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if name := workspace.WorkspaceName; name == "Retail Analytics" || name == "Corporate Functions" {
			chosen = append(chosen, workspace.WorkspaceID.String()+"/"+models.JSON200.Value[0].SemanticModelID.String())
		}
	}
	got := b.Send("/assess", url.Values{"model": chosen})
	want(t, got, http.StatusSeeOther)
	at, err := got.Location()
	if err != nil || at.Path != "/assessing" || len(at.Query()["id"]) != 2 {
		t.Fatalf("the form leads to %s, %v; want two operations", at, err)
	}
	want(t, b.Get(at.RequestURI()), 200, "Assess")
	want(t, w.As("fabrikam", "margaret").Get(at.RequestURI()), http.StatusNotFound)
	for _, path := range []string{"/assessing", "/assessing?id=x", "/assessing?id=" + unknown} {
		want(t, b.Get(path), http.StatusNotFound)
	}
}
