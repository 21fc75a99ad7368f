package http_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	readinesshttp "readiness/http"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/internal/testworld"
)

// duo opens two accounts. In one with two licenses, lea is the administrator, max has one license and mia the default
// one. In the other, which has no default license, zoe has none.
func (w *world) duo() {
	w.t.Helper()
	on := account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesKeep30Days}
	two, person := 2, func(name, license string) account.Person {
		return account.Person{Person: item.Person{ID: name}, Role: account.Member, License: license}
	}
	lea := person("lea", "")
	lea.Role = account.Admin
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{
		{
			AccountID: "duo", Plan: account.Team, Status: account.Active, Region: "westeurope", Settings: on,
			Licenses: []account.License{
				{ID: "asia", Label: "Asia", Region: "japaneast", Status: account.LicenseActive},
				{ID: "main", Default: true, Allocated: &two, Status: account.LicenseActive},
			},
			People: []account.Person{lea, person("max", "asia"), person("mia", "")},
		},
		{
			AccountID: "loose", Plan: account.Team, Status: account.Active, Settings: on,
			Licenses: []account.License{{ID: "one", Status: account.LicenseActive}}, People: []account.Person{person("zoe", ""), person("yan", "one")},
		},
	})
	check(w.t, err)
}

// in returns a token of a person in an account.
func (w *world) in(accountID, person string, scopes ...string) string {
	w.t.Helper()
	if scopes == nil {
		scopes = []string{token.ScopeReadWrite}
	}
	t, err := w.issuer.Mint(accountID, person, scopes, w.Now(), time.Hour)
	check(w.t, err)
	return t
}

// spendsNothing runs do and fails if it spent anything, started work or made a request to the platform.
func (w *world) spendsNothing(do func()) {
	w.t.Helper()
	calls := w.cloud.calls
	w.untouched(do)
	if w.cloud.calls != calls {
		w.t.Errorf("the platform was asked %d times, want never", w.cloud.calls-calls)
	}
}

// The complete account: the plan's limits, their use in the current windows, the settings and the caller's rights.
//
// proves: 1/does/account 4.3/account 2.3/accountId 2.3/plan 2.3/status 2.3/region 2.3/allowances 2.3/settings 2.3/api 2.3/allowances/trackedItems 2.3/allowances/assessments 2.3/allowances/optimizationApplies 2.3/allowances/benchmarkRuns 2.3/allowances/firstLooks 2.3/allowances/scheduledAssessments 2.3/allowances/period 2.3/api/scopes 2.3/api/role 5/2-listed decisions/8/18
func TestAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	total := func(used, limit any) map[string]any { return map[string]any{"used": used, "limit": limit} }
	window := func(used, limit any, period string) map[string]any {
		return map[string]any{"used": used, "limit": limit, "period": period}
	}
	shows := func(tok string, want map[string]any) {
		t.Helper()
		w.spendsNothing(func() {
			if diff := cmp.Diff(want, w.get("/v1/account", tok).ok(200).body); diff != "" {
				t.Errorf("%s (-want +got):\n%s", want["accountId"], diff)
			}
		})
	}
	tiny := map[string]any{
		"accountId": "tiny", "plan": "Free", "status": "Active",
		"allowances": map[string]any{
			"trackedItems": total(0., 3.), "assessments": window(0., 5., "Day"), "optimizationApplies": window(0., 2., "Day"),
			"benchmarkRuns": window(0., 2., "Lifetime"), "firstLooks": total(0., 10.), "scheduledAssessments": false,
		},
		"settings": map[string]any{"features": map[string]any{"addPixies": true, "capacityDetails": false, "aiFeatures": true}, "definitionCopies": "None"},
		"api":      map[string]any{"writesAllowed": true, "writeRefusal": nil, "scopes": []any{token.ScopeRead, token.ScopeReadWrite}, "role": "member"},
	}
	shows(w.as("tim"), tiny)

	// Three assessments of one model use a first look, then a tracked item. The next day, the daily allowance is
	// unused again.
	for range 3 {
		w.tracks("tiny", modelA, w.assess("tim", modelA))
	}
	used := tiny["allowances"].(map[string]any)
	used["assessments"], used["firstLooks"], used["trackedItems"] = window(3., 5., "Day"), total(1., 10.), total(1., 3.)
	shows(w.as("tim"), tiny)
	w.Clock.Advance(24 * time.Hour)
	used["assessments"] = window(0., 5., "Day")
	shows(w.as("tim"), tiny)

	// Use is counted even without limits.
	w.assess("bob", modelA)
	acme := map[string]any{
		"accountId": "acme", "plan": "Enterprise", "status": "Active",
		"allowances": map[string]any{
			"trackedItems": total(0., nil), "assessments": window(1., nil, "Unlimited"), "optimizationApplies": window(0., nil, "Unlimited"),
			"benchmarkRuns": window(0., nil, "Unlimited"), "firstLooks": total(1., nil), "scheduledAssessments": true,
		},
		"settings": tiny["settings"],
		"api":      map[string]any{"writesAllowed": true, "writeRefusal": nil, "scopes": []any{token.ScopeReadWrite}, "role": "admin"},
	}
	shows(w.as("ada", token.ScopeReadWrite), acme)

	shows(w.in("duo", "lea"), map[string]any{
		"accountId": "duo", "plan": "Team", "status": "Active", "region": "westeurope",
		"allowances": map[string]any{
			"trackedItems": total(0., 50.), "assessments": window(0., 50., "Day"), "optimizationApplies": window(0., 50., "Day"),
			"benchmarkRuns": window(0., 30., "Month"), "firstLooks": total(0., 200.), "scheduledAssessments": true,
		},
		"settings": map[string]any{"features": map[string]any{"addPixies": true, "capacityDetails": false, "aiFeatures": true}, "definitionCopies": "Keep30Days"},
		"api":      map[string]any{"writesAllowed": true, "writeRefusal": nil, "scopes": []any{token.ScopeReadWrite}, "role": "admin"},
	})
}

