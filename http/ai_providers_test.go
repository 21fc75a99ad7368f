package http_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/ai"
	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/item"
	"readiness/http/token"
	"readiness/storage/vault"
)

const (
	providersPath = "/v1/aiProviders"
	apiKey        = "sk-very-secret-0123456789"
	otherKey      = "sk-other-secret-9876543210"
)

// llm is a fake language model. It gives every request the same unusable answer, with a settable status, and records
// the keys of its requests.
type llm struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []string
	status int
	during func() // called before it answers
}

func startLLM(t testing.TB) *llm {
	m := &llm{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		m.mu.Lock()
		m.keys = append(m.keys, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		status, during := m.status, m.during
		m.mu.Unlock()
		if during != nil {
			during()
		}
		w.Header().Set("Content-Type", "application/json")
		if status != 0 {
			w.WriteHeader(status)
		}
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"items\":[{\"key\":\"a\",\"text\":\"triangle\"}]}"}}]}`)
	}))
	t.Cleanup(m.Close)
	return m
}

// asked returns the keys of the requests since the last call of asked.
func (m *llm) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := m.keys
	m.keys = nil
	return keys
}

func (m *llm) answers(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = status
}

// withLLM returns a world that accepts providers on this machine, and a fake model.
func withLLM(t testing.TB) (*world, *llm) {
	w := newWorld(t)
	w.Providers.Tester = ai.New(ai.Options{PrivateAddresses: true})
	return w, startLLM(t)
}

// saves saves a provider as ada, with more members in addition to name, kind, address and model.
func (w *world) saves(m *llm, name, more string) (path string, got reply) {
	w.t.Helper()
	got = w.post(providersPath, w.as("ada"), fmt.Sprintf(`{"name":%q,"kind":"openai_compatible","baseUrl":"%s/v1","model":"small"%s}`, name, m.URL, more)).ok(200)
	return providersPath + "/" + got.body["providerId"].(string), got
}

// noLeaks fails the test when a key is stored or returned anywhere except encrypted.
func (w *world) noLeaks(replies ...reply) {
	w.t.Helper()
	for _, key := range []string{apiKey, otherKey} {
		for _, r := range replies {
			if strings.Contains(string(r.text), key) {
				w.t.Errorf("a response contains a key: %s", r.text)
			}
		}
		if strings.Contains(w.log.String(), key) {
			w.t.Error("the log contains a key")
		}
		var found int
		check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT (SELECT count(*) FROM events e WHERE strpos(e::text, $1) > 0) + (SELECT count(*) FROM ai_credentials c WHERE strpos(encode(sealed, 'escape'), $1) > 0)`, key).Scan(&found))
		if found > 0 {
			w.t.Errorf("%d rows hold a key", found)
		}
	}
}

func (w *world) credentials() (n int) {
	w.t.Helper()
	check(w.t, w.Pool.QueryRow(w.t.Context(), `SELECT count(*) FROM ai_credentials`).Scan(&n))
	return n
}

