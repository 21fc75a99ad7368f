package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/ai/openai"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// messages is a server of the Messages interface.
type messages struct {
	mu     sync.Mutex
	asked  []map[string]any
	header []http.Header
	paths  []string
}

func serveMessages(t *testing.T, answer func(n int) (status int, body string)) (*messages, *openai.Client) {
	t.Helper()
	m := &messages{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked map[string]any
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Error(err)
		}
		m.mu.Lock()
		n := len(m.asked)
		m.asked, m.header, m.paths = append(m.asked, asked), append(m.header, r.Header), append(m.paths, r.URL.Path)
		m.mu.Unlock()
		status, text := answer(n)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	c, err := openai.New(openai.Settings{Name: "Claude", BaseURL: server.URL + "/v1", Model: "large", Key: secret, Anthropic: true, PrivateAddresses: true},
		openai.Options{Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// message returns a message whose content is the parts.
func message(reason string, parts ...string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","content":[` + strings.Join(parts, ",") + `],"stop_reason":"` + reason +
		`","usage":{"input_tokens":11,"output_tokens":7}}`
}

const judged1 = `{"type":"tool_use","id":"t","name":"answer","input":{"class":"same","confidence":0.9,"reason":"So."}}`

// A language model of Anthropic is asked in its own interface: with its own headers and path, the system text apart, and the
// answer as the input of a tool.
func TestAnthropic(t *testing.T) {
	t.Parallel()
	m, c := serveMessages(t, func(int) (int, string) { return http.StatusOK, message("tool_use", judged1) })
	j, e, err := c.Judge(t.Context(), benchmark.Case{Question: asked, Expected: expected, Answer: judged})
	if err != nil || j.Class != verdict.SameClass || e.InputTokens != 11 || e.OutputTokens != 7 || e.RequestID != "msg_1" || e.Attempts != 1 {
		t.Fatalf("got %+v, %+v, %v", j, e, err)
	}
	h, sent := m.header[0], m.asked[0]
	if m.paths[0] != "/v1/messages" || h.Get("X-Api-Key") != secret || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
		t.Errorf("asked %s with %v", m.paths[0], h)
	}
	turns := sent["messages"].([]any)
	if len(turns) != 1 || turns[0].(map[string]any)["role"] != "user" || !strings.Contains(sent["system"].(string), "You judge") || sent["model"] != "large" || sent["temperature"] != 0.0 || sent["max_tokens"] != 8192.0 {
		t.Errorf("sent %v", sent)
	}
	if diff := cmp.Diff(map[string]any{"type": "tool", "name": "answer"}, sent["tool_choice"]); diff != "" {
		t.Error(diff)
	}
	if tool := sent["tools"].([]any)[0].(map[string]any); tool["name"] != "answer" || tool["input_schema"].(map[string]any)["type"] != "object" {
		t.Errorf("the tool is %v", tool)
	}
}

func TestAnthropicFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status   int
		body     string
		code     aiprovider.TestError
		attempts int
		declined bool
	}{
		"the key":      {401, `{"type":"error","error":{"type":"authentication_error","message":"` + secret + `"}}`, aiprovider.KeyNotAccepted, 1, false},
		"the model":    {404, `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, aiprovider.ModelNotFound, 1, false},
		"a rate":       {429, `{"type":"error","error":{"type":"rate_limit_error","message":"x"}}`, aiprovider.TooManyRequests, 3, false},
		"overloaded":   {529, `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, aiprovider.Unreachable, 3, false},
		"too long":     {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 300000 tokens"}}`, aiprovider.AnswerNotUsable, 1, false},
		"declined":     {200, message("refusal"), aiprovider.AnswerNotUsable, 1, true},
		"cut":          {200, message("max_tokens", judged1), aiprovider.AnswerNotUsable, 1, false},
		"no message":   {200, `{"type":"completion"}`, aiprovider.AnswerNotUsable, 3, false},
		"no JSON":      {200, `<html>`, aiprovider.AnswerNotUsable, 3, false},
		"another tool": {200, message("tool_use", `{"type":"tool_use","name":"x","input":{"class":"sane"}}`), aiprovider.AnswerNotUsable, 3, false},
		"nothing":      {200, message("end_turn"), aiprovider.AnswerNotUsable, 3, false},
	} {
		m, c := serveMessages(t, func(int) (int, string) { return tt.status, tt.body })
		_, e, err := c.Judge(t.Context(), benchmark.Case{Question: asked, Expected: expected, Answer: judged})
		none, ok := errors.AsType[*openai.NoAnswer](err)
		if !ok || none.Code != tt.code || none.Declined != tt.declined || e.Attempts != tt.attempts || len(m.asked) != tt.attempts || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %+v after %d attempts, %v", name, none, e.Attempts, err)
		}
	}
}

// A test call finds that the interface takes tools, and no JSON Schema alone.
func TestAnthropicTestCall(t *testing.T) {
	t.Parallel()
	m, c := serveMessages(t, func(int) (int, string) {
		return http.StatusOK, message("tool_use", `{"type":"tool_use","name":"answer","input":{"items":[{"key":"a","text":"circle"}]}}`)
	})
	o, err := c.Test(t.Context())
	if err != nil || !o.OK || o.Capabilities == nil || o.Capabilities.JSONSchema != aiprovider.None || o.Capabilities.Tools == nil || !*o.Capabilities.Tools || len(m.asked) != 1 {
		t.Errorf("got %+v, %v after %d requests", o, err, len(m.asked))
	}
}
