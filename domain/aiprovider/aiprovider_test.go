package aiprovider_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

var (
	noon      = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	workspace = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000001")
	analyst   = uuid.MustParse("bbbbbbbb-0000-4000-8000-000000000001")
)

// local returns the configuration of a server without a key.
func local() aiprovider.Configuration {
	return aiprovider.Configuration{
		ProviderID: "one", Name: "Local", Kind: aiprovider.OpenAICompatible, BaseURL: "https://models.example/v1", Model: "small",
		Purposes: aiprovider.OpenAICompatible.Purposes(), Enabled: true, DataPolicy: aiprovider.DataPolicy{SendDAX: true}, Limits: aiprovider.DefaultLimits(),
	}
}

// vendor returns a configuration that needs a key.
func vendor() aiprovider.Configuration {
	c := local()
	c.ProviderID, c.Name, c.Kind, c.BaseURL, c.Model = "two", "Vendor", aiprovider.OpenAI, "", "large"
	return c
}

func agent() aiprovider.Configuration {
	c := local()
	c.ProviderID, c.Name, c.Kind, c.BaseURL, c.Model = "three", "Analyst", aiprovider.DataAgent, "", ""
	c.WorkspaceID, c.DataAgentID, c.Purposes = workspace, analyst, []aiprovider.Purpose{aiprovider.Agent}
	return c
}

// after folds the commands' events. No command may be refused.
func after(t *testing.T, s aiprovider.Providers, commands ...domain.Command[aiprovider.Providers]) aiprovider.Providers {
	t.Helper()
	for _, c := range commands {
		events, err := c.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s = aiprovider.Evolve(s, e)
		}
	}
	return s
}

func find(t *testing.T, s aiprovider.Providers, id string) aiprovider.Provider {
	t.Helper()
	p, ok := s.Find(id)
	if !ok {
		t.Fatalf("there is no provider %s", id)
	}
	return p
}

// refused wants no events and a refusal that names the parameter.
func refused(t *testing.T, s aiprovider.Providers, c domain.Command[aiprovider.Providers], code domain.Code, name, value string) {
	t.Helper()
	events, err := c.Decide(s)
	r, ok := domain.Refused(err)
	if !ok || r.Code != code || len(events) > 0 {
		t.Fatalf("got %v and error %v, want %s", events, err, code)
	}
	for _, p := range r.Params {
		if p.Name == name && p.Value == value {
			return
		}
	}
	t.Errorf("%q is about %v, want %s %s", r.Message, r.Params, name, value)
}

