package ai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/ai"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
)

const secret = "sk-very-secret-0123456789"

// wire answers instead of every server, and records the requests.
type wire struct {
	answer func(body string) (status int, content string)

	mu        sync.Mutex
	addresses []string
	log       bytes.Buffer
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.addresses = append(w.addresses, r.URL.String()+" "+r.Header.Get("Authorization")+r.Header.Get("Api-Key")+r.Header.Get("X-Api-Key"))
	w.mu.Unlock()
	status, content := w.answer(string(body))
	text, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": content}}}})
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		if text, err = json.Marshal(map[string]any{"type": "message", "content": []any{map[string]any{"type": "text", "text": content}}}); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, nil
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func (w *wire) proposer(t *testing.T) *ai.Proposer {
	t.Cleanup(func() {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the key is logged:\n%s", w.log.String())
		}
	})
	return ai.New(ai.Options{
		Client: &http.Client{Transport: w},
		Getenv: func(name string) string {
			if name == "KEY" {
				return secret + "\n"
			}
			return ""
		},
		Log:  slog.New(slog.NewTextHandler(w, nil)),
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

var keyPattern = regexp.MustCompile(`one item for each of the keys ([tcm0-9., ]+)\. `)

// obey returns a description for each requested key.
func obey(body string) (int, string) {
	found := keyPattern.FindStringSubmatch(body)
	if found == nil {
		return http.StatusOK, ""
	}
	var items []any
	for _, k := range strings.Split(found[1], ", ") {
		items = append(items, map[string]any{"key": k, "text": "Euros booked under number " + k + " of the ledger."})
	}
	text, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err)
	}
	return http.StatusOK, string(text)
}

func model() *semanticmodel.Model {
	return &semanticmodel.Model{Tables: []semanticmodel.Table{
		{
			Name: "Sales",
			Columns: []semanticmodel.Column{
				{Name: "Amount", DataType: semanticmodel.Double}, {Name: "Order Date", DataType: semanticmodel.DateTime}, {Name: "Customer Key", DataType: semanticmodel.Int64},
			},
			Measures: []semanticmodel.Measure{
				{Name: "Sales YTD", Expression: "TOTALYTD([Total], Sales[Order Date], \"6/30\")"},
				{Name: "Sales PY", Expression: "CALCULATE([Total], SAMEPERIODLASTYEAR(Sales[Order Date]))"},
				{Name: "Zzyx", Expression: "1"},
				{Name: "Total", Expression: "SUM(Sales[Amount])", DisplayFolder: "Time Intelligence"},
			},
		},
		{Name: "Customer", Columns: []semanticmodel.Column{{Name: "Customer Key", DataType: semanticmodel.Int64}, {Name: "City", DataType: semanticmodel.String}}},
	}, Relationships: []semanticmodel.Relationship{{
		FromTable: "Sales", FromColumn: "Customer Key", ToTable: "Customer", ToColumn: "Customer Key",
		FromCardinality: semanticmodel.Many, ToCardinality: semanticmodel.One, IsActive: true,
	}}}
}

var (
	zzyx = proposal.Object{Table: "Sales", Name: "Zzyx", Type: proposal.Measure}
	ytd  = proposal.Object{Table: "Sales", Name: "Sales YTD", Type: proposal.Measure}
	py   = proposal.Object{Table: "Sales", Name: "Sales PY", Type: proposal.Measure}
)

const local = `{"kind":"openai_compatible","name":"Local","baseUrl":"http://127.0.0.1:11434/v1","model":"small"}`

// declared returns the settings of a provider in the accounts file; "" declares none.
func declared(t *testing.T, document string) aiprovider.Settings {
	t.Helper()
	a := account.Account{}
	if document != "" {
		a.Saved = map[string]string{account.AIProviderDocument: document}
	}
	s, err := a.Provider()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// proves: 4.5/preview/2
func TestProposeAsksTheProviderOfTheAccount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings, address string
		provider          proposal.Provider
	}{
		"none":       {"", "", rules.Provider},
		"rules":      {`{"kind":"rules","name":"Ours"}`, "", rules.Provider},
		"OpenAI":     {`{"kind":"openai","model":"large","apiKeyEnv":"KEY"}`, "https://api.openai.com/v1/chat/completions Bearer " + secret, proposal.Provider{Kind: "openai", Name: "OpenAI", Model: "large"}},
		"Anthropic":  {`{"kind":"anthropic","model":"large","apiKeyEnv":"KEY"}`, "https://api.anthropic.com/v1/messages " + secret, proposal.Provider{Kind: "anthropic", Name: "Anthropic", Model: "large"}},
		"Azure":      {`{"kind":"azure_openai","baseUrl":"https://x.example","model":"d","apiVersion":"v","apiKeyEnv":"KEY"}`, "https://x.example/openai/deployments/d/chat/completions?api-version=v " + secret, proposal.Provider{Kind: "azure_openai", Name: "Azure OpenAI", Model: "d"}},
		"compatible": {`{"kind":"openai_compatible","baseUrl":"http://127.0.0.1:1/v1","model":"small","later":1}`, "http://127.0.0.1:1/v1/chat/completions Bearer none", proposal.Provider{Kind: "openai_compatible", Name: "127.0.0.1:1", Model: "small"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{answer: obey}
			a, err := w.proposer(t).Propose(t.Context(), declared(t, tt.settings), proposal.Ask{Type: proposal.Description, Model: model(), Objects: []proposal.Object{ytd}})
			if err != nil || len(a.Proposals) != 1 || len(a.Skipped) != 0 {
				t.Fatalf("got %+v and error %v, want one proposal", a, err)
			}
			var want []string
			if tt.address != "" {
				want = []string{tt.address}
			}
			if diff := cmp.Diff(want, w.addresses); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if a.Provider != tt.provider {
				t.Errorf("provider %+v, want %+v", a.Provider, tt.provider)
			}
		})
	}
}