// The life of a provider, as callers see it.
//
// proves: 7.2/AiProviderNotFound 7.2/AiProviderConflict 2.2/code-meaning
func TestAIProvider(t *testing.T) {
	t.Parallel()
	w, m := withLLM(t)
	ada, bob := w.as("ada"), w.as("bob")
	_, err := w.Accounts.Apply(t.Context(), []account.Declaration{{
		AccountID: "other", Plan: account.Team, Status: account.Active, Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone},
		People: []account.Person{{Person: item.Person{ID: "oscar"}, Role: account.Member}, {Person: item.Person{ID: "olga"}, Role: account.Admin}},
	}})
	check(t, err)
	embedded := map[string]any{
		"providerId": "embedded", "name": "Embedded rules", "kind": "rules", "baseUrl": nil, "model": nil, "apiVersion": nil, "workspaceId": nil, "dataAgentId": nil,
		"purposes": []any{"Proposals"}, "enabled": true, "dataPolicy": nil, "limits": nil, "hasKey": false, "capabilities": nil, "lastTest": nil,
		"createdAtUtc": nil, "changedAtUtc": nil, "usedBy": 0.0,
	}
	if diff := cmp.Diff([]map[string]any{embedded}, w.get(providersPath, bob).ok(200).value()); diff != "" {
		t.Errorf("before one is saved (-want +got):\n%s", diff)
	}

	path, made := w.saves(m, " Local ", `,"apiKey":"`+apiKey+`"`)
	test := made.body["lastTest"].(map[string]any)
	want := map[string]any{
		"providerId": made.body["providerId"], "name": "Local", "kind": "openai_compatible", "baseUrl": m.URL + "/v1", "model": "small", "apiVersion": nil,
		"workspaceId": nil, "dataAgentId": nil, "purposes": []any{"Proposals", "Questions", "Judge", "Agent"}, "enabled": true, "dataPolicy": map[string]any{"sendDax": true},
		"limits": map[string]any{"maxConcurrency": 4.0, "timeoutMs": 120000.0, "maxRetries": 2.0, "maxOutputTokens": 8192.0}, "hasKey": true,
		"capabilities": map[string]any{"jsonSchema": "AcceptedNotEnforced", "temperature": true},
		"lastTest":     map[string]any{"atUtc": test["atUtc"], "ok": true, "latencyMs": test["latencyMs"], "message": test["message"]},
		"createdAtUtc": made.body["createdAtUtc"], "changedAtUtc": made.body["createdAtUtc"], "usedBy": 0.0,
	}
	if diff := cmp.Diff(want, made.body); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	if got := m.asked(); !slices.Equal(got, []string{apiKey}) {
		t.Errorf("tested with the keys %v", got)
	}
	for who, tok := range map[string]string{"an administrator": ada, "a member": bob, "who only reads": w.as("bob", token.ScopeRead)} {
		if diff := cmp.Diff([]map[string]any{embedded, want}, w.get(providersPath, tok).ok(200).value()); diff != "" {
			t.Errorf("%s lists (-want +got):\n%s", who, diff)
		}
		if diff := cmp.Diff(want, w.get(path, tok).ok(200).body); diff != "" {
			t.Errorf("%s reads (-want +got):\n%s", who, diff)
		}
		if diff := cmp.Diff(embedded, w.get(providersPath+"/embedded", tok).ok(200).body); diff != "" {
			t.Errorf("%s reads the embedded one (-want +got):\n%s", who, diff)
		}
	}
	if w.get(providersPath+"/"+strings.ToUpper(made.body["providerId"].(string)), ada).ok(200).body["name"] != "Local" {
		t.Error("the letter case of the id matters")
	}

	w.untouched(func() {
		taken := w.post(providersPath, ada, `{"name":"LOCAL","kind":"openai","model":"m"}`).refused(409, domain.AiProviderConflict).says("LOCAL")
		if got := taken.parameter("providerId"); !slices.Equal(got, []string{made.body["providerId"].(string)}) {
			t.Errorf("the conflict names %v", got)
		}
		w.patch(path, ada, `{}`).ok(200)
		w.patch(path, ada, `{"name":"Local","model":"small","purposes":["Agent","Judge","Questions","Proposals"]}`).ok(200)
		for _, c := range []struct{ path, tok string }{{providersPath + "/" + nowhere.String(), ada}, {providersPath + "/x", ada}, {path, w.in("other", "olga")}} {
			w.get(c.path, c.tok).refused(404, domain.AiProviderNotFound)
			w.patch(c.path, c.tok, `{"enabled":false}`).refused(404, domain.AiProviderNotFound)
			w.delete(c.path, c.tok).refused(404, domain.AiProviderNotFound)
			w.post(c.path+"/test", c.tok, "").refused(404, domain.AiProviderNotFound)
		}
		if got := w.get(providersPath, w.as("oscar")).ok(200).value(); len(got) != 1 {
			t.Errorf("another account lists %v", got)
		}
		w.patch(providersPath+"/embedded", ada, `{"name":"Mine"}`).refused(400, domain.InvalidRequest).says("embedded")
		w.delete(providersPath+"/embedded", ada).refused(400, domain.InvalidRequest)
		w.post(providersPath+"/embedded/test", ada, "").refused(400, domain.InvalidRequest)
		for _, c := range []struct{ method, path, body string }{
			{http.MethodPost, providersPath, `{"name":"Mine","kind":"openai","model":"m"}`}, {http.MethodPatch, path, `{"enabled":false}`},
			{http.MethodDelete, path, ""}, {http.MethodPost, path + "/test", ""},
		} {
			w.send(c.method, c.path, bob, c.body).refused(403, domain.AdminRoleRequired)
			w.send(c.method, c.path, w.as("ada", token.ScopeRead), c.body).refused(403, domain.InsufficientScopes)
		}
	})
	if got := m.asked(); len(got) != 0 {
		t.Errorf("calls that changed nothing asked the provider %d times", len(got))
	}

	// A provider in use cannot be deleted; the refusal names what uses it.
	change := func(cmd domain.Command[aiprovider.Providers]) {
		t.Helper()
		record(w, "acme", aiprovider.Stream("acme"), aiprovider.Evolve, cmd)
	}
	change(aiprovider.Use{ProviderID: made.body["providerId"].(string), By: "abTest/7"})
	if got := w.get(path, bob).ok(200).body["usedBy"]; got != 1.0 {
		t.Errorf("it is used by %v", got)
	}
	w.untouched(func() {
		if got := w.delete(path, ada).refused(409, domain.AiProviderConflict).parameter("usedBy"); !slices.Equal(got, []string{"abTest/7"}) {
			t.Errorf("the conflict names %v", got)
		}
	})
	change(aiprovider.Release{By: "abTest/7"})
	if got := w.delete(path, ada).ok(200).body; !cmp.Equal(got, map[string]any{"providerId": made.body["providerId"], "deleted": true}) {
		t.Errorf("deleted: %v", got)
	}
	if w.credentials() != 0 {
		t.Error("the key stays")
	}
	w.get(path, ada).refused(404, domain.AiProviderNotFound)
	w.noLeaks(made)
}

