package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/test/consoletest"
	"readiness/test/testworld"
	"readiness/work"
)

// applied applies every change of the preview as ada, and returns the address of the operation.
func (r *reviewed) applied(ada *consoletest.Browser) string {
	r.t.Helper()
	want(r.t, r.press(ada, "all"), http.StatusSeeOther)
	got := ada.Send(r.path, r.with(r.confirming(ada), "apply"))
	want(r.t, got, http.StatusSeeOther)
	return got.Header.Get("Location")
}

// ended waits until an operation has ended. It reads it as another person, which does not advance it.
func (r *reviewed) ended(path string) client.Operation {
	r.t.Helper()
	return r.Ended(r.API("contoso", "grace"), uuid.MustParse(strings.TrimPrefix(path, "/operations/")))
}

// TestOperations shows what an apply wrote, reverts it once after showing what that would write, and shows nothing to another account.
func TestOperations(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	r := reviewedWith(t, consoletest.Options{Steps: consoletest.Gated(gate)}, "descriptions", "Store Operations")
	ada, margaret := r.As("contoso", "ada"), r.As("fabrikam", "margaret")
	path := r.applied(ada)
	want(t, ada.Get(path+"/revert"), http.StatusConflict, "There is nothing to revert") // it runs
	close(gate)
	if o := r.ended(path); o.Status != client.OperationStatusSucceeded {
		t.Fatalf("the apply ended as %s: %v", o.Status, o.Error)
	}
	for _, page := range []struct {
		path  string
		shown []string
	}{
		{"/operations", []string{"<bdi>Store Operations</bdi>", `href="` + path + `"`, `href="` + r.path + `">Review`, "Succeeded"}},
		{"/operations?status=Failed", []string{"No operation fits"}},
		{path, []string{"What was written: Descriptions", "Overtime", "<dt>Before</dt>", "Revert…"}},
		{path + "/revert", []string{"After the revert", "<dt>Written</dt>", "Overtime"}},
	} {
		got := ada.Get(page.path)
		want(t, got, http.StatusOK, page.shown...)
		ada.CheckPage(got)
		other := margaret.Get(page.path)
		if strings.Contains(other.Body, "Overtime") || strings.Contains(other.Body, "Store Operations") || strings.Contains(other.Body, path) {
			t.Errorf("%s shows another account: %s", page.path, other.Body)
		}
	}
	want(t, ada.Get("/search?q=Store%20Operations"), http.StatusOK, `id="operations"`, `href="`+path+`"`)
	once := regexp.MustCompile(`name="once" value="(\w+)"`).FindStringSubmatch(ada.Get(path + "/revert").Body)[1]
	for _, suffix := range []string{"/revert", "/cancel"} {
		want(t, margaret.Send(path+suffix, url.Values{"once": {once}}), http.StatusNotFound, "OperationNotFound")
	}
	first := ada.Send(path+"/revert", url.Values{"once": {once}})
	want(t, first, http.StatusSeeOther)
	reverting := first.Header.Get("Location")
	second := ada.Send(path+"/revert", url.Values{"once": {once}})
	if to := second.Header.Get("Location"); to != reverting {
		t.Errorf("the second click leads to %q with %d, the first one to %q", to, second.StatusCode, reverting)
	}
	if o := r.ended(reverting); o.Status != client.OperationStatusSucceeded {
		t.Fatalf("the revert ended as %s: %v", o.Status, o.Error)
	}
	want(t, ada.Get(reverting), http.StatusOK, "It reverted <a href=\""+path+`"`, "Overtime")
	want(t, ada.Get(path), http.StatusOK, "<a href=\""+reverting+`">reverted</a>`)
	want(t, ada.Get(path+"/revert"), http.StatusConflict, "There is nothing to revert")
	want(t, ada.Send(path+"/cancel", nil), http.StatusSeeOther) // nothing, since it has ended
	want(t, ada.Get(r.path), http.StatusOK, "<strong>0</strong> open", "Apply ")
	want(t, ada.Get("/operations/x"), http.StatusNotFound)
	want(t, ada.Get("/operations?status=x"), http.StatusBadRequest, "InvalidRequest")
}

