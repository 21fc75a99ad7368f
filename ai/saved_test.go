package ai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/ai"
	"readiness/ai/rules"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
)

// saved returns the settings of a provider that an account saved.
func saved(t *testing.T, kind aiprovider.Kind, baseURL, key string) aiprovider.Settings {
	t.Helper()
	s := aiprovider.Settings{ProviderID: "one", Kind: kind, Name: "Ours", BaseURL: baseURL, Model: "m", Limits: aiprovider.DefaultLimits()}
	if key != "" {
		k, err := aiprovider.NewKey(key)
		if err != nil {
			t.Fatal(err)
		}
		s.Key = k
	}
	return s
}

// A saved provider is asked with its saved key. Where the operator does not allow its network, no
// request is sent, not even by the client for other providers.
func TestProposeAsksSavedProviders(t *testing.T) {
	t.Parallel()
	ask := proposal.Ask{Type: proposal.Description, Model: model(), Objects: []proposal.Object{ytd}}
	for name, tt := range map[string]struct {
		kind      aiprovider.Kind
		key       string
		anywhere  bool
		addresses []string
		says      string // in the warning of the embedded rules
	}{
		"with its key":             {aiprovider.OpenAICompatible, secret, true, []string{"http://127.0.0.1:1/v1/chat/completions Bearer " + secret}, ""},
		"of Azure":                 {aiprovider.AzureOpenAI, secret, true, []string{"http://127.0.0.1:1/v1/openai/v1/chat/completions " + secret}, ""},
		"without a key":            {aiprovider.OpenAICompatible, "", true, []string{"http://127.0.0.1:1/v1/chat/completions Bearer none"}, ""},
		"without the key it needs": {aiprovider.OpenAI, "", true, nil, "Ours"},
		"in our network":           {aiprovider.OpenAICompatible, secret, false, nil, "in a network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{answer: obey}
			p := ai.New(ai.Options{Client: &http.Client{Transport: w}, PrivateAddresses: tt.anywhere})
			a, err := p.Propose(t.Context(), saved(t, tt.kind, "http://127.0.0.1:1/v1", tt.key), ask)
			if diff := cmp.Diff(tt.addresses, w.addresses); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if tt.says == "" {
				if err != nil || len(a.Proposals) != 1 || a.Provider != (proposal.Provider{Kind: string(tt.kind), Name: "Ours", Model: "m"}) {
					t.Errorf("got %+v and error %v, want one proposal", a, err)
				}
				return
			}
			if err != nil || a.Provider != rules.Provider || !strings.Contains(a.Warning, tt.says) || strings.Contains(fmt.Sprintf("%+v", a), secret) {
				t.Errorf("got %+v, %v; want the embedded rules and a warning that says %q", a, err, tt.says)
			}
		})
	}
}

// A test call ignores the results of earlier calls, and is retried at most once.
func TestTestIgnoresEarlierCalls(t *testing.T) {
	t.Parallel()
	w := &wire{answer: func(string) (int, string) { return http.StatusBadGateway, secret }}
	p := w.proposer(t)
	s := saved(t, aiprovider.OpenAICompatible, "http://127.0.0.1:1/v1", secret)
	s.Declared, s.Capabilities.JSONSchema = true, aiprovider.AcceptedNotEnforced
	o, err := p.Test(t.Context(), s)
	if err != nil || o.OK || o.ErrorCode != aiprovider.Unreachable || len(w.addresses) != 2 {
		t.Errorf("got %+v and error %v after %d requests, want 2", o, err, len(w.addresses))
	}
	w.answer = func(body string) (int, string) {
		if !strings.Contains(body, "json_schema") {
			t.Errorf("asked %s", body)
		}
		return http.StatusOK, `{"items":[]}`
	}
	if o, err = p.Test(t.Context(), s); err != nil || !o.OK || o.Capabilities.JSONSchema != aiprovider.Strict {
		t.Errorf("got %+v and error %v", o, err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", o, o, o), secret) {
		t.Errorf("the result reveals the key: %+v", o)
	}
}
