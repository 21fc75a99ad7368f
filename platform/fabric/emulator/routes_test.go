package emulator_test

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"readiness/platform/fabric/emulator"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// emulated is an emulator over a copy of the samples, whose bearers are: ada, who consented to everything; none, to nothing; ended; and
// program.
func emulated(t *testing.T, change func(*emulator.Options)) *emulator.Service {
	t.Helper()
	dir := t.TempDir() // a copy: updates change it
	if err := os.CopyFS(dir, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	behind, err := folder.Open(dir, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"Workspace.Read.All", "Item.ReadWrite.All", "Report.Read.All", "Capacity.Read.All", "Dataset.Read.All", "DataAgent.Execute.All",
		"Item.Execute.All"}
	o := emulator.Options{Folder: behind, Person: func(bearer string) (emulator.Person, error) {
		switch bearer {
		case "ada", "linus":
			return emulator.Person{ID: bearer, Scopes: all}, nil
		case "none":
			return emulator.Person{ID: "ada"}, nil
		case "ended":
			return emulator.Person{}, emulator.ErrExpired
		case "program":
			return emulator.Person{ID: "program", Scopes: all, AppOnly: true}, nil
		}
		return emulator.Person{}, http.ErrNoCookie // any error
	}}
	if change != nil {
		change(&o)
	}
	return emulator.New(o)
}

func asked(s *emulator.Service, bearer, method, path, body string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, "https://api.fabric.microsoft.com"+path, strings.NewReader(body))
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	s.ServeHTTP(w, r)
	return w
}

// Every route refuses a call without a token, with one that is not valid or has ended, with that of a program, and one
// that lacks the route's scope. Routes of operations need no scope.
func TestEveryRouteChecksWhoCalls(t *testing.T) {
	t.Parallel()
	s := emulated(t, nil)
	routes := 0
	for _, template := range s.Templates() {
		method, path, _ := strings.Cut(template, " ")
		for _, name := range []string{"{w}", "{i}", "{c}", "{o}"} {
			path = strings.ReplaceAll(path, name, "00000000-0000-4000-8000-000000000000")
		}
		routes++
		for bearer, want := range map[string]struct {
			status int
			code   string
		}{"": {401, "Unauthorized"}, "forged": {401, "Unauthorized"}, "ended": {401, "TokenExpired"}, "program": {400, "PrincipalTypeNotSupported"},
			"none": {403, "InsufficientScopes"}} {
			if bearer == "none" && strings.HasPrefix(path, "/v1/operations/") {
				want.status, want.code = 404, "OperationNotFound"
			}
			spelled := path
			if bearer == "forged" {
				spelled = strings.ToUpper(path) // letter case does not matter
			}
			got := asked(s, bearer, method, spelled, "")
			var body struct{ ErrorCode string }
			if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil || got.Code != want.status || body.ErrorCode != want.code {
				t.Errorf("%s as %q: got %d %s, want %+v", template, bearer, got.Code, got.Body, want)
			}
		}
	}
	if routes < 25 {
		t.Errorf("%d routes", routes)
	}
}