// TestOperationsContinue lets an operation that waits for a read by its owner continue while the owner looks at the list, and not for a colleague.
func TestOperationsContinue(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Store Operations")
	ada, grace := r.As("contoso", "ada"), r.As("contoso", "grace")
	w, m := modelOf(t, r.API("contoso", "ada"), "Store Operations")
	started, err := r.API("contoso", "ada").OptimizeWithResponse(t.Context(), w, m, nil, client.OptimizeRequest{Approval: "none"})
	if err != nil {
		t.Fatal(err)
	}
	path := "/operations/" + started.JSON202.OperationID.String()
	r.until(path, func(o client.Operation) bool { return o.WaitingFor != nil })
	want(t, grace.Get("/operations"), http.StatusOK, "waits for the person who started it", `http-equiv="refresh"`)
	want(t, grace.Get(path), http.StatusOK, "It waits for a read by the person who started it")
	if got := grace.Get(path + "?live=no"); strings.Contains(got.Body, `http-equiv="refresh"`) {
		t.Error("the page loads itself again after it was stopped")
	}
	if o := r.state(path); o.WaitingFor == nil {
		t.Fatalf("the operation continued for another person: %+v", o)
	}
	o := r.state(path)
	for looks := 0; !o.Ended() && looks < 10; looks++ {
		want(t, ada.Get("/operations"), http.StatusOK)
		o = r.until(path, func(o client.Operation) bool { return o.Ended() || o.WaitingFor != nil })
	}
	if o.Status != client.OperationStatusSucceeded {
		t.Fatalf("the operation is %s after its owner's looks, want Succeeded: %v", o.Status, o.Error)
	}
	got := ada.Get(path)
	want(t, got, http.StatusOK, "Apply of every kind: <bdi>Store Operations", "Applied", "Revert…")
	ada.CheckPage(got)
	got = ada.Get(path + "/revert")
	want(t, got, http.StatusOK, "AI instructions")
	ada.CheckPage(got)
}

// refusing is a platform that requires another sign-in for every definition.
type refusing struct{ work.Platform }

func (refusing) Definition(context.Context, item.Caller, item.Item) (definition.Definition, error) {
	return definition.Definition{}, domain.Refuse(domain.Unauthorized, "sign in with another factor").About("claims", askedClaims)
}

// askedClaims are {"a":1} in base64url.
const askedClaims = "eyJhIjoxfQ"

// TestOperationsWaitForSignIn says of an operation that waits for its owner's sign-in what is needed and leads the owner there, with the claims that
// only the owner gets.
func TestOperationsWaitForSignIn(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{Steps: func(p work.Platform) work.Platform { return refusing{p} }})
	r := &reviewed{World: w, t: t}
	workspace, m := modelOf(t, w.API("contoso", "ada"), "Store Operations")
	started, err := w.API("contoso", "ada").AssessSemanticModelWithResponse(t.Context(), workspace, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := "/operations/" + started.JSON202.OperationID.String()
	for _, person := range []string{"grace", "ada"} {
		as := w.As("contoso", person)
		r.until(path, func(o client.Operation) bool { return o.WaitingFor != nil })
		got := as.Get(path)
		shown := func() bool {
			return strings.Contains(got.Body, "It waits until") && (person != "ada" || strings.Contains(got.Body, askedClaims))
		}
		for looks := 0; looks < 30 && !shown(); looks++ { // a read with her new token lets it continue
			r.until(path, func(o client.Operation) bool { return o.WaitingFor != nil })
			got = as.Get(path)
		}
		want(t, got, http.StatusOK, "It waits until the person who started it signs in again: sign in with another factor", "/sign-in?")
		as.CheckPage(got)
		if has := strings.Contains(got.Body, askedClaims); has != (person == "ada") {
			t.Errorf("%s sees the claims: %t\n%s", person, has, got.Body)
		}
		list := as.Get("/operations")
		want(t, list, http.StatusOK, "waits until the person who started it", `href="`+path+`">signs in again`)
		as.CheckPage(list)
	}
}

