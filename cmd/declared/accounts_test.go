package declared_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/cmd/declared"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
	"readiness/test/samples"
)

const everyMember = `# every member of an account
accounts:
  - accountId: contoso
    plan: Business
    status: Suspended
    region: westeurope
    settings:
      addPixies: false
      capacityDetails: false
      aiFeatures: false
      definitionCopies: Keep30Days
      fabricWrites: true
    licenses:
      - licenseId: lic-1
        label: "Analytics: main"
        default: true
        allocated: 50
        region: westeurope
        status: Expired
        provisioningStatus: Failed
        dataResidency: CustomerLake
        capacityRequired: true
    people:
      - person: "0815"
        issuer: https://login.example.com/v2
        role: admin
        license: lic-1
        permissions: {platform: Granted, usage: ConsentRequired}
    trackingSetups:
      - workspaceId: 6F1C2F3A-8F0E-4A53-9D4E-0D1A3C5B7E90
        collectorBaseUrl: https://pixies.example.com
        size: 2
        corner: TopLeft
        excludePages: ["Draft*", Notes]
    aiProvider:
      kind: openai_compatible
      name: local
      baseUrl: http://127.0.0.1:11434/v1
      model: small
      apiKeyEnv: LOCAL_AI_KEY
  - accountId: fabrikam
    plan: Free
    region: # no value
    aiProvider: {kind: data_agent, workspaceId: 6F1C2F3A-8F0E-4A53-9D4E-0D1A3C5B7E90, dataAgentId: 0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90}
  - accountId: northwind
    plan: Free
    aiProvider: {kind: azure_openai, baseUrl: "https://northwind.example", model: texts, apiVersion: 2026-05-01-preview, entra: {credential: managedIdentity, clientId: 0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90}}
  - accountId: tailspin
    plan: Free
    aiProvider: {kind: azure_openai, baseUrl: "https://tailspin.example", model: texts, apiKeyEnv: SECRET, entra: {credential: clientSecret, tenantId: tailspin.example, clientId: 0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90}}
`

func parse(src string) ([]account.Declaration, error) {
	return declared.Parse("accounts.yaml", []byte(src), account.DefaultPlans(), nil)
}

// proves: decisions/8/2
func TestParseReadsEveryMember(t *testing.T) {
	t.Parallel()
	fifty := 50
	want := []account.Declaration{
		{
			AccountID: "contoso", Plan: account.Business, Status: account.Suspended, Region: "westeurope",
			Settings: account.Settings{DefinitionCopies: account.CopiesKeep30Days, FabricWrites: true},
			Licenses: []account.License{{ID: "lic-1", Label: "Analytics: main", Default: true, Allocated: &fifty, Region: "westeurope", Status: account.LicenseExpired,
				ProvisioningStatus: account.ProvisioningFailed, DataResidency: account.InCustomerLake, CapacityRequired: true}},
			People: []account.Person{{
				Person: item.Person{Issuer: "https://login.example.com/v2", ID: "0815"}, Role: account.Admin, License: "lic-1",
				Permissions: map[item.Permission]item.Access{item.PermissionPlatform: item.Granted, item.PermissionUsage: item.ConsentRequired},
			}},
			TrackingSetups: []account.TrackingSetup{{
				WorkspaceID: uuid.MustParse("6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90"), CollectorBaseURL: "https://pixies.example.com",
				Size: 2, Corner: account.TopLeft, ExcludePages: []string{"Draft*", "Notes"},
			}},
			AIProvider: &account.AIProvider{Kind: aiprovider.OpenAICompatible, Name: "local", BaseURL: "http://127.0.0.1:11434/v1", Model: "small", APIKeyEnv: "LOCAL_AI_KEY"},
		},
		{
			AccountID: "fabrikam", Plan: account.Free, Status: account.Active,
			Settings: account.Settings{AddPixies: true, CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
			AIProvider: &account.AIProvider{
				Kind: aiprovider.DataAgent, WorkspaceID: uuid.MustParse("6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90"), DataAgentID: uuid.MustParse("0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"),
			},
		},
		{
			AccountID: "northwind", Plan: account.Free, Status: account.Active,
			Settings: account.Settings{AddPixies: true, CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
			AIProvider: &account.AIProvider{Kind: aiprovider.AzureOpenAI, BaseURL: "https://northwind.example", Model: "texts", APIVersion: "2026-05-01-preview",
				Entra: &aiprovider.Entra{Credential: aiprovider.ManagedIdentity, ClientID: "0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"}},
		},
		{
			AccountID: "tailspin", Plan: account.Free, Status: account.Active,
			Settings: account.Settings{AddPixies: true, CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone},
			AIProvider: &account.AIProvider{Kind: aiprovider.AzureOpenAI, BaseURL: "https://tailspin.example", Model: "texts", APIKeyEnv: "SECRET",
				Entra: &aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: "tailspin.example", ClientID: "0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"}},
		},
	}
	got, err := parse(everyMember)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("declarations (-want +got):\n%s", diff)
	}
}

