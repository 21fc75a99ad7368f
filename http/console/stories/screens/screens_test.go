package screens_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
	"readiness/test/consoletest/chromium"
	"readiness/test/testworld"
)

var screensDir = flag.String("screens", "", "directory in which TestScreens writes the pictures of all screens")

// screen is a page to look at.
type screen struct{ Name, Path string }

// screens returns every screen in a world of the samples whose models ada of contoso has assessed. The first is without a
// sign-in.
func screens(t *testing.T, w *consoletest.World) []screen {
	t.Helper()
	all := []screen{{"sign-in", "/sign-in"}, {"portfolio", "/"}, {"portfolio-none", "/?q=nothing"},
		{"assess", "/assess?workspaceId=" + w.WorkspaceID("Retail Analytics")}, {"not-found", "/nothing"}}
	portfolio, err := w.API("contoso", "ada").GetPortfolioWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	f := portfolio.JSON200.Failures[0]
	again, err := w.API("contoso", "ada").AssessSemanticModelsWithResponse(t.Context(), f.WorkspaceID, nil,
		client.BulkAssessRequest{SemanticModelIds: []uuid.UUID{f.SemanticModelID, w.Assessed("Headcount").SemanticModelID}})
	testworld.Check(t, err)
	w.Ended(w.API("contoso", "ada"), again.JSON202.OperationID)
	all = append(all, screen{"portfolio-failed", "/?state=failed"}, screen{"portfolio-owned", "/?owner=grace"}, screen{"leaving-qna", "/leaving-qna"}, screen{"assessed", "/assessing?id=" + again.JSON202.OperationID.String()},
		screen{"model-failed", "/models/" + f.WorkspaceID.String() + "/" + f.SemanticModelID.String()})
	m, other := w.Assessed("Store Operations"), w.Assessed("Inventory")
	started, err := w.API("contoso", "ada").PreviewOptimizationWithResponse(t.Context(), other.WorkspaceID, other.SemanticModelID, "descriptions", nil)
	testworld.Check(t, err)
	id := started.JSON202.OperationID
	w.Ended(w.API("contoso", "ada"), id)
	every, err := w.API("contoso", "ada").OptimizeWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil, client.OptimizeRequest{Approval: "required"})
	testworld.Check(t, err)
	w.Ended(w.API("contoso", "ada"), every.JSON202.OperationID)
	_, err = w.API("contoso", "ada").SetOwnerWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, client.SetOwnerRequest{Person: new("grace")})
	testworld.Check(t, err)
	for _, n := range [][2]string{{"ada", "The shops decide what counts as closed.\nAsk Grace before renaming it."}, {"grace", "Waits for the new calendar."}} {
		_, err := w.API("contoso", n[0]).AddNoteWithResponse(t.Context(), f.WorkspaceID, f.SemanticModelID, client.NoteRequest{Text: n[1]})
		testworld.Check(t, err)
	}
	history, err := w.API("contoso", "ada").GetHistoryWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil)
	testworld.Check(t, err)
	first, model := history.JSON200.Value[len(history.JSON200.Value)-1].AssessmentID, "/models/"+m.WorkspaceID.String()+"/"+m.SemanticModelID.String()
	all = append(all, screen{"operations", "/operations"}, screen{"review", "/previews/" + id.String()},
		screen{"review-all", "/previews/" + every.JSON202.OperationID.String()}, screen{"operation", "/operations/" + id.String()},
		screen{"model", model}, screen{"compare", fmt.Sprintf("%s/compare?a=%s&b=%s", model, first, m.AssessmentID)})
	return append(all, evaluated(t, w)...)
}

