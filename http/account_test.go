package http_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/trackeditem/room"
	readinesshttp "readiness/http"
	"readiness/http/rate"
	"readiness/http/routing"
	"readiness/http/token"
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
