package http_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/test/testworld"
)

// claimed is an item that an operation made a tracked item.
type claimed struct {
	ItemID        uuid.UUID
	ItemType      item.Type
	WorkspaceID   uuid.UUID
	WorkspaceName string
	DisplayName   string
	Via           trackeditem.Via
	At            time.Time
}

// claim makes an item a tracked item of the account, as an operation does.
func (w *world) claim(accountID, license string, i claimed) {
	w.t.Helper()
	by, tracking := uuid.New(), commands.Track(accountID, i.ItemID)
	check(w.t, w.Store.Change(w.t.Context(), eventstore.Metadata{Account: accountID}, tracking.Pasts(), func(c *eventstore.Change) error {
		if err := tracking.Reserve(c, room.Caps{LicenseID: license}, trackeditem.Reserve{
			OperationID: by, ItemID: i.ItemID, ItemType: i.ItemType, WorkspaceID: i.WorkspaceID, WorkspaceName: i.WorkspaceName, DisplayName: i.DisplayName,
		}); err != nil {
			return err
		}
		return tracking.Claim(c, by, i.ItemID, i.Via, i.At)
	}))
}

// tracks makes a reserved item a tracked item, as the end of an operation does.
func (w *world) tracks(accountID string, id, operationID uuid.UUID) {
	w.t.Helper()
	tracking := commands.Track(accountID, id)
	check(w.t, w.Store.Change(w.t.Context(), eventstore.Metadata{Account: accountID}, tracking.Pasts(), func(c *eventstore.Change) error {
		return tracking.Claim(c, operationID, id, trackeditem.ViaAssessment, w.Now())
	}))
}

// become executes a command on a tracked item.
func (w *world) become(accountID string, id uuid.UUID, cmd domain.Command[trackeditem.Item]) {
	w.t.Helper()
	testworld.Record(w.t, w.World, accountID, eventstore.FoldLast[trackeditem.Item](trackeditem.Stream(accountID, id)), cmd)
}

