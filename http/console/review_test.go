package console_test

import (
	"encoding/json"
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

// reviewed is a world with a preview of a model of the samples, made by ada of contoso.
type reviewed struct {
	*consoletest.World
	t       *testing.T
	preview client.Preview
	path    string
}

func newReviewed(t *testing.T, kind, model string) *reviewed {
	t.Helper()
	return reviewedWith(t, consoletest.Options{}, kind, model)
}

func reviewedWith(t *testing.T, o consoletest.Options, kind, model string) *reviewed {
	t.Helper()
	r := &reviewed{World: consoletest.Start(t, o), t: t}
	api := r.API("contoso", "ada")
	w, m := modelOf(t, api, model)
	started, err := api.AssessSemanticModelWithResponse(t.Context(), w, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Ended(api, started.JSON202.OperationID)
	got := r.As("contoso", "ada").Send("/models/"+w.String()+"/"+m.String()+"/preview", url.Values{"kind": {kind}})
	want(t, got, http.StatusSeeOther)
	r.path = got.Header.Get("Location")
	id := uuid.MustParse(strings.TrimPrefix(r.path, "/previews/"))
	r.Ended(api, id)
	r.preview = resultOf[client.Preview](t, api, id)
	if len(r.preview.Changes) < 2 {
		t.Fatalf("got %d changes", len(r.preview.Changes))
	}
	return r
}

// modelOf returns the ids of a model that a person sees.
func modelOf(t *testing.T, api *client.Service, name string) (workspaceID, modelID uuid.UUID) {
	t.Helper()
	workspaces, err := api.ListWorkspacesWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workspaces.JSON200.Value {
		models, err := api.ListSemanticModelsWithResponse(t.Context(), w.WorkspaceID, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models.JSON200.Value {
			if m.SemanticModelName == name {
				return w.WorkspaceID, m.SemanticModelID
			}
		}
	}
	t.Fatalf("no model is named %q", name)
	return uuid.Nil, uuid.Nil
}

func resultOf[T any](t *testing.T, api *client.Service, id uuid.UUID) (result T) {
	t.Helper()
	got, err := api.GetOperationResultWithResponse(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got.Body, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// form returns the fields of a page's form that are the same whatever is pressed: hidden ones and texts.
func form(page string) url.Values {
	fields := url.Values{}
	for _, found := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		fields.Set(found[1], html.UnescapeString(found[2]))
	}
	for _, found := range regexp.MustCompile(`(?s)<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>`).FindAllStringSubmatch(page, -1) {
		fields.Set(found[1], strings.ReplaceAll(html.UnescapeString(found[2]), "\n", "\r\n")) // as browsers send it
	}
	return fields
}

// press opens the page and sends its form with a button and other texts.
func (r *reviewed) press(b *consoletest.Browser, button string, texts ...string) consoletest.Answer {
	r.t.Helper()
	got := b.Get(r.path)
	want(r.t, got, http.StatusOK)
	return b.Send(r.path, r.with(got, button, texts...))
}

func (r *reviewed) with(shown consoletest.Answer, button string, texts ...string) url.Values {
	fields := form(shown.Body)
	fields.Set("do", button)
	for i := 0; i < len(texts); i += 2 {
		fields.Set(texts[i], texts[i+1])
	}
	return fields
}

// confirming opens what would be written, as a person does from the review.
func (r *reviewed) confirming(b *consoletest.Browser) consoletest.Answer {
	r.t.Helper()
	asked := r.press(b, "confirm")
	want(r.t, asked, http.StatusSeeOther)
	got := b.Get(asked.Header.Get("Location"))
	want(r.t, got, http.StatusOK, "What will be written to")
	return got
}

// applies returns how many applies the account has started.
func (r *reviewed) applies() (n int) {
	r.t.Helper()
	got, err := r.API("contoso", "ada").ListOperationsWithResponse(r.t.Context(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range got.JSON200.Value {
		if *o.OperationType == "ApplyOptimization" {
			n++
		}
	}
	return n
}

// TestReview decides about each change, and applies what was accepted: the proposed texts and the person's own, nothing else, once.
func TestReview(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada := r.As("contoso", "ada")
	got := ada.Get(r.path)
	want(t, got, http.StatusOK, "Review: Descriptions of <bdi>Store Operations</bdi>", "Score now", "With every change", "From the rules.",
		"<strong>0</strong> accepted", `value="confirm" disabled`, "Before anything is written, you see all of it in full")
	lacks(t, got, `value="apply"`)
	ada.CheckPage(got)

	got = r.press(ada, "accept.0", "text.1", "a draft <script>\r\nof two lines")
	want(t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != r.path+"?page=1#c1" {
		t.Errorf("the next change is at %q", to)
	}
	got = ada.Get(r.path)
	want(t, got, http.StatusOK, "<strong>1</strong> accepted", "a draft &lt;script&gt;\nof two lines</textarea>", "own text, by <bdi>ada</bdi>")
	ada.CheckPage(got)
	want(t, r.press(ada, "reject.0"), http.StatusSeeOther)
	want(t, ada.Get(r.path), http.StatusOK, "<strong>0</strong> accepted · <strong>1</strong> rejected")
	want(t, r.press(ada, "open.0"), http.StatusSeeOther)
	want(t, r.press(ada, "accept.1"), http.StatusSeeOther)
	want(t, ada.Get(r.path), http.StatusOK, "<strong>1</strong> accepted · <strong>0</strong> rejected")

	scored := ada.Get(r.path + "?page=1&scored=yes")
	want(t, scored, http.StatusOK, "With the accepted ones", "not weighted by usage", "?page=1&amp;scored=yes")
	ada.CheckPage(scored)
	if strings.Contains(got.Body, "With the accepted ones") {
		t.Error("the score of a part is computed without being asked for")
	}

	shown := r.confirming(ada)
	ada.CheckPage(shown)
	want(t, shown, http.StatusOK, "This is all of it, in full.", "a draft &lt;script&gt;", "In words of <bdi>ada</bdi>", "Write 1\u00a0change</button>", "Go back to the review")
	lacks(t, shown, html.EscapeString(r.preview.Changes[0].Proposed), "<textarea")
	want(t, ada.Get(r.path), http.StatusOK, "<strong>1</strong> accepted") // back again
	if n := r.applies(); n != 0 {
		t.Errorf("%d applies were started before the confirmation", n)
	}
	first, second := ada.Send(r.path, r.with(shown, "apply", "seen.1", "3", "text.1", "a text that no page showed")), ada.Send(r.path, r.with(shown, "apply"))
	want(t, first, http.StatusSeeOther)
	want(t, second, http.StatusSeeOther)
	to := first.Header.Get("Location")
	if again := second.Header.Get("Location"); again != to || !strings.HasPrefix(to, "/operations/") || r.applies() != 1 {
		t.Fatalf("two clicks lead to %q and %q, and started %d applies", to, again, r.applies())
	}
	api := r.API("contoso", "ada")
	id := uuid.MustParse(strings.TrimPrefix(to, "/operations/"))
	if ended := r.Ended(api, id); ended.Status != client.OperationStatusSucceeded {
		t.Fatalf("the apply ended as %s: %v", ended.Status, ended.Error)
	}
	record := resultOf[client.ApplyRecord](t, api, id)
	if len(record.Applied) != 1 || record.Applied[0].Key != r.preview.Changes[1].Key || *record.Applied[0].Written != "a draft <script>\nof two lines" {
		t.Errorf("the apply wrote %v", record.Applied)
	}
	want(t, ada.Get(r.path), http.StatusOK, "<strong>1</strong> written", "Applied by <bdi>ada</bdi>", `href="`+to+`"`, "<strong>0</strong> accepted")
	for _, button := range []string{"confirm", "apply"} {
		got = r.press(ada, button, "attempt", "1")
		if button == "confirm" {
			got = ada.Get(got.Header.Get("Location"))
		}
		want(t, got, http.StatusBadRequest, "No change is accepted")
	}
	if r.applies() != 1 {
		t.Errorf("an apply without a change was started")
	}
}

// TestReviewTogether keeps what the first of two people decided, says so to the second, and stores their choice when they press again.
func TestReviewTogether(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, grace := r.As("contoso", "ada"), r.As("contoso", "grace")
	shown := grace.Get(r.path)
	want(t, shown, http.StatusOK)
	want(t, r.press(ada, "accept.0", "text.0", "ada's text"), http.StatusSeeOther)
	want(t, ada.Send(r.path, r.with(shown, "accept.0", "text.0", "ada's text")), http.StatusSeeOther) // the same again
	late := grace.Send(r.path, r.with(shown, "reject.0", "text.0", "grace's <i>text", "text.1", "of the other change"))
	want(t, late, http.StatusConflict, "1\u00a0decision was", "You chose: rejected, with the text in the field", "grace&#39;s &lt;i&gt;text</textarea>",
		"own text, by <bdi>ada</bdi>")
	grace.CheckPage(late)
	want(t, ada.Get(r.path), http.StatusOK, "ada&#39;s text", "of the other change", "<strong>1</strong> accepted")
	want(t, grace.Send(r.path, r.with(late, "reject.0")), http.StatusSeeOther)
	want(t, ada.Get(r.path), http.StatusOK, "grace&#39;s &lt;i&gt;text", "<strong>0</strong> accepted · <strong>1</strong> rejected", "by <bdi>grace</bdi>")

	// Nothing is written that the person did not see.
	want(t, r.press(ada, "accept.1"), http.StatusSeeOther)
	shown = r.confirming(ada)
	want(t, r.press(grace, "accept.0"), http.StatusSeeOther)
	want(t, ada.Send(r.path, r.with(shown, "apply")), http.StatusConflict, "Nothing was applied.")
	if n := r.applies(); n != 0 {
		t.Errorf("%d applies were started", n)
	}
}

// TestReviewOfOthers shows a preview to no one who may not see its model, and takes no decision of theirs.
func TestReviewOfOthers(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	margaret := r.As("fabrikam", "margaret")
	shown := r.As("contoso", "ada").Get(r.path)
	for _, got := range []consoletest.Answer{margaret.Get(r.path), margaret.Send(r.path, r.with(shown, "accept.0")), margaret.Send(r.path, r.with(shown, "apply"))} {
		want(t, got, http.StatusNotFound, "OperationNotFound")
	}
	for _, path := range []string{"/previews/x", "/previews/" + uuid.NewString()} {
		want(t, margaret.Get(path), http.StatusNotFound)
	}
	var stored int
	if err := r.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM console_choices) + (SELECT count(*) FROM console_applies)`).Scan(&stored); err != nil || stored != 0 {
		t.Errorf("%d rows are stored, %v", stored, err)
	}
	// After the preview has expired, it is gone for everyone.
	r.Clock.Advance(25 * 60 * 60 * 1e9)
	want(t, r.As("contoso", "ada").Get(r.path), http.StatusGone, "OperationExpired")
}

// TestReviewOfForms takes forms with fields that no page has as far as they make sense.
func TestReviewOfForms(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada := r.As("contoso", "ada")
	for name, fields := range map[string]url.Values{
		"nothing":           {},
		"an unknown button": {"do": {"write.0"}},
		"no such change":    {"do": {"accept.100000"}, "seen.100000": {"0"}},
		"a negative one":    {"do": {"accept.-1"}, "seen.-1": {"0"}},
		"no number":         {"do": {"accept."}},
	} {
		got := ada.Send(r.path, fields)
		if got.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: got %d", name, got.StatusCode)
		}
	}
	var stored int
	if err := r.Pool.QueryRow(t.Context(), `SELECT count(*) FROM console_choices`).Scan(&stored); err != nil || stored != 0 {
		t.Errorf("%d choices are stored, %v", stored, err)
	}
	want(t, ada.Send(r.path, url.Values{"do": {"accept.0"}, "seen.0": {"0"}, "was.0": {"x"}, "text.0": {"a\x00b\xff"}}), http.StatusSeeOther)
	want(t, ada.Get(r.path), http.StatusOK, "<strong>1</strong> accepted")
	want(t, r.press(ada, "all"), http.StatusSeeOther)
	want(t, ada.Get(r.path+"?page=99"), http.StatusOK, "<strong>0</strong> open")
	got := r.press(ada, "accept.0", "text.0", " ", "text.1", "of the other change")
	want(t, got, http.StatusBadRequest, "Nothing was stored", "it may not be blank", `aria-describedby="w0"`, "of the other change</textarea>")
	ada.CheckPage(got)
	want(t, r.press(ada, "confirm", "text.0", " "), http.StatusBadRequest, "Nothing was stored")
	lacks(t, ada.Get(r.path), "of the other change")
	if n := r.applies(); n != 0 {
		t.Errorf("%d applies were started", n)
	}
}

// TestReviewOfEqualChanges shows equal changes together, and accepts them at once.
func TestReviewOfEqualChanges(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "aiDataSchema", "Store Operations")
	ada := r.As("contoso", "ada")
	got := ada.Get(r.path)
	want(t, got, http.StatusOK, "to the same value for the same reason</summary>")
	ada.CheckPage(got)
	found := regexp.MustCompile(`name="do" value="acceptalike\.(\d+)">Accept all (\d+)<`).FindStringSubmatch(got.Body)
	if len(found) == 0 {
		t.Fatal("no changes are equal")
	}
	want(t, ada.Send(r.path, r.with(got, "acceptalike."+found[1])), http.StatusSeeOther)
	want(t, ada.Get(r.path), http.StatusOK, "<strong>"+found[2]+"</strong> accepted")
}
