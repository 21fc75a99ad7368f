package http_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/test/testworld"
)

var (
	reportB   = uuid.MustParse("cccccccc-0000-4000-8000-000000000002")
	reportC   = uuid.MustParse("cccccccc-0000-4000-8000-000000000003")
	broken    = uuid.MustParse("cccccccc-0000-4000-8000-000000000004")
	paginated = uuid.MustParse("cccccccc-0000-4000-8000-000000000005")

	reportsPath = "/v1/workspaces/" + sales.String() + "/reports"
)

func reportPath(report uuid.UUID) string { return reportsPath + "/" + report.String() }

// newReporting adds reports to newOnDisk: Overview with two pages on Actuals, Details with one on Budget, Costs on a
// model that no person sees, Broken, which cannot be read, and Invoice, which is paginated.
func newReporting(t *testing.T) *onDisk {
	t.Helper()
	w := newOnDisk(t)
	w.Pixies.CollectorURL = w.base
	w.report(reportA, "Overview", "../Actuals.SemanticModel", 1, 2)
	w.report(reportB, "Details", "../Budget.SemanticModel", 3)
	w.report(reportC, "Costs", "", 1)
	w.write(fmt.Sprintf(`{"datasetReference":{"byConnection":{"connectionString":"semanticmodelid=%s"}}}`, nowhere), "Sales", "Costs.Report", "definition.pbir")
	w.report(broken, "Broken", "../Actuals.SemanticModel", 1)
	w.write(`{"name":`, "Sales", "Broken.Report", "definition", "pages", "p0", "page.json")
	w.Item(t, "Sales", "Invoice.Report", "Invoice", paginated)
	w.write("<Report/>", "Sales", "Invoice.Report", "Invoice.rdl")
	return w
}

// report writes a report with one page per number, which is its number of visuals.
func (w *onDisk) report(id uuid.UUID, name, model string, pages ...int) {
	w.t.Helper()
	dir := name + ".Report"
	w.Item(w.t, "Sales", dir, name, id)
	w.write(fmt.Sprintf(`{"version":"4.0","datasetReference":{"byPath":{"path":%q}}}`, model), "Sales", dir, "definition.pbir")
	w.write(`{"themeCollection":{}}`, "Sales", dir, "definition", "report.json")
	w.write(`{"version":"2.0.0"}`, "Sales", dir, "definition", "version.json")
	for i, visuals := range pages {
		page := fmt.Sprint("p", i)
		w.write(fmt.Sprintf(`{"name":%q,"displayName":"Page %d","displayOption":"FitToPage","height":720,"width":1280}`, page, i), "Sales", dir, "definition", "pages", page, "page.json")
		for v := range visuals {
			w.write(fmt.Sprintf(`{"name":"v%d","position":{"x":1,"y":1,"z":5,"height":10,"width":10,"tabOrder":0},"visual":{"visualType":"card"}}`, v),
				"Sales", dir, "definition", "pages", page, "visuals", fmt.Sprint("v", v), "visual.json")
		}
	}
}

func reportIDs(ids ...uuid.UUID) string { return fmt.Sprintf(`{"reportIds":["%s"]}`, joined(ids)) }

func joined(ids []uuid.UUID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return strings.Join(texts, `","`)
}

// pixies reads the Pixies of a report.
func (w *world) pixies(person string, report uuid.UUID) map[string]any {
	w.t.Helper()
	w.uncounted()
	return w.get(reportPath(report)+"/pixies", w.as(person)).ok(200).body
}

// listedReport returns the report's row in the list of reports.
func (w *world) listedReport(person string, report uuid.UUID) map[string]any {
	w.t.Helper()
	w.uncounted()
	for _, row := range w.get(reportsPath, w.as(person)).ok(200).value() {
		if row["reportId"] == report.String() {
			return row
		}
	}
	w.t.Fatalf("report %s is not listed", report)
	return nil
}

