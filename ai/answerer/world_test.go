package answerer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/txtar"

	"readiness/ai"
	"readiness/ai/answerer"
	"readiness/definition"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/platform/folder"
)

var (
	retail  = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000001")
	shop    = uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000001")
	analyst = uuid.MustParse("dddddddd-0000-0000-0000-000000000001")
	ana     = item.Caller{Account: "contoso", Person: item.Person{ID: "ana"}}
)

// secret is the key of every provider in these tests.
const secret = "sk-very-secret-0123456789"

// world has a platform in a folder, an account's providers, and one server that answers for all of
// them.
type world struct {
	*answerer.Asker
	root    string
	options answerer.Options
	saved   *providers
	url     string

	mu   sync.Mutex
	log  bytes.Buffer
	read []item.Item
	sent []request
	// reply is the server's response; nil means status 500.
	reply func(n int, r request) (status int, body string)
}

// request is a request to the server.
type request struct {
	system, user, key string
	temperature       *float64
	raw               string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{root: t.TempDir(), saved: &providers{}}
	for _, f := range archive.Files {
		w.put(t, f.Name, string(f.Data))
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	platform, err := folder.Open(w.root, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.options = answerer.Options{
		Definitions: func(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
			if !cmp.Equal(as, ana) {
				t.Errorf("read as %v", as)
			}
			w.mu.Lock()
			w.read = append(w.read, it)
			w.mu.Unlock()
			return platform.Definition(ctx, as, it)
		},
		Providers: w.saved,
		Models: ai.New(ai.Options{
			Client: server.Client(), PrivateAddresses: true, Log: log,
			Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		}),
		Now: time.Now,
		Log: log,
	}
	w.Asker = answerer.New(w.options)
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, never := range []string{secret, "private words", "Turnover"} {
			if strings.Contains(w.log.String(), never) {
				t.Errorf("%q is logged:\n%s", never, w.log.String())
			}
		}
	})
	return w
}

// Write receives the log.
func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

func (w *world) put(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// change replaces a text in a file, which must have it once.
func (w *world) change(t *testing.T, name, old, text string) {
	t.Helper()
	was, err := os.ReadFile(filepath.Join(w.root, filepath.FromSlash(name)))
	if err != nil || strings.Count(string(was), old) != 1 {
		t.Fatalf("%s holds %q %d times, %v", name, old, strings.Count(string(was), old), err)
	}
	w.put(t, name, strings.Replace(string(was), old, text, 1))
}

func (w *world) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(w.root, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// ServeHTTP answers like a chat completions interface.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(out, "cut off", http.StatusBadRequest)
		return
	}
	var asked struct {
		Messages    []struct{ Content string }
		Temperature *float64
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Messages) != 2 {
		http.Error(out, "not two messages", http.StatusBadRequest)
		return
	}
	one := request{asked.Messages[0].Content, asked.Messages[1].Content, r.Header.Get("Authorization"), asked.Temperature, string(body)}
	w.mu.Lock()
	n := len(w.sent)
	w.sent = append(w.sent, one)
	w.mu.Unlock()
	status, content := http.StatusInternalServerError, "private words"
	if w.reply != nil {
		status, content = w.reply(n, one)
	}
	if status != http.StatusOK {
		http.Error(out, content, status)
		return
	}
	text, err := json.Marshal(map[string]any{
		"id": "chat-1", "choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": content}}},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 7},
	})
	if err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = out.Write(text)
}

func (w *world) asked() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

// save adds a language model on the server under the id, for the purposes.
func (w *world) save(id string, purposes ...aiprovider.Purpose) *aiprovider.Settings {
	key, err := aiprovider.NewKey(secret)
	if err != nil {
		panic(err)
	}
	one := &provider{aiprovider.Settings{
		ProviderID: id, Kind: aiprovider.OpenAICompatible, Name: "Model " + id, BaseURL: w.url + "/v1", Model: "large", Key: key, Limits: aiprovider.DefaultLimits(),
	}, purposes}
	w.saved.all = append(w.saved.all, one)
	return &one.Settings
}

type provider struct {
	aiprovider.Settings
	purposes []aiprovider.Purpose
}

// The providers of the account contoso, oldest first.
type providers struct{ all []*provider }

func (p *providers) Get(_ context.Context, accountID, providerID string) (aiprovider.Settings, error) {
	if providerID == aiprovider.EmbeddedID {
		return aiprovider.Embedded(), nil
	}
	for _, one := range p.all {
		if one.ProviderID == providerID && accountID == ana.Account {
			if one.Kind.NeedsKey() && one.Key.IsZero() {
				return aiprovider.Settings{}, aiprovider.KeyMissing(one.Name, providerID)
			}
			return one.Settings, nil
		}
	}
	return aiprovider.Settings{}, aiprovider.NotFound(providerID)
}

func (p *providers) ForPurpose(ctx context.Context, accountID string, purpose aiprovider.Purpose, except ...string) (aiprovider.Settings, bool, error) {
	for _, one := range p.all {
		if accountID == ana.Account && slices.Contains(one.purposes, purpose) && !slices.Contains(except, one.ProviderID) && one.Kind.Remote() {
			if one.Kind.NeedsKey() && one.Key.IsZero() {
				return aiprovider.Settings{}, false, aiprovider.KeyMissing(one.Name, one.ProviderID)
			}
			return one.Settings, true, ctx.Err()
		}
	}
	return aiprovider.Settings{}, false, ctx.Err()
}

// side returns a side of the model Shop.
func side(kind verdict.AgentKind, providerID string) benchmark.Side {
	s := benchmark.Side{WorkspaceID: retail, SemanticModelID: shop, AnsweredBy: benchmark.AnsweredBy{Kind: kind, ProviderID: providerID}}
	if kind == verdict.DataAgent || kind == verdict.ServiceTestAgent {
		s.AnsweredBy.DataAgentID = &analyst
	}
	return s
}

// open opens a side and fails the test on an error.
func (w *world) open(t *testing.T, s benchmark.Side) (verdict.Target, answerer.Ask) {
	t.Helper()
	about, _, ask, err := w.Open(t.Context(), ana, s)
	if err != nil {
		t.Fatal(err)
	}
	return about, ask
}

// reply asks a question and fails the test on an error.
func reply(t *testing.T, ask answerer.Ask, question string) benchmark.Reply {
	t.Helper()
	r, err := ask(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
