package fabric_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/test/recordings"
)

// allRecordings are those of this repository and, if READINESS_FABRIC_FACTS names a folder, those in it.
func allRecordings(t testing.TB) (all []recordings.Recording) {
	t.Helper()
	folders := []string{"testdata/recordings"}
	if facts := os.Getenv("READINESS_FABRIC_FACTS"); facts != "" {
		folders = append(folders, filepath.Join(facts, "recordings"))
	}
	for _, folder := range folders {
		some, err := recordings.Read(folder)
		if err != nil || len(some) == 0 {
			t.Fatalf("no recordings in %s: %v", folder, err)
		}
		all = append(all, some...)
	}
	return all
}

// inProcess carries calls to a handler without a network.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// clientOf returns a client whose calls the handler answers.
func clientOf(t testing.TB, handler http.Handler) *fabric.Platform {
	t.Helper()
	c := &clock{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	p, err := fabric.New(fabric.Options{Transport: inProcess{handler}, Now: c.Now, Wait: c.Wait,
		Tokens: func(context.Context, item.Caller, item.Permission) (string, error) { return "token", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// overNetwork returns a client whose calls the server answers.
func overNetwork(t testing.TB, s *httptest.Server) *fabric.Platform {
	t.Helper()
	c := &clock{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	p, err := fabric.New(fabric.Options{URL: s.URL, PowerBIURL: s.URL, Transport: s.Client().Transport, Now: c.Now, Wait: c.Wait,
		Tokens: func(context.Context, item.Caller, item.Permission) (string, error) { return "token", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const uuidText = `([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})`

// The calls of recorded clients that ours makes too, by what they are about.
var calls = map[string]struct {
	method string
	path   *regexp.Regexp
}{
	"workspaces": {"GET", regexp.MustCompile(`^/v1/workspaces$`)},
	"workspace":  {"GET", regexp.MustCompile(`^/v1/workspaces/` + uuidText + `$`)},
	"items":      {"GET", regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(?:items|semanticModels|reports|dataAgents)$`)},
	"item":       {"GET", regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(?:items|semanticModels|reports|dataAgents)/` + uuidText + `$`)},
	"definition": {"POST", regexp.MustCompile(`^/v1/workspaces/` + uuidText + `/(?:items|semanticModels|reports|dataAgents)/` + uuidText +
		`/getDefinition$`)},
	"reports":   {"GET", regexp.MustCompile(`^/v1\.0/myorg/groups/` + uuidText + `/reports$`)},
	"operation": {"", regexp.MustCompile(`.`)}, // whatever began one
}

// replayed is a recorded exchange that our client would make, with what was recorded after it.
type replayed struct {
	*recordings.Exchange
	kind  string
	ids   []uuid.UUID // in its path
	later []*recordings.Exchange
}

// replays returns the recorded exchanges that our client would make.
func replays(r recordings.Recording) (all []replayed) {
	for at, e := range r.Exchanges {
		for kind, c := range calls {
			found := c.path.FindStringSubmatch(e.URL.Path)
			if found == nil || c.method != "" && c.method != e.Method ||
				c.method == "" && (e.Status != http.StatusAccepted || e.Header.Get("x-ms-operation-id") == "") {
				continue
			}
			one := replayed{Exchange: e, kind: kind, later: r.Exchanges[at+1:]}
			for _, id := range found[1:] {
				one.ids = append(one.ids, uuid.MustParse(id))
			}
			all = append(all, one)
		}
	}
	return all
}

// service answers as recorded: the call, its further pages and its operation. Of several recorded states of the
// operation each is given once, the last one again and again.
func (r replayed) service() http.Handler {
	given := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		polls := strings.HasPrefix(asked.URL.Path, "/v1/operations/")
		if !polls && (!asked.URL.Query().Has("continuationToken") || asked.URL.RawQuery == r.URL.RawQuery) {
			r.ServeHTTP(w, asked)
			return
		}
		answers := slices.DeleteFunc(slices.Clone(r.later), func(e *recordings.Exchange) bool {
			return e.Method != asked.Method || e.URL.Path != asked.URL.Path && polls || e.URL.RawQuery != asked.URL.RawQuery
		})
		if len(answers) == 0 {
			emulator.Error(http.StatusNotFound, "EntityNotFound", "")(w, asked)
			return
		}
		answers[min(given[asked.URL.String()], len(answers)-1)].ServeHTTP(w, asked)
		given[asked.URL.String()]++
	})
}

// read makes the call with our client. What it returns is comparable with what was recorded.
func (r replayed) read(t testing.TB, p *fabric.Platform) (any, error) {
	ctx, nobody := t.Context(), item.Caller{}
	switch r.kind {
	case "workspaces":
		all, err := p.Workspaces(ctx, nobody)
		return sorted(all, func(w item.Workspace) string { return w.ID.String() + w.DisplayName }), err
	case "workspace":
		w, err := p.Workspace(ctx, nobody, r.ids[0])
		return w.ID.String() + w.DisplayName, err
	case "items":
		all, err := p.Items(ctx, nobody, r.ids[0], item.SemanticModel)
		return sorted(all, func(i item.Item) string { return i.ID.String() + i.DisplayName }), err
	case "item":
		it, err := p.Item(ctx, nobody, r.ids[0], item.Report, r.ids[1])
		return it.ID.String() + it.DisplayName, err
	case "definition":
		return p.Definition(ctx, nobody, item.Item{WorkspaceID: r.ids[0], Type: item.Report, ID: r.ids[1]})
	case "reports":
		all, err := p.Reports(ctx, nobody, r.ids[0])
		return sorted(all, func(i item.WorkspaceReport) string { return i.ID.String() + i.DisplayName }), err
	}
	return nil, p.Finish(ctx, r.Header)
}

// Every recorded exchange that our client would make is answered from the recordings, and the client returns what the
// recorded client saw: lists, items, definitions, the ends of operations, errors and blocks.
func TestRecordings(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for _, recording := range allRecordings(t) {
		for _, r := range replays(recording) {
			got, err := r.read(t, clientOf(t, r.service()))
			kind := r.kind
			switch want, fails, unknown := r.saw(t); {
			case unknown:
				kind += " without end"
			case fails:
				kind = "refusal"
				refusal, ok := domain.Refused(err)
				seconds, _ := strconv.Atoi(r.Header.Get("Retry-After"))
				if !ok || r.Status >= http.StatusBadRequest && refusal.RetryAfter < time.Duration(seconds)*time.Second {
					t.Errorf("%s: %s %s: got %v, want a refusal", recording.Name, r.Method, r.URL, err)
				}
			default:
				if d := cmp.Diff(want, got); d != "" || err != nil {
					t.Errorf("%s: %s %s (-recorded +read):\n%s%v", recording.Name, r.Method, r.URL, d, err)
				}
			}
			counts[kind]++
		}
	}
	for _, kind := range []string{"workspaces", "items", "definition", "operation", "refusal"} {
		if counts[kind] == 0 {
			t.Errorf("no recorded exchange is about %s", kind)
		}
	}
	t.Logf("replayed: %v", counts)
}

func sorted[T any](all []T, text func(T) string) []string {
	texts := []string{}
	for _, one := range all {
		texts = append(texts, text(one))
	}
	slices.Sort(texts)
	return texts
}

type described struct{ ID, DisplayName, Name, Type string }

func (d described) text() string { return d.ID + d.DisplayName + d.Name }

// saw returns what the recorded client learnt: a value, or that the call failed; unknown if the recording ends before.
func (r replayed) saw(t testing.TB) (want any, fails, unknown bool) {
	t.Helper()
	if r.Status >= http.StatusBadRequest || !json.Valid(r.Body) {
		return nil, true, false
	}
	switch r.kind {
	case "workspaces", "items", "reports":
		return r.listed(t), false, false
	case "workspace":
		var d described
		decode(t, r.Body, &d)
		return d.text(), d.Type != "Workspace", false // the service shows no person's own workspace
	case "item":
		var d described
		decode(t, r.Body, &d)
		return d.text(), false, false
	case "definition":
		if r.Status == http.StatusOK {
			return definitionOf(t, r.Body)
		}
	}
	path := "/v1/operations/" + r.Header.Get("x-ms-operation-id")
	state := ""
	for _, e := range r.later {
		switch {
		case e.Method != http.MethodGet:
		case e.URL.Path == path:
			var s struct{ Status string }
			decode(t, e.Body, &s)
			state = s.Status
		case e.URL.Path == path+"/result" && r.kind == "definition":
			if e.Status >= http.StatusBadRequest {
				return nil, true, false
			}
			return definitionOf(t, e.Body)
		}
	}
	return nil, state == "Failed", state != "Failed" && (state != "Succeeded" || r.kind == "definition")
}

// listed returns the id and name of each element of the recorded list with its recorded pages, in order.
func (r replayed) listed(t testing.TB) []string {
	t.Helper()
	all := []described{}
	for _, e := range append([]*recordings.Exchange{r.Exchange}, r.later...) {
		var page struct {
			Value             []described
			ContinuationToken string
		}
		if e != r.Exchange && (e.Method != r.Method || e.URL.Path != r.URL.Path || !e.URL.Query().Has("continuationToken")) {
			continue
		}
		decode(t, e.Body, &page)
		for _, d := range page.Value {
			if r.kind != "workspaces" || d.Type == "Workspace" {
				all = append(all, d)
			}
		}
		if page.ContinuationToken == "" {
			break
		}
	}
	return sorted(all, described.text)
}

func decode(t testing.TB, text []byte, out any) {
	t.Helper()
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}

// definitionOf returns a recorded definition; it fails if it has nothing but the part .platform.
func definitionOf(t testing.TB, body []byte) (want any, fails, unknown bool) {
	t.Helper()
	var result struct {
		Definition struct {
			Format string
			Parts  []struct{ Path, Payload string }
		}
	}
	decode(t, body, &result)
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
	d := definition.New(parts...)
	d.Format = result.Definition.Format
	return d, len(parts) == 0, false
}