// have fails unless the object has all wanted members.
func have(t *testing.T, what string, got map[string]any, want map[string]any) {
	t.Helper()
	some := maps.Clone(got)
	maps.DeleteFunc(some, func(name string, _ any) bool { _, ok := want[name]; return !ok })
	if diff := cmp.Diff(want, some); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Pixies are added to a report, updated, removed and added again. After each operation, its result, the report's
// record and the files are checked; removal restores the files.
//
// proves: 4.7/route/add 4.7/route/remove 4.7/route/read 4.7/add/1 4.7/add/4 4.7/add/6 4.7/remove 2.10/read/reportId-workspaceId 2.10/read/hasPixies 2.10/read/status 2.10/read/pixieVersion 2.10/read/pagesTracked 2.10/read/visualsTracked 2.10/read/lastChangedUtc 2.10/read/trackedItem 2.10/read/lastOperation 2.10/read/unavailableReasons 2.10/tracking-setup 2.10/list/hasPixies 2.10/list/pixiesStatus 2.10/list/lastChangedUtc 2.10/list/trackedItem 2.13/Pixies-result 2.13/AllowanceImpact-pixies 2.7/operationType/AddPixies 2.7/operationType/RemovePixies 3.3/NeverAdded-HasPixies 3.3/HasPixies-PixiesRemoved 3.3/PixiesRemoved-HasPixies 3.3/tracked 4.2/result/3-Pixies decisions/8/7
func TestPixiesOfAReport(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	before := w.files()
	known := map[string]any{
		"reportId": reportA.String(), "workspaceId": sales.String(), "reportName": "Overview", "hasPixies": false, "status": "NeverAdded", "pixieVersion": nil,
		"pagesTracked": nil, "visualsTracked": nil, "lastChangedUtc": nil, "trackedItem": false, "lastOperation": nil, "unavailableReasons": map[string]any{},
	}
	if diff := cmp.Diff(known, w.pixies("ada", reportA)); diff != "" {
		t.Fatalf("before anything (-want +got):\n%s", diff)
	}
	changed := any(nil)
	for i, tt := range []struct {
		verb, outcome, status string
		impact                map[string]any
		changes               bool // whether the report's record changes
		tracks                bool
	}{
		{"removePixies", "Removed", "NeverAdded", nil, false, false},
		{"addPixies", "Added", "HasPixies", map[string]any{"trackedItem": true, "trackedItems": 1.}, true, true},
		{"addPixies", "Updated", "HasPixies", map[string]any{"trackedItem": false, "trackedItems": 0.}, true, true},
		{"removePixies", "Removed", "PixiesRemoved", nil, true, true},
		{"removePixies", "Removed", "PixiesRemoved", nil, false, true},
		{"addPixies", "Added", "HasPixies", map[string]any{"trackedItem": false, "trackedItems": 0.}, true, true},
		{"removePixies", "Removed", "PixiesRemoved", nil, true, true},
	} {
		at := fmt.Sprintf("%d. %s", i+1, tt.verb)
		id, result := w.done("bob", reportPath(reportA)+"/"+tt.verb, "")
		has := tt.status == "HasPixies"
		pages, visuals, reasons := any(nil), any(nil), map[string]any{}
		if has {
			pages, visuals, reasons = 2., 3., map[string]any{"pixieVersion": "The version of Pixies is not recorded."}
		}
		want := map[string]any{
			"reportId": reportA.String(), "workspaceId": sales.String(), "reportName": "Overview", "outcome": tt.outcome,
			"pagesTracked": pages, "visualsTracked": visuals, "trackedItem": tt.tracks,
		}
		kind := "AddPixies"
		if tt.verb == "removePixies" {
			want["trackedItemReleased"], kind = false, "RemovePixies"
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("%s: the result (-want +got):\n%s", at, diff)
		}
		state := w.get(operationPath(id), w.as("ada")).ok(200).body
		impact, _ := state["allowanceImpact"].(map[string]any)
		if diff := cmp.Diff(tt.impact, impact); diff != "" {
			t.Errorf("%s: allowanceImpact (-want +got):\n%s", at, diff)
		}
		got := w.pixies("ada", reportA)
		if same := got["lastChangedUtc"] == changed; same == tt.changes {
			t.Errorf("%s: lastChangedUtc is %v after %v", at, got["lastChangedUtc"], changed)
		}
		changed = got["lastChangedUtc"]
		last := got["lastOperation"].(map[string]any)
		have(t, at+": lastOperation", last, map[string]any{"id": id.String(), "operationType": kind, "status": "Succeeded", "error": nil})
		if last["createdTimeUtc"] != state["createdTimeUtc"] || last["lastUpdatedTimeUtc"] != state["lastUpdatedTimeUtc"] {
			t.Errorf("%s: lastOperation %v, and its state %v", at, last, state)
		}
		have(t, at+": the record", got, map[string]any{
			"reportName": "Overview", "hasPixies": has, "status": tt.status, "pixieVersion": nil, "pagesTracked": pages, "visualsTracked": visuals,
			"trackedItem": tt.tracks, "unavailableReasons": reasons,
		})
		have(t, at+": the list", w.listedReport("ada", reportA), map[string]any{"hasPixies": has, "pixiesStatus": tt.status, "lastChangedUtc": changed, "trackedItem": tt.tracks})
		if added := len(w.files()) - len(before); has && added != 2 || !has && added != 0 {
			t.Errorf("%s: %d files were added", at, added)
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("remains of the Pixies (-before +after):\n%s", diff)
	}
}

// A run over many reports changes those it can and reports how each ended. It fails when it changes none.
//
// proves: 4.7/route/bulk-add 4.7/route/bulk-remove 4.7/bulk/1 4.7/bulk/2 4.7/bulk/4 3.1/pixies-succeeded 3.1/pixies-failed 2.7/error/AddPixiesFailed 2.7/error/RemovePixiesFailed 8/reports-per-bulk-call
func TestPixiesOfManyReports(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	before := w.files()
	row := func(id uuid.UUID, name, outcome string, pages, visuals any, tracked bool, more map[string]any) map[string]any {
		r := map[string]any{
			"reportId": id.String(), "workspaceId": sales.String(), "reportName": name, "outcome": outcome, "pagesTracked": pages, "visualsTracked": visuals,
			"trackedItem": tracked, "error": nil,
		}
		maps.Copy(r, more)
		return r
	}
	failed := func(result map[string]any, i int) any {
		e, _ := objects(t, result["value"])[i]["error"].(map[string]any)
		if e["errorCode"] != "ItemNotReadable" || !strings.Contains(fmt.Sprint(e["message"]), "page.json") {
			t.Errorf("got %v, want ItemNotReadable naming the part", e)
		}
		return e
	}
	id, result := w.done("ada", reportsPath+"/addPixies", reportIDs(reportB, broken, reportA, reportB))
	if diff := cmp.Diff(map[string]any{"workspaceId": sales.String(), "succeeded": 2., "failed": 1., "value": []any{
		row(reportB, "Details", "Added", 1., 3., true, nil),
		row(broken, "Broken", "Failed", nil, nil, false, map[string]any{"error": failed(result, 1)}),
		row(reportA, "Overview", "Added", 2., 3., true, nil),
	}}, result); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	have(t, "the operation", w.get(operationPath(id), w.as("bob")).ok(200).body, map[string]any{
		"status": "Succeeded", "operationType": "AddPixies", "percentComplete": 100., "allowanceImpact": map[string]any{"trackedItems": 2.},
	})
	last := w.pixies("ada", broken)
	have(t, "the report that failed", last, map[string]any{"status": "NeverAdded", "hasPixies": false, "trackedItem": false, "reportName": "Broken"})
	have(t, "its last operation", last["lastOperation"].(map[string]any), map[string]any{"id": id.String(), "status": "Succeeded"})

	none := w.start("ada", reportPath(broken)+"/addPixies", "").operation()
	if op := w.ended("ada", none); op.Status != operation.StatusFailed || op.Failure.Code != domain.ItemNotReadable {
		t.Errorf("got %s, %+v, want Failed with ItemNotReadable", op.Status, op.Failure)
	}
	have(t, "its last operation", w.pixies("ada", broken)["lastOperation"].(map[string]any)["error"].(map[string]any), map[string]any{"errorCode": "ItemNotReadable"})
	for verb, code := range map[string]domain.Code{"addPixies": domain.AddPixiesFailed, "removePixies": domain.RemovePixiesFailed} {
		id := w.start("ada", reportsPath+"/"+verb, reportIDs(broken, paginated)).operation()
		if op := w.ended("ada", id); op.Status != operation.StatusFailed || op.Failure.Code != code {
			t.Errorf("%s: got %s, %+v, want Failed with %s", verb, op.Status, op.Failure, code)
		}
		w.get(operationPath(id)+"/result", w.as("ada")).refused(409, domain.OperationHasNoResult)
	}

	_, result = w.done("ada", reportsPath+"/removePixies", reportIDs(reportA, broken, reportB))
	kept := map[string]any{"trackedItemReleased": false}
	if diff := cmp.Diff(map[string]any{"workspaceId": sales.String(), "succeeded": 2., "failed": 1., "value": []any{
		row(reportA, "Overview", "Removed", nil, nil, true, kept),
		row(broken, "Broken", "Failed", nil, nil, false, map[string]any{"error": failed(result, 1), "trackedItemReleased": false}),
		row(reportB, "Details", "Removed", nil, nil, true, kept),
	}}, result); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("remains of the Pixies (-before +after):\n%s", diff)
	}
}

// Faults that do not depend on stored data are refused before anything is looked up. Each call names a workspace that
// no person sees.
//
// proves: 8/reports-per-bulk-call decisions/8/10-others decisions/8/14
func TestMalformedPixies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unseen := "/v1/workspaces/" + nowhere.String() + "/reports"
	many := make([]uuid.UUID, 101)
	for i := range many {
		many[i] = uuid.New()
	}
	w.spendsNothing(func() {
		for _, verb := range []string{"/addPixies", "/removePixies"} {
			for _, tt := range []struct{ path, body, says string }{
				{unseen + verb, "", "reportIds"},
				{unseen + verb, `{}`, "reportIds"},
				{unseen + verb, `{"reportIds":[]}`, "reportIds"},
				{unseen + verb, `{"reportIds":null}`, "reportIds"},
				{unseen + verb, `{"reportIds":["x"]}`, "reportIds[0] is not a UUID"},
				{unseen + verb, `{"reports":["x"]}`, "the closest documented member is reportIds"},
				{unseen + verb, reportIDs(many...), "101 different reports"},
				{unseen + "/" + reportA.String() + verb, `{"reportIds":[]}`, "this call takes no body"},
				{unseen + "/report" + verb, "", "reportId is not a UUID"},
			} {
				w.uncounted()
				w.post(tt.path, w.as("ada"), tt.body).refused(400, domain.InvalidRequest).says(tt.says)
			}
		}
	})
	w.uncounted()
	// A report named twice counts once, also beyond 100 names.
	got := w.post(unseen+"/addPixies", w.as("ada"), reportIDs(append(many[:100:100], many[7], many[99])...)).refused(404, domain.WorkspaceNotFound)
	if ids := got.parameter("workspaceId"); len(ids) != 1 || ids[0] != nowhere.String() {
		t.Errorf("got parameters %v, want the workspace", ids)
	}
}