// Changes, each with the requests to the provider and their keys.
func TestChangeAIProvider(t *testing.T) {
	t.Parallel()
	w, m := withLLM(t)
	ada := w.as("ada")
	path, _ := w.saves(m, "Local", `,"apiKey":"`+apiKey+`","enabled":false,"purposes":["Judge"],"limits":{"maxRetries":0},"dataPolicy":{"sendDax":false}`)
	m.asked()
	m.answers(http.StatusUnauthorized)
	for _, step := range []struct {
		body  string
		asked []string
		wants map[string]any
	}{
		{`{"name":"Ours","enabled":true,"limits":{"timeoutMs":1000},"purposes":[]}`, nil, map[string]any{
			"name": "Ours", "enabled": true, "purposes": []any{}, "hasKey": true, "dataPolicy": map[string]any{"sendDax": false},
			"limits": map[string]any{"maxConcurrency": 4.0, "timeoutMs": 1000.0, "maxRetries": 0.0, "maxOutputTokens": 8192.0},
		}},
		{`{"prices":{"input":0.25,"output":2}}`, nil, map[string]any{"prices": map[string]any{"input": 0.25, "output": 2.0}}},
		{`{"name":"Ours"}`, nil, map[string]any{"prices": map[string]any{"input": 0.25, "output": 2.0}}},
		{`{"prices":null}`, nil, map[string]any{"prices": nil}},
		{`{"dataPolicy":{"sendDax":true}}`, nil, map[string]any{"dataPolicy": map[string]any{"sendDax": true}}},
		{`{"model":"large"}`, []string{apiKey}, map[string]any{"model": "large", "capabilities": map[string]any{"jsonSchema": "Unknown"}, "lastTest.errorCode": "KeyNotAccepted"}},
		{`{"apiKey":"` + otherKey + `"}`, []string{otherKey}, map[string]any{"hasKey": true, "lastTest.errorCode": "KeyNotAccepted"}},
		{`{"baseUrl":"` + m.URL + `/v2","apiKey":null}`, []string{"none"}, map[string]any{"hasKey": false, "baseUrl": m.URL + "/v2", "lastTest.errorCode": "KeyNotAccepted"}},
		{`{"apiKey":null}`, nil, map[string]any{"hasKey": false}},
		{`{"baseUrl":"` + m.URL + `/v3"}`, []string{"none"}, map[string]any{"baseUrl": m.URL + "/v3"}},
		{`{"kind":"openai","baseUrl":null}`, nil, map[string]any{"kind": "openai", "baseUrl": nil, "lastTest.errorCode": "AiCredentialNotFound", "lastTest.ok": false}},
		{`{"kind":"azure_openai","baseUrl":"` + m.URL + `","apiVersion":"v","apiKey":"` + apiKey + `"}`, []string{""}, map[string]any{"apiVersion": "v", "hasKey": true}},
		{`{"kind":"data_agent","baseUrl":null,"model":null,"apiVersion":null,"apiKey":null,"workspaceId":"` + sales.String() + `","dataAgentId":"` + agent.String() + `"}`, nil,
			map[string]any{"kind": "data_agent", "hasKey": false, "model": nil, "dataAgentId": agent.String(), "lastTest.ok": true}},
		{`{"dataAgentId":"` + nowhere.String() + `"}`, nil, map[string]any{"lastTest.ok": false, "lastTest.errorCode": "ItemNotFound"}},
	} {
		w.Clock.Advance(time.Second)
		got := w.patch(path, ada, step.body).ok(200)
		w.noLeaks(got)
		if asked := m.asked(); !slices.Equal(asked, step.asked) {
			t.Errorf("%s: asked with the keys %q, want %q", step.body, asked, step.asked)
		}
		if read := w.get(path, ada).ok(200).body; !cmp.Equal(read, got.body) {
			t.Errorf("%s: the provider differs from the response:\n%s", step.body, cmp.Diff(got.body, read))
		}
		if got.body["changedAtUtc"] == got.body["createdAtUtc"] {
			t.Errorf("%s: changed at %v", step.body, got.body["changedAtUtc"])
		}
		for name, want := range step.wants {
			of := got.body
			if at, member, ok := strings.Cut(name, "."); ok {
				of, name = got.body[at].(map[string]any), member
			}
			if !cmp.Equal(of[name], want) {
				t.Errorf("%s: %s is %v, want %v", step.body, name, of[name], want)
			}
		}
	}
	if w.credentials() != 0 {
		t.Error("a removed key is still stored")
	}
}