func TestSave(t *testing.T) {
	t.Parallel()
	saw := aiprovider.Observation{
		Test:         aiprovider.Test{At: noon, OK: true, LatencyMs: 7, Message: "It answers."},
		Capabilities: &aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: new(true)},
	}
	c := local()
	c.Name, c.Purposes = "  Local ", []aiprovider.Purpose{aiprovider.Judge, aiprovider.Proposals, aiprovider.Judge}
	s := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: c, HasKey: true, Observed: &saw, At: noon}, aiprovider.Save{Configuration: vendor(), At: noon})
	want := aiprovider.Provider{
		Configuration: local(), HasKey: true, KeyChanges: 1, Capabilities: *saw.Capabilities, LastTest: &saw.Test, CreatedAt: noon, ChangedAt: noon,
	}
	want.Purposes = []aiprovider.Purpose{aiprovider.Proposals, aiprovider.Judge}
	if diff := cmp.Diff(want, find(t, s, "one")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p := find(t, s, "two"); p.HasKey || p.Askable() || p.LastTest != nil || p.Capabilities.JSONSchema != aiprovider.Unknown {
		t.Errorf("got %+v, want no key and nothing seen", p)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 257)
	for name, tt := range map[string]struct {
		from   aiprovider.Configuration
		change func(*aiprovider.Save)
		member string
	}{
		"blank name":              {local(), func(s *aiprovider.Save) { s.Configuration.Name = " \t" }, "name"},
		"long name":               {local(), func(s *aiprovider.Save) { s.Configuration.Name = long }, "name"},
		"name of two lines":       {local(), func(s *aiprovider.Save) { s.Configuration.Name = "a\nb" }, "name"},
		"the embedded kind":       {local(), func(s *aiprovider.Save) { s.Configuration.Kind = aiprovider.Rules }, "kind"},
		"no kind":                 {local(), func(s *aiprovider.Save) { s.Configuration.Kind = "" }, "kind"},
		"unknown kind":            {local(), func(s *aiprovider.Save) { s.Configuration.Kind = "oracle" }, "kind"},
		"no address":              {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "" }, "baseUrl"},
		"address of Azure":        {local(), func(s *aiprovider.Save) { s.Configuration.Kind, s.Configuration.BaseURL = aiprovider.AzureOpenAI, "" }, "baseUrl"},
		"relative address":        {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "models.example/v1" }, "baseUrl"},
		"another scheme":          {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "file:///etc/passwd" }, "baseUrl"},
		"credentials":             {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "https://me:key@models.example" }, "baseUrl"},
		"query":                   {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "https://models.example?key=1" }, "baseUrl"},
		"no host":                 {local(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "http://:80/v1" }, "baseUrl"},
		"no model":                {vendor(), func(s *aiprovider.Save) { s.Configuration.Model = "" }, "model"},
		"version of no Azure":     {local(), func(s *aiprovider.Save) { s.Configuration.APIVersion = "v" }, "apiVersion"},
		"agent of a model":        {local(), func(s *aiprovider.Save) { s.Configuration.DataAgentID = analyst }, "dataAgentId"},
		"no agent":                {agent(), func(s *aiprovider.Save) { s.Configuration.DataAgentID = uuid.Nil }, "dataAgentId"},
		"no workspace":            {agent(), func(s *aiprovider.Save) { s.Configuration.WorkspaceID = uuid.Nil }, "workspaceId"},
		"address of an agent":     {agent(), func(s *aiprovider.Save) { s.Configuration.BaseURL = "https://models.example" }, "baseUrl"},
		"model of an agent":       {agent(), func(s *aiprovider.Save) { s.Configuration.Model = "m" }, "model"},
		"key of an agent":         {agent(), func(s *aiprovider.Save) { s.HasKey = true }, "apiKey"},
		"an agent that judges":    {agent(), func(s *aiprovider.Save) { s.Configuration.Purposes = []aiprovider.Purpose{aiprovider.Judge} }, "purposes"},
		"unknown purpose":         {local(), func(s *aiprovider.Save) { s.Configuration.Purposes = []aiprovider.Purpose{"Chat"} }, "purposes"},
		"nothing at once":         {local(), func(s *aiprovider.Save) { s.Configuration.Limits.MaxConcurrency = 0 }, "limits.maxConcurrency"},
		"too much at once":        {local(), func(s *aiprovider.Save) { s.Configuration.Limits.MaxConcurrency = 17 }, "limits.maxConcurrency"},
		"no time":                 {local(), func(s *aiprovider.Save) { s.Configuration.Limits.TimeoutMs = 999 }, "limits.timeoutMs"},
		"too much time":           {local(), func(s *aiprovider.Save) { s.Configuration.Limits.TimeoutMs = 280_001 }, "limits.timeoutMs"},
		"negative retries":        {local(), func(s *aiprovider.Save) { s.Configuration.Limits.MaxRetries = -1 }, "limits.maxRetries"},
		"a negative price":        {local(), func(s *aiprovider.Save) { s.Configuration.Prices = &aiprovider.Prices{Input: -0.1} }, "prices.input"},
		"no number":               {local(), func(s *aiprovider.Save) { s.Configuration.Prices = &aiprovider.Prices{Output: math.NaN()} }, "prices.output"},
		"too high a price":        {local(), func(s *aiprovider.Save) { s.Configuration.Prices = &aiprovider.Prices{Output: 1_000_001} }, "prices.output"},
		"prices of an agent":      {agent(), func(s *aiprovider.Save) { s.Configuration.Prices = &aiprovider.Prices{} }, "prices"},
		"answers without a bound": {local(), func(s *aiprovider.Save) { s.Configuration.Limits.MaxOutputTokens = 65_537 }, "limits.maxOutputTokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			save := aiprovider.Save{Configuration: tt.from, At: noon}
			after(t, aiprovider.Providers{}, save)
			tt.change(&save)
			refused(t, aiprovider.Providers{}, save, domain.InvalidRequest, "member", tt.member)
		})
	}
}

