package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
)

// lacks fails the test if the page has one of the texts.
func lacks(t *testing.T, got consoletest.Answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(got.Body, text) {
			t.Errorf("%s has %q:\n%s", got.Request.URL, text, got.Body)
		}
	}
}

// TestFailures assesses everything at one press, and shows what could not be read wherever models are: in the progress, the operation, the
// portfolio, its search and file, and on the page of the model; to nobody who does not see the model, and not once it is mended.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, api := w.As("contoso", "ada"), w.API("contoso", "ada")
	lacks(t, ada.Get("/"), "could not be read")
	got := ada.Send("/assess/all", nil)
	want(t, got, http.StatusSeeOther)
	at, err := got.Location()
	if err != nil || at.Path != "/assessing" || len(at.Query()["id"]) != 2 || len(at.Query()["refused"]) != 1 {
		t.Fatalf("it leads to %s, %v; want two operations, and one workspace that refused", at, err)
	}
	for _, id := range at.Query()["id"] {
		w.Ended(api, uuid.MustParse(id))
	}
	const reason = "Budget 2024"
	got = ada.Get(at.RequestURI())
	want(t, got, 200, "8 assessed, 1 could not be read.", "Nothing was started in <bdi>Seasonal Campaigns</bdi>: its capacity is paused", reason, "the definition cannot be read", "Everything has ended")
	lacks(t, got, `http-equiv="refresh"`)
	ada.CheckPage(got)
	want(t, w.As("fabrikam", "margaret").Get(at.RequestURI()), http.StatusNotFound)

	list, err := api.GetPortfolioWithResponse(t.Context(), nil)
	if err != nil || len(list.JSON200.Failures) != 1 {
		t.Fatalf("got %+v, %v; want one failure", list, err)
	}
	failed := list.JSON200.Failures[0]
	message := html.EscapeString(failed.Error.Message)
	model := "/models/" + failed.WorkspaceID.String() + "/" + failed.SemanticModelID.String()
	for path, texts := range map[string][]string{
		"/":              {`<a class="down" href="/?state=failed">1` + "\u00a0model</a>", reason, "could not be read", message},
		"/?q=budget":     {reason, "could not be read"},
		"/?state=failed": {reason, `name="state" value="failed"`, "Models whose last assessment failed, and why.", `class="said"`},
		"/operations":    {"assessed, 1 could not be read"},
		"/operations/" + failed.OperationID.String(): {"could not be read", reason, message},
		model: {"<h1><bdi>" + reason, "The last assessment failed:", message, "Assess it again"},
	} {
		got := ada.Get(path)
		want(t, got, 200, texts...)
		ada.CheckPage(got)
	}
	if !strings.Contains(failed.Error.Message, ".tmdl:") {
		t.Errorf("the reason names no file and line: %s", failed.Error.Message)
	}
	lacks(t, ada.Get("/?state=failed"), "Retail Sales")
	lacks(t, ada.Get("/?q=retail+sales"), reason)
	for _, path := range []string{"/portfolio.csv", "/portfolio.csv?state=failed"} {
		want(t, ada.Get(path), 200, reason+",,", failed.SemanticModelID.String(), "cannot be read")
	}
	lacks(t, ada.Get("/portfolio.csv?state=failed"), "Retail Sales")
	linus := w.As("contoso", "linus") // does not see the workspace
	for _, path := range []string{"/", "/?state=failed", "/portfolio.csv"} {
		lacks(t, linus.Get(path), reason, "<bdi>Corporate")
	}
	want(t, linus.Get(model), http.StatusNotFound)
}

