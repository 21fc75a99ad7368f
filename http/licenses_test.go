package http_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
)

// licensed creates an account of pat, its administrator, who has the license, and kim, who has the default license.
func (w *world) licensed(l account.License) {
	w.t.Helper()
	l.ID = "own"
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{{
		AccountID: "held", Plan: account.Team, Status: account.Active,
		Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
		Licenses: []account.License{l, {ID: "rest", Default: true, Status: account.LicenseActive}},
		People:   []account.Person{{Person: item.Person{ID: "pat"}, Role: account.Admin, License: "own"}, {Person: item.Person{ID: "kim"}, Role: account.Member}},
	}})
	check(w.t, err)
}

// A license that is not usable keeps its people, and only them, from starting work. The account announces the
// refusal, and a start changes nothing. Work starts again once the license is usable.
//
// proves: 7.2/RegionNotReady 7.2/CapacityUnpaid 7.2/StoreNotConnected 2.3/api/writeRefusal 2.3/api/writesAllowed 2.5/status 2.5/provisioningStatus 2.5/dataResidency.location
func TestUnusableLicense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		license account.License
		code    domain.Code
	}{
		{account.License{Status: account.LicenseActive, ProvisioningStatus: account.Provisioning}, domain.RegionNotReady},
		{account.License{Status: account.LicenseActive, ProvisioningStatus: account.ProvisioningFailed}, domain.RegionNotReady},
		{account.License{Status: account.LicenseSuspended}, domain.CapacityUnpaid},
		{account.License{Status: account.LicenseExpired}, domain.CapacityUnpaid},
		{account.License{Status: account.LicenseActive, DataResidency: account.InCustomerLake}, domain.StoreNotConnected},
		{account.License{Status: account.LicenseActive, DataResidency: account.InCustomerStorage}, domain.StoreNotConnected},
	} {
		w.licensed(tt.license)
		shown := w.get("/v1/licenses", w.in("held", "pat")).ok(200).value()[1]
		if shown["status"] != tt.license.Status || shown["provisioningStatus"] != tt.license.Provisioning() || shown["dataResidency"].(map[string]any)["location"] != string(tt.license.Location()) {
			t.Errorf("got %v, want %+v", shown, tt.license)
		}
		w.untouched(func() {
			w.announces(t, w.in("held", "pat"), tt.code)
			got := w.post(bulkPath, w.in("held", "pat"), fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelA)).refused(409, tt.code)
			if ids := got.parameter("licenseId"); len(ids) != 1 || ids[0] != "own" {
				t.Errorf("got parameters %v, want the license", ids)
			}
			for _, start := range w.starts() {
				w.nextMinute()
				start(w.in("held", "pat")).refused(409, tt.code)
			}
			for _, verb := range []string{"/addPixies", "/removePixies"} {
				w.post("/v1/workspaces/"+sales.String()+"/reports/"+reportA.String()+verb, w.in("held", "pat"), "").refused(409, tt.code)
			}
			// The form of the call is checked first, then the items are looked up, then the license.
			w.post(modelPath(nowhere)+"/assess", w.in("held", "pat"), "").refused(404, domain.ItemNotFound)
			w.post(bulkPath, w.in("held", "pat"), "{}").refused(400, domain.InvalidRequest)
		})
		w.announces(t, w.in("held", "kim"), "")
		w.get("/v1/trackedItems", w.in("held", "pat")).ok(200)
	}
	w.licensed(account.License{Status: account.LicenseActive})
	w.announces(t, w.in("held", "pat"), "")
}

// starts returns well-formed calls that start work on a new model.
func (w *world) starts() (calls []func(tok string) reply) {
	for path, body := range map[string]string{
		bulkPath: fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelA), modelPath(modelA) + "/assess": "",
		modelPath(modelA) + "/aiInstructions/preview": "", modelPath(modelA) + "/aiInstructions/apply": `{"approval":"none"}`,
		modelPath(modelA) + "/optimize":     `{"approval":"required","kinds":["aiInstructions"]}`,
		questionsPath(modelA) + "/generate": `{"count":3}`, questionsPath(modelA) + "/save": oneQuestion,
	} {
		calls = append(calls, func(tok string) reply { return w.post(path, tok, body) })
	}
	return calls
}

// Work that needs a capacity starts only in workspaces on one. The account cannot announce this, because it depends
// on the workspace of the call.
//
// proves: 7.2/CapacityRequired
func TestCapacityRequired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.licensed(account.License{Status: account.LicenseActive, CapacityRequired: true})
	pat := w.in("held", "pat")
	w.untouched(func() {
		w.post(modelPath(modelA)+"/assess", pat, "").refused(409, domain.CapacityRequired).says("own")
		for _, start := range w.starts() {
			start(pat).refused(409, domain.CapacityRequired)
		}
		if api := w.get("/v1/account", pat).ok(200).body["api"].(map[string]any); api["writesAllowed"] != true {
			t.Errorf("got %v: work in other workspaces would start", api)
		}
	})
	w.post(modelPath(modelA)+"/assess", w.in("held", "kim"), "").operation()
	w.cloud.workspaces[0].Capacity = "f8"
	w.post(modelPath(modelA)+"/assess", pat, "").operation()
}

// A member sees only the items of their own license and cannot ask for those of another. An administrator can ask for
// any.
//
// proves: 7.2/LicenseNotYours 5/3
func TestLicenseNotYours(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.duo()
	for i, license := range []string{"main", "asia", "asia"} {
		w.claim("duo", license, claimed{ItemID: []uuid.UUID{modelA, modelB, modelC}[i], ItemType: item.SemanticModel, WorkspaceID: sales, DisplayName: license, At: w.Now().Add(time.Duration(i) * time.Second)})
	}
	list := func(query, accountID, person string) reply {
		return w.get("/v1/trackedItems?"+query, w.in(accountID, person))
	}
	w.spendsNothing(func() {
		for _, tt := range []struct {
			query, person string
			want          int
		}{
			{"licenseId=asia", "lea", 2}, {"licenseId=main", "lea", 1}, {"licenseId=elsewhere", "lea", 0}, {"", "lea", 3},
			{"licenseId=asia", "max", 2}, {"licenseId=main", "mia", 1}, {"", "max", 2},
		} {
			if got := list(tt.query, "duo", tt.person).ok(200).value(); len(got) != tt.want {
				t.Errorf("%s of %q: got %v, want %d items", tt.person, tt.query, got, tt.want)
			}
		}
		for _, tt := range []struct{ query, accountID, person string }{
			{"licenseId=main", "duo", "max"}, {"licenseId=asia", "duo", "mia"}, {"licenseId=elsewhere", "duo", "mia"},
			{"licenseId=one", "loose", "zoe"}, {"licenseId=main", "loose", "yan"}, {"licenseId=main", "tiny", "tim"},
		} {
			list(tt.query, tt.accountID, tt.person).refused(403, domain.LicenseNotYours).says("not yours")
		}
		list("licenseId=", "duo", "lea").refused(400, domain.InvalidRequest)
		// A continuation token is bound to its filter.
		token := list("licenseId=asia&maxResults=1", "duo", "lea").ok(200).body["continuationToken"].(string)
		if got := list("licenseId=asia&continuationToken="+token, "duo", "lea").ok(200).value(); len(got) != 1 || got[0]["id"] != modelC.String() {
			t.Errorf("got %v, want the second of the license", got)
		}
		list("continuationToken="+token, "duo", "lea").refused(400, domain.InvalidRequest)
		list("licenseId=main&continuationToken="+token, "duo", "lea").refused(400, domain.InvalidRequest)
	})
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