func (r *reviewed) state(path string) client.Operation {
	r.t.Helper()
	got, err := r.API("contoso", "grace").GetOperationWithResponse(r.t.Context(), uuid.MustParse(strings.TrimPrefix(path, "/operations/")), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return *got.JSON200
}

// until waits for a state of an operation, as a person whose reads do not advance it.
func (r *reviewed) until(path string, done func(client.Operation) bool) client.Operation {
	r.t.Helper()
	for o, err := range r.API("contoso", "grace").States(r.t.Context(), uuid.MustParse(strings.TrimPrefix(path, "/operations/"))) {
		if err != nil {
			r.t.Fatal(err)
		}
		if done(o) {
			return o
		}
	}
	r.t.Fatal("the operation ended otherwise")
	return client.Operation{}
}

// TestOperationsHideTexts shows a colleague that an apply ran, and none of the texts of a model that the platform does not show to them.
func TestOperationsHideTexts(t *testing.T) {
	t.Parallel()
	r := newReviewed(t, "descriptions", "Support Tickets")
	path := r.applied(r.As("contoso", "ada"))
	r.ended(path)
	linus := r.As("contoso", "linus")
	got := linus.Get(path)
	want(t, got, http.StatusOK, "You cannot see the result")
	linus.CheckPage(got)
	if strings.Contains(got.Body, "Support Tickets") || strings.Contains(got.Body, r.preview.Changes[0].Table) {
		t.Errorf("the page shows texts of the model: %s", got.Body)
	}
	for _, hidden := range []string{r.path, path + "/revert"} {
		if got := linus.Get(hidden); got.StatusCode != http.StatusNotFound && got.StatusCode != http.StatusConflict || strings.Contains(got.Body, r.preview.Changes[0].Table) {
			t.Errorf("%s: got %d %s", hidden, got.StatusCode, got.Body)
		}
	}
	want(t, linus.Send(path+"/revert", url.Values{"once": {"x"}}), http.StatusConflict)
}

// TestOperationsNamed names what operations are about, in however many workspaces, and a report whose Pixies were added.
func TestOperationsNamed(t *testing.T) {
	t.Parallel()
	d := testworld.Disk{Root: t.TempDir()}
	const many = 7
	for i := range many {
		name := fmt.Sprintf("Place %d", i)
		d.Workspace(t, testworld.Workspace{ID: uuid.MustParse(fmt.Sprintf("55555555-0000-4000-8000-%012d", i)), Name: name})
		d.Model(t, name, fmt.Sprintf("Model %d", i), uuid.MustParse(fmt.Sprintf("66666666-0000-4000-8000-%012d", i)), "table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n")
	}
	w := consoletest.Start(t, consoletest.Options{Workspaces: d.Root})
	w.AssessAll("contoso", "ada")
	got := w.As("contoso", "ada").Get("/operations")
	for i := range many {
		want(t, got, http.StatusOK, fmt.Sprintf("<bdi>Place %d</bdi>", i))
	}
	lacks(t, got, "a workspace", "the account")

	w = consoletest.Start(t, consoletest.Options{})
	api := w.API("contoso", "ada")
	id := w.WorkspaceID("Retail Analytics")
	place := uuid.MustParse(id)
	reports, err := api.ListReportsWithResponse(t.Context(), place, nil)
	testworld.Check(t, err)
	report := reports.JSON200.Value[0]
	started, err := api.AddPixiesWithResponse(t.Context(), place, report.ReportID, nil)
	testworld.Check(t, err)
	w.Ended(api, started.JSON202.OperationID)
	want(t, w.As("contoso", "ada").Get("/operations"), http.StatusOK, `<a href="/pixies/`+id+`/`+report.ReportID.String()+`"><bdi>`+*report.ReportName+`</bdi></a>`)
	want(t, w.As("contoso", "linus").Get("/operations"), http.StatusOK, "Adding of Pixies")
}
