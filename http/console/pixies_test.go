package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/test/consoletest"
)

// TestPixies adds Pixies to a report, shows its views by page and day, and removes them; another account sees no view, and a form without
// a report does nothing.
//
// proves: decisions/7/page-views
func TestPixies(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, margaret, api := w.As("contoso", "ada"), w.As("fabrikam", "margaret"), w.API("contoso", "ada")
	workspaceID, _ := modelOf(t, api, "Store Operations")
	reports, err := api.ListReportsWithResponse(t.Context(), workspaceID, nil)
	if err != nil || len(reports.JSON200.Value) == 0 {
		t.Fatalf("got %v, %v", reports, err)
	}
	report := reports.JSON200.Value[0]
	at, list := "/pixies/"+workspaceID.String()+"/"+report.ReportID.String(), "/pixies?workspaceId="+workspaceID.String()
	got := ada.Get(list)
	want(t, got, http.StatusOK, "Reports with Pixies", "never added", *report.ReportName)
	ada.CheckPage(got)
	want(t, ada.Get(at), http.StatusOK, "Without Pixies, views are not counted.")
	for name, fields := range map[string]url.Values{"nothing": {}, "no report": {"do": {"add"}}, "no id": {"do": {"add"}, "report": {"x"}},
		"no verb": {"report": {report.ReportID.String()}, "sure": {"yes"}}, "another verb": {"do": {"x"}, "report": {report.ReportID.String()}}} {
		if got := ada.Send("/pixies/"+workspaceID.String(), fields); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d", name, got.StatusCode)
		}
	}
	do := func(verb string) {
		t.Helper()
		fields := url.Values{"do": {verb}, "report": {report.ReportID.String()}}
		before := w.Count(t, `SELECT count(*) FROM events`)
		got := ada.Send("/pixies/"+workspaceID.String(), fields)
		want(t, got, http.StatusOK, "1\u00a0report?", "<bdi>"+*report.ReportName+"</bdi>", `name="sure" value="yes"`, `name="do" value="`+verb+`"`)
		ada.CheckPage(got)
		if n := w.Count(t, `SELECT count(*) FROM events`); n != before {
			t.Errorf("something happened before it was confirmed: %d events, before %d", n, before)
		}
		fields.Set("sure", "yes")
		got = ada.Send("/pixies/"+workspaceID.String(), fields)
		want(t, got, http.StatusSeeOther)
		defer func() {
			want(t, ada.Get(got.Header.Get("Location")), http.StatusOK, "<bdi>"+*report.ReportName+"</bdi>", "good\">"+map[string]string{"add": "Added", "remove": "Removed"}[verb])
		}()
		if o := w.Ended(api, uuid.MustParse(strings.TrimPrefix(got.Header.Get("Location"), "/operations/"))); o.Status != client.OperationStatusSucceeded {
			t.Fatalf("it ended as %s: %v", o.Status, o.Error)
		}
	}
	want(t, ada.Send("/pixies/"+workspaceID.String(), url.Values{"do": {"add"}, "report": {report.ReportID.String(), uuid.NewString()}}), http.StatusNotFound,
		"Nothing was changed")
	do("add")
	for page, views := range map[string]int{"<b>overview": 7, "detail": 5} {
		if _, err := w.Pool.Exec(t.Context(), `INSERT INTO page_view_hours (account_id, report_id, hour, page, views) VALUES ('contoso', $1, $2, $3, $4)`,
			report.ReportID, w.Now().UTC().Truncate(time.Hour), page, views); err != nil {
			t.Fatal(err)
		}
	}
	got = ada.Get(at)
	want(t, got, http.StatusOK, "has Pixies", "All pages: 12", "Page &lt;b&gt;overview: 7", "Page detail: 5", "Remove Pixies")
	ada.CheckPage(got)
	want(t, ada.Get(list), http.StatusOK, "has Pixies")
	if got := margaret.Get(at); strings.Contains(got.Body, "overview") || strings.Contains(got.Body, "has Pixies") {
		t.Errorf("another account sees views: %s", got.Body)
	}
	do("remove")
	want(t, ada.Get(at), http.StatusOK, "Pixies removed", "Add Pixies")
	for _, path := range []string{"/pixies/x/y", "/pixies/" + workspaceID.String() + "/" + uuid.NewString()} {
		want(t, ada.Get(path), http.StatusNotFound)
	}
}