// A key is sent only over https or to this machine. A provider without a key may have
// any address.
func TestKeysGoOverHTTPSOnly(t *testing.T) {
	t.Parallel()
	for address, may := range map[string]bool{
		"":                           true, // the vendor's own
		"https://models.example/v1":  true,
		"HTTPS://models.example":     true,
		"http://localhost:11434/v1":  true,
		"http://LOCALHOST/v1":        true,
		"http://127.0.0.1/v1":        true,
		"http://127.8.9.1:80/v1":     true,
		"http://[::1]:11434/v1":      true,
		"http://models.example/v1":   false,
		"http://10.0.0.7/v1":         false,
		"http://0.0.0.0/v1":          false,
		"http://localhost.example":   false,
		"http://localhost@models.ex": false,
		"http://127.0.0.1.nip.io/v1": false,
		"http://[::ffff:8.8.8.8]/v1": false,
		"http://[fe80::1]/v1":        false,
	} {
		if got := aiprovider.MayCarryKey(address); got != may {
			t.Errorf("MayCarryKey(%q) = %v, want %v", address, got, may)
		}
	}
	clear := local()
	clear.BaseURL = "http://models.example/v1"
	refused(t, aiprovider.Providers{}, aiprovider.Save{Configuration: clear, HasKey: true, At: noon}, domain.InvalidRequest, "member", "baseUrl")
	s := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: clear, At: noon})
	refused(t, s, aiprovider.Change{ProviderID: "one", Patch: aiprovider.Patch{Key: aiprovider.GiveKey}, At: noon}, domain.InvalidRequest, "member", "baseUrl")
	// Changing both at once is accepted.
	give := aiprovider.Change{ProviderID: "one", Patch: aiprovider.Patch{Key: aiprovider.GiveKey, BaseURL: new("https://models.example/v1")}, At: noon, Observed: &aiprovider.Observation{}}
	give.Of = find(t, s, "one").Connection()
	if p := find(t, after(t, s, give), "one"); !p.HasKey {
		t.Errorf("got %+v, want the key", p)
	}
}

// proves: 7.2/AiProviderConflict
func TestNamesAreTakenOnce(t *testing.T) {
	t.Parallel()
	s := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), At: noon}, aiprovider.Save{Configuration: vendor(), At: noon})
	again := local()
	again.ProviderID, again.Name = "four", " LOCAL "
	refused(t, s, aiprovider.Save{Configuration: again, At: noon}, domain.AiProviderConflict, "providerId", "one")
	refused(t, s, aiprovider.Change{ProviderID: "two", Patch: aiprovider.Patch{Name: new("locaL")}, At: noon}, domain.AiProviderConflict, "providerId", "one")
	again.Name = strings.ToUpper(aiprovider.EmbeddedName)
	refused(t, s, aiprovider.Save{Configuration: again, At: noon}, domain.AiProviderConflict, "providerId", aiprovider.EmbeddedID)
	// Its own name with other letter case is no conflict, and the name of a deleted
	// provider is free.
	s = after(t, s, aiprovider.Change{ProviderID: "one", Patch: aiprovider.Patch{Name: new("LOCAL")}, At: noon}, aiprovider.Delete{ProviderID: "one"})
	again.Name = "local"
	s = after(t, s, aiprovider.Save{Configuration: again, At: noon})
	if len(s.All) != 2 {
		t.Errorf("got %d providers, want 2", len(s.All))
	}
}

