package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/test/consoletest"
)

// TestAdministration shows the account to its people, and to a member no more than the interface allows; schedules are changed by a form.
func TestAdministration(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	ada, linus, api := w.As("contoso", "ada"), w.As("contoso", "linus"), w.API("contoso", "ada")
	workspaceID, modelID := modelOf(t, api, "Store Operations")
	at := "/models/" + workspaceID.String() + "/" + modelID.String() + "/schedules"
	for _, wrong := range []url.Values{nil, {"day": {"Someday"}, "time": {"03:00"}}, {"day": {"Daily"}, "time": {"25:00"}}} {
		want(t, ada.Send(at, wrong), http.StatusBadRequest)
	}
	want(t, w.As("fabrikam", "margaret").Send(at, url.Values{"day": {"Daily"}, "time": {"03:00"}}), http.StatusForbidden)
	want(t, ada.Get("/admin"), http.StatusOK, "No assessment is scheduled.")
	want(t, ada.Send(at, url.Values{"day": {"Daily"}, "time": {"03:00"}}), http.StatusSeeOther)
	got := ada.Get("/admin")
	want(t, got, http.StatusOK, "contoso", "administrator", "What is used", "Analytics", "AI providers", "Store Operations", "daily, 03:00 UTC", "Disable")
	ada.CheckPage(got)
	member := linus.Get("/admin")
	want(t, member, http.StatusOK, "member", "What is used", "<bdi>grace</bdi>", "<bdi>linus</bdi> (you)", "readinessd accounts apply FILE")
	linus.CheckPage(member)
	if strings.Contains(member.Body, "Finance") { // licences are for administrators
		t.Error("a member sees what the interface keeps from them")
	}
	if other := w.As("fabrikam", "margaret").Get("/admin"); strings.Contains(other.Body, "contoso") || strings.Contains(other.Body, "grace") || strings.Contains(other.Body, "Store Operations") {
		t.Error("another account is shown")
	}
	path := regexp.MustCompile(`action="(/admin/schedules/[^"]*)"`).FindStringSubmatch(got.Body)[1]
	for _, step := range []struct{ do, shown string }{{"disable", "Disabled"}, {"enable", "Active"}, {"delete", "No assessment is scheduled."}} {
		want(t, w.As("fabrikam", "margaret").Send(path, url.Values{"do": {step.do}}), http.StatusForbidden)
		want(t, ada.Send(path, url.Values{"do": {step.do}}), http.StatusSeeOther)
		want(t, ada.Get("/admin"), http.StatusOK, step.shown)
	}
	want(t, ada.Send(path, nil), http.StatusBadRequest)
	want(t, ada.Send("/admin/schedules/x", url.Values{"do": {"delete"}}), http.StatusNotFound)
	want(t, ada.Send("/admin/providers/embedded/test", nil), http.StatusBadRequest) // the embedded one needs no test
	want(t, linus.Send("/admin/providers/embedded/test", nil), http.StatusForbidden, "AdminRoleRequired")
	provider := url.Values{"name": {"Ours"}, "kind": {"openai_compatible"}, "model": {"m"}, "baseUrl": {"http://127.0.0.1:1/v1"}, "apiKey": {"secret-of-ours"}}
	want(t, linus.Send("/admin/providers", provider), http.StatusForbidden, "AdminRoleRequired")
	refused := ada.Send("/admin/providers", provider) // an address in a private network
	want(t, refused, http.StatusBadRequest)
	lacks(t, refused, "secret-of-ours")
	lacks(t, ada.Get("/admin"), "Ours", "secret-of-ours")
}

// newestFirst fails the test unless the events of pages stand from the newest to the oldest, each once.
func newestFirst(t *testing.T, pages ...consoletest.Answer) {
	t.Helper()
	var all []int
	for _, p := range pages {
		for _, found := range regexp.MustCompile(`of event (\d+)<`).FindAllStringSubmatch(p.Body, -1) {
			n, _ := strconv.Atoi(found[1])
			all = append(all, -n)
		}
	}
	if len(all) <= 50 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("the order is %v", all)
	}
}