// Malformed calls are refused without a request to the provider.
func TestMalformedAIProviders(t *testing.T) {
	t.Parallel()
	w, m := withLLM(t)
	ada := w.as("ada")
	path, _ := w.saves(m, "Local", `,"apiKey":"`+apiKey+`"`)
	m.asked()
	w.untouched(func() {
		for body, says := range map[string]string{
			``:                             "body",
			`{}`:                           "name",
			`{"name":"x"}`:                 "kind",
			`{"name":"x","kind":"rules"}`:  "kind",
			`{"name":" ","kind":"openai"}`: "name",
			`{"name":"x","kind":"openai"}`: "model",
			`{"name":"x","kind":"openai","model":"m","apiKeyEnv":"PATH"}`:                                                                 "apiKeyEnv",
			`{"name":"x","kind":"openai","model":"m","hasKey":true}`:                                                                      "hasKey",
			`{"name":"x","kind":"openai","model":"m","apiKey":""}`:                                                                        "apiKey",
			`{"name":"x","kind":"openai","model":"m","apiKey":7}`:                                                                         "apiKey",
			`{"name":"x","kind":"openai","model":"m","apiKey":"` + apiKey + ` "}`:                                                         "apiKey",
			`{"name":"x","kind":"openai","model":"m","limits":{"maxRetries":6}}`:                                                          "limits.maxRetries",
			`{"name":"x","kind":"openai","model":"m","limits":{"rpm":6}}`:                                                                 "limits.rpm",
			`{"name":"x","kind":"openai","model":"m","prices":{"input":1}}`:                                                               "prices",
			`{"name":"x","kind":"openai","model":"m","prices":{"input":1,"output":-1}}`:                                                   "prices.output",
			`{"name":"x","kind":"openai","model":"m","prices":{"input":1,"output":"2"}}`:                                                  "prices.output",
			`{"name":"x","kind":"openai","model":"m","dataPolicy":{"sendDax":null}}`:                                                      "dataPolicy.sendDax",
			`{"name":"x","kind":"openai","model":"m","purposes":["Chat"]}`:                                                                "purposes",
			`{"name":"x","kind":"openai","model":"m","purposes":["Agent","Agent"]}`:                                                       "purposes",
			`{"name":"x","kind":"openai_compatible","model":"m"}`:                                                                         "baseUrl",
			`{"name":"x","kind":"openai_compatible","model":"m","baseUrl":"ftp://models.example"}`:                                        "baseUrl",
			`{"name":"x","kind":"data_agent","workspaceId":"` + sales.String() + `"}`:                                                     "dataAgentId",
			`{"name":"x","kind":"data_agent","workspaceId":"` + sales.String() + `","dataAgentId":"x"}`:                                   "dataAgentId",
			`{"name":"x","kind":"data_agent","workspaceId":"` + sales.String() + `","dataAgentId":"` + agent.String() + `","apiKey":"k"}`: "apiKey",
		} {
			w.uncounted()
			r := w.post(providersPath, ada, body).refused(400, domain.InvalidRequest).says(says)
			if strings.Contains(string(r.text), apiKey) {
				t.Errorf("%s: the refusal repeats the key", body)
			}
		}
		w.uncounted()
		for body, says := range map[string]string{
			`{"name":null}`: "name", `{"kind":null}`: "kind", `{"enabled":null}`: "enabled", `{"purposes":null}`: "purposes", `{"model":null}`: "model", `{"baseUrl":null}`: "baseUrl",
			`{"baseUrl":"http://elsewhere.example/v1"}`: "apiKey", `{"kind":"anthropic"}`: "apiKey", `{"lastTest":null}`: "lastTest", `{"apiKey":""}`: "apiKey",
			`{"apiKey":"` + apiKey + `\n"}`: "apiKey", `{"workspaceId":"x"}`: "workspaceId", `{"workspaceId":"` + sales.String() + `"}`: "workspaceId",
		} {
			r := w.patch(path, ada, body).refused(400, domain.InvalidRequest).says(says)
			if strings.Contains(string(r.text), apiKey) {
				t.Errorf("%s: the refusal repeats the key", body)
			}
		}
		w.post(path+"/test", ada, `{"model":"m"}`).refused(400, domain.InvalidRequest)
	})
	if got := m.asked(); len(got) != 0 {
		t.Errorf("the provider was asked %d times", len(got))
	}
	w.noLeaks()
}