func TestAnAccountSavesFifty(t *testing.T) {
	t.Parallel()
	s := aiprovider.Providers{}
	one := local()
	for i := range aiprovider.MaxProviders {
		one.ProviderID, one.Name = uuid.UUID{15: byte(i)}.String(), strings.Repeat("x", i+1)
		s = after(t, s, aiprovider.Save{Configuration: one, At: noon})
	}
	one.ProviderID, one.Name = "more", "more"
	refused(t, s, aiprovider.Save{Configuration: one, At: noon}, domain.AiProviderConflict, "limit", "50")
}

// change returns a change whose test call, when one is needed, observed the outcome.
func change(t *testing.T, s aiprovider.Providers, id string, p aiprovider.Patch, at time.Time) (aiprovider.Change, bool) {
	t.Helper()
	c := aiprovider.Change{ProviderID: id, Patch: p, Anyway: true, At: at}
	before, then, err := c.Outcome(s)
	if err != nil {
		t.Fatal(err)
	}
	c.Of = before.Connection()
	if then.Connection() == c.Of {
		return c, false
	}
	c.Observed = &aiprovider.Observation{Test: aiprovider.Test{At: at, ErrorCode: aiprovider.TimedOut, Message: "It took too long."}}
	return c, true
}

func TestChange(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Hour)
	saw := aiprovider.Observation{Test: aiprovider.Test{At: noon, OK: true}, Capabilities: &aiprovider.Capabilities{JSONSchema: aiprovider.Strict}}
	saved := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), HasKey: true, Observed: &saw, At: noon})
	for name, tt := range map[string]struct {
		patch  aiprovider.Patch
		want   func(*aiprovider.Provider)
		events int
		tested bool
	}{
		"nothing":     {aiprovider.Patch{}, func(*aiprovider.Provider) {}, 0, false},
		"what it is":  {aiprovider.Patch{Name: new("Local"), Enabled: new(true), Model: new("small")}, func(*aiprovider.Provider) {}, 0, false},
		"its name":    {aiprovider.Patch{Name: new(" Other ")}, func(p *aiprovider.Provider) { p.Name, p.ChangedAt = "Other", later }, 1, false},
		"not enabled": {aiprovider.Patch{Enabled: new(false)}, func(p *aiprovider.Provider) { p.Enabled, p.ChangedAt = false, later }, 1, false},
		"rows":        {aiprovider.Patch{SendRows: new(true)}, func(p *aiprovider.Provider) { p.DataPolicy.SendRows, p.ChangedAt = true, later }, 1, false},
		"no DAX":      {aiprovider.Patch{SendDAX: new(false)}, func(p *aiprovider.Provider) { p.DataPolicy.SendDAX, p.ChangedAt = false, later }, 1, false},
		"its limits":  {aiprovider.Patch{MaxRetries: new(0), TimeoutMs: new(1000)}, func(p *aiprovider.Provider) { p.Limits.MaxRetries, p.Limits.TimeoutMs, p.ChangedAt = 0, 1000, later }, 1, false},
		"its prices": {aiprovider.Patch{Prices: new(&aiprovider.Prices{Input: 0.25, Output: 2})}, func(p *aiprovider.Provider) {
			p.Prices, p.ChangedAt = &aiprovider.Prices{Input: 0.25, Output: 2}, later
		}, 1, false},
		"no prices":     {aiprovider.Patch{Prices: new((*aiprovider.Prices)(nil))}, func(*aiprovider.Provider) {}, 0, false},
		"another model": {aiprovider.Patch{Model: new("large")}, func(p *aiprovider.Provider) { p.Model = "large" }, 2, true},
		"another key":   {aiprovider.Patch{Key: aiprovider.GiveKey}, func(p *aiprovider.Provider) { p.KeyChanges = 2 }, 2, true},
		"no key":        {aiprovider.Patch{Key: aiprovider.RemoveKey}, func(p *aiprovider.Provider) { p.HasKey, p.KeyChanges = false, 2 }, 2, true},
		"another address and its key": {
			aiprovider.Patch{BaseURL: new("https://other.example"), Key: aiprovider.GiveKey},
			func(p *aiprovider.Provider) { p.BaseURL, p.KeyChanges = "https://other.example", 2 }, 3, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, tested := change(t, saved, "one", tt.patch, later)
			if tested != tt.tested {
				t.Errorf("a test call is needed: %v, want %v", tested, tt.tested)
			}
			events, err := c.Decide(saved)
			if err != nil || len(events) != tt.events {
				t.Fatalf("got %v and error %v, want %d events", events, err, tt.events)
			}
			want := find(t, saved, "one")
			tt.want(&want)
			if tt.tested { // capabilities observed on another connection are unknown here
				want.LastTest, want.ChangedAt = &c.Observed.Test, later
				if tt.patch.Key == aiprovider.KeepKey || tt.patch.BaseURL != nil {
					want.Capabilities = aiprovider.Capabilities{JSONSchema: aiprovider.Unknown}
				}
			}
			if diff := cmp.Diff(want, find(t, after(t, saved, c), "one")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if p := find(t, saved, "one"); p.Model != "small" || p.KeyChanges != 1 {
		t.Errorf("a state that was returned changed: %+v", p)
	}
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	s := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), HasKey: true, At: noon}, aiprovider.Save{Configuration: agent(), At: noon})
	for name, tt := range map[string]struct {
		id          string
		patch       aiprovider.Patch
		code        domain.Code
		param, want string
	}{
		"the embedded one":         {"embedded", aiprovider.Patch{Name: new("x")}, domain.InvalidRequest, "providerId", "embedded"},
		"none":                     {"nine", aiprovider.Patch{Name: new("x")}, domain.AiProviderNotFound, "providerId", "nine"},
		"a model that is none":     {"one", aiprovider.Patch{Model: new("")}, domain.InvalidRequest, "member", "model"},
		"a key for an agent":       {"three", aiprovider.Patch{Key: aiprovider.GiveKey}, domain.InvalidRequest, "member", "apiKey"},
		"the key goes elsewhere":   {"one", aiprovider.Patch{BaseURL: new("https://mine.example")}, domain.InvalidRequest, "member", "apiKey"},
		"the key goes to a vendor": {"one", aiprovider.Patch{Kind: new(aiprovider.OpenAI)}, domain.InvalidRequest, "member", "apiKey"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, s, aiprovider.Change{ProviderID: tt.id, Patch: tt.patch, At: noon}, tt.code, tt.param, tt.want)
		})
	}
}

