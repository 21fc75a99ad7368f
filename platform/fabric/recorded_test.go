package fabric_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
)

// recording is a file of recorded traffic (a VCR cassette).
type recording struct {
	Interactions []exchange `yaml:"interactions"`
}

type exchange struct {
	Request struct {
		Method string `yaml:"method"`
		URI    string `yaml:"uri"`
	} `yaml:"request"`
	Response struct {
		Status struct {
			Code int `yaml:"code"`
		} `yaml:"status"`
		Headers map[string][]string `yaml:"headers"`
		Body    struct {
			String string `yaml:"string"`
		} `yaml:"body"`
	} `yaml:"response"`
}

func (e exchange) path() string {
	u, err := url.Parse(e.Request.URI)
	if err != nil {
		return ""
	}
	return u.Path
}

// answer writes the recorded response; its body was recorded without its compression.
func (e exchange) answer(w http.ResponseWriter) {
	for name, values := range e.Response.Headers {
		if !slices.Contains([]string{"content-encoding", "content-length", "transfer-encoding"}, strings.ToLower(name)) {
			w.Header()[http.CanonicalHeaderKey(name)] = values
		}
	}
	w.WriteHeader(e.Response.Status.Code)
	_, _ = w.Write([]byte(e.Response.Body.String))
}

const uuidText = `([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})`