// evaluated returns the screens of an evaluation, of a report with Pixies that were viewed, and of the account.
func evaluated(t *testing.T, w *consoletest.World) []screen {
	t.Helper()
	api := w.API("contoso", "ada")
	m := w.Assessed("Retail Sales")
	base := "/models/" + m.WorkspaceID.String() + "/" + m.SemanticModelID.String()
	agents, err := api.ListDataAgentsWithResponse(t.Context(), m.WorkspaceID, nil)
	testworld.Check(t, err)
	read, err := api.AssessDataAgentWithResponse(t.Context(), m.WorkspaceID, agents.JSON200.Value[0].DataAgentID, nil)
	testworld.Check(t, err)
	w.Ended(api, read.JSON202.OperationID)
	ask(t, w, api, m.WorkspaceID, m.SemanticModelID)
	run, err := api.StartBenchmarkRunWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, nil,
		client.StartBenchmarkRunRequest{AnsweredBy: client.AnsweredByRequest{Kind: "PlatformAssistant"}})
	testworld.Check(t, err)
	w.Ended(api, run.JSON202.OperationID)
	compared, err := api.CreateAbTestWithResponse(t.Context(), nil, client.CreateAbTestRequest{Name: "Assistant or provider",
		Source: client.AbTestSourceRequest{Kind: "Questions"},
		SideA:  client.AbTestSideRequest{WorkspaceID: m.WorkspaceID, SemanticModelID: m.SemanticModelID, AnsweredBy: client.AnsweredByRequest{Kind: "PlatformAssistant"}},
		SideB: client.AbTestSideRequest{WorkspaceID: m.WorkspaceID, SemanticModelID: m.SemanticModelID,
			AnsweredBy: client.AnsweredByRequest{Kind: "GenericAgent", ProviderID: new("embedded")}}})
	testworld.Check(t, err)
	w.Ended(api, compared.JSON202.OperationID)
	tests, err := api.ListAbTestsWithResponse(t.Context(), nil)
	testworld.Check(t, err)
	test := "/evaluations/" + tests.JSON200.Value[0].AbTestID
	_, err = api.CreateScheduleWithResponse(t.Context(), m.WorkspaceID, m.SemanticModelID, client.CreateScheduleRequest{Frequency: "Daily", TimeUtc: "03:00"})
	testworld.Check(t, err)
	w.Seal()
	return []screen{{"model-of-agent", base + "#agents"}, {"evaluations", "/evaluations"}, {"evaluation-of-model", base + "/evaluation"}, {"questions", base + "/questions"},
		{"import", base + "/questions/import"}, {"benchmark-run", base + "/runs/" + run.JSON202.OperationID.String()}, {"ab-test", test},
		{"ab-run", test + "/runs/" + compared.JSON202.OperationID.String()},
		{"pixies", "/pixies?workspaceId=" + m.WorkspaceID.String()}, {"pixies-report", viewed(t, w, api, m.WorkspaceID)},
		{"administration", "/admin"}, {"webhooks", "/admin/webhooks"}, {"webhook", hooked(t, api)}, {"audit", "/admin/audit"}, {"search", "/search?q=retail"}}
}

// ask saves questions about a model: generated ones, and some that no one can answer from its metadata.
func ask(t *testing.T, w *consoletest.World, api *client.Service, workspaceID, modelID uuid.UUID) {
	t.Helper()
	made, err := api.GenerateBenchmarkQuestionsWithResponse(t.Context(), workspaceID, modelID, nil, client.GenerateBenchmarkQuestionsRequest{Count: new(12)})
	testworld.Check(t, err)
	w.Ended(api, made.JSON202.OperationID)
	result, err := api.GetOperationResultWithResponse(t.Context(), made.JSON202.OperationID)
	testworld.Check(t, err)
	var set struct {
		Value []client.GivenBenchmarkQuestion `json:"value"`
	}
	testworld.Check(t, json.Unmarshal(result.Body, &set))
	for _, text := range []string{"How many customers came back within a month?", "Which campaign brought most visitors?"} {
		set.Value = append(set.Value, client.GivenBenchmarkQuestion{Text: text, Expected: client.GivenExpectedAnswer{Value: new("310")}, Tags: []string{"people"}})
	}
	saved, err := api.SaveBenchmarkQuestionsWithResponse(t.Context(), workspaceID, modelID, nil, client.SaveBenchmarkQuestionsRequest{Questions: set.Value})
	testworld.Check(t, err)
	w.Ended(api, saved.JSON202.OperationID)
}

// hooked creates a webhook with a message that waits, and returns its page.
func hooked(t *testing.T, api *client.Service) string {
	t.Helper()
	made, err := api.CreateWebhookWithResponse(t.Context(), client.CreateWebhookRequest{Address: new("https://hooks.example.com/services/T0/B0"),
		Events: []client.WantedWebhookEvent{"assessment.score-fell", "operation.ended"}})
	testworld.Check(t, err)
	_, err = api.TestWebhookWithResponse(t.Context(), made.JSON200.Webhook.WebhookID)
	testworld.Check(t, err)
	return "/admin/webhooks/" + made.JSON200.Webhook.WebhookID.String()
}

// viewed adds Pixies to a report, whose pages were viewed on some days, and returns its page.
func viewed(t *testing.T, w *consoletest.World, api *client.Service, workspaceID uuid.UUID) string {
	t.Helper()
	reports, err := api.ListReportsWithResponse(t.Context(), workspaceID, nil)
	testworld.Check(t, err)
	id := reports.JSON200.Value[0].ReportID
	started, err := api.AddPixiesWithResponse(t.Context(), workspaceID, id, nil)
	testworld.Check(t, err)
	w.Ended(api, started.JSON202.OperationID)
	_, err = w.Pool.Exec(t.Context(), `INSERT INTO page_view_hours (account_id, report_id, hour, page, views)
		SELECT 'contoso', $1, date_trunc('hour', $2::timestamptz) - day * interval '1 day', page, 1 + (day * length(page)) % 13
		FROM generate_series(0, 27) day, unnest(ARRAY['overview', 'detail by store', 'trend']) page WHERE (day + length(page)) % 7 > 1`, id, w.Now())
	testworld.Check(t, err)
	return "/pixies/" + workspaceID.String() + "/" + id.String()
}