// The embedded rules replace a provider that cannot be asked, and say so.
func TestEmbeddedRulesReplaceUnusableProviders(t *testing.T) {
	t.Parallel()
	ask := proposal.Ask{Type: proposal.Description, Model: model(), Objects: []proposal.Object{ytd}}
	for name, tt := range map[string]struct{ settings, want string }{
		"unknown kind":   {`{"kind":"oracle"}`, `the kind "oracle"`},
		"no model":       {`{"kind":"openai","apiKeyEnv":"KEY"}`, "aiProvider.model"},
		"no key named":   {`{"kind":"openai","model":"large"}`, "aiProvider.apiKeyEnv"},
		"key is not set": {`{"kind":"openai_compatible","name":"Local","baseUrl":"http://127.0.0.1","model":"m","apiKeyEnv":"OTHER_KEY"}`, "Local is missing: the service's environment variable OTHER_KEY"},
		"no address":     {`{"kind":"azure_openai","model":"m","apiKeyEnv":"KEY"}`, "baseUrl"},
		"it is down":     {`{"kind":"openai","model":"m","apiKeyEnv":"KEY"}`, "OpenAI did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{answer: func(string) (int, string) { return http.StatusInternalServerError, secret }}
			a, err := w.proposer(t).Propose(t.Context(), declared(t, tt.settings), ask)
			if err != nil || !strings.Contains(a.Warning, tt.want) || a.Provider != rules.Provider {
				t.Fatalf("got %+v and error %v, want a warning that says %q", a, err, tt.want)
			}
			if len(a.Proposals) != 1 || !strings.HasSuffix(a.Proposals[0].Reason, " By the embedded rules, because the AI provider failed.") {
				t.Errorf("got the proposals %+v", a.Proposals)
			}
			if strings.Contains(fmt.Sprintf("%+v", a), secret) {
				t.Errorf("the answer reveals the key: %+v", a)
			}
		})
	}
}

// proves: 4.5/preview/4
func TestProposeFoldersFromNamesFirst(t *testing.T) {
	t.Parallel()
	m := model()
	asked := []proposal.Object{zzyx, ytd, py}
	named := rules.Folders(m, asked)
	if len(named) == 0 || len(named) == len(asked) {
		t.Fatalf("the names place %d of %d measures, and this test needs some", len(named), len(asked))
	}
	left := len(asked) - len(named)
	w := &wire{answer: func(body string) (int, string) {
		if found := keyPattern.FindStringSubmatch(body); found != nil {
			text := `{"items":[`
			for i, k := range strings.Split(found[1], ", ") {
				if i > 0 {
					text += ","
				}
				text += `{"key":"` + k + `","text":"Riddles"}`
			}
			return http.StatusOK, text + "]}"
		}
		return http.StatusOK, `{"items":["Riddles"]}`
	}}
	a, err := w.proposer(t).Propose(t.Context(), declared(t, local), proposal.Ask{Type: proposal.DisplayFolder, Model: m, Objects: asked})
	if err != nil || len(a.Proposals) != len(asked) || len(a.Skipped) != 0 {
		t.Fatalf("got %+v and error %v, want %d proposals", a, err, len(asked))
	}
	if diff := cmp.Diff(named, a.Proposals[:len(named)]); diff != "" {
		t.Errorf("by names (-want +got):\n%s", diff)
	}
	for _, p := range a.Proposals[len(a.Proposals)-left:] {
		if p.Value != "Riddles" {
			t.Errorf("%s goes to %q, want the provider's folder", p.Name, p.Value)
		}
	}
	w.addresses = nil
	var placed []proposal.Object
	for _, p := range named {
		placed = append(placed, p.Object)
	}
	if a, err = w.proposer(t).Propose(t.Context(), declared(t, local), proposal.Ask{Type: proposal.DisplayFolder, Model: m, Objects: placed}); err != nil || len(a.Proposals) != len(placed) || len(w.addresses) != 0 {
		t.Errorf("got %+v and error %v after %d requests, want all placed without one", a, err, len(w.addresses))
	}
}