// While adding is turned off, it is refused before anything is looked up; removing still works.
//
// proves: 4.7/add/2 7.3/403-FeatureTurnedOff/addPixies 2.3/settings/addPixies
func TestPixiesTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.spendsNothing(func() {
		for _, call := range []struct{ path, body string }{
			{reportPath(reportA), ""}, {reportPath(nowhere), ""}, {reportsPath, reportIDs(reportA)}, {reportsPath, "{"},
		} {
			w.post(call.path+"/addPixies", w.as("quin"), call.body).refused(403, domain.FeatureTurnedOff).says("addPixies")
		}
	})
	w.post(reportPath(reportA)+"/removePixies", w.as("quin"), "").operation()
}

// A refusal names all reports that are not visible. A report with work in progress refuses the entire call and names
// the operation. A refused call has no effect.
//
// proves: 4.7/add/3 4.7/add/5 4.7/bulk/1 4.7/bulk/3 7.3/409-OperationInProgress/report
func TestPixiesRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cloud.items = append(w.cloud.items, item.Item{ID: reportB, Type: item.Report, WorkspaceID: sales, DisplayName: "Details"})
	holds := w.post(reportPath(reportA)+"/addPixies", w.as("ada"), "").operation()
	w.untouched(func() {
		for _, verb := range []string{"/addPixies", "/removePixies"} {
			w.uncounted()
			for _, model := range []uuid.UUID{nowhere, modelA} {
				w.post(reportPath(model)+verb, w.as("ada"), "").refused(404, domain.ItemNotFound)
			}
			w.post("/v1/workspaces/"+finance.String()+"/reports/"+reportA.String()+verb, w.as("bob"), "").refused(404, domain.WorkspaceNotFound)
			got := w.post(reportsPath+verb, w.as("bob"), reportIDs(reportB, nowhere, modelA, nowhere)).refused(404, domain.ItemNotFound)
			if diff := cmp.Diff([]string{nowhere.String(), modelA.String()}, got.parameter("reportId")); diff != "" {
				t.Errorf("the reports that are named (-want +got):\n%s", diff)
			}
			for _, call := range []struct{ path, body string }{{reportPath(reportA), ""}, {reportsPath, reportIDs(reportB, reportA)}} {
				got := w.post(call.path+verb, w.as("bob"), call.body).refused(409, domain.OperationInProgress)
				if ids := got.parameter("operationId"); !slices.Equal(ids, []string{holds.String()}) || got.body["isRetriable"] != true || got.header.Get("Retry-After") == "" {
					t.Errorf("got %s, want it to name operation %s and to be retriable", got.text, holds)
				}
			}
		}
	})
	have(t, "the report that is worked on", w.pixies("bob", reportA)["lastOperation"].(map[string]any), map[string]any{"id": holds.String(), "status": "NotStarted", "operationType": "AddPixies", "error": nil})
	have(t, "the other", w.pixies("bob", reportB), map[string]any{"lastOperation": nil, "status": "NeverAdded"})
	// Another account's work on the same report is independent.
	w.post(reportPath(reportA)+"/removePixies", w.as("oscar"), "").operation()
}

