package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"readiness/eventstore"
)

// aiProviderCommands returns the commands about saved AI providers.
func aiProviderCommands() map[string]command {
	return map[string]command{"llm": plain(1, llm), "asked-as": plain(2, askedAs), "secret": plain(1, secret)}
}

// models are the language models of a script, by name, with the keys that each was asked with since the last check.
type models struct {
	mu   sync.Mutex
	keys map[string][]string
}

// llm starts a language model at $NAME that always answers with a text, by default the minimum that a JSON Schema allows.
func llm(ts *testscript.TestScript, w *Service, args []string) {
	content := `{"items":[]}`
	if len(args) > 1 {
		content = args[1]
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.models.mu.Lock()
		if w.models.keys == nil {
			w.models.keys = map[string][]string{}
		}
		w.models.keys[args[0]] = append(w.models.keys[args[0]], strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		w.models.mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"id": "c", "object": "chat.completion", "model": args[0], "created": 1,
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": content}}},
		})
	}))
	w.T.Cleanup(server.Close)
	ts.Setenv(args[0], server.URL)
}

// askedAs asserts the keys with which a language model was asked since the last check, one per request; - for none.
func askedAs(ts *testscript.TestScript, w *Service, args []string) {
	w.models.mu.Lock()
	keys := w.models.keys[args[0]]
	delete(w.models.keys, args[0])
	w.models.mu.Unlock()
	if args[1] == "-" {
		if len(keys) > 0 {
			ts.Fatalf("%s was asked %d times, want none", args[0], len(keys))
		}
		return
	}
	if len(keys) == 0 {
		ts.Fatalf("%s was not asked, want it asked with the key %s", args[0], args[1])
	}
	for _, k := range keys {
		if k != args[1] {
			ts.Fatalf("%s was asked with the key %q, want %s", args[0], k, args[1])
		}
	}
}

// secret registers a text that may be stored only encrypted: never logged, stored or exported in the clear.
func secret(_ *testscript.TestScript, w *Service, args []string) {
	w.minted = append(w.minted, args[0])
	w.secrets = append(w.secrets, args[0])
}

// exportsNoSecret fails the scenario if the output of readinessd events export, in either form, contains a secret.
func (w *Service) exportsNoSecret() {
	if len(w.secrets) == 0 {
		return
	}
	for _, format := range []eventstore.Format{eventstore.NDJSON, eventstore.CloudEvents} {
		var out bytes.Buffer
		_, err := w.Store.Export(context.Background(), &out, format, eventstore.Selection{})
		check(w.T, err)
		if !strings.Contains(out.String(), "aiprovider.saved") {
			w.T.Error("the export contains no AI provider")
		}
		for _, text := range w.secrets {
			if strings.Contains(out.String(), text) {
				w.T.Errorf("the export contains the secret %s", text)
			}
		}
	}
}
