package person_test

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
	"readiness/platform/fabric/emulator"
	"readiness/test/samples"
	"readiness/test/scenarios"
	"readiness/test/testworld"
)

// overEntra is a service over an emulated Fabric at which people sign in with an emulated Entra. ada may write to the
// workspaces of the samples, vera may only view them, and nils sees none.
type overEntra struct {
	*scenarios.Service
	service *emulator.Service
	entra   *emulator.Entra
	tenant  *testworld.Tenant
	vars    map[string]string // what paths and bodies name
}

// undescribed removes the description of a measure of Retail Sales that has one to propose.
func undescribed(t testing.TB, root string) {
	t.Helper()
	file := filepath.Join(root, "Retail Analytics", "Retail Sales.SemanticModel", "definition", "tables", "Sales.tmdl")
	const described = "\t/// Revenue less purchase cost, before any operating expense.\n"
	text, err := os.ReadFile(file)
	testworld.Check(t, err)
	if !strings.Contains(string(text), described) {
		t.Fatalf("%s has no %q", file, described)
	}
	testworld.Check(t, os.WriteFile(file, []byte(strings.Replace(string(text), described, "", 1)), 0o600))
}

func newOverEntra(t *testing.T) *overEntra {
	t.Helper()
	s := &overEntra{vars: map[string]string{}}
	root := filepath.Join(t.TempDir(), "workspaces")
	testworld.Check(t, os.CopyFS(root, os.DirFS(samples.Workspaces(t))))
	undescribed(t, root)
	testworld.Disk{Root: root}.Members(t, "ada", "vera")
	people := []string{"ada", "vera", "nils"}
	s.Service = scenarios.Open(t, root, os.Getenv, func(w *scenarios.Service) testworld.Platform {
		s.tenant = w.Tenant(t, func(person string, _ uuid.UUID) emulator.Role {
			if person == "ada" {
				return emulator.Contributor
			}
			return emulator.Viewer
		}, people...)
		return s.tenant.Platform
	})
	s.tenant.In(s.World)
	s.service, s.entra = s.tenant.Service, s.tenant.Entra
	s.Verified = token.Options{Issuers: []token.Trusted{{URL: s.tenant.Issuer, Audiences: []string{testworld.TenantClient}}},
		Transport: s.tenant.Transport}
	s.Apply("accounts.yaml", []byte("accounts:\n  - accountId: acme\n    plan: Enterprise\n"+
		"    settings: {addPixies: true, capacityDetails: true, aiFeatures: true}\n    people:\n"+s.tenant.People("admin", people...)), nil)
	s.Up()
	t.Cleanup(s.End)
	s.prepare()
	return s
}

// life is how long people's tokens are valid.
const life = time.Hour

func (s *overEntra) signIn(person string) string {
	s.T.Helper()
	bearer, err := s.tenant.SignIn(person, life)
	testworld.Check(s.T, err)
	return bearer
}

// send makes a call and returns its status and answer. The counts of calls a minute are not what is tested.
func (s *overEntra) send(bearer, method, path, body string) (int, map[string]any) {
	_, err := s.Pool.Exec(context.Background(), `DELETE FROM rate_windows`)
	testworld.Check(s.T, err)
	r, err := http.NewRequestWithContext(context.Background(), method, scenarios.Base+path, strings.NewReader(body))
	testworld.Check(s.T, err)
	r.Header.Set("Authorization", "Bearer "+bearer)
	if body == "" {
		r.Body = http.NoBody
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := s.Client.Do(r)
	testworld.Check(s.T, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	testworld.Check(s.T, err)
	answer := map[string]any{}
	if got.Header.Get("Content-Type") == "application/json" {
		testworld.Check(s.T, json.Unmarshal(text, &answer))
	}
	return got.StatusCode, answer
}

// ends reads an operation of ada's until it has ended, each time with another token of hers, and returns its state.
func (s *overEntra) ends(operation string) map[string]any {
	s.T.Helper()
	for range 40 {
		s.Settled(s.T)
		status, state := s.send(s.signIn("ada"), http.MethodGet, "/v1/operations/"+operation, "")
		if status != http.StatusOK {
			s.T.Fatalf("an operation cannot be read: %v", state)
		}
		if slices.Contains([]any{"Succeeded", "Failed", "Cancelled"}, state["status"]) {
			return state
		}
	}
	s.T.Fatalf("operation %s does not end", operation)
	return nil
}

// calls returns the calls to the platform from the n-th on.
func (s *overEntra) calls(n int) []emulator.Seen { return s.service.Calls()[n:] }

// expand fills in what a path, with names in braces, or a body, with names after $, names.
func (s *overEntra) expand(text string) string {
	for name, value := range s.vars {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return os.Expand(text, func(name string) string { return s.vars[name] })
}