// TestAudit lists the account's events by filter, exports them as lines, and proves one; a member sees none of it.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := consoletest.Start(t, consoletest.Options{})
	w.AssessAll("contoso", "ada")
	ada, linus := w.As("contoso", "ada"), w.As("contoso", "linus")
	got := ada.Get("/admin/audit")
	want(t, got, http.StatusOK, "Nothing is signed yet", "Log of events", "Older events", "/proof", "<bdi>ada</bdi></a>")
	ada.CheckPage(got)
	newestFirst(t, got, ada.Get(html.UnescapeString(regexp.MustCompile(`href="([^"]*continuationToken[^"]*)"`).FindStringSubmatch(got.Body)[1])))
	m, failed := w.Assessed("Retail Sales"), "Budget 2024"
	of := ada.Get("/admin/audit?itemId=" + m.SemanticModelID.String())
	want(t, of, http.StatusOK, "assessment.<wbr>accepted", `<option value="`+m.SemanticModelID.String()+`" selected>Retail Sales · Retail Analytics</option>`, `">`+failed+" · Corporate", `<td class="middle named"><a href="/admin/audit?itemId=`+m.SemanticModelID.String()+`"><bdi>Retail Sales</bdi></a>`)
	file := ada.Get(html.UnescapeString(regexp.MustCompile(`"([^"]*)">Export as JSON Lines<`).FindStringSubmatch(of.Body)[1]))
	want(t, file, http.StatusOK, m.SemanticModelID.String())
	lacks(t, file, "account.opened")
	lacks(t, of, `<td class="middle named"><span`, "account.<wbr>opened", "Corporate Functions</bdi>")
	want(t, ada.Get("/admin/audit?person=grace"), http.StatusOK, "<option selected>grace</option>", "No event fits.")
	want(t, ada.Get("/admin/audit?person=nobody&itemId="+uuid.Nil.String()), http.StatusOK, "<option selected>nobody</option>", "<option selected value=\""+uuid.Nil.String(), "No event fits.")
	want(t, ada.Get("/admin/audit?type=account.opened"), http.StatusOK, `<span class="soft">the account</span>`)
	want(t, ada.Get("/admin/audit?type=nothing"), http.StatusOK, "No event fits.")
	// An operation on several models is about none of them.
	several := ada.Get("/admin/audit?type=operation.succeeded")
	want(t, several, http.StatusOK, `<span class="soft">an operation</span>`, `<datalist id="types"><option value="operation.succeeded"></datalist>`)
	lacks(t, several, "<bdi>"+failed, "<bdi>Retail Sales")
	want(t, ada.Get("/admin/audit?since=2020-01-01&until=2020-01-02"), http.StatusOK, "No event fits.")
	want(t, ada.Get("/admin/audit?person=ada"), http.StatusOK, "<bdi>ada</bdi>")
	for _, wrong := range []string{"since=x", "until=2026-13-01", "operationId=x", "itemId=x"} {
		want(t, ada.Get("/admin/audit?"+wrong), http.StatusBadRequest, "The filter is not well formed")
	}
	file = ada.Get("/admin/audit/events.jsonl")
	want(t, file, http.StatusOK)
	exported := strings.Count(file.Body, "\n")
	var stored int
	if err := w.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE account_id = 'contoso'`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if exported == 0 || exported > stored || !strings.HasPrefix(file.Body, `{"v":1,`) {
		t.Errorf("%d lines of %d events: %.200s", exported, stored, file.Body)
	}
	w.Seal()
	signed := ada.Get("/admin/audit")
	want(t, signed, http.StatusOK, "Signed head", "/accounts/contoso\n")
	ada.CheckPage(signed)
	path := regexp.MustCompile(`"(/admin/audit/events/[^"]*/proof)"`).FindStringSubmatch(got.Body)[1]
	want(t, ada.Get(path), http.StatusOK, "c2sp.org/tlog-proof")
	want(t, ada.Get("/admin/audit/events/x/proof"), http.StatusNotFound)
	for _, page := range []string{"/admin/audit", "/admin/audit/events.jsonl", path} {
		want(t, linus.Get(page), http.StatusForbidden, "AdminRoleRequired")
		if got := w.As("fabrikam", "margaret").Get(page); strings.Contains(got.Body, "contoso") || page == path && got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: another account got %d", page, got.StatusCode)
		}
	}
}