// The result of a test call is recorded only for the connection that was tested.
func TestTestsOfAnotherConnection(t *testing.T) {
	t.Parallel()
	saved := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), HasKey: true, At: noon})
	p := find(t, saved, "one")
	moved, _ := change(t, saved, "one", aiprovider.Patch{Key: aiprovider.GiveKey}, noon)
	now := after(t, saved, moved)
	seen := aiprovider.Observation{Test: aiprovider.Test{At: noon, OK: true}}

	record := aiprovider.RecordTest{ProviderID: "one", Observed: seen, Of: p.Connection()}
	if got := find(t, after(t, saved, record), "one").LastTest; got == nil || !got.OK {
		t.Errorf("got %+v, want the test", got)
	}
	refused(t, now, record, domain.OperationInProgress, "providerId", "one")

	stale, _ := change(t, saved, "one", aiprovider.Patch{Model: new("large")}, noon)
	refused(t, now, stale, domain.OperationInProgress, "providerId", "one")
	untested := stale
	untested.Observed = nil
	refused(t, saved, untested, domain.OperationInProgress, "providerId", "one")
}

// proves: 7.2/AiCredentialNotFound
func TestTestable(t *testing.T) {
	t.Parallel()
	s := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), At: noon}, aiprovider.Save{Configuration: vendor(), At: noon})
	refused(t, s, aiprovider.RecordTest{ProviderID: "embedded"}, domain.InvalidRequest, "providerId", "embedded")
	refused(t, s, aiprovider.RecordTest{ProviderID: "nine"}, domain.AiProviderNotFound, "providerId", "nine")
	refused(t, s, aiprovider.RecordTest{ProviderID: "two"}, domain.AiCredentialNotFound, "providerId", "two")
	if _, err := s.Testable("one"); err != nil {
		t.Errorf("a server that may want no key: %v", err)
	}
}