// proves: 7.2/AiCredentialNotFound
func TestTestAIProvider(t *testing.T) {
	t.Parallel()
	w, m := withLLM(t)
	ada := w.as("ada")
	path, made := w.saves(m, "Local", `,"apiKey":"`+apiKey+`"`)
	m.asked()
	m.answers(http.StatusNotFound)
	w.Clock.Advance(time.Minute)
	got := w.post(path+"/test", ada, "").ok(200)
	test, _ := got.body["lastTest"].(map[string]any)
	if test["ok"] != false || test["errorCode"] != "ModelNotFound" || test["atUtc"] == made.body["lastTest"].(map[string]any)["atUtc"] || got.body["changedAtUtc"] != made.body["changedAtUtc"] {
		t.Errorf("got %s", got.text)
	}
	// The capabilities of the last successful test are kept while tests fail.
	if !cmp.Equal(got.body["capabilities"], made.body["capabilities"]) || !slices.Equal(m.asked(), []string{apiKey}) {
		t.Errorf("got %s", got.text)
	}
	m.answers(0)
	if test := w.post(path+"/test", ada, "{}").ok(200).body["lastTest"].(map[string]any); test["ok"] != true || test["errorCode"] != nil {
		t.Errorf("got %v", test)
	}

	// A provider without the key that it needs is saved but not called.
	bare := w.post(providersPath, ada, `{"name":"Vendor","kind":"openai","model":"m"}`).ok(200).body
	if bare["hasKey"] != false || bare["lastTest"].(map[string]any)["errorCode"] != "AiCredentialNotFound" {
		t.Errorf("got %v", bare)
	}
	w.untouched(func() {
		w.post(fmt.Sprintf("%s/%s/test", providersPath, bare["providerId"]), ada, "").refused(404, domain.AiCredentialNotFound).says("Vendor", "apiKey")
	})

	// The result of a test is discarded when the provider is changed during the test.
	m.mu.Lock()
	m.during = func() {
		m.mu.Lock()
		m.during = nil
		m.mu.Unlock()
		_, err := w.Providers.Change(t.Context(), commands.Caller{Caller: item.Caller{Account: "acme", PersonID: "ada"}}, made.body["providerId"].(string), aiprovider.Patch{Model: new("large")}, aiprovider.Key{}, false)
		if err != nil {
			t.Error(err)
		}
	}
	m.mu.Unlock()
	w.post(path+"/test", ada, "").refused(409, domain.OperationInProgress)
	if got := w.get(path, ada).ok(200).body; got["model"] != "large" {
		t.Errorf("got %v", got)
	}

	// A service that cannot decrypt the stored key does not call the provider without one.
	lost, err := vault.NewCredentials(w.Pool, []byte(strings.Repeat("x", vault.KeySize)))
	check(t, err)
	w.Providers.Keys = lost
	m.asked()
	w.untouched(func() {
		w.post(path+"/test", ada, "").refused(404, domain.AiCredentialNotFound).says("apiKey")
	})
	moved := w.patch(path, ada, `{"model":"small"}`).ok(200).body["lastTest"].(map[string]any)
	if moved["errorCode"] != "AiCredentialNotFound" || len(m.asked()) != 0 {
		t.Errorf("got %v", moved)
	}
	w.noLeaks()
}

// Unless the operator allows it, the service does not connect to a provider in its own network, and saves it only anyway.
func TestAIProviderInOurNetwork(t *testing.T) {
	t.Parallel()
	w, m := withLLM(t)
	w.Providers.Tester = ai.New(ai.Options{})
	w.post("/v1/aiProviders", w.as("ada"), `{"name":"Local","kind":"openai_compatible","model":"m","baseUrl":"`+m.URL+`/v1"}`).refused(400, domain.InvalidRequest).says("saveAnyway")
	_, got := w.saves(m, "Local", `,"saveAnyway":true,"apiKey":"`+apiKey+`"`)
	test, _ := got.body["lastTest"].(map[string]any)
	if test["ok"] != false || test["errorCode"] != "AddressNotAllowed" || len(m.asked()) != 0 {
		t.Errorf("got %s", got.text)
	}
	capabilities, _ := json.Marshal(got.body["capabilities"])
	if string(capabilities) != `{"jsonSchema":"Unknown"}` {
		t.Errorf("saw %s", capabilities)
	}
}