// All units of the count by name: of every license for an administrator, of their own license for a member.
//
// proves: 4.3/trackedItems 5/3 2.6/id 2.6/itemType 2.6/workspaceId-displayName-workspaceName 2.6/status 2.6/trackedSinceUtc 2.6/deletedAtUtc 2.6/licenseId 2.6/claimedVia 3.4/values
func TestTrackedItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	at := time.Date(2026, 11, 20, 12, 0, 0, 123456000, time.UTC)
	report := uuid.MustParse("cccccccc-0000-4000-8000-000000000001")
	claims := []claimed{
		{ItemID: report, ItemType: item.Report, WorkspaceID: sales, WorkspaceName: "Sales", DisplayName: "Board", At: at},
		{ItemID: modelA, ItemType: item.SemanticModel, WorkspaceID: sales, WorkspaceName: "Sales", DisplayName: "Actuals", Via: trackeditem.ViaAssessment, At: at.Add(time.Hour)},
		{ItemID: modelB, ItemType: item.SemanticModel, WorkspaceID: sales, WorkspaceName: "Sales", DisplayName: "Budget", Via: trackeditem.ViaBenchmark, At: at.Add(time.Hour)},
		{ItemID: agent, ItemType: item.DataAgent, WorkspaceID: sales, WorkspaceName: "Sales", DisplayName: "Analyst", Via: trackeditem.ViaAgentAssessment, At: at},
	}
	for i, c := range claims {
		w.claim("duo", []string{"main", "asia", "main", "asia"}[i], c)
		w.claim("acme", "", c)
		w.claim("loose", "one", c)
	}
	for _, in := range []string{"duo", "acme"} {
		w.become(in, report, trackeditem.RemovePixies{})
		w.become(in, modelA, trackeditem.DeleteResults{})
		w.become(in, agent, trackeditem.MarkDeleted{WorkspaceID: sales, At: at.Add(2 * time.Hour)})
	}
	one := func(id uuid.UUID, kind, name, status, since, license string, more map[string]any) map[string]any {
		m := map[string]any{"id": id.String(), "itemType": kind, "workspaceId": sales.String(), "workspaceName": "Sales", "displayName": name, "status": status, "trackedSinceUtc": since, "licenseId": any(license)}
		if license == "" {
			m["licenseId"] = nil
		}
		maps.Copy(m, more)
		return m
	}
	early, late := "2026-11-20T12:00:00.123456Z", "2026-11-20T13:00:00.123456Z"
	board := one(report, "Report", "Board", "Removed", early, "main", nil)
	actuals := one(modelA, "SemanticModel", "Actuals", "ResultsDeleted", late, "asia", map[string]any{"claimedVia": "assessment"})
	budget := one(modelB, "SemanticModel", "Budget", "Tracked", late, "main", map[string]any{"claimedVia": "benchmark"})
	analyst := one(agent, "DataAgent", "Analyst", "Deleted", early, "asia", map[string]any{"claimedVia": "agent_assessment", "deletedAtUtc": "2026-11-20T14:00:00.123456Z"})
	w.spendsNothing(func() {
		for _, tt := range []struct {
			name, tok string
			want      []map[string]any
		}{
			{"an administrator", w.in("duo", "lea"), []map[string]any{analyst, board, actuals, budget}},
			{"a member with a license", w.in("duo", "max"), []map[string]any{analyst, actuals}},
			{"a member with the default license", w.in("duo", "mia"), []map[string]any{board, budget}},
			{"a member of an account without licenses", w.as("tim"), []map[string]any{}},
			{"a member with none of the licenses", w.in("loose", "zoe"), []map[string]any{}},
		} {
			if diff := cmp.Diff(tt.want, w.get("/v1/trackedItems", tt.tok).ok(200).value()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
	// All items count, whatever their status.
	for tok, want := range map[string]float64{w.in("duo", "lea"): 4, w.as("ada"): 4} {
		if got := w.get("/v1/account", tok).ok(200).body["allowances"].(map[string]any)["trackedItems"].(map[string]any)["used"]; got != want {
			t.Errorf("got %v tracked items used, want %v", got, want)
		}
	}
}

// An account whose plan has no cap lists only the items that are tracked today.
//
// proves: 4.3/trackedItems decisions/8/9
func TestTrackedItemsWithoutACap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, id := range []uuid.UUID{modelA, modelB, modelC, kept} {
		w.claim("acme", "", claimed{ItemID: id, ItemType: item.SemanticModel, WorkspaceID: sales, DisplayName: fmt.Sprint(i), Via: trackeditem.ViaReadiness, At: w.Now()})
	}
	w.become("acme", modelA, trackeditem.DeleteResults{})
	w.become("acme", modelB, trackeditem.MarkDeleted{WorkspaceID: sales, At: w.Now()})
	for _, person := range []string{"ada", "bob"} {
		all := w.get("/v1/trackedItems", w.as(person)).ok(200).value()
		if len(all) != 2 || all[0]["id"] != modelC.String() || all[1]["id"] != kept.String() {
			t.Errorf("%s: got %v, want the two that are tracked", person, all)
		}
	}
}

// Pages are ordered by the time of the claim and by id. Items that are claimed or changed between two pages neither
// repeat nor hide others.
//
// proves: 2.1/paged-trackedItems decisions/2/paging-stable decisions/2/paging-tokens
func TestTrackedItemsPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	lea, mia := w.in("duo", "lea"), w.in("duo", "mia")
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	claim := func(n int, license string, at time.Time) uuid.UUID {
		id := uuid.MustParse(fmt.Sprintf("cccccccc-0000-4000-8000-%012d", n))
		w.claim("duo", license, claimed{ItemID: id, ItemType: item.Report, WorkspaceID: sales, WorkspaceName: "Sales", DisplayName: "R", At: at})
		return id
	}
	var want, mine []string
	for i := range 7 {
		license := []string{"asia", "main"}[i%2]
		id := claim(10+i, license, at.Add(time.Duration(i/3)*time.Second)).String()
		want = append(want, id)
		if license == "main" {
			mine = append(mine, id)
		}
	}
	pages := func(tok string, between func(page int)) (got []string) {
		t.Helper()
		for address, page := w.base+"/v1/trackedItems?maxResults=2", 0; address != ""; page++ {
			answer := w.get(address, tok).ok(200)
			all := answer.value()
			if len(all) > 2 {
				t.Fatalf("a page has %d items, want at most 2", len(all))
			}
			for _, v := range all {
				got = append(got, v["id"].(string))
			}
			between(page)
			address, _ = answer.body["continuationUri"].(string)
		}
		return got
	}
	if diff := cmp.Diff(mine, pages(mia, func(int) {})); diff != "" {
		t.Errorf("a member's items (-want +got):\n%s", diff)
	}
	got := pages(lea, func(page int) {
		if page == 0 {
			claim(1, "main", at.Add(-time.Hour)) // sorts before the page, so it is on no later page
			want = append(want, claim(99, "main", at.Add(time.Hour)).String())
			w.become("duo", uuid.MustParse(want[3]), trackeditem.RemovePixies{})
		}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(got)))); n != len(got) {
		t.Errorf("%d of %d items are listed twice", len(got)-n, len(got))
	}

	foreign := w.get("/v1/trackedItems?maxResults=1", lea).ok(200).body["continuationToken"].(string)
	for _, query := range []string{"maxResults=0", "maxResults=501", "maxResults=x", "continuationToken=x"} {
		w.get("/v1/trackedItems?"+query, lea).refused(400, domain.InvalidRequest)
	}
	w.get("/v1/trackedItems?continuationToken="+foreign, w.as("tim")).refused(400, domain.InvalidRequest)
	// A continuation token of an administrator gives a member no more than their own items.
	for _, v := range w.get("/v1/trackedItems?continuationToken="+foreign, mia).ok(200).value() {
		if v["licenseId"] != "main" {
			t.Errorf("a member was shown %v", v)
		}
	}
}