// proves: 7.2/AiProviderNotFound 7.2/AiCredentialNotFound 7.2/AiProviderConflict
func TestUse(t *testing.T) {
	t.Parallel()
	off := local()
	off.ProviderID, off.Name, off.Enabled = "off", "Off", false
	s := after(t, aiprovider.Providers{},
		aiprovider.Save{Configuration: local(), At: noon}, aiprovider.Save{Configuration: vendor(), At: noon}, aiprovider.Save{Configuration: off, At: noon})
	refused(t, s, aiprovider.Use{ProviderID: "nine", By: "a"}, domain.AiProviderNotFound, "providerId", "nine")
	refused(t, s, aiprovider.Use{ProviderID: "off", By: "a"}, domain.AiProviderNotFound, "providerId", "off")
	refused(t, s, aiprovider.Use{ProviderID: "two", By: "a"}, domain.AiCredentialNotFound, "providerId", "two")

	use := func(id, by string) domain.Command[aiprovider.Providers] {
		return aiprovider.Use{ProviderID: id, By: by}
	}
	used := after(t, s, use("one", "a"), use("one", "a"), use("one", "b"), use("embedded", "a"))
	if diff := cmp.Diff([]string{"a", "b"}, find(t, used, "one").UsedBy); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	refused(t, used, aiprovider.Delete{ProviderID: "one"}, domain.AiProviderConflict, "usedBy", "b")
	less := after(t, used, aiprovider.Release{By: "a"}, aiprovider.Release{By: "nobody"})
	refused(t, less, aiprovider.Delete{ProviderID: "one"}, domain.AiProviderConflict, "usedBy", "b")
	gone := after(t, less, aiprovider.Release{By: "b"}, aiprovider.Delete{ProviderID: "one"})
	refused(t, gone, use("one", "a"), domain.AiProviderNotFound, "providerId", "one")
	refused(t, gone, aiprovider.Delete{ProviderID: "one"}, domain.AiProviderNotFound, "providerId", "one")
	refused(t, gone, aiprovider.Delete{ProviderID: "embedded"}, domain.InvalidRequest, "providerId", "embedded")
	if len(used.All) != 3 || len(find(t, used, "one").UsedBy) != 2 {
		t.Errorf("a state that was returned changed: %+v", used)
	}
}

// A provider that cannot be reached is saved and changed only anyway; one that answers with an error is saved.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	saved := after(t, aiprovider.Providers{}, aiprovider.Save{Configuration: local(), At: noon})
	other := local()
	other.ProviderID, other.Name = "two", "Two"
	of := saved.All[0].Connection()
	for code, refuses := range map[aiprovider.TestError]bool{
		aiprovider.Unreachable: true, aiprovider.TimedOut: true, aiprovider.AddressNotAllowed: true,
		aiprovider.CredentialMissing: false, aiprovider.KeyNotAccepted: false, aiprovider.ModelNotFound: false, aiprovider.TooManyRequests: false,
		aiprovider.RequestNotTaken: false, aiprovider.AnswerNotUsable: false, "": false,
	} {
		for _, anyway := range []bool{false, true} {
			saw := &aiprovider.Observation{Test: aiprovider.Test{At: noon, OK: code == "", ErrorCode: code, Message: "So it was."}}
			for name, c := range map[string]domain.Command[aiprovider.Providers]{
				"save":   aiprovider.Save{Configuration: other, Observed: saw, Anyway: anyway, At: noon},
				"change": aiprovider.Change{ProviderID: saved.All[0].ProviderID, Patch: aiprovider.Patch{Model: new("large")}, Observed: saw, Anyway: anyway, Of: of, At: noon},
			} {
				if refuses && !anyway {
					refused(t, saved, c, domain.InvalidRequest, "testError", string(code))
				} else if events, err := c.Decide(saved); err != nil || len(events) != 2 {
					t.Errorf("%s after %q, anyway %v: got %v, %v", name, code, anyway, events, err)
				}
			}
		}
	}
}