// The account's cap and the allocation of the caller's license are checked once for the entire run, before anything
// is queued. Tracked reports need no room.
//
// proves: 4.7/add/4 4.7/bulk/2
func TestPixiesCaps(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	w.report(uuid.MustParse("cccccccc-0000-4000-8000-000000000006"), "More", "../Actuals.SemanticModel", 1)
	more := uuid.MustParse("cccccccc-0000-4000-8000-000000000006")
	w.untouched(func() {
		got := w.start("tim", reportsPath+"/addPixies", reportIDs(reportA, reportB, reportC, more)).refused(403, domain.TrackedItemLimitReached)
		if limit := got.parameter("limit"); !slices.Equal(limit, []string{"3"}) {
			t.Errorf("got parameters %v, want the limit", got.body["parameters"])
		}
	})
	w.done("tim", reportsPath+"/addPixies", reportIDs(reportA, reportB, reportC))
	w.untouched(func() {
		w.start("tim", reportPath(more)+"/addPixies", "").refused(403, domain.TrackedItemLimitReached)
	})
	w.done("tim", reportsPath+"/removePixies", reportIDs(reportA, more))
	w.done("tim", reportsPath+"/addPixies", reportIDs(reportA, reportB))

	one := 1
	w.licensed(account.License{Status: account.LicenseActive, Allocated: &one})
	pat := w.in("held", "pat")
	w.untouched(func() {
		w.post(reportsPath+"/addPixies", pat, reportIDs(reportA, reportB)).refused(403, domain.LicenseTrackedItemLimitReached)
	})
	w.post(reportPath(reportC)+"/addPixies", pat, "").operation()
}

