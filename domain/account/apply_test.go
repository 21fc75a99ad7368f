package account_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
)

var (
	ada       = item.Person{ID: "ada"}
	grace     = item.Person{Issuer: "https://login.example.com", ID: "tenant/grace"}
	workspace = uuid.MustParse("6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90")
	settings  = account.Settings{AddPixies: true, CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}
	fifty     = 50
	contoso   = account.Declaration{
		AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "westeurope", Settings: settings,
		Licenses: []account.License{{ID: "lic-1", Label: "Analytics", Default: true, Allocated: &fifty, Status: account.LicenseActive}},
		People: []account.Person{
			{Person: ada, Role: account.Admin, License: "lic-1", Permissions: map[item.Permission]item.Access{item.PermissionUsage: item.Granted}},
			{Person: grace, Role: account.Member},
		},
		TrackingSetups: []account.TrackingSetup{{WorkspaceID: workspace, CollectorBaseURL: "https://pixies.example.com", Size: 4, Corner: account.BottomRight, ExcludePages: []string{"Draft*"}}},
		AIProvider:     &account.AIProvider{Kind: aiprovider.Rules},
	}
)

// but returns the contoso declaration with one change.
func but(change func(d *account.Declaration)) account.Declaration {
	d := contoso
	d.Licenses = append([]account.License(nil), contoso.Licenses...)
	d.People = append([]account.Person(nil), contoso.People...)
	d.TrackingSetups = append([]account.TrackingSetup(nil), contoso.TrackingSetups...)
	change(&d)
	return d
}

// idOf returns the id of a person in every account of these tests.
func idOf(p item.Person) item.PersonID { return item.FormerPersonID(p) }

func ids(d account.Declaration) map[item.Person]item.PersonID {
	all := map[item.Person]item.PersonID{}
	for _, p := range d.People {
		all[p.Person] = idOf(p.Person)
	}
	return all
}

// saved returns the event that saves a declared person.
func saved(p account.Person) account.PersonSaved {
	return account.PersonSaved{Person: account.SavedPerson{Person: idOf(p.Person), Role: p.Role, License: p.License, Permissions: p.Permissions}}
}

func apply(t interface{ Fatalf(string, ...any) }, a account.Account, d account.Declaration) (account.Account, []domain.Event) {
	events, err := account.Apply{Declaration: d, Plans: account.DefaultPlans(), IDs: ids(d)}.Decide(a)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	for _, e := range events {
		a = account.Evolve(a, e)
	}
	return a, events
}

