package screens_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

// TestHostileNames opens every screen with the hostile names: they are shown as they are, and make nothing wider than the window.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	b, w := chromium.Opened(t, consoletest.Options{Workspaces: consoletest.Hostile(t)})
	for _, at := range hostileScreens(t, w) {
		b.GoTo(at)
		if b.Is(`!!window.hacked`) || strings.Contains(b.Text(), "&lt;") || b.Is(`document.querySelectorAll("h1").length !== 1`) {
			t.Errorf("%s: a name is interpreted as markup, or shown escaped", at)
		}
		if !b.Is(`document.querySelector("h1").checkVisibility() && !document.querySelector(".problem")`) {
			t.Errorf("%s is not shown:\n%s", at, b.Text())
		}
		for _, width := range []int64{320, 1440} {
			b.Size(width, 900)
			fits(b, fmt.Sprintf("%s at %d", at, width))
		}
	}
	b.Quiet()
}

// hostileScreens returns the addresses of every screen about models, reports, questions and a test with the hostile names.
func hostileScreens(t *testing.T, w *consoletest.World) []string {
	t.Helper()
	api := w.API("contoso", "ada")
	got, err := api.GetPortfolioWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	models := got.JSON200.Value
	if len(models) != len(consoletest.HostileNames) {
		t.Fatalf("got %d models, want %d", len(models), len(consoletest.HostileNames))
	}
	in := models[0].WorkspaceID
	paths := []string{"/", "/evaluations", "/evaluations?workspaceId=" + in.String(), "/pixies?workspaceId=" + in.String(), "/admin", "/admin/audit",
		"/operations", "/assess?workspaceId=" + in.String()}
	var changed []uuid.UUID
	for _, m := range models {
		base := "/models/" + in.String() + "/" + m.SemanticModelID.String()
		started, err := api.PreviewOptimizationWithResponse(t.Context(), in, m.SemanticModelID, "descriptions", nil)
		testworld.Check(t, err)
		w.Ended(api, started.JSON202.OperationID)
		every, err := api.OptimizeWithResponse(t.Context(), in, m.SemanticModelID, nil, client.OptimizeRequest{Approval: "required"})
		testworld.Check(t, err)
		w.Ended(api, every.JSON202.OperationID)
		paths = append(paths, "/previews/"+every.JSON202.OperationID.String(), "/admin/audit?itemId="+m.SemanticModelID.String())
		changed = append(changed, m.SemanticModelID)
		paths = append(paths, base, base+"/evaluation", base+"/questions", "/previews/"+started.JSON202.OperationID.String(),
			"/operations/"+started.JSON202.OperationID.String(), fmt.Sprintf("%s/compare?a=%s&b=%s", base, m.AssessmentID, m.AssessmentID))
	}
	again, err := api.AssessSemanticModelsWithResponse(t.Context(), in, nil, client.BulkAssessRequest{SemanticModelIds: changed})
	testworld.Check(t, err)
	w.Ended(api, again.JSON202.OperationID)
	paths = append(paths, "/assessing?id="+again.JSON202.OperationID.String())
	paths = append(paths, hostileRuns(t, w, api, models[0], models[1])...)
	return append(paths, hostileReports(t, w, api, in)...)
}

// hostileRuns asks hostile questions of one model, and of two in a test with a hostile name.
func hostileRuns(t *testing.T, w *consoletest.World, api *client.Service, m, other client.PortfolioModel) []string {
	t.Helper()
	var questions []client.GivenBenchmarkQuestion
	oneLine := strings.NewReplacer("\n", " ", "\u0001", "")
	for _, name := range consoletest.HostileNames {
		name = oneLine.Replace(name)
		expected := name[:min(len(name), 200)]
		questions = append(questions, client.GivenBenchmarkQuestion{Text: name, Expected: client.GivenExpectedAnswer{Value: &expected}})
	}
	saved, err := api.SaveBenchmarkQuestionsWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.SaveBenchmarkQuestionsRequest{Questions: questions})
	testworld.Check(t, err)
	w.Ended(api, saved.JSON202.OperationID)
	assistant := client.AnsweredByRequest{Kind: "PlatformAssistant"}
	run, err := api.StartBenchmarkRunWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.StartBenchmarkRunRequest{AnsweredBy: assistant})
	testworld.Check(t, err)
	w.Ended(api, run.JSON202.OperationID)
	compared, err := api.CreateAbTestWithResponse(t.Context(), nil, client.CreateAbTestRequest{Name: consoletest.HostileNames[0], Source: client.AbTestSourceRequest{Kind: "Questions"},
		SideA: client.AbTestSideRequest{WorkspaceID: m.WorkspaceID, SemanticModelID: m.SemanticModelID, AnsweredBy: assistant},
		SideB: client.AbTestSideRequest{WorkspaceID: m.WorkspaceID, SemanticModelID: other.SemanticModelID, AnsweredBy: assistant}})
	testworld.Check(t, err)
	w.Ended(api, compared.JSON202.OperationID)
	tests, err := api.ListAbTestsWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	test := "/evaluations/" + tests.JSON200.Value[0].AbTestID
	return []string{"/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String() + "/runs/" + run.JSON202.OperationID.String(), test,
		test + "/runs/" + compared.JSON202.OperationID.String()}
}

// hostileReports adds Pixies to the reports, whose pages have hostile names, and returns their screens.
func hostileReports(t *testing.T, w *consoletest.World, api *client.Service, in uuid.UUID) (paths []string) {
	t.Helper()
	reports, err := api.ListReportsWithResponse(t.Context(), in, nil)
	testworld.Check(t, err)
	for i, r := range reports.JSON200.Value {
		started, err := api.AddPixiesWithResponse(t.Context(), in, r.ReportID, nil)
		testworld.Check(t, err)
		w.Ended(api, started.JSON202.OperationID)
		_, err = w.Pool.Exec(t.Context(), `INSERT INTO page_view_hours (account_id, report_id, hour, page, views) VALUES ('contoso', $1, date_trunc('hour', $2::timestamptz), $3, 5)`,
			r.ReportID, w.Now(), strings.ToLower(consoletest.HostileNames[i]))
		testworld.Check(t, err)
		paths = append(paths, "/pixies/"+in.String()+"/"+r.ReportID.String())
	}
	if len(paths) != len(consoletest.HostileNames) {
		t.Fatalf("got %d reports, want %d", len(paths), len(consoletest.HostileNames))
	}
	return paths
}