// When use cannot be read, it is null and the rest is still returned.
//
// proves: 2.3/allowances 2.5/trackedItems
func TestUnreadableUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	_, err := w.Pool.Exec(t.Context(), `ALTER TABLE streams RENAME TO streams_gone`)
	check(t, err)
	got := w.get("/v1/account", w.as("tim")).ok(200).body
	allowances := got["allowances"].(map[string]any)
	for name, limit := range map[string]float64{"trackedItems": 3, "assessments": 5, "optimizationApplies": 2, "benchmarkRuns": 2, "firstLooks": 10} {
		if a := allowances[name].(map[string]any); a["used"] != nil || a["limit"] != limit {
			t.Errorf("%s: got %v, want used null and limit %v", name, a, limit)
		}
	}
	if got["accountId"] != "tiny" || got["settings"] == nil {
		t.Errorf("got %v", got)
	}
	w.announces(t, w.as("tim"), domain.UnknownError) // a call that needs the unreadable data fails too

	_, err = w.Pool.Exec(t.Context(), `ALTER TABLE streams_gone RENAME TO streams`)
	check(t, err)
	// A stream that lacks its events.
	_, err = w.Pool.Exec(t.Context(), `INSERT INTO streams (stream, account_id, type, version, chain) VALUES ($1, 'duo', 'trackeditems', 1, sha256(''))`, room.Stream("duo"))
	check(t, err)
	for _, l := range w.get("/v1/licenses", w.in("duo", "lea")).ok(200).value() {
		if items := l["trackedItems"].(map[string]any); items["used"] != nil {
			t.Errorf("license %s: got %v, want used null", l["licenseId"], items)
		}
	}
}