func TestParseReportsEachProblem(t *testing.T) {
	t.Parallel()
	const head = "accounts:\n  - accountId: contoso\n    plan: Team\n" // lines 1 to 3
	for name, tt := range map[string]struct{ src, want string }{
		"empty":               {"", "accounts.yaml: must hold one YAML document with the member accounts"},
		"only a comment":      {"# later\n", "accounts.yaml: must hold one YAML document with the member accounts"},
		"no account":          {"accounts: []\n", "accounts.yaml:1:1: accounts: must declare at least one account"},
		"two documents":       {head + "---\n" + head, "accounts.yaml: must hold one YAML document with the member accounts"},
		"a list":              {"- accounts\n", `accounts.yaml:1:1: must be a mapping of members, not sequence`},
		"unknown at the top":  {"account:\n  - a\n", `accounts.yaml:1:1: account: unknown member; the closest is "accounts"`},
		"unknown member":      {head + "    setings: {}\n", `accounts.yaml:4:5: accounts[0].setings: unknown member; the closest is "settings"`},
		"unknown nested":      {head + "    people:\n      - person: ada\n        rôle: admin\n", `accounts.yaml:6:9: accounts[0].people[0].rôle: unknown member; the closest is "role"`},
		"member twice":        {head + "    plan: Free\n", `accounts.yaml:4:5: mapping key "plan" already defined at [3:5]`},
		"id twice":            {head + "  - {accountId: contoso, plan: Free}\n", `accounts.yaml:4:6: accounts[1].accountId: account "contoso" is declared at accounts[0] already`},
		"number as text":      {head + "    region: 12\n", `accounts.yaml:4:13: accounts[0].region: must be text (in quotes, if it looks like something else), not integer`},
		"text as number":      {head + "    licenses: [{licenseId: a, allocated: many}]\n", `accounts.yaml:4:42: accounts[0].licenses[0].allocated: must be an integer, not string`},
		"fraction as number":  {head + "    licenses: [{licenseId: a, allocated: 1.5}]\n", `accounts.yaml:4:42: accounts[0].licenses[0].allocated: must be an integer, not float`},
		"huge number":         {head + "    licenses: [{licenseId: a, allocated: 3000000000}]\n", `accounts.yaml:4:42: accounts[0].licenses[0].allocated: must be an integer below 2147483648, not integer`},
		"text as switch":      {head + "    settings: {addPixies: yes please}\n", `accounts.yaml:4:27: accounts[0].settings.addPixies: must be true or false, not string`},
		"one as a list":       {head + "    people: ada\n", `accounts.yaml:4:13: accounts[0].people: must be a list, not string`},
		"list as one":         {head + "    settings: [a]\n", `accounts.yaml:4:15: accounts[0].settings: must be a mapping of members, not sequence`},
		"an alias":            {"accounts:\n  - &a {accountId: x, plan: Free}\n  - *a\n", "accounts.yaml:2:5: accounts[0]: must be a mapping of members, not anchor, which this file may not use\naccounts.yaml:3:5: accounts[1]: must be a mapping of members, not alias, which this file may not use"},
		"a merge key":         {head + "    <<: {status: Active}\n", `accounts.yaml:4:5: accounts[0]: "<<" cannot name a member`},
		"a tag":               {head + "    region: !!str x\n", `accounts.yaml:4:13: accounts[0].region: must be text (in quotes, if it looks like something else), not tag, which this file may not use`},
		"unknown plan":        {"accounts:\n  - accountId: contoso\n    plan: Busines5\n", `accounts.yaml:3:5: accounts[0].plan: must be one of Free, Team, Business, Enterprise, not "Busines5"; the closest is "Business"`},
		"no plan":             {"accounts:\n  - accountId: contoso\n", `accounts.yaml:2:5: accounts[0].plan: must be one of Free, Team, Business, Enterprise`},
		"unknown license":     {head + "    licenses: [{licenseId: main}]\n    people:\n      - person: ada\n        license: mian\n", `accounts.yaml:7:9: accounts[0].people[0].license: the account declares no license "mian"; the closest is "main"`},
		"unknown permission":  {head + "    people:\n      - person: ada\n        permissions:\n          usge: Granted\n", `accounts.yaml:7:11: accounts[0].people[0].permissions.usge: must be one of platform, usage, storage, agent, not "usge"; the closest is "usage"`},
		"unknown access":      {head + "    people:\n      - person: ada\n        permissions:\n          usage: Grant\n", `accounts.yaml:7:11: accounts[0].people[0].permissions.usage: must be one of Granted, ConsentRequired, Unavailable, not "Grant"; the closest is "Granted"`},
		"workspace no id":     {head + "    trackingSetups:\n      - workspaceId: sales\n", `accounts.yaml:5:9: accounts[0].trackingSetups[0].workspaceId: must be the workspace's id, a UUID`},
		"workspace in braces": {head + "    trackingSetups:\n      - workspaceId: \"{6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90}\"\n", `accounts.yaml:5:9: accounts[0].trackingSetups[0].workspaceId: must be the workspace's id, a UUID`},
		"no model":            {head + "    aiProvider:\n      kind: openai\n", `accounts.yaml:4:5: accounts[0].aiProvider.model: must be given for kind openai`},
		"no endpoint":         {head + "    aiProvider:\n      kind: azure_openai\n      model: texts\n", `accounts.yaml:4:5: accounts[0].aiProvider.baseUrl: must be given for kind azure_openai`},
		"agent nowhere": {head + "    aiProvider:\n      kind: data_agent\n      dataAgentId: sales\n", "accounts.yaml:4:5: accounts[0].aiProvider.workspaceId: must be the id of the data agent's workspace, a UUID\n" +
			"accounts.yaml:6:7: accounts[0].aiProvider.dataAgentId: must be the data agent's id, a UUID"},
		"everything at once": {"accounts:\n  - accountId: a b\n    plan: Team\n    status: active\n  - accountId: c\n    plan: Gold\n", "accounts.yaml:2:5: accounts[0].accountId: must be 1 to 64 of the characters A-Z a-z 0-9 . _ -\n" +
			`accounts.yaml:4:5: accounts[0].status: must be one of Active, Suspended, Closed, not "active"; the closest is "Active"` + "\n" +
			`accounts.yaml:6:5: accounts[1].plan: must be one of Free, Team, Business, Enterprise, not "Gold"; the closest is "Free"`},
		"bad indentation":    {"accounts:\n  - accountId: a\n   plan: Team\n", "accounts.yaml:3:4: "},
		"open quote":         {head + "    region: \"west\n", "accounts.yaml:4:13: "},
		"nested without end": {"accounts: " + strings.Repeat("[", 1<<20), "accounts.yaml:1:43: nested more than 32 levels deep"},
		"too large":          {strings.Repeat("#", declared.MaxBytes+1), "accounts.yaml: the file has 4194305 bytes; at most 4194304 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(tt.src)
			if err == nil || got != nil {
				t.Fatalf("got %v, error %v, want an error and no declaration", got, err)
			}
			if message := err.Error(); message != tt.want && !(strings.HasSuffix(tt.want, ": ") && strings.HasPrefix(message, tt.want)) {
				t.Errorf("got error\n%s\nwant\n%s", message, tt.want)
			}
			if _, ok := errors.AsType[*declared.Error](err); !ok {
				t.Errorf("error %T holds no *accounts.Error", err)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	names, ids := map[item.PersonID]item.Person{}, map[item.Person]item.PersonID{}
	decide := func(a account.Account, src string) []domain.Event {
		d, err := parse(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d[0].People {
			ids[p.Person] = item.FormerPersonID(p.Person)
			names[ids[p.Person]] = p.Person
		}
		events, err := account.Apply{Declaration: d[0], Plans: account.DefaultPlans(), IDs: ids}.Decide(a)
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	events := decide(account.Account{}, everyMember)
	want := []string{
		"+ account contoso: plan Business, region westeurope, settings.addPixies false, settings.aiFeatures false, settings.capacityDetails false, settings.definitionCopies Keep30Days, settings.fabricWrites true, status Suspended",
		"+ license lic-1: allocated 50, capacityRequired true, dataResidency CustomerLake, default true, label Analytics: main, provisioningStatus Failed, region westeurope, status Expired",
		"+ person 0815 of https://login.example.com/v2: license lic-1, permissions.platform Granted, permissions.usage ConsentRequired, role admin",
		"+ aiProvider: apiKeyEnv LOCAL_AI_KEY, baseUrl http://127.0.0.1:11434/v1, kind openai_compatible, model small, name local",
		`+ tracking setup of workspace 6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90: collectorBaseUrl https://pixies.example.com, corner TopLeft, excludePages ["Draft*","Notes"], size 2`,
	}
	if diff := cmp.Diff(want, declared.Describe(account.Account{}, events, names)); diff != "" {
		t.Errorf("a new account (-want +got):\n%s", diff)
	}
	var a account.Account
	for _, e := range events {
		a = account.Evolve(a, e)
	}
	events = decide(a, `accounts:
  - accountId: contoso
    plan: Team
    settings: {addPixies: false, capacityDetails: false, aiFeatures: true, definitionCopies: Keep30Days, fabricWrites: true}
    licenses: [{licenseId: lic-1, label: "Analytics: main", default: true, status: Expired, provisioningStatus: Provisioned, dataResidency: Service}]
    people:
      - {person: "0815", issuer: https://login.example.com/v2, license: lic-1, permissions: {usage: Granted}}
      - {person: ada}
    aiProvider: {kind: rules}
`)
	want = []string{
		"~ plan: Business -> Team",
		"~ status: Suspended -> Active",
		"~ region: westeurope -> (none)",
		"~ settings: aiFeatures false -> true",
		"~ license lic-1: allocated 50 -> (none), capacityRequired true -> (none), dataResidency CustomerLake -> (none), provisioningStatus Failed -> (none), region westeurope -> (none)",
		"+ person ada: role member",
		"~ person 0815 of https://login.example.com/v2: permissions.platform Granted -> (none), permissions.usage ConsentRequired -> Granted, role admin -> member",
		"~ aiProvider: apiKeyEnv LOCAL_AI_KEY -> (none), baseUrl http://127.0.0.1:11434/v1 -> (none), kind openai_compatible -> rules, model small -> (none), name local -> (none)",
		"- tracking setup of workspace 6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90",
	}
	if diff := cmp.Diff(want, declared.Describe(a, events, names)); diff != "" {
		t.Errorf("a changed account (-want +got):\n%s", diff)
	}
	agent := []domain.Event{account.DocumentSaved{Name: account.AIProviderDocument, Text: `{"kind":"data_agent","workspaceId":"w","dataAgentId":"a"}`}}
	if diff := cmp.Diff([]string{"+ aiProvider: dataAgentId a, kind data_agent, workspaceId w"}, declared.Describe(account.Account{}, agent, nil)); diff != "" {
		t.Errorf("a data agent (-want +got):\n%s", diff)
	}
	gone := []domain.Event{account.PersonRemoved{Person: ids[item.Person{ID: "ada"}]}, account.PersonRemoved{Person: "7f"}, account.LicenseRemoved{LicenseID: "lic-1"}}
	if diff := cmp.Diff([]string{"- person ada", "- person 7f (erased)", "- license lic-1"}, declared.Describe(a, gone, names)); diff != "" {
		t.Errorf("removals (-want +got):\n%s", diff)
	}
}

// An account names a file of rules, in the folder of the accounts file or below.
func TestRulesOfAnAccount(t *testing.T) {
	t.Parallel()
	const plain = "version: 1\nown:\n  - id: CON-01\n    title: No format\n    scope: measure\n    when: measure.formatString == \"\"\n    message: set one\n"
	scored := strings.Replace(plain, "version: 1", "version: 1\nname: contoso", 1) + "    dimension: measures\n"
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"plain.yaml": plain, "teams/scored.yaml": scored, "off.yaml": "rules: {NAM-01: off}\n", "both.yaml": "rules: {NAM-01: off}\n" + scored,
		"member.yaml": strings.ReplaceAll(plain, "formatString", "formatStrin"), "syntax.yaml": "own: [\n", "unknown.yaml": "rules: {NAM-99: off}\n",
		"constant.yaml": strings.ReplaceAll(plain, `measure.formatString == ""`, `"1 > 0"`), "large.yaml": "# " + strings.Repeat("x", 300<<10), "empty.yaml": "",
		"nested.yaml": strings.ReplaceAll(plain, `measure.formatString == ""`, "model.tables.all(a, model.tables.all(b, model.tables.all(c, model.tables.all(d, a == d))))"),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	parse := func(name string) ([]account.Declaration, error) {
		return declared.Parse("etc/accounts.yaml", []byte("accounts:\n  - accountId: contoso\n    plan: Team\n    rules: "+name+"\n"), account.DefaultPlans(), files)
	}
	for name, want := range map[string]string{
		"plain.yaml": `^\+$`, "teams/scored.yaml": `^\+contoso@[0-9a-f]{8}$`, "off.yaml": `^\+[0-9a-f]{8}$`, "both.yaml": `^\+contoso@[0-9a-f]{8}$`,
	} {
		got, err := parse(name)
		if err != nil {
			t.Fatal(name, err)
		}
		var w ownrules.Written
		if err := json.Unmarshal([]byte(got[0].Rules), &w); err != nil {
			t.Fatal(name, err)
		}
		made, problems, err := w.Regime(readiness.Current())
		if err != nil || problems != nil || "+"+strings.TrimPrefix(strings.TrimPrefix(made.ID, readiness.RegimeID), "+") != got[0].Settings.Rules || !regexp.MustCompile(want).MatchString(got[0].Settings.Rules) {
			t.Errorf("%s: got regime %+v, %v, %v of %q, want %s", name, made, problems, err, got[0].Settings.Rules, want)
		}
		if len(w.Own) > 0 && (w.Own[0].File != name || w.Own[0].Line == 0) {
			t.Errorf("%s: the rule is at %s:%d", name, w.Own[0].File, w.Own[0].Line)
		}
	}
	for name, want := range map[string]string{
		"missing.yaml":    "etc/accounts.yaml:4:5: accounts[0].rules: the rules file cannot be read: open missing.yaml: file does not exist",
		"../plain.yaml":   `etc/accounts.yaml:4:5: accounts[0].rules: must be the path of a rules file in the folder of this file or below`,
		"/etc/plain.yaml": `etc/accounts.yaml:4:5: accounts[0].rules: must be the path of a rules file`,
		"teams":           "etc/accounts.yaml:4:5: accounts[0].rules: the rules file cannot be read: ",
		"member.yaml":     `etc/member.yaml:6:18: own[0].when: there is no member "formatStrin" here`,
		"constant.yaml":   `etc/constant.yaml:6:12: own[0].when: is the same for every object`,
		"nested.yaml":     `etc/nested.yaml:6:87: own[0].when: comprehension exceeds nesting limit`,
		"syntax.yaml":     "etc/syntax.yaml:1:6: ",
		"unknown.yaml":    `etc/unknown.yaml:1:9: rules.NAM-99: 2027-01 has no such rule`,
		"large.yaml":      "etc/large.yaml: the file has 262145 bytes or more; at most 262144 are read",
		"empty.yaml":      "etc/empty.yaml: must hold one YAML document",
		"[plain.yaml]":    "etc/accounts.yaml:4:12: accounts[0].rules: must be text",
	} {
		if got, err := parse(name); got != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %s", name, got, err, want)
		}
	}
}

// Whatever the bytes, parsing does not panic. It returns either declarations that can be applied, and that change
// nothing when applied again, or errors that name the file.
func FuzzParse(f *testing.F) {
	f.Add(everyMember)
	f.Add(string(samples.Text(f, "accounts.yaml")))
	f.Add("accounts: [{accountId: a, plan: Free}]")
	f.Add("accounts:\n  - &a !!map {<<: *a}\n...\n---\n? [x]\n: |\n  y")
	f.Fuzz(func(t *testing.T, src string) {
		declarations, err := parse(src)
		if err != nil {
			if declarations != nil || !strings.HasPrefix(err.Error(), "accounts.yaml") {
				t.Fatalf("got %v and error %v", declarations, err)
			}
			return
		}
		for _, d := range declarations {
			ids := map[item.Person]item.PersonID{}
			for _, p := range d.People {
				ids[p.Person] = item.FormerPersonID(p.Person)
			}
			apply := account.Apply{Declaration: d, Plans: account.DefaultPlans(), IDs: ids}
			events, err := apply.Decide(account.Account{})
			if err != nil {
				t.Fatal(fmt.Errorf("parsed, but refused: %w", err))
			}
			var a account.Account
			for _, e := range events {
				a = account.Evolve(a, e)
			}
			if again, err := apply.Decide(a); err != nil || len(again) > 0 {
				t.Fatalf("applied again: %+v, %v", again, err)
			}
		}
	})
}