func TestApplyAppendsOnlyTheDifferences(t *testing.T) {
	t.Parallel()
	opened, events := apply(t, account.Account{}, contoso)
	want := []domain.Event{
		account.Opened{AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "westeurope", Settings: settings},
		account.LicenseSaved{License: contoso.Licenses[0]},
		saved(contoso.People[0]),
		saved(contoso.People[1]),
		account.DocumentSaved{Name: "aiProvider", Text: `{"kind":"rules"}`},
		account.DocumentSaved{
			Name: "trackingSetup/" + workspace.String(),
			Text: `{"workspaceId":"` + workspace.String() + `","collectorBaseUrl":"https://pixies.example.com","size":4,"corner":"BottomRight","excludePages":["Draft*"]}`,
		},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events of a new account (-want +got):\n%s", diff)
	}

	for name, tt := range map[string]struct {
		change func(d *account.Declaration)
		want   []domain.Event
	}{
		"nothing":   {func(*account.Declaration) {}, nil},
		"plan":      {func(d *account.Declaration) { d.Plan = account.Business }, []domain.Event{account.PlanChanged{Plan: account.Business}}},
		"status":    {func(d *account.Declaration) { d.Status = account.Suspended }, []domain.Event{account.StatusChanged{Status: account.Suspended}}},
		"region":    {func(d *account.Declaration) { d.Region = "" }, []domain.Event{account.RegionChanged{}}},
		"settings":  {func(d *account.Declaration) { d.Settings.AddPixies = false }, []domain.Event{account.SettingsChanged{Settings: account.Settings{CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}}}},
		"allocated": {func(d *account.Declaration) { d.Licenses[0].Allocated = nil }, []domain.Event{account.LicenseSaved{License: account.License{ID: "lic-1", Label: "Analytics", Default: true, Status: account.LicenseActive}}}},
		"role":      {func(d *account.Declaration) { d.People[1].Role = account.Admin }, []domain.Event{saved(account.Person{Person: grace, Role: account.Admin})}},
		"order of people and no permissions is no difference": {func(d *account.Declaration) {
			d.People[0], d.People[1] = d.People[1], d.People[0]
			d.People[0].Permissions = map[item.Permission]item.Access{}
		}, nil},
		"a person who leaves": {func(d *account.Declaration) { d.People = d.People[:1] }, []domain.Event{account.PersonRemoved{Person: idOf(grace)}}},
		"the same name at another issuer is another person": {func(d *account.Declaration) { d.People[0].Person.Issuer = "https://login.example.com" }, []domain.Event{
			saved(account.Person{Person: item.Person{Issuer: "https://login.example.com", ID: "ada"}, Role: account.Admin, License: "lic-1", Permissions: contoso.People[0].Permissions}),
			account.PersonRemoved{Person: idOf(ada)},
		}},
		"a license replaced: nobody has one that is not there": {func(d *account.Declaration) { d.Licenses[0].ID, d.People[0].License = "lic-2", "lic-2" }, []domain.Event{
			account.LicenseSaved{License: account.License{ID: "lic-2", Label: "Analytics", Default: true, Allocated: &fifty, Status: account.LicenseActive}},
			saved(account.Person{Person: ada, Role: account.Admin, License: "lic-2", Permissions: contoso.People[0].Permissions}),
			account.LicenseRemoved{LicenseID: "lic-1"},
		}},
		"documents": {func(d *account.Declaration) { d.TrackingSetups, d.AIProvider = nil, nil }, []domain.Event{
			account.DocumentRemoved{Name: "aiProvider"}, account.DocumentRemoved{Name: "trackingSetup/" + workspace.String()},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, events := apply(t, opened, but(tt.change))
			if diff := cmp.Diff(tt.want, events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyRefusesAMalformedDeclaration(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(d *account.Declaration)
		member string // "" when the declaration is accepted
		says   string
	}{
		"as it is":              {func(*account.Declaration) {}, "", ""},
		"no id":                 {func(d *account.Declaration) { d.AccountID = "" }, "accountId", "1 to 64"},
		"id of 64":              {func(d *account.Declaration) { d.AccountID = strings.Repeat("a", 64) }, "", ""},
		"id of 65":              {func(d *account.Declaration) { d.AccountID = strings.Repeat("a", 65) }, "accountId", "1 to 64"},
		"id with every mark":    {func(d *account.Declaration) { d.AccountID = "A.z_0-9" }, "", ""},
		"id with a blank":       {func(d *account.Declaration) { d.AccountID = "con toso" }, "accountId", "1 to 64"},
		"id with a letter no":   {func(d *account.Declaration) { d.AccountID = "kärnten" }, "accountId", "1 to 64"},
		"unknown plan":          {func(d *account.Declaration) { d.Plan = "team" }, "plan", "Free, Team, Business, Enterprise"},
		"unknown status":        {func(d *account.Declaration) { d.Status = "" }, "status", "Active, Suspended, Closed"},
		"unknown copies":        {func(d *account.Declaration) { d.Settings.DefinitionCopies = "Keep" }, "settings.definitionCopies", "None, Keep30Days"},
		"long region":           {func(d *account.Declaration) { d.Region = strings.Repeat("r", 257) }, "region", "256"},
		"region with a line":    {func(d *account.Declaration) { d.Region = "west\neurope" }, "region", "control"},
		"region of bad UTF-8":   {func(d *account.Declaration) { d.Region = "\xff" }, "region", "UTF-8"},
		"license without an id": {func(d *account.Declaration) { d.Licenses[0].ID, d.People[0].License = "", "" }, "licenses[0].licenseId", "1 to 64"},
		"license twice": {func(d *account.Declaration) {
			d.Licenses = append(d.Licenses, account.License{ID: "lic-1", Status: "Active"})
		}, "licenses[1].licenseId", "twice"},
		"two defaults": {func(d *account.Declaration) {
			d.Licenses = append(d.Licenses, account.License{ID: "lic-2", Default: true, Status: "Active"})
		}, "licenses[1].default", `"lic-1" and "lic-2"`},
		"negative allocation":    {func(d *account.Declaration) { n := -1; d.Licenses[0].Allocated = &n }, "licenses[0].allocated", "negative"},
		"allocation of none":     {func(d *account.Declaration) { n := 0; d.Licenses[0].Allocated = &n }, "", ""},
		"unknown license status": {func(d *account.Declaration) { d.Licenses[0].Status = "Closed" }, "licenses[0].status", "Active, Suspended, Expired"},
		"unknown provisioning":   {func(d *account.Declaration) { d.Licenses[0].ProvisioningStatus = "Ready" }, "licenses[0].provisioningStatus", "Provisioning, Provisioned, Failed"},
		"unknown residency":      {func(d *account.Declaration) { d.Licenses[0].DataResidency = "Lake" }, "licenses[0].dataResidency", "Service, CustomerLake, CustomerStorage"},
		"nobody":                 {func(d *account.Declaration) { d.People[0].Person.ID = "" }, "people[0].person", "subject"},
		"person twice":           {func(d *account.Declaration) { d.People[1].Person = ada }, "people[1].person", "twice"},
		"issuer no address":      {func(d *account.Declaration) { d.People[1].Person.Issuer = "login.example.com" }, "people[1].issuer", "absolute"},
		"issuer with password":   {func(d *account.Declaration) { d.People[1].Person.Issuer = "https://a:b@example.com" }, "people[1].issuer", "credentials"},
		"unknown role":           {func(d *account.Declaration) { d.People[0].Role = "owner" }, "people[0].role", "admin, member"},
		"license of nobody":      {func(d *account.Declaration) { d.People[1].License = "lic-9" }, "people[1].license", `no license "lic-9"`},
		"unknown permission": {func(d *account.Declaration) {
			d.People[0].Permissions = map[item.Permission]item.Access{"views": item.Granted}
		}, "people[0].permissions", "platform, usage, storage, agent"},
		"unknown access": {func(d *account.Declaration) {
			d.People[0].Permissions = map[item.Permission]item.Access{item.PermissionUsage: "Yes"}
		}, "people[0].permissions.usage", "Granted, ConsentRequired, Unavailable"},
		"too many people":      {func(d *account.Declaration) { d.Plan = account.Free }, "people", "room for 1"},
		"no workspace":         {func(d *account.Declaration) { d.TrackingSetups[0].WorkspaceID = uuid.Nil }, "trackingSetups[0].workspaceId", "UUID"},
		"workspace twice":      {func(d *account.Declaration) { d.TrackingSetups = append(d.TrackingSetups, d.TrackingSetups[0]) }, "trackingSetups[1].workspaceId", "two"},
		"collector no address": {func(d *account.Declaration) { d.TrackingSetups[0].CollectorBaseURL = "ftp://x" }, "trackingSetups[0].collectorBaseUrl", "absolute"},
		"Pixie of 64":          {func(d *account.Declaration) { d.TrackingSetups[0].Size = 64 }, "", ""},
		"Pixie of 65":          {func(d *account.Declaration) { d.TrackingSetups[0].Size = 65 }, "trackingSetups[0].size", "1 to 64"},
		"unknown corner":       {func(d *account.Declaration) { d.TrackingSetups[0].Corner = "Middle" }, "trackingSetups[0].corner", "TopLeft"},
		"blank pattern":        {func(d *account.Declaration) { d.TrackingSetups[0].ExcludePages = []string{""} }, "trackingSetups[0].excludePages[0]", "blank"},
		"unknown provider":     {func(d *account.Declaration) { d.AIProvider = &account.AIProvider{Kind: "oracle"} }, "aiProvider.kind", "rules"},
		"provider nowhere": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.OpenAICompatible, Model: "small"}
		}, "aiProvider.baseUrl", "must be given"},
		"provider without a model": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.Anthropic}
		}, "aiProvider.model", "must be given"},
		"no data agent": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.DataAgent, WorkspaceID: workspace}
		}, "aiProvider.dataAgentId", "UUID"},
		"a data agent": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.DataAgent, WorkspaceID: workspace, DataAgentID: workspace}
		}, "", ""},
		"key in the file": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.OpenAI, Model: "large", APIKeyEnv: "sk-live-0123"}
		}, "aiProvider.apiKeyEnv", "environment variable"},
		"key in clear": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.OpenAICompatible, Model: "small", BaseURL: "http://models.example/v1", APIKeyEnv: "MODELS_KEY"}
		}, "aiProvider.baseUrl", "https"},
		"key to this machine": {func(d *account.Declaration) {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.OpenAICompatible, Model: "small", BaseURL: "http://localhost:11434/v1", APIKeyEnv: "MODELS_KEY"}
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := account.Apply{Declaration: but(tt.change), Plans: account.DefaultPlans(), IDs: ids(but(tt.change))}.Decide(account.Account{})
			if tt.member == "" {
				if err != nil || len(events) == 0 {
					t.Errorf("got %d events, error %v, want it accepted", len(events), err)
				}
				return
			}
			refusal, ok := domain.Refused(err)
			if !ok || refusal.Code != domain.InvalidRequest || len(events) != 0 {
				t.Fatalf("got %d events, error %v, want InvalidRequest and no event", len(events), err)
			}
			if got := (domain.Param{Name: "member", Value: tt.member}); len(refusal.Params) != 1 || refusal.Params[0] != got {
				t.Errorf("got parameters %v, want %v", refusal.Params, got)
			}
			if !strings.Contains(refusal.Message, tt.says) {
				t.Errorf("got message %q, want it to say %q", refusal.Message, tt.says)
			}
			if strings.Contains(refusal.Message, "sk-live") {
				t.Errorf("message %q repeats the key", refusal.Message)
			}
		})
	}
}