// TestStale says on a model's page that its score is from before a write, until it is assessed again; and links to what was written.
func TestStale(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, api := r.As("contoso", "ada"), r.API("contoso", "ada")
	w, m := modelOf(t, api, "Store Operations")
	path := "/models/" + w.String() + "/" + m.String()
	assess := func() {
		t.Helper()
		got := ada.Send("/assess", url.Values{"model": {w.String() + "/" + m.String()}})
		want(t, got, http.StatusSeeOther)
		at, err := got.Location()
		if err != nil {
			t.Fatal(err)
		}
		r.Ended(api, uuid.MustParse(at.Query().Get("id")))
	}
	assess()
	const stale = "The score is from before"
	lacks(t, ada.Get(path), stale)
	want(t, ada.Get(path), 200, `href="`+path+`/evaluation"`, "the newest")
	operation := r.applied(ada)
	if o := r.ended(operation); o.Status != client.OperationStatusSucceeded {
		t.Fatalf("the apply ended as %s: %v", o.Status, o.Error)
	}
	got := ada.Get(path)
	want(t, got, 200, stale, `<a href="`+operation+`">apply of`, "Assess again", `<a href="/search?q=Store%20Operations#operations">`)
	ada.CheckPage(got)
	assess()
	got = ada.Get(path)
	lacks(t, got, stale)
	want(t, got, 200, `<a href="`+operation+`">apply</a>`, "/compare?a=")
	ada.CheckPage(got)
	got = ada.Get(path + "/findings.csv")
	want(t, got, 200, "rules,severity,dimension")
	if name := got.Header.Get("Content-Disposition"); name != "attachment; filename=findings.csv" {
		t.Errorf("the file is %q", name)
	}
	want(t, ada.Get(path+"/findings.md"), 200, "# Store Operations\n\nScore ", "\n## ", "\n- [ ] ")
	log := ada.Get(path + "/findings.sarif")
	want(t, log, 200, `"version": "2.1.0"`, `"logicalLocations"`, `"ruleId": "`)
	lacks(t, log, "physicalLocation", "originalUriBaseIds", `"id": ""`)
	for _, file := range []string{"/findings.csv", "/findings.md", "/findings.sarif"} {
		want(t, r.As("fabrikam", "margaret").Get(path+file), http.StatusNotFound)
	}
}

// TestModelFilter narrows the findings of a model's page by address, and says what fits into half an hour.
func TestModelFilter(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada := r.As("contoso", "ada")
	w, m := modelOf(t, r.API("contoso", "ada"), "Store Operations")
	path := "/models/" + w.String() + "/" + m.String()
	want(t, ada.Get(path), 200, "The next 30 minutes", `href="`+path+`/findings.md"`)
	for query, has := range map[string]string{"?minutes=30": "They can be mended in about 30 minutes, for ", "?severity=low": "<option selected>low</option>",
		"?q=nothing+has+this": "No finding fits."} {
		got := ada.Get(path + query)
		want(t, got, 200, has, "Show all", " of ")
		ada.CheckPage(got)
	}
}

// TestProposeAll proposes every kind at one press, reviews all changes in one table, and writes what is accepted at one press.
func TestProposeAll(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, api := r.As("contoso", "ada"), r.API("contoso", "ada")
	w, m := modelOf(t, api, "Store Operations")
	path := "/models/" + w.String() + "/" + m.String()
	want(t, ada.Get(path), 200, "Propose all of these")
	got := ada.Send(path+"/preview", url.Values{"kind": {"all"}})
	want(t, got, http.StatusSeeOther)
	at := got.Header.Get("Location")
	r.Ended(api, uuid.MustParse(strings.TrimPrefix(at, "/previews/")))
	r.path = at
	got = ada.Get(at)
	want(t, got, 200, "Review: every kind of <bdi>Store Operations</bdi>", "AI instructions</a>", "Descriptions</a>", `href="`+path+`"`, "Before anything is written, you see all of it in full", "Page 1 of ", "not recommended ones</button>")
	ada.CheckPage(got)
	if n := strings.Count(got.Body, `<tr class="change"`); n != 20 {
		t.Errorf("a page has %d changes", n)
	}
	lacks(t, ada.Get(path), "The score is from before")
	for _, margaret := range []consoletest.Answer{r.As("fabrikam", "margaret").Get(at), r.As("fabrikam", "margaret").Send(at, r.with(got, "apply"))} {
		want(t, margaret, http.StatusNotFound)
	}
	r.decidesTogether(got)
	r.appliesInTurn()
	want(t, ada.Get(path), 200, "The score is from before")
}

