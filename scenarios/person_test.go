package scenarios

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/http/token"
	"readiness/internal/samples"
	"readiness/internal/testworld"
	"readiness/platform/fabric/fabrictest"
)

// overEntra is a service over an emulated Fabric at which people sign in with an emulated Entra. ada may write to the
// workspaces of the samples, vera may only view them, and nils sees none.
type overEntra struct {
	*world
	service *fabrictest.Service
	entra   *fabrictest.Entra
	tenant  *testworld.Tenant
	vars    map[string]string // what paths and bodies name
}

func newOverEntra(t *testing.T) *overEntra {
	t.Helper()
	s := &overEntra{vars: map[string]string{}}
	root := filepath.Join(t.TempDir(), "workspaces")
	check(t, os.CopyFS(root, os.DirFS(samples.Workspaces(t))))
	members(t, root, "ada", "vera")
	people := []string{"ada", "vera", "nils"}
	s.world = openWorld(t, root, os.Getenv, func(w *world) testworld.Platform {
		s.tenant = w.Tenant(t, func(person string, _ uuid.UUID) fabrictest.Role {
			if person == "ada" {
				return fabrictest.Contributor
			}
			return fabrictest.Viewer
		}, people...)
		return s.tenant.Platform
	})
	s.tenant.In(s.World)
	s.service, s.entra = s.tenant.Service, s.tenant.Entra
	s.verified = token.Options{Issuers: []token.Trusted{{URL: s.tenant.Issuer, Audiences: []string{testworld.TenantClient}}},
		Transport: s.tenant.Transport}
	s.apply("accounts.yaml", []byte("accounts:\n  - accountId: acme\n    plan: Enterprise\n"+
		"    settings: {addPixies: true, capacityDetails: true, aiFeatures: true}\n    people:\n"+s.tenant.People("admin", people...)))
	s.up()
	t.Cleanup(s.end)
	s.prepare()
	return s
}

// members makes people the only ones who see the workspaces of a folder.
func members(t testing.TB, root string, people ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "workspace.json"))
	check(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		var settings map[string]any
		check(t, json.Unmarshal(text, &settings))
		settings["members"] = people
		text, err = json.Marshal(settings)
		check(t, err)
		check(t, os.WriteFile(file, text, 0o644))
	}
}

// life is how long people's tokens are valid.
const life = time.Hour

func (s *overEntra) signIn(person string) string {
	s.t.Helper()
	bearer, err := s.tenant.SignIn(person, life)
	check(s.t, err)
	return bearer
}

// send makes a call and returns its status and answer. The counts of calls a minute are not what is tested.
func (s *overEntra) send(bearer, method, path, body string) (int, map[string]any) {
	_, err := s.Pool.Exec(context.Background(), `DELETE FROM rate_windows`)
	check(s.t, err)
	r, err := http.NewRequestWithContext(context.Background(), method, base+path, strings.NewReader(body))
	check(s.t, err)
	r.Header.Set("Authorization", "Bearer "+bearer)
	if body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := s.client.Do(r)
	check(s.t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	check(s.t, err)
	answer := map[string]any{}
	if got.Header.Get("Content-Type") == "application/json" {
		check(s.t, json.Unmarshal(text, &answer))
	}
	return got.StatusCode, answer
}

// ends reads an operation of ada's until it has ended, each time with another token of hers, and returns its state.
func (s *overEntra) ends(operation string) map[string]any {
	s.t.Helper()
	for range 40 {
		s.Settled(s.t)
		status, state := s.send(s.signIn("ada"), http.MethodGet, "/v1/operations/"+operation, "")
		if status != http.StatusOK {
			s.t.Fatalf("an operation cannot be read: %v", state)
		}
		if slices.Contains([]any{"Succeeded", "Failed", "Cancelled"}, state["status"]) {
			return state
		}
	}
	s.t.Fatalf("operation %s does not end", operation)
	return nil
}

// calls returns the calls to the platform from the n-th on.
func (s *overEntra) calls(n int) []fabrictest.Seen { return s.service.Calls()[n:] }

// expand fills in what a path, with names in braces, or a body, with names after $, names.
func (s *overEntra) expand(text string) string {
	for name, value := range s.vars {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return os.Expand(text, func(name string) string { return s.vars[name] })
}