var (
	listOfWorkspaces = regexp.MustCompile(`^/v1/workspaces$`)
	oneWorkspace     = regexp.MustCompile(`^/v1/workspaces/` + uuidText + `$`)
	listOfItems      = regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(items|semanticModels|reports|dataAgents)$`)
	oneItem          = regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(items|semanticModels|reports|dataAgents)/` + uuidText + `$`)
	itsDefinition    = regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(items|semanticModels|reports|dataAgents)/` + uuidText + `/getDefinition$`)
)

// Every recorded exchange that our client would make is answered from the recordings, and the client returns what the
// recorded client saw: lists, items, definitions through their operations, errors and blocks.
func TestRecordings(t *testing.T) {
	t.Parallel()
	folders := []string{"testdata/recordings"}
	if facts := os.Getenv("READINESS_FABRIC_FACTS"); facts != "" {
		folders = append(folders, filepath.Join(facts, "recordings"))
	}
	replayed := map[string]int{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recordings in %s: %v", folder, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r recording
			if err := yaml.Unmarshal(text, &r); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for i := range r.Interactions {
				if kind := replay(t, filepath.Base(file), r.Interactions, i); kind != "" {
					replayed[kind]++
				}
			}
		}
	}
	for _, kind := range []string{"workspaces", "items", "definition", "refusal"} {
		if replayed[kind] == 0 {
			t.Errorf("no recorded exchange is about %s", kind)
		}
	}
	t.Logf("replayed: %v", replayed)
}

// replay makes the call of one recorded exchange and returns what it was about; "" when our client makes no such call.
func replay(t *testing.T, file string, all []exchange, at int) (kind string) {
	t.Helper()
	e := all[at]
	polled := map[string]int{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/operations/") {
			e.answer(w)
			return
		}
		later := slices.DeleteFunc(slices.Clone(all[at:]), func(o exchange) bool { return o.path() != r.URL.Path })
		if len(later) == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		later[min(polled[r.URL.Path], len(later)-1)].answer(w)
		polled[r.URL.Path]++
	}))
	defer s.Close()
	c := &clock{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	p, err := fabric.New(fabric.Options{URL: s.URL, PowerBIURL: s.URL, Transport: s.Client().Transport, Now: c.Now, Wait: c.Wait,
		Tokens: func(context.Context, item.Caller, item.Permission) (string, error) { return "token", nil }})
	if err != nil {
		t.Fatal(err)
	}
	path := e.path()
	var got, want any
	switch {
	case e.Request.Method == http.MethodGet && listOfWorkspaces.MatchString(path):
		kind = "workspaces"
		var workspaces []item.Workspace
		workspaces, err = p.Workspaces(t.Context(), item.Caller{})
		got, want = sorted(workspaces, func(w item.Workspace) string { return w.ID.String() + w.DisplayName }), recorded(e, true)
	case e.Request.Method == http.MethodGet && oneWorkspace.MatchString(path):
		kind = "workspace"
		var w item.Workspace
		w, err = p.Workspace(t.Context(), item.Caller{}, uuid.MustParse(oneWorkspace.FindStringSubmatch(path)[1]))
		got, want = w.ID.String()+w.DisplayName, one(e)
	case e.Request.Method == http.MethodGet && listOfItems.MatchString(path):
		kind = "items"
		var items []item.Item
		items, err = p.Items(t.Context(), item.Caller{}, uuid.MustParse(listOfItems.FindStringSubmatch(path)[1]), item.SemanticModel)
		got, want = sorted(items, func(i item.Item) string { return i.ID.String() + i.DisplayName }), recorded(e, false)
	case e.Request.Method == http.MethodGet && oneItem.MatchString(path):
		kind = "item"
		m := oneItem.FindStringSubmatch(path)
		var it item.Item
		it, err = p.Item(t.Context(), item.Caller{}, uuid.MustParse(m[1]), item.Report, uuid.MustParse(m[3]))
		got, want = it.ID.String()+it.DisplayName, one(e)
	case e.Request.Method == http.MethodPost && itsDefinition.MatchString(path):
		kind = "definition"
		m := itsDefinition.FindStringSubmatch(path)
		var d definition.Definition
		d, err = p.Definition(t.Context(), item.Caller{}, item.Item{WorkspaceID: uuid.MustParse(m[1]), Type: item.Report, ID: uuid.MustParse(m[3])})
		got, want = d, definitionOf(t, all[at:], e)
	default:
		return ""
	}
	if e.Response.Status.Code >= http.StatusBadRequest {
		refusal, ok := domain.Refused(err)
		seconds, _ := strconv.Atoi(strings.Join(e.Response.Headers["Retry-After"], ""))
		if !ok || refusal.RetryAfter < time.Duration(seconds)*time.Second {
			t.Errorf("%s %d: %s: got %v, want a refusal", file, at, path, err)
		}
		return "refusal"
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s %d: %s (-recorded +read):\n%s%v", file, at, path, d, err)
	}
	return kind
}

func sorted[T any](all []T, text func(T) string) []string {
	texts := []string{}
	for _, one := range all {
		texts = append(texts, text(one))
	}
	slices.Sort(texts)
	return texts
}

type described struct{ ID, DisplayName, Type string }

// recorded returns the id and name of each element of a recorded list, in order.
func recorded(e exchange, workspaces bool) []string {
	var list struct{ Value []described }
	_ = json.Unmarshal([]byte(e.Response.Body.String), &list)
	list.Value = slices.DeleteFunc(list.Value, func(d described) bool { return workspaces && d.Type != "Workspace" })
	return sorted(list.Value, func(d described) string { return d.ID + d.DisplayName })
}

func one(e exchange) string {
	var d described
	_ = json.Unmarshal([]byte(e.Response.Body.String), &d)
	return d.ID + d.DisplayName
}

// definitionOf returns the definition in the result of the recorded operation.
func definitionOf(t *testing.T, later []exchange, of exchange) definition.Definition {
	t.Helper()
	id := strings.Join(of.Response.Headers["x-ms-operation-id"], "")
	for _, e := range later {
		if e.path() != "/v1/operations/"+id+"/result" {
			continue
		}
		var result struct {
			Definition struct {
				Parts []struct{ Path, Payload string }
			}
		}
		if err := json.Unmarshal([]byte(e.Response.Body.String), &result); err != nil {
			t.Fatal(err)
		}
		var parts []definition.Part
		for _, p := range result.Definition.Parts {
			data, err := base64.StdEncoding.DecodeString(p.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if p.Path != ".platform" {
				parts = append(parts, definition.Part{Path: p.Path, Data: data})
			}
		}
		return definition.New(parts...)
	}
	t.Fatalf("no result of operation %q was recorded", id)
	return definition.Definition{}
}