// decidesTogether decides about changes of several kinds on one page, which nothing is applied of that someone did not see.
func (r *reviewed) decidesTogether(shown consoletest.Answer) {
	r.t.Helper()
	ada, grace := r.As("contoso", "ada"), r.As("contoso", "grace")
	for _, button := range []string{"apply", "confirm"} {
		got := r.press(ada, button)
		if button == "confirm" {
			want(r.t, got, http.StatusSeeOther)
			got = ada.Get(got.Header.Get("Location"))
		}
		want(r.t, got, http.StatusBadRequest, "No change is accepted")
	}
	got := r.press(ada, "accept.0")
	want(r.t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != r.path+"?page=1#r1" {
		r.t.Errorf("it leads to %s", to)
	}
	want(r.t, r.press(ada, "reject.1"), http.StatusSeeOther)
	want(r.t, ada.Get(r.path), 200, "<strong>1</strong> accepted · <strong>1</strong> rejected")
	want(r.t, grace.Send(r.path, r.with(shown, "reject.0")), http.StatusConflict, "1\u00a0decision was", "You chose: rejected")
	for _, wrong := range []string{"accept.-1", "accept.100000", "accept.", "write.0", ""} {
		want(r.t, ada.Send(r.path, r.with(shown, wrong)), http.StatusSeeOther)
	}
	want(r.t, ada.Get(r.path+"?page=99"), 200, "<strong>1</strong> accepted · <strong>1</strong> rejected")
	late := ada.Get(r.path + "?confirm=yes")
	want(r.t, late, 200, "What will be written to <bdi>Store Operations</bdi>", "Write 1\u00a0change</button>")
	ada.CheckPage(late)
	want(r.t, r.press(grace, "open.1"), http.StatusSeeOther)
	want(r.t, r.press(ada, "all"), http.StatusSeeOther)
	got = ada.Send(r.path, r.with(late, "apply"))
	want(r.t, got, http.StatusConflict, "Nothing more was applied.")
	ada.CheckPage(got)
	if n := r.applies(); n != 0 {
		r.t.Errorf("%d applies were started", n)
	}
}

// appliesInTurn confirms what is accepted, and sees one kind written after another: only while who confirmed it looks.
func (r *reviewed) appliesInTurn() {
	r.t.Helper()
	ada, grace, api := r.As("contoso", "ada"), r.As("contoso", "grace"), r.API("contoso", "ada")
	shown := ada.Get(r.path + "?confirm=yes")
	for range 2 {
		want(r.t, ada.Send(r.path, r.with(shown, "apply")), http.StatusSeeOther)
	}
	got := grace.Get(r.path)
	want(r.t, got, 200, "What <bdi>ada</bdi> confirmed is being written", `http-equiv="refresh"`)
	grace.CheckPage(got)
	if n := r.applies(); n != 0 {
		r.t.Errorf("a colleague's look started %d applies", n)
	}
	started := 0
	for got = ada.Get(r.path); strings.Contains(got.Body, "confirmed is being written"); got = ada.Get(r.path) {
		if !strings.Contains(got.Body, "being written</a>") {
			continue // the model is still locked by the kind before
		}
		if started++; started == 1 {
			ada.CheckPage(got)
		}
		if n := r.applies(); n != started || strings.Count(got.Body, "being written</a>") != 1 {
			r.t.Fatalf("%d applies were started, and the page shows\n%s", n, got.Body)
		}
		id := regexp.MustCompile(`href="/operations/([^"]*)">being written`).FindStringSubmatch(got.Body)[1]
		if o := r.Ended(api, uuid.MustParse(id)); o.Status != client.OperationStatusSucceeded {
			r.t.Errorf("an apply ended as %s: %v", o.Status, o.Error)
		}
	}
	want(r.t, got, 200, ">applied</a>", "<strong>0</strong> accepted", " written</p>")
	lacks(r.t, got, `http-equiv="refresh"`, "confirmed is being written", ">next</span>")
	if started < 3 {
		r.t.Errorf("%d kinds were written", started)
	}
}