// A model that was assessed twice is tracked, and becomes Deleted when the platform's listing no longer has it.
//
// proves: 3.4/values 2.6/status 2.6/deletedAtUtc
func TestDeletedTrackedItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		w.tracks("other", modelC, w.assess("oscar", modelC))
	}
	shown := func() map[string]any {
		t.Helper()
		all := w.get("/v1/trackedItems", w.as("oscar")).ok(200).value()
		if len(all) != 1 || all[0]["id"] != modelC.String() || all[0]["claimedVia"] != "assessment" || all[0]["displayName"] != "Costs" || all[0]["licenseId"] != nil {
			t.Fatalf("got %v, want the one model", all)
		}
		return all[0]
	}
	if got := shown(); got["status"] != "Tracked" || got["deletedAtUtc"] != nil {
		t.Errorf("got %v, want it tracked", got)
	}
	w.cloud.items = slices.DeleteFunc(w.cloud.items, func(i item.Item) bool { return i.ID == modelC })
	w.get("/v1/workspaces/"+sales.String()+"/semanticModels", w.as("oscar")).ok(200)
	if got := shown(); got["status"] != "Deleted" || got["deletedAtUtc"] == nil {
		t.Errorf("got %v, want it deleted", got)
	}
}

// The caps on tracked items refuse an assessment that would exceed them. A refused assessment is neither started nor
// counted, and the account and the licenses stay the same.
//
// proves: 7.2/TrackedItemLimitReached 7.2/LicenseTrackedItemLimitReached 8/allowance-trackedItems 8/exhausted/TrackedItemLimitReached 8/exhausted/LicenseTrackedItemLimitReached
func TestTrackedItemCaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	more := uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000005")
	w.cloud.items = append(w.cloud.items, item.Item{ID: more, Type: item.SemanticModel, WorkspaceID: sales, DisplayName: "Debts"})
	for _, tt := range []struct {
		accountID, person string
		models            []uuid.UUID // as many as there is room for
		code              domain.Code
	}{
		{"tiny", "tim", []uuid.UUID{modelA, modelB, modelC}, domain.TrackedItemLimitReached},
		{"duo", "mia", []uuid.UUID{modelA, modelB}, domain.LicenseTrackedItemLimitReached},
	} {
		assess := func(m uuid.UUID) reply {
			w.Clock.Advance(6 * time.Hour) // the Free plan has five assessments a day
			return w.post(modelPath(m)+"/assess", w.in(tt.accountID, tt.person), "")
		}
		for _, m := range append(tt.models, more) {
			assess(m).operation()
		}
		var going []uuid.UUID
		for _, m := range tt.models {
			going = append(going, assess(m).operation())
		}
		w.untouched(func() {
			got := assess(more).refused(403, tt.code)
			room := fmt.Sprint(len(tt.models))
			if a, u, l := got.parameter("allowance"), got.parameter("used"), got.parameter("limit"); !slices.Equal(a, []string{"trackedItems"}) || !slices.Equal(u, []string{room}) || !slices.Equal(l, []string{room}) {
				t.Errorf("%s: got allowance %v, used %v, limit %v", tt.code, a, u, l)
			}
		})
		if got := w.get("/v1/trackedItems", w.in(tt.accountID, tt.person)).ok(200).value(); len(got) != 0 {
			t.Errorf("%s: before the assessments have ended %d items are tracked", tt.code, len(got))
		}
		for i, m := range tt.models {
			w.tracks(tt.accountID, m, going[i])
		}
		assess(tt.models[0]).operation() // items that are already tracked can still be assessed
		if got := w.get("/v1/trackedItems", w.in(tt.accountID, tt.person)).ok(200).value(); len(got) != len(tt.models) {
			t.Errorf("%s: got %d tracked items, want %d", tt.code, len(got), len(tt.models))
		}
	}
	for _, m := range []uuid.UUID{more, more} { // the other license has no allocation
		w.post(modelPath(m)+"/assess", w.in("duo", "max"), "").operation()
	}
}