func TestApplyToAnotherAccount(t *testing.T) {
	t.Parallel()
	other, _ := apply(t, account.Account{}, but(func(d *account.Declaration) { d.AccountID = "fabrikam" }))
	events, err := account.Apply{Declaration: contoso, Plans: account.DefaultPlans()}.Decide(other)
	if !domain.IsRefused(err, domain.InvalidRequest) || len(events) != 0 {
		t.Errorf("got %v, error %v, want InvalidRequest and no event", events, err)
	}
}

// declarations draws well-formed declarations of one account.
func declarations() *rapid.Generator[account.Declaration] {
	return rapid.Custom(func(t *rapid.T) account.Declaration {
		text := rapid.SampledFrom([]string{"", "x", "westeurope", "Größe"})
		access := rapid.MapOf(
			rapid.SampledFrom([]item.Permission{item.PermissionPlatform, item.PermissionUsage, item.PermissionStorage, item.PermissionAgent}),
			rapid.SampledFrom([]item.Access{item.Granted, item.ConsentRequired, item.Unavailable}))
		d := account.Declaration{
			AccountID: "contoso",
			Plan:      rapid.SampledFrom([]account.Plan{account.Team, account.Business, account.Enterprise}).Draw(t, "plan"),
			Status:    rapid.SampledFrom([]account.Status{account.Active, account.Suspended, account.Closed}).Draw(t, "status"),
			Region:    text.Draw(t, "region"),
			Settings: account.Settings{
				AddPixies: rapid.Bool().Draw(t, "pixies"), AIFeatures: rapid.Bool().Draw(t, "ai"),
				DefinitionCopies: rapid.SampledFrom([]account.Copies{account.CopiesNone, account.CopiesKeep30Days}).Draw(t, "copies"),
			},
		}
		licenses := []string{""}
		primary := rapid.IntRange(-1, 3).Draw(t, "default")
		for i, id := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 4, rapid.ID[string]).Draw(t, "licenses") {
			l := account.License{ID: id, Label: text.Draw(t, "label"), Default: i == primary, Status: account.LicenseActive}
			if rapid.Bool().Draw(t, "allocates") {
				n := rapid.IntRange(0, 9).Draw(t, "allocated")
				l.Allocated = &n
			}
			d.Licenses, licenses = append(d.Licenses, l), append(licenses, id)
		}
		who := rapid.Custom(func(t *rapid.T) item.Person {
			return item.Person{Issuer: rapid.SampledFrom([]string{"", "https://a.example"}).Draw(t, "issuer"), ID: rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "id")}
		})
		for _, p := range rapid.SliceOfNDistinct(who, 0, 5, rapid.ID[item.Person]).Draw(t, "people") {
			d.People = append(d.People, account.Person{
				Person: p, Role: rapid.SampledFrom([]account.Role{account.Admin, account.Member}).Draw(t, "role"),
				License: rapid.SampledFrom(licenses).Draw(t, "license"), Permissions: access.Draw(t, "permissions"),
			})
		}
		for _, n := range rapid.SliceOfNDistinct(rapid.Byte(), 0, 3, rapid.ID[byte]).Draw(t, "workspaces") {
			d.TrackingSetups = append(d.TrackingSetups, account.TrackingSetup{WorkspaceID: uuid.UUID{15: n, 0: 1}, Size: rapid.IntRange(0, 4).Draw(t, "size")})
		}
		if rapid.Bool().Draw(t, "has provider") {
			d.AIProvider = &account.AIProvider{Kind: aiprovider.Rules, Name: text.Draw(t, "name")}
		}
		return d
	})
}

// Applying a declaration makes any account match it, and applying it again does
// nothing.
func TestApplyIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := declarations().Draw(t, "a"), declarations().Draw(t, "b")
		before, _ := apply(t, account.Account{}, a)
		after, _ := apply(t, before, b)
		direct, _ := apply(t, account.Account{}, b)
		people := cmp.Transformer("All", func(p account.People) map[item.PersonID]account.SavedPerson { return maps.Collect(p.All()) })
		if diff := cmp.Diff(direct, after, cmpopts.EquateEmpty(), people); diff != "" {
			t.Fatalf("account after both (-applied directly +applied after another):\n%s", diff)
		}
		if _, again := apply(t, after, b); len(again) != 0 {
			t.Fatalf("applied again: got %v, want nothing", again)
		}
		_, first := apply(t, before, b)
		_, second := apply(t, before, b)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("two applications differ:\n%s", diff)
		}
	})
}
