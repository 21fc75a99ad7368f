package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/http/token"
	"readiness/internal/samples"
	"readiness/internal/testworld"
	"readiness/internal/wiring"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/fabrictest"
	"readiness/platform/folder"
	"readiness/platform/reads"
)

// The tenant and the service's application at the emulated Entra.
const (
	fabricTenant = "11111111-1111-4111-8111-111111111111"
	fabricClient = "33333333-3333-4333-8333-333333333333"
)

// objectOf returns the id of a person in the tenant.
func objectOf(person string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("person/"+person)).String()
}

// overEntra is a service over an emulated Fabric at which people sign in with an emulated Entra. ada may write to the
// workspaces of the samples, vera may only view them, and nils sees none.
type overEntra struct {
	*world
	service *fabrictest.Service
	entra   *fabrictest.Entra
	vars    map[string]string // what paths and bodies name
}

func newOverEntra(t *testing.T) *overEntra {
	t.Helper()
	s := &overEntra{vars: map[string]string{}}
	root := filepath.Join(t.TempDir(), "workspaces")
	check(t, os.CopyFS(root, os.DirFS(samples.Workspaces(t))))
	members(t, root, "ada", "vera")
	var overREST *fabric.Platform
	var server *httptest.Server
	s.world = openWorld(t, root, os.Getenv, func(w *world) testworld.Platform {
		behind, err := folder.Open(root, folder.Options{})
		check(t, err)
		s.entra, err = fabrictest.NewEntra(fabricClient, w.Now)
		check(t, err)
		s.service = fabrictest.New(fabrictest.Options{Folder: behind, Person: s.entra.Person, Now: w.Now, PageSize: 3, Lasts: time.Nanosecond,
			Role: func(person string, _ uuid.UUID) fabrictest.Role {
				if person == "ada" {
					return fabrictest.Contributor
				}
				return fabrictest.Viewer
			}})
		server = httptest.NewTLSServer(fabrictest.Handler(s.service, s.entra))
		t.Cleanup(server.Close)
		s.entra.At(server.URL)
		secret, err := confidential.NewCredFromSecret("of the service")
		check(t, err)
		exchange, err := entra.New(entra.Options{Scopes: fabric.Scopes, Authority: server.URL, ClientID: fabricClient, Credential: secret,
			Tenants: []string{fabricTenant}, Transport: server.Client().Transport, Now: w.Now})
		check(t, err)
		overREST, err = fabric.New(fabric.Options{URL: server.URL, PowerBIURL: server.URL, Transport: server.Client().Transport,
			Tokens: exchange.For, Challenged: exchange.Challenged, Valid: exchange.Valid, ShowsCopilot: true, Now: w.Now,
			Reads: reads.Store{Pool: w.Pool}, Exports: reads.Exports{Pool: w.Pool},
			Writing: func(context.Context, item.Caller) error { return nil },
			Wait:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		check(t, err)
		return overREST
	})
	s.Platform, s.Accounts.Permissions = overREST, overREST
	s.Work.Platform, s.Work.Permissions, s.Work.Queries = overREST, overREST, wiring.FabricQueries{Platform: overREST}
	s.Agents.Agents = overREST
	issuer := server.URL + "/" + fabricTenant + "/v2.0"
	s.verified = token.Options{Issuers: []token.Trusted{{URL: issuer, Audiences: []string{fabricClient}}}, Transport: server.Client().Transport}
	accounts := "accounts:\n  - accountId: acme\n    plan: Enterprise\n    settings: {addPixies: true, capacityDetails: true, aiFeatures: true}\n    people:\n"
	var residents []fabrictest.Resident
	for _, p := range []string{"ada", "vera", "nils"} {
		residents = append(residents, fabrictest.Resident{Name: p, Object: objectOf(p)})
		accounts += fmt.Sprintf("      - {issuer: %s, person: %s/%s, role: admin}\n", issuer, fabricTenant, objectOf(p))
	}
	s.entra.Houses(residents...)
	s.apply("accounts.yaml", []byte(accounts))
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
	bearer, err := s.entra.SignIn(fabricTenant, objectOf(person), life)
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

// settled waits until no step is left.
func (s *overEntra) settled() {
	s.t.Helper()
	end := time.Now().Add(patience)
	for pause := firstPause; ; pause = longer(pause) {
		var left int
		check(s.t, s.Pool.QueryRow(s.t.Context(), `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`).Scan(&left))
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("after %s, %d steps were not done", patience, left)
		}
		<-time.After(pause)
	}
}

// ends reads an operation of ada's until it has ended, each time with another token of hers, and returns its state.
func (s *overEntra) ends(operation string) map[string]any {
	s.t.Helper()
	for range 40 {
		s.settled()
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