// A call beyond the quota is blocked until the window, by default of a minute, ends, only for this person, without the headers that
// other answers have. It is logged as information.
func TestQuota(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	var logged strings.Builder
	s := emulated(t, func(o *emulator.Options) {
		o.Now, o.Quotas = func() time.Time { return now }, emulator.Quotas{Calls: 2}
		o.Log = slog.New(slog.NewTextHandler(&logged, nil))
	})
	get := func() *httptest.ResponseRecorder { return asked(s, "ada", "GET", "/v1/workspaces", "") }
	for range 2 {
		if got := get(); got.Code != http.StatusOK || got.Header().Get("Cache-Control") == "" {
			t.Fatalf("within the quota: got %d %v", got.Code, got.Header())
		}
	}
	now = now.Add(20 * time.Second)
	blocked := get()
	for _, name := range []string{"Cache-Control", "Pragma", "Strict-Transport-Security", "X-Content-Type-Options", "X-Frame-Options", "Content-Encoding"} {
		if value := blocked.Header().Get(name); value != "" {
			t.Errorf("a 429 has %s: %s", name, value)
		}
	}
	if blocked.Code != http.StatusTooManyRequests || blocked.Header().Get("Retry-After") != "40" ||
		!strings.Contains(blocked.Body.String(), "until: 12/1/2026 9:01:00 AM (UTC)") {
		t.Errorf("beyond the quota: got %d %v %s", blocked.Code, blocked.Header(), blocked.Body)
	}
	if got := asked(s, "ada", "GET", "/v1/operations/00000000-0000-4000-8000-000000000000", ""); got.Code != http.StatusNotFound {
		t.Errorf("a poll, which is counted apart: got %d", got.Code)
	}
	if got := asked(s, "linus", "GET", "/v1/workspaces", ""); got.Code != http.StatusOK {
		t.Errorf("another person: got %d", got.Code)
	}
	if text := logged.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "path=/v1/workspaces person=ada status=429 retryAfter=40") {
		t.Errorf("logged %s", text)
	}
	now = now.Add(40 * time.Second)
	if got := get(); got.Code != http.StatusOK {
		t.Errorf("in the next window: got %d", got.Code)
	}
	s.Set(func(o *emulator.Options) { o.Quotas.Window = 5 * time.Second })
	now = now.Add(time.Minute)
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := get(); got.Code != want || want == http.StatusTooManyRequests && got.Header().Get("Retry-After") != "5" {
			t.Errorf("in a shorter window: got %d %v, want %d", got.Code, got.Header(), want)
		}
	}
}

// A list has each element once, for any page size. The token of the last page is absent or null: the platform does both.
func TestPages(t *testing.T) {
	t.Parallel()
	forms := map[string]bool{}
	for size := 1; size <= 4; size++ {
		s := emulated(t, func(o *emulator.Options) { o.PageSize = size })
		seen, path := map[string]bool{}, "/v1/workspaces"
		for path != "" {
			var page struct {
				Value             []struct{ ID string }
				ContinuationToken *json.RawMessage
				ContinuationURI   *string
			}
			text := asked(s, "ada", "GET", path, "").Body.Bytes()
			if err := json.Unmarshal(text, &page); err != nil || len(page.Value) > size {
				t.Fatalf("%d on a page: got %s, %v", size, text, err)
			}
			for _, one := range page.Value {
				if seen[one.ID] {
					t.Errorf("%d on a page: %s comes twice", size, one.ID)
				}
				seen[one.ID] = true
			}
			if path = ""; page.ContinuationURI != nil {
				path = strings.TrimPrefix(*page.ContinuationURI, "https://api.fabric.microsoft.com")
			} else {
				forms[map[bool]string{true: "null", false: "absent"}[strings.Contains(string(text), `"continuationToken":null`)]] = true
			}
		}
		if len(seen) != 4 { // her own and those of the samples
			t.Errorf("%d on a page: %d workspaces", size, len(seen))
		}
	}
	if !forms["null"] || !forms["absent"] {
		t.Errorf("the last tokens are %v, want both forms", forms)
	}
}

// The answer to an update that is made at once is empty, with a type of bytes.
func TestUpdateAtOnce(t *testing.T) {
	t.Parallel()
	s := emulated(t, func(o *emulator.Options) { o.AtOnce = true })
	const retail = "/v1/workspaces/dd861a23-9ffc-5a77-a120-f2f1e51bfd19"
	part := func(path, text string) string {
		return `{"path":"` + path + `","payload":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `","payloadType":"InlineBase64"}`
	}
	var list struct{ Value []struct{ ID string } }
	if err := json.Unmarshal(asked(s, "ada", "GET", retail+"/semanticModels", "").Body.Bytes(), &list); err != nil || len(list.Value) == 0 {
		t.Fatal(list, err)
	}
	got := asked(s, "ada", "POST", retail+"/semanticModels/"+list.Value[0].ID+"/updateDefinition",
		`{"definition":{"parts":[`+part("definition.pbism", `{"version":"4.2","settings":{}}`)+","+part("definition/model.tmdl", "model Model\n")+`]}}`)
	if got.Code != http.StatusOK || got.Body.Len() != 0 || got.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("got %d %v %s", got.Code, got.Header(), got.Body)
	}
}