// TestScreens opens every screen in both themes at three widths, and prints it: nothing is wider than the window, and nothing is
// reported to the browser's console. People who may not see what the screens show get none of it. With -screens it writes pictures.
func TestScreens(t *testing.T) {
	t.Parallel()
	if !chromium.Found(t) {
		return
	}
	w := consoletest.Start(t, consoletest.Options{})
	live(t, w)
	b := chromium.SignedIn(t, w)
	all := screens(t, w)
	for _, s := range all {
		b.GoTo(s.Path) // once: width and theme are matters of style alone
		for _, theme := range []string{"light", "dark"} {
			b.Theme(theme)
			for _, width := range []int64{320, 768, 1440} {
				b.Size(width, 900)
				fits(b, fmt.Sprintf("%s at %d", s.Name, width))
				if width > 320 {
					whole(b, fmt.Sprintf("%s at %d", s.Name, width))
				}
				if theme == "light" && width == 1440 {
					prints(b, s.Name)
					b.Theme(theme)
				}
				if *screensDir != "" && width != 768 && (width != 320 || theme == "light") {
					name := s.Name + "-" + theme
					if width == 320 {
						name += "-narrow"
					}
					picture(b, name)
				}
			}
		}
	}
	narrows(b, all)
	refused(b, w, all)
	b.Quiet()
}

// narrows types into the field above a list: rows without the text are hidden, and "all" checks the rows that are shown.
func narrows(b *chromium.Tab, all []screen) {
	b.T.Helper()
	at := slices.IndexFunc(all, func(s screen) bool { return s.Name == "assess" })
	b.GoTo(all[at].Path)
	if !b.Is(`document.querySelectorAll("tbody tr:not([hidden])").length > 1 && document.querySelector("output").value === ""`) {
		b.T.Error("a row is hidden before anything is typed")
	}
	chromium.Mouse{}.Write(b, "Show only names with", "SALES")
	b.Run("the list is filtered", chromedp.WaitVisible(`//output[contains(., "1 of ")]`, chromedp.BySearch), chromedp.Click(`input[data-all]`, chromedp.ByQuery),
		chromedp.Focus(`#narrow`, chromedp.ByQuery))
	if !b.Is(`[...document.querySelectorAll("tbody tr")].every((r) => {
		const fits = r.textContent.includes("Sales");
		return fits === r.checkVisibility() && fits === r.querySelector("input").checked;
	})`) {
		b.T.Errorf("a row that fits is hidden, or one that does not is shown or checked:\n%s", b.Text())
	}
	b.Run("the list is complete", chromedp.KeyEvent(strings.Repeat(kb.Backspace, len("SALES"))), chromedp.WaitNotPresent(`tbody tr[hidden]`, chromedp.ByQuery))
	if b.Is(`document.querySelectorAll("tbody input:checked").length !== 1`) {
		b.T.Error("other boxes are checked than those that were shown while the list was filtered")
	}
}

// fits fails the test if a page is wider than the window.
func fits(b *chromium.Tab, what string) {
	b.T.Helper()
	wide := ""
	b.Run(what, chromedp.Evaluate(`(() => { const w = document.documentElement.clientWidth;
		const cards = [...document.querySelectorAll(".card *, .rows:not(.scroll) *")].filter((e) => !e.closest(".scroll, .unseen") &&
			e.getBoundingClientRect().right > e.closest(".card, .rows").getBoundingClientRect().right + 1);
		if (cards.length) return cards.slice(0, 3).map((e) => e.outerHTML.slice(0, 200)).join(" | ");
		if (document.documentElement.scrollWidth <= w) return "";
		const out = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > w + 1 && !e.closest(".scroll, .unseen"));
		return out.slice(0, 3).map((e) => e.outerHTML.slice(0, 200)).join(" | ") || ([...document.querySelectorAll("body *")].filter((e) => e.scrollWidth > w && !e.closest(".scroll")).pop() || document.body).outerHTML.slice(0, 400) })()`, &wide))
	if wide != "" {
		b.T.Errorf("%s is wider than the window: %s", what, wide)
	}
}

// whole fails the test if a table is wider than its place, so that people miss what is on its right.
func whole(b *chromium.Tab, what string) {
	b.T.Helper()
	if b.Is(`[...document.querySelectorAll(".scroll")].some((e) => e.scrollWidth > e.clientWidth + 1)`) {
		b.T.Errorf("%s: a table is wider than its place", what)
	}
}

// picture writes a picture of the page, at most 1600 pixels high.
func picture(b *chromium.Tab, name string) {
	b.T.Helper()
	var height int64
	b.Run("height", chromedp.Evaluate(`Math.min(1600, document.documentElement.scrollHeight)`, &height))
	var width int64
	b.Run("width", chromedp.Evaluate(`innerWidth`, &width))
	b.Size(width, max(height, 500))
	var content []byte
	b.Run("picture", chromedp.CaptureScreenshot(&content))
	small, err := smaller(content)
	if err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screensDir, name+".png"), small, 0o644); err != nil {
		b.T.Fatal(err)
	}
	b.Size(width, 900)
}

// smaller returns a picture in fewer bytes.
func smaller(content []byte) ([]byte, error) {
	decoded, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&b, paletted(decoded))
	return b.Bytes(), err
}