// The account announces what the next call that starts work would get: the first refusal that applies. Reading the
// account does not count as such a call.
//
// proves: 2.3/api/writesAllowed 2.3/api/writeRefusal 2.3/settings/aiFeatures decisions/3/not-active-account-read
func TestWriteRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.blocked(routing.Start, "acme", "bob")
	w.blocked(routing.Start, "asleep", "sue")
	for _, tt := range []struct {
		name, tok string
		code      domain.Code // empty when the start is accepted
	}{
		{"nothing", w.as("ada"), ""},
		{"a scope that only reads", w.as("ada", token.ScopeRead), domain.InsufficientScopes},
		{"the rate", w.as("bob"), domain.RequestBlocked},
		{"the rate and the scope", w.as("bob", token.ScopeRead), domain.RequestBlocked},
		{"a closed account", w.as("carl"), domain.AccountNotActive},
		{"a closed account and the scope", w.as("carl", token.ScopeRead), domain.InsufficientScopes},
		{"the rate and a suspended account", w.as("sue"), domain.RequestBlocked},
		{"a person of another issuer", w.provider.token(t, nil), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.announces(t, tt.tok, tt.code)
		})
	}
	// No disabled feature closes every route, because removing Pixies cannot be turned off.
	w.spendsNothing(func() {
		if api := w.get("/v1/account", w.as("nora")).ok(200).body["api"].(map[string]any); api["writesAllowed"] != true || api["writeRefusal"] != nil {
			t.Errorf("with the AI features turned off: got %v", api)
		}
	})
	w.post(modelPath(modelA)+"/assess", w.as("nora"), "").refused(403, domain.FeatureTurnedOff)
	w.post(reportPath(reportA)+"/removePixies", w.as("nora"), "").operation()
	for _, access := range []item.Access{item.ConsentRequired, item.Unavailable} {
		t.Run("the platform permission is "+string(access), func(t *testing.T) {
			stands := map[item.Permission]item.Access{item.PermissionPlatform: access}
			w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) { return stands, nil })
			w.cloud.fails = func(item.Caller) error { return item.Permitted(stands) }
			w.announces(t, w.in("acme", "uma"), map[item.Access]domain.Code{item.ConsentRequired: domain.PlatformConsentRequired, item.Unavailable: domain.PlatformUnavailable}[access])
		})
	}
	t.Run("permissions that cannot be learned", func(t *testing.T) {
		w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) { return nil, fmt.Errorf("hunter2") })
		w.cloud.fails = func(item.Caller) error { return fmt.Errorf("hunter2") }
		w.announces(t, w.in("acme", "uma"), domain.UnknownError)
	})
	w.Accounts.Permissions, w.cloud.fails = w.Views, nil

	var hits int
	check(t, w.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(cardinality(hits)), 0) FROM rate_windows WHERE key = $1`, routing.Start.Window("acme", w.counts("ada"))).Scan(&hits))
	if hits != 2 { // the two starts themselves
		t.Errorf("%d starts of ada are counted, want 2", hits)
	}

	gone, err := rate.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing", rate.Options{Timeout: time.Second})
	check(t, err)
	t.Cleanup(gone.Close)
	w.base, w.client = w.serve(gone)
	w.announces(t, w.as("ada"), domain.ThrottleStoreUnavailable)
}

// announces compares what the account announces with the response to a call that starts work.
func (w *world) announces(t *testing.T, tok string, code domain.Code) {
	t.Helper()
	var api map[string]any
	w.spendsNothing(func() { api = w.get("/v1/account", tok).ok(200).body["api"].(map[string]any) })
	started := w.post(modelPath(modelA)+"/assess", tok, "")
	if code == "" {
		started.operation()
		if api["writesAllowed"] != true || api["writeRefusal"] != nil {
			t.Errorf("got %v, and work was started", api)
		}
		return
	}
	if status, _ := readinesshttp.Status(code); started.status != status || started.body["errorCode"] != string(code) {
		t.Errorf("got %d %s, want %s", started.status, started.text, code)
	}
	if api["writesAllowed"] != false || api["writeRefusal"] != string(code) {
		t.Errorf("got %v, and the call met %s", api, code)
	}
}

// An inactive account can still be read, but nothing else in it.
//
// proves: decisions/3/not-active-account-read
func TestInactiveAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for person, status := range map[string]string{"sue": "Suspended", "carl": "Closed"} {
		if got := w.get("/v1/account", w.as(person)).ok(200).body; got["status"] != status || got["accountId"] != accountOf[person] {
			t.Errorf("%s: got %v", person, got)
		}
		for _, path := range []string{"/v1/account/permissions", "/v1/licenses", "/v1/trackedItems"} {
			w.get(path, w.as(person)).refused(403, domain.AccountNotActive)
		}
	}
}

// accessOf is a permissions port that calls the function.
type accessOf func() (map[item.Permission]item.Access, error)

func (f accessOf) Access(context.Context, item.Caller) (map[item.Permission]item.Access, error) {
	return f()
}

// The four permissions in their order, with the person's current access.
//
// proves: 4.3/permissions 2.4/name 2.4/permission 2.4/access 2.4/required 2.4/neededFor 2.4/message 2.4/consentUrl
func TestPermissionsList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shows := func(person string, want ...item.Access) {
		t.Helper()
		w.spendsNothing(func() {
			all := w.get("/v1/account/permissions", w.as(person)).ok(200).value()
			if len(all) != 4 {
				t.Fatalf("got %v, want four permissions", all)
			}
			for i, name := range []string{"platform", "usage", "storage", "agent"} {
				p, access := all[i], want[i]
				_, says := p["message"]
				page, consent := p["consentUrl"], fmt.Sprintf("https://portal.example.com/consent?grant=%s", p["permission"])
				if p["name"] != name || p["access"] != string(access) || p["required"] != (i == 0) || p["neededFor"] == "" ||
					says != (access != item.Granted) || (access == item.ConsentRequired) != (page != nil) || page != nil && page != consent {
					t.Errorf("%s: got %v, want %s %s", person, p, name, access)
				}
			}
		})
	}
	shows("ada", item.Granted, item.Granted, item.ConsentRequired, item.ConsentRequired)
	shows("uma", item.Granted, item.Unavailable, item.ConsentRequired, item.ConsentRequired)
	_, err := w.Pool.Exec(t.Context(), `UPDATE members_v2 SET member = jsonb_set(member, '{permissions}', '{"agent":"Granted"}') WHERE person = 'uma'`)
	check(t, err)
	shows("uma", item.Granted, item.ConsentRequired, item.ConsentRequired, item.Granted)

	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) {
		return nil, domain.Refuse(domain.PlatformUnavailable, "no answer")
	})
	shows("ada", item.Unavailable, item.Unavailable, item.Unavailable, item.Unavailable)
	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) {
		return nil, domain.Refuse(domain.PlatformAccessDenied, "gone")
	})
	w.get("/v1/account/permissions", w.as("ada")).refused(403, domain.PlatformAccessDenied)
	w.Accounts.Permissions = accessOf(func() (map[item.Permission]item.Access, error) { return nil, fmt.Errorf("hunter2") })
	w.get("/v1/account/permissions", w.as("ada")).refused(500, domain.UnknownError)
}

// An administrator sees every license, a member their own or the default one.
//
// proves: 4.3/licenses 5/3 2.1/unpaged-licenses 2.5/licenseId 2.5/label 2.5/isDefault 2.5/status 2.5/region 2.5/provisioningStatus 2.5/trackedItems 2.5/members 2.5/dataResidency.location 2.5/createdAtUtc
func TestLicenses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := w.Now()
	w.duo()
	w.claim("duo", "asia", claimed{ItemID: modelA, ItemType: item.SemanticModel, WorkspaceID: sales, DisplayName: "Actuals", At: w.Now()})
	main := map[string]any{
		"licenseId": "main", "isDefault": true, "status": "Active", "provisioningStatus": "Provisioned", "members": 2.,
		"trackedItems": map[string]any{"used": 0., "allocated": 2.}, "dataResidency": map[string]any{"location": "Service"},
	}
	asia := map[string]any{
		"licenseId": "asia", "label": "Asia", "isDefault": false, "status": "Active", "region": "japaneast", "provisioningStatus": "Provisioned", "members": 1.,
		"trackedItems": map[string]any{"used": 1., "allocated": nil}, "dataResidency": map[string]any{"location": "Service"},
	}
	w.spendsNothing(func() {
		for _, tt := range []struct {
			tok  string
			want []map[string]any
		}{
			{w.in("duo", "lea"), []map[string]any{main, asia}},
			{w.in("duo", "mia"), []map[string]any{main}},
			{w.in("duo", "max"), []map[string]any{asia}},
			{w.in("loose", "zoe"), []map[string]any{}}, // has none, and there is no default
			{w.as("tim"), []map[string]any{}},          // an account without licenses
			{w.as("ada"), []map[string]any{}},
		} {
			answer := w.get("/v1/licenses?maxResults=1", tt.tok).ok(200) // no paging
			all := answer.value()
			for _, l := range all {
				if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(l["createdAtUtc"])); err != nil || at.Before(began.Add(-time.Minute)) || at.After(w.Now()) {
					t.Errorf("got createdAtUtc %v, %v", l["createdAtUtc"], err)
				}
				delete(l, "createdAtUtc")
			}
			if diff := cmp.Diff(tt.want, all); diff != "" || answer.body["continuationToken"] != nil {
				t.Errorf("licenses (-want +got):\n%s", diff)
			}
		}
	})
}

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