// Ten calls per minute may add or remove, whatever their result; the eleventh starts nothing.
//
// proves: 4.7/add/7 4.7/remove 4.7/bulk/5 7.3/429-RequestBlocked 8/pixies-calls
func TestPixiesCallsAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := []struct {
		path, body, person string
		status             int
	}{
		{reportPath(reportA) + "/addPixies", "", "ada", 202}, {reportPath(reportA) + "/removePixies", "", "bob", 409},
		{reportsPath + "/addPixies", reportIDs(nowhere), "uma", 404}, {reportsPath + "/removePixies", reportIDs(), "ada", 400},
	}
	for i := range 10 {
		c := calls[i%4]
		status := c.status
		if status == 202 && i > 0 {
			status = 409
		}
		if got := w.post(c.path, w.as(c.person), c.body); got.status != status {
			t.Fatalf("call %d: got %d %s, want %d", i+1, got.status, got.text, status)
		}
	}
	w.spendsNothing(func() {
		got := w.post(reportPath(reportA)+"/removePixies", w.as("bob"), "").refused(429, domain.RequestBlocked)
		if !within(got.header.Get("Retry-After"), 1, 60) {
			t.Errorf("got Retry-After %q", got.header.Get("Retry-After"))
		}
	})
}

// A paused capacity refuses an addition when the account allows the service to check it. It never refuses a removal,
// which then fails because the platform does not allow the read.
//
// proves: 4.7/add/5 4.7/bulk/3 decisions/8/6
func TestPixiesInAPausedCapacity(t *testing.T) {
	t.Parallel()
	w := newReporting(t)
	w.Workspace(w.t, testworld.Workspace{ID: sales, Name: "Sales", Paused: true})
	for person, looks := range map[string]bool{"pam": true, "pip": false} {
		_, err := w.Accounts.Apply(t.Context(), []account.Declaration{{
			AccountID: person, Plan: account.Team, Status: account.Active,
			Settings: account.Settings{AddPixies: true, CapacityDetails: looks, DefinitionCopies: account.CopiesNone},
			People:   []account.Person{{Person: item.Person{ID: person}, Role: account.Member}},
		}})
		check(t, err)
		tok := w.in(person, person)
		paused := func(id uuid.UUID) {
			t.Helper()
			if op := w.resting(id); op.Status != operation.StatusFailed || op.Failure.Code != domain.CapacityPaused {
				t.Errorf("got %s, %+v, want Failed with CapacityPaused", op.Status, op.Failure)
			}
		}
		add := func() reply { return w.post(reportPath(reportA)+"/addPixies", tok, "") }
		if looks {
			w.untouched(func() {
				add().refused(409, domain.CapacityPaused)
				w.post(reportsPath+"/addPixies", tok, reportIDs(reportA, reportB)).refused(409, domain.CapacityPaused)
			})
		} else {
			paused(add().operation())
		}
		paused(w.post(reportPath(reportA)+"/removePixies", tok, "").operation())
	}
}
