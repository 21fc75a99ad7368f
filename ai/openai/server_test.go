package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/ai/openai"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
)

// secret is the key of every client in these tests. It may appear only in the header that carries it.
const secret = "sk-very-secret-0123456789"

// request is a request to the server.
type request struct {
	path, query, auth, apiKey string
	mode                      string
	temperature               *float64
	tokens                    string // the name of the member that bounds the answer
	texts                     []string
	keys                      []string // the keys that need items
	raw                       string
}

func (r request) last() string { return r.texts[len(r.texts)-1] }

var keyPattern = regexp.MustCompile(`t\d+(?:\.[cm]\d+)?`)

func parse(r *http.Request) (request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return request{}, err
	}
	var asked struct {
		Messages []struct{ Content string }
		Format   *struct {
			Type   string
			Schema *struct{ Strict bool } `json:"json_schema"`
		} `json:"response_format"`
		Tools       []any
		Temperature *float64
		Completion  int `json:"max_completion_tokens"`
		Older       int `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return request{}, fmt.Errorf("the request is no JSON: %w\n%s", err, body)
	}
	out := request{
		path: r.URL.Path, query: r.URL.RawQuery, auth: r.Header.Get("Authorization"), apiKey: r.Header.Get("Api-Key"),
		mode: "plain", temperature: asked.Temperature, raw: string(body),
	}
	switch {
	case asked.Format != nil:
		out.mode = asked.Format.Type
		if asked.Format.Schema != nil && !asked.Format.Schema.Strict {
			return request{}, errors.New("the schema is not strict")
		}
	case len(asked.Tools) > 0:
		out.mode = "tool"
	}
	switch {
	case asked.Completion > 0:
		out.tokens = "max_completion_tokens"
	case asked.Older > 0:
		out.tokens = "max_tokens"
	}
	for _, m := range asked.Messages {
		out.texts = append(out.texts, m.Content)
	}
	if _, wanted, ok := strings.Cut(out.last(), "one item for each of the keys "); ok {
		wanted, _, _ = strings.Cut(wanted, "Answer with")
		out.keys = keyPattern.FindAllString(wanted, -1)
	}
	return out, nil
}

// reply is the server's response.
type reply struct {
	status int
	header map[string]string
	body   string
	cut    bool // the connection breaks in the middle of the answer
	hang   bool // until the client stops waiting
}

// completion wraps an answer as servers do.
func completion(message map[string]any, finish string) reply {
	text, err := json.Marshal(map[string]any{
		"id": "c", "object": "chat.completion", "model": "m", "created": 1,
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
	})
	if err != nil {
		panic(err)
	}
	return reply{body: string(text)}
}

func say(content string) reply {
	return completion(map[string]any{"role": "assistant", "content": content}, "stop")
}

func call(arguments string) reply {
	return completion(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
		"id": "1", "type": "function", "function": map[string]any{"name": "answer", "arguments": arguments},
	}}}, "tool_calls")
}

func fail(status int, code, param, message string) reply {
	text, err := json.Marshal(map[string]any{"error": map[string]any{"code": code, "param": param, "message": message, "type": "invalid_request_error"}})
	if err != nil {
		panic(err)
	}
	return reply{status: status, body: string(text)}
}

// list returns the JSON of an answer with a text for each key.
func list(keys []string, text func(key string) any) string {
	items := []any{}
	for _, k := range keys {
		items = append(items, map[string]any{"key": k, "text": text(k)})
	}
	b, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// described returns a valid description, different for each key.
func described(key string) any { return "Euros booked under number " + key + " of the ledger." }

// obey returns the valid answer in the request's mode.
func obey(r request) reply {
	if r.mode == "tool" {
		return call(list(r.keys, described))
	}
	return say(list(r.keys, described))
}

// server answers by a rule and records the requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
	log      bytes.Buffer
	waits    []time.Duration
	hangs    chan struct{}
}

func serve(t testing.TB, answer func(n int, r request) reply) *server {
	s := &server{hangs: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := parse(r)
		if err != nil && r.Context().Err() == nil {
			t.Error(err)
		}
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, asked)
		s.mu.Unlock()
		out := answer(n, asked)
		if out.hang {
			<-s.hangs
			return
		}
		w.Header().Set("Content-Type", "application/json")
		for name, v := range out.header {
			w.Header().Set(name, v)
		}
		if out.cut {
			w.Header().Set("Content-Length", fmt.Sprint(len(out.body)+100))
		}
		if out.status != 0 {
			w.WriteHeader(out.status)
		}
		_, _ = io.WriteString(w, out.body)
	}))
	t.Cleanup(func() { close(s.hangs); s.Close() })
	return s
}

func (s *server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *server) options() openai.Options {
	return openai.Options{
		Client: s.Client(),
		Log:    slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Wait: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waits = append(s.waits, d)
			return ctx.Err()
		},
	}
}

func (s *server) client(t testing.TB, change ...func(*openai.Settings, *openai.Options)) *openai.Client {
	t.Helper()
	settings, options := openai.Settings{Name: "Test texts", BaseURL: s.URL + "/v1", Model: "m", Key: secret, PrivateAddresses: true}, s.options()
	for _, c := range change {
		c(&settings, &options)
	}
	c, err := openai.New(settings, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *server) asked() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// modes returns the modes of the requests, in order.
func (s *server) modes() []string {
	var all []string
	for _, r := range s.asked() {
		all = append(all, r.mode)
	}
	return all
}

// secrecy checks, at the end of every test with a server, that neither the log nor the results contain
// the key or text that the server wrote.
func (s *server) secrecy(t testing.TB, results ...any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.log.String() + fmt.Sprintf("%v %+v %#v", results, results, results)
	for _, never := range []string{secret, "private words"} {
		if strings.Contains(all, never) {
			t.Errorf("%q is revealed:\n%s", never, all)
		}
	}
}

// sales returns a model with a table of measures.
func sales(measures ...string) *semanticmodel.Model {
	m := &semanticmodel.Model{Tables: []semanticmodel.Table{{
		Name:    "Sales",
		Columns: []semanticmodel.Column{{Name: "Amount", DataType: semanticmodel.Double}, {Name: "Order Date", DataType: semanticmodel.DateTime}},
	}}}
	for _, name := range measures {
		m.Tables[0].Measures = append(m.Tables[0].Measures, semanticmodel.Measure{Name: name, Expression: "SUM(Sales[Amount])"})
	}
	return m
}

func measures(names ...string) []proposal.Object {
	var all []proposal.Object
	for _, n := range names {
		all = append(all, proposal.Object{Table: "Sales", Name: n, Type: proposal.Measure})
	}
	return all
}

// outcomes lists an answer, one line per object.
func outcomes(proposals []proposal.Proposal, skipped []proposal.Skip) []string {
	var all []string
	for _, p := range proposals {
		all = append(all, p.Name+": "+p.Value)
	}
	for _, s := range skipped {
		all = append(all, s.Name+" skipped: "+s.Message)
	}
	return all
}
