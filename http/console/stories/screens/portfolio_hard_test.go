//go:build hard

package screens_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// maxElements bounds the elements of a page, which is what a browser lays out.
const maxElements = 2500

// TestHardManyModels opens the portfolio of 5,000 models in the browser, pages through it, sorts it and searches it. Whatever the number
// of models, a page stays small.
func TestHardManyModels(t *testing.T) {
	if !chromium.Found(t) {
		return
	}
	w := consoletest.Start(t, consoletest.Options{Workspaces: consoletest.Many(t), Accounts: consoletest.ManyAccounts})
	assessMany(t, w)
	b := chromium.SignedIn(t, w)
	b.Shows("Portfolio", "Where we stand", "5\u202f000", "Scores by workspace, the 8 lowest of 50")
	var seen []string
	for page := range 5 {
		if page > 0 {
			first := listed(b)[0]
			chromium.Mouse{}.Press(b, "Next page")
			b.Run("the next page", chromedp.WaitVisible(`//tbody//th[not(//tbody//a[normalize-space(.)=`+chromium.Quoted(first)+`])]`, chromedp.BySearch))
		}
		names := listed(b)
		if len(names) != 50 {
			t.Errorf("page %d has %d models, want 50", page, len(names))
		}
		seen = append(seen, names...)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 250 {
		t.Error("a model is on two pages")
	}
	for at, want := range map[string]string{"/?sort=name": "Model 0000", "/?q=model+4321": "Model 4321", "/?q=workspace+49&sort=name": "Model 4900"} {
		b.GoTo(at)
		if got := listed(b); got[0] != want || strings.Contains(at, "4321") && len(got) != 1 {
			t.Errorf("%s lists %q first, of %d, want %s", at, got[0], len(got), want)
		}
	}
	b.GoTo("/")
	chromium.Mouse{}.Write(b, "Model or workspace", "Model 1234")
	chromium.Mouse{}.Press(b, "Show")
	b.Run("one model is left", chromedp.WaitVisible(`//tbody[count(tr)=1]//a[normalize-space(.)="Model 1234"]`, chromedp.BySearch))
	for _, at := range []string{"/", "/?sort=change", "/assess?workspaceId=55555555-0000-4000-8000-000000000049", "/evaluations", "/pixies", "/operations", "/admin/audit"} {
		b.GoTo(at)
		fits(b, at)
		if b.Is(`document.querySelectorAll("*").length > ` + strconv.Itoa(maxElements)) {
			t.Errorf("%s has more than %d elements", at, maxElements)
		}
	}
	b.Quiet()
}

// assessMany assesses the models of one workspace, and gives the models of the others, which have the same definitions, the same results in
// the views: what a page shows does not depend on how the rows were made, and 5,000 assessments take minutes.
func assessMany(t *testing.T, w *consoletest.World) {
	t.Helper()
	api := w.API("contoso", "ada")
	var ids []uuid.UUID
	for i := range 100 {
		ids = append(ids, uuid.MustParse(fmt.Sprintf("66666666-0000-4000-8000-%012d", i)))
	}
	started, err := api.AssessSemanticModelsWithResponse(t.Context(), uuid.MustParse("55555555-0000-4000-8000-000000000000"), nil,
		client.BulkAssessRequest{SemanticModelIds: ids})
	testworld.Check(t, err)
	w.Ended(api, started.JSON202.OperationID)
	_, err = w.Pool.Exec(t.Context(), `
		INSERT INTO portfolio_v6 (account_id, model_id, workspace_id, name_folded, names_folded, rank, assessed_at, basis, regime, assessment)
		SELECT p.account_id, c.model_id, c.workspace_id, lower(c.model), lower(c.model || E'\n' || c.workspace), p.rank, p.assessed_at, p.basis, p.regime,
			p.assessment || jsonb_build_object('semanticModelId', c.model_id, 'semanticModelName', c.model, 'workspaceId', c.workspace_id,
				'workspaceName', c.workspace)
		FROM portfolio_v6 p, LATERAL (
			SELECT ('66666666-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid AS model_id, 'Model ' || lpad(n::text, 4, '0') AS model,
				('55555555-0000-4000-8000-' || lpad((n / 100)::text, 12, '0'))::uuid AS workspace_id, 'Workspace ' || lpad((n / 100)::text, 2, '0') AS workspace
			FROM generate_series(right(p.model_id::text, 12)::int + 100, 4999, 100) n) c`)
	testworld.Check(t, err)
	_, err = w.Pool.Exec(t.Context(), `
		INSERT INTO portfolio_scores_v6
		SELECT s.account_id, m.model_id, m.workspace_id, s.rank, s.assessed_at, s.basis, s.regime, s.high, s.medium, s.low, s.dimension_descriptions,
			s.dimension_naming, s.dimension_measures, s.dimension_types, s.dimension_relationships, s.dimension_visibility,
			s.dimension_instructions, s.dimension_synonyms, s.dimension_time
		FROM portfolio_v6 m JOIN portfolio_scores_v6 s ON right(s.model_id::text, 12)::int = right(m.model_id::text, 12)::int % 100
		WHERE NOT EXISTS (SELECT FROM portfolio_scores_v6 x WHERE x.model_id = m.model_id)`)
	testworld.Check(t, err)
	_, err = w.Pool.Exec(t.Context(), `
		INSERT INTO portfolio_changes_v6
		SELECT c.account_id, m.model_id, c.since, c.until, c.change, m.workspace_id
		FROM portfolio_v6 m JOIN portfolio_changes_v6 c ON right(c.model_id::text, 12)::int = right(m.model_id::text, 12)::int % 100
		WHERE NOT EXISTS (SELECT FROM portfolio_changes_v6 x WHERE x.model_id = m.model_id)`)
	testworld.Check(t, err)
}

// listed returns the names of the models in the table.
func listed(b *chromium.Tab) (names []string) {
	b.T.Helper()
	b.Run("the models", chromedp.Evaluate(`[...document.querySelectorAll("tbody th a[href^='/models/']")].map((a) => a.textContent)`, &names))
	return names
}
