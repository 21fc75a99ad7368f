package fabric_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
)

// assistant is the data agent of the samples.
func (w *world) assistant(t *testing.T) item.Item {
	t.Helper()
	all, err := w.folder.Items(t.Context(), person("ada"), retail, item.DataAgent)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}

// A published data agent is asked as the person, with the permission for it, and its text is the answer.
func TestAskAgent(t *testing.T) {
	t.Parallel()
	const question = "What were sales in 2025?"
	for name, c := range map[string]struct {
		text  string
		fails error
		want  string
		says  string // of a refusal
	}{
		"an answer":           {text: " Sales were 12,000.\n", want: "Sales were 12,000."},
		"as long as is kept":  {text: strings.Repeat("é", 20_000), want: strings.Repeat("é", 20_000)},
		"longer than is kept": {text: strings.Repeat("é", 20_001), want: strings.Repeat("é", 20_000)},
		"NUL and no UTF-8":    {text: "a\x00b", want: "a\ufffdb"},
		"nothing":             {text: " \n", says: "without a text"},
		"an error":            {fails: errors.New("the source\nis away"), says: "it reported an error: the source is away"},
		"too large":           {text: strings.Repeat("x", 3<<20), says: "gave no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := ""
			w := newWorld(t, func(o *emulator.Options) {
				o.Answers = func(_ item.Item, q string) (string, error) { asked = q; return c.text, c.fails }
			})
			agent := w.assistant(t)
			got, _, err := w.AskAgent(t.Context(), person("ada"), agent, question)
			if c.says != "" {
				refused(t, err, domain.PlatformUnavailable, c.says)
			} else if err != nil || got != c.want {
				t.Errorf("got %.100q, %v", got, err)
			}
			if asked != question {
				t.Errorf("it was asked %q", asked)
			}
			for _, call := range w.service.Calls() {
				if !strings.HasSuffix(call.Path, "/dataagents/"+agent.ID.String()+"/agent") || call.Person.ID != "ada" ||
					call.Method == http.MethodPost && call.Scope != "DataAgent.Execute.All" {
					t.Errorf("called %+v", call)
				}
			}
		})
	}
}

// An agent that is not published, or that the person cannot see, is not asked.
func TestAskAgentThatIsNotThere(t *testing.T) {
	t.Parallel()
	asked := false
	w := newWritable(t, func(o *emulator.Options) {
		o.Answers = func(item.Item, string) (string, error) { asked = true; return "yes", nil }
	})
	agent := w.assistant(t)
	_, _, err := w.AskAgent(t.Context(), person("ada"), item.Item{ID: uuid.New(), Type: item.DataAgent, WorkspaceID: retail}, "Why?")
	refused(t, err, domain.ItemNotFound, "is not in workspace")
	d, err := w.Definition(t.Context(), person("ada"), agent)
	if err != nil {
		t.Fatal(err)
	}
	removed := 0
	for _, p := range d.Parts {
		if strings.Contains(p.Path, "/published/") {
			found, err := filepath.Glob(filepath.Join(w.root, "*", "*.DataAgent", filepath.FromSlash(p.Path)))
			if err != nil || len(found) != 1 || os.Remove(found[0]) != nil {
				t.Fatal(found, err)
			}
			removed++
		}
	}
	_, _, err = w.AskAgent(t.Context(), person("ada"), agent, "Why?")
	refused(t, err, domain.ItemNotFound, "is not in workspace")
	if asked || removed == 0 {
		t.Errorf("it was asked %t; %d parts were removed", asked, removed)
	}
}

// Whatever answers in an agent's place, a question ends in its time with a refusal, and no other host is called.
func TestAskAgentUnderAttack(t *testing.T) {
	t.Parallel()
	other := elsewhere(t)
	hangs := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		<-r.Context().Done()
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: "+strings.Repeat("x", 1<<16)+"\n\n"); err != nil {
				return
			}
		}
	}
	rpc := func(result string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, result)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   domain.Code
		says   string
	}{
		"garbage":       {says(200, map[string]string{"Content-Type": "application/json"}, "<html>"), domain.PlatformUnavailable, "gave no answer"},
		"HTML":          {says(200, map[string]string{"Content-Type": "text/html"}, "<html>"), domain.PlatformUnavailable, "gave no answer"},
		"nothing":       {says(200, nil, ""), domain.PlatformUnavailable, "gave no answer"},
		"another shape": {rpc(`[1]`), domain.PlatformUnavailable, "gave no answer"},
		"no version":    {rpc(`{"protocolVersion":"1999-01-01"}`), domain.PlatformUnavailable, "gave no answer"},
		"it hangs":      {hangs, domain.PlatformUnavailable, ""},
		"it never ends": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, r)
		}, domain.PlatformUnavailable, "gave no answer"},
		"a redirect":   {says(307, map[string]string{"Location": other.URL}, ""), domain.PlatformUnavailable, "HTTP 307"},
		"unauthorized": {emulator.Error(401, "Unauthorized", "no"), domain.PlatformAccessDenied, "Unauthorized"},
		"claims":       {emulator.Challenge(`{"a":1}`), domain.Unauthorized, "new sign-in"},
		"forbidden":    {emulator.Error(403, "FeatureNotAvailable", "no"), domain.PlatformAccessDenied, "FeatureNotAvailable"},
		"no scope":     {emulator.Error(403, "InsufficientScopes", "no"), domain.PlatformAccessDenied, "InsufficientScopes"},
		"gone":         {emulator.Error(404, "EntityNotFound", "no"), domain.ItemNotFound, "is not in workspace"},
		"paused":       {emulator.Error(400, "CapacityNotActive", "no"), domain.CapacityPaused, "is paused"},
		"blocked":      {emulator.Error(429, "RequestBlocked", "no"), domain.PlatformUnavailable, "no room for further calls"},
		"it fails":     {emulator.Error(500, "UnknownError", "no"), domain.PlatformUnavailable, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *emulator.Options) {
				o.Answers = func(item.Item, string) (string, error) {
					t.Error("the agent was asked")
					return "", nil
				}
			})
			agent := w.assistant(t)
			w.service.Script(emulator.Fault{Path: "/dataagents/", Answer: c.answer, Times: 100})
			if slices.Contains([]string{"it hangs", "it never ends", "another shape", "no version"}, name) { // they wait for their time to end
				w.Hurry(time.Second)
			}
			_, _, err := w.AskAgent(t.Context(), person("ada"), agent, "Why?")
			refused(t, err, c.code, c.says)
			blocked := 0 // each block is shared with other processes, and the question begins again a few times
			if name == "blocked" {
				blocked = 10
			}
			if len(w.shared.holds) != blocked || blocked > 0 && len(w.service.Calls()) != blocked {
				t.Errorf("%d calls and %d holds, want %d", len(w.service.Calls()), len(w.shared.holds), blocked)
			}
		})
	}
}

// Nothing is asked after the end of the caller's token.
func TestAskAgentAfterTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	agent := w.assistant(t)
	w.over = domain.Refuse(domain.TokenExpired, "it has ended")
	_, _, err := w.AskAgent(t.Context(), person("ada"), agent, "Why?")
	refused(t, err, domain.TokenExpired, "it has ended")
	if calls := w.service.Calls(); len(calls) != 0 {
		t.Errorf("called %+v", calls)
	}
}
