package http_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// The list of reports: Power BI reports by name, each with its model as far as the caller may see it, with filters
// and pages. It spends nothing.
//
// proves: 4.7/route/list 4.7/reports-list 2.1/paged-reports 2.10/list/reportId 2.10/list/reportName 2.10/list/semanticModelId 2.10/list/semanticModelWorkspaceId decisions/8/17-unknown-filter
func TestReportsList(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	w.report(uuid.MustParse("cccccccc-0000-4000-8000-000000000007"), "Ledger", "../../Finance/Ledger.SemanticModel", 1)
	ledger := uuid.MustParse("cccccccc-0000-4000-8000-000000000007")
	row := func(id uuid.UUID, name string, model, workspace any) map[string]any {
		return map[string]any{
			"reportId": id.String(), "reportName": name, "semanticModelId": model, "semanticModelWorkspaceId": workspace,
			"hasPixies": false, "pixiesStatus": "NeverAdded", "lastChangedUtc": nil, "trackedItem": false,
		}
	}
	all := []map[string]any{
		row(broken, "Broken", modelA.String(), sales.String()), row(reportC, "Costs", nowhere.String(), nil), row(reportB, "Details", modelB.String(), sales.String()),
		row(ledger, "Ledger", nil, nil), row(reportA, "Overview", modelA.String(), sales.String()),
	}
	list := func(person, query string) reply {
		w.t.Helper()
		return w.get(reportsPath+query, w.as(person)).ok(200)
	}
	w.untouched(func() {
		if diff := cmp.Diff(all, list("bob", "").value()); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
		// A person who sees the other workspace also gets that model.
		if got := list("ada", "").value()[3]; got["semanticModelId"] != kept.String() || got["semanticModelWorkspaceId"] != finance.String() {
			t.Errorf("got %v, want the model in the other workspace", got)
		}
		for query, want := range map[string][]map[string]any{
			"?semanticModelId=" + modelA.String():                  {all[0], all[4]},
			"?semanticModelId=" + strings.ToUpper(modelB.String()): {all[2]},
			"?semanticModelId=" + modelC.String():                  {},
			"?semanticModelId=" + uuid.NewString():                 {},
		} {
			if diff := cmp.Diff(want, list("bob", query).value()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		w.get(reportsPath+"?semanticModelId=x", w.as("bob")).refused(400, domain.InvalidRequest)
		var paged []map[string]any
		for at := reportsPath + "?maxResults=2"; at != ""; {
			got := w.get(at, w.as("bob")).ok(200)
			paged = append(paged, got.value()...)
			at, _ = got.body["continuationUri"].(string)
		}
		if diff := cmp.Diff(all, paged); diff != "" {
			t.Errorf("by pages (-want +got):\n%s", diff)
		}
		// A continuation token is bound to its filter.
		token := list("bob", "?maxResults=1&semanticModelId="+modelA.String()).body["continuationToken"]
		if got := list("bob", fmt.Sprintf("?continuationToken=%s&semanticModelId=%s", token, modelA)).value(); len(got) != 1 || got[0]["reportId"] != reportA.String() {
			t.Errorf("got %v, want the second report on the model", got)
		}
		w.get(fmt.Sprintf("%s?continuationToken=%s", reportsPath, token), w.as("bob")).refused(400, domain.InvalidRequest)
		w.get("/v1/workspaces/"+finance.String()+"/reports", w.as("bob")).refused(404, domain.WorkspaceNotFound)
	})
}

// Without the platform permission, the list is refused with the page that grants it.
//
// proves: 4.7/reports-list 7.3/PlatformConsentRequired
func TestReportsListWithoutConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.fails = func(item.Caller) error {
		return item.Permitted(map[item.Permission]item.Access{item.PermissionPlatform: item.ConsentRequired})
	}
	got := w.get(reportsPath, w.as("ada")).refused(403, domain.PlatformConsentRequired)
	if page := got.parameter("consentUrl"); len(page) != 1 || !strings.HasPrefix(page[0], "https://portal.example.com/consent?") || !strings.Contains(page[0], "grant=") {
		t.Errorf("got parameters %v, want the page that grants the permission", got.body["parameters"])
	}
}

// A report that is missing from the complete listing is deleted. With Pixies, it and its tracked item are shown as
// deleted; without Pixies, only the item is.
//
// proves: 3.3/HasPixies-ReportDeleted 2.10/list/lastChangedUtc 2.10/read/status 2.10/read/trackedItem decisions/8/8
func TestDeletedReport(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	w.done("ada", reportsPath+"/addPixies", reportIDs(reportA, reportB))
	w.done("ada", reportPath(reportB)+"/removePixies", "")
	was := map[uuid.UUID]map[string]any{reportA: w.pixies("ada", reportA), reportB: w.pixies("ada", reportB)}
	aside := filepath.Join(t.TempDir(), "Overview.Report")
	check(t, os.Rename(filepath.Join(w.Root, "Sales", "Overview.Report"), aside))
	w.Remove(t, "Sales", "Details.Report")
	// A failed look-up of a single report does not count as a complete listing.
	w.start("ada", reportPath(reportA)+"/removePixies", "").refused(404, domain.ItemNotFound)
	have(t, "before the listing", w.pixies("ada", reportA), map[string]any{"status": "HasPixies"})

	w.uncounted()
	if rows := w.get(reportsPath, w.as("bob")).ok(200).value(); len(rows) != 2 {
		t.Errorf("got %v, want the two reports that are there", rows)
	}
	got := w.pixies("ada", reportA)
	have(t, "deleted with Pixies in it", got, map[string]any{
		"reportName": "Overview", "status": "ReportDeleted", "hasPixies": false, "pagesTracked": nil, "visualsTracked": nil, "trackedItem": true,
		"unavailableReasons": map[string]any{}, "lastOperation": was[reportA]["lastOperation"],
	})
	if got["lastChangedUtc"] == was[reportA]["lastChangedUtc"] {
		t.Errorf("lastChangedUtc stays %v", got["lastChangedUtc"])
	}
	if diff := cmp.Diff(was[reportB], w.pixies("ada", reportB)); diff != "" {
		t.Errorf("deleted without Pixies (-before +after):\n%s", diff)
	}
	for _, i := range w.get("/v1/trackedItems", w.in("acme", "ada")).ok(200).value() {
		t.Errorf("%v is listed as active", i)
	}

	// A report that reappears has Pixies again after the next addition.
	check(t, os.Rename(aside, filepath.Join(w.Root, "Sales", "Overview.Report")))
	have(t, "there again", w.listedReport("ada", reportA), map[string]any{"pixiesStatus": "ReportDeleted", "trackedItem": true})
	w.done("ada", reportPath(reportA)+"/addPixies", "")
	have(t, "added again", w.pixies("ada", reportA), map[string]any{"status": "HasPixies", "pagesTracked": 2., "visualsTracked": 3.})
}

// A report without a record in the account is looked up as the caller. One that does not exist, is not visible or is
// not a report is refused with the same 404. When the look-up fails, the response explains why. With a record, the
// platform is not asked.
//
// proves: 4.7/pixies-read 2.10/read/reportName 2.10/read/unavailableReasons decisions/9/8
func TestReportName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	never := w.pixies("ada", reportA)
	have(t, "asked for", never, map[string]any{"reportName": "Overview", "status": "NeverAdded", "unavailableReasons": map[string]any{}})
	if w.cloud.calls == 0 {
		t.Error("the platform was not asked")
	}
	hidden := uuid.MustParse("cccccccc-0000-4000-8000-00000000000e")
	w.cloud.items = append(w.cloud.items, item.Item{ID: hidden, Type: item.Report, WorkspaceID: finance, DisplayName: "Ledger"})
	in := func(workspace, report uuid.UUID) string {
		return "/v1/workspaces/" + workspace.String() + "/reports/" + report.String() + "/pixies"
	}
	w.get(in(finance, hidden), w.as("ada")).ok(200)
	w.untouched(func() {
		for name, path := range map[string]string{
			"not there": in(sales, nowhere), "in another workspace": in(sales, hidden), "a workspace that bob does not see": in(finance, hidden),
			"no workspace": in(nowhere, reportA), "no report": in(sales, modelA),
		} {
			w.uncounted()
			got := w.get(path, w.as("bob")).refused(404, domain.ItemNotFound)
			at := strings.Split(path, "/")
			if got.body["message"] != fmt.Sprintf("there is no report %s in workspace %s that you can see", at[5], at[3]) {
				t.Errorf("%s: got %q", name, got.body["message"])
			}
		}
	})
	for name, why := range map[string]string{
		"consent": "https://portal.example.com/consent", "unavailable": "could not be reached",
	} {
		access := item.ConsentRequired
		if name == "unavailable" {
			access = item.Unavailable
		}
		w.cloud.fails = func(item.Caller) error {
			return item.Permitted(map[item.Permission]item.Access{item.PermissionPlatform: access})
		}
		w.untouched(func() {
			got := w.pixies("ada", reportA)
			reasons := got["unavailableReasons"].(map[string]any)
			if got["reportName"] != nil || len(reasons) != 1 || !strings.Contains(fmt.Sprint(reasons["reportName"]), why) || got["status"] != "NeverAdded" {
				t.Errorf("%s: got %v", name, got)
			}
		})
	}
	w.cloud.fails = nil
	id := w.send("POST", reportPath(reportA)+"/addPixies", w.as("ada"), "").operation()
	elsewhere := "/v1/workspaces/" + finance.String() + "/reports/" + reportA.String() + "/pixies"
	w.get(elsewhere, w.as("ada")).refused(404, domain.ItemNotFound)
	w.cloud.fails = func(item.Caller) error { return domain.Refuse(domain.PlatformUnavailable, "nothing works") }
	have(t, "in another workspace", w.get(elsewhere, w.as("ada")).ok(200).body, map[string]any{"reportName": nil, "status": "NeverAdded", "lastOperation": nil, "trackedItem": false})
	w.cloud.fails = nil
	at := slices.IndexFunc(w.cloud.items, func(it item.Item) bool { return it.ID == reportA })
	w.cloud.items[at].WorkspaceID = finance
	moved := w.get(elsewhere, w.as("ada")).ok(200).body
	have(t, "moved there", moved, map[string]any{"reportName": "Overview", "unavailableReasons": map[string]any{}})
	have(t, "its last operation", moved["lastOperation"].(map[string]any), map[string]any{"id": id.String()})
	w.cloud.fails = func(item.Caller) error { return domain.Refuse(domain.PlatformUnavailable, "nothing works") }
	w.spendsNothing(func() {
		have(t, "on record", w.pixies("bob", reportA), map[string]any{"reportName": "Overview", "status": "NeverAdded", "unavailableReasons": map[string]any{}})
	})
}