func TestProposeInstructions(t *testing.T) {
	t.Parallel()
	ask := proposal.Ask{Type: proposal.AIInstructions, Model: model()}
	base := rules.Propose(ask).Proposals[0]
	good := "## Key measures\n- Use [Total] by default.\n" + strings.Repeat("Sales means what was booked. ", 10)
	for name, tt := range map[string]struct {
		answer string
		want   string
		reason string
	}{
		"the provider's": {good, strings.TrimSpace(good), "Written by the AI provider."},
		"no use":         {"Use [Nothing].", base.Value, "from the embedded rules, because the AI provider's text could not be used: its text has 14 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wire{answer: func(string) (int, string) { return http.StatusOK, tt.answer }}
			a, err := w.proposer(t).Propose(t.Context(), declared(t, local), ask)
			if err != nil || len(a.Proposals) != 1 {
				t.Fatalf("got %+v and error %v, want one proposal", a, err)
			}
			if p := a.Proposals[0]; p.Type != proposal.Model || p.Value != tt.want || !strings.Contains(p.Reason, tt.reason) {
				t.Errorf("got %+v, want %q with reason %q", p, tt.want, tt.reason)
			}
		})
	}
	t.Run("nothing is missing", func(t *testing.T) {
		t.Parallel()
		w := &wire{answer: obey}
		done := ask
		done.Model = model()
		done.Model.Copilot.Instructions = &base.Value
		a, err := w.proposer(t).Propose(t.Context(), declared(t, local), done)
		if err != nil || len(a.Proposals) != 0 || len(a.Skipped) != 1 || len(w.addresses) != 0 {
			t.Errorf("got %+v and error %v after %d requests, want the model skipped without one", a, err, len(w.addresses))
		}
	})
}

func TestProposeSchemaByTheRules(t *testing.T) {
	t.Parallel()
	w := &wire{answer: obey}
	ask := proposal.Ask{Type: proposal.AIDataSchema, Model: model()}
	a, err := w.proposer(t).Propose(t.Context(), declared(t, local), ask)
	if err != nil || len(w.addresses) != 0 {
		t.Fatalf("error %v after %d requests", err, len(w.addresses))
	}
	if diff := cmp.Diff(rules.Propose(ask), a); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestProposeWithADataAgent(t *testing.T) {
	t.Parallel()
	const agent = `{"kind":"data_agent","workspaceId":"6f1c2f3a-8f0e-4a53-9d4e-0d1a3c5b7e90","dataAgentId":"0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"}`
	the := proposal.Object{Type: proposal.Model}
	for _, tt := range []struct {
		of      proposal.Type
		objects []proposal.Object
		skipped []proposal.Object
	}{
		{proposal.Description, []proposal.Object{ytd, zzyx, ytd}, []proposal.Object{ytd, zzyx}},
		{proposal.DisplayFolder, []proposal.Object{ytd, zzyx}, []proposal.Object{zzyx}},
		{proposal.AIInstructions, nil, []proposal.Object{the}},
		{proposal.AIDataSchema, nil, []proposal.Object{the}},
	} {
		w := &wire{answer: obey}
		a, err := w.proposer(t).Propose(t.Context(), declared(t, agent), proposal.Ask{Type: tt.of, Model: model(), Objects: tt.objects})
		if err != nil || len(w.addresses) != 0 || a.Provider != (proposal.Provider{Kind: "data_agent", Name: "Data agent"}) {
			t.Errorf("%s: got %+v and error %v after %d requests", tt.of, a, err, len(w.addresses))
		}
		var skipped []proposal.Object
		for _, s := range a.Skipped {
			skipped = append(skipped, s.Object)
			if s.Reason != proposal.NothingProposed || !strings.Contains(s.Message, "no data agent that answers") {
				t.Errorf("%s: skipped %+v", tt.of, s)
			}
		}
		if diff := cmp.Diff(tt.skipped, skipped); diff != "" {
			t.Errorf("%s: skipped (-want +got):\n%s", tt.of, diff)
		}
	}
}

// A provider has one client: an answer is cached, and the request is not sent again.
func TestProposeCachesAnswers(t *testing.T) {
	t.Parallel()
	w := &wire{answer: obey}
	p := w.proposer(t)
	ask := proposal.Ask{Type: proposal.Description, Model: model(), Objects: []proposal.Object{ytd, zzyx}}
	for range 2 {
		if a, err := p.Propose(t.Context(), declared(t, local), ask); err != nil || len(a.Proposals) != 2 {
			t.Fatalf("got %+v and error %v, want two proposals", a, err)
		}
	}
	if len(w.addresses) != 1 {
		t.Errorf("%d requests, want 1", len(w.addresses))
	}
}
