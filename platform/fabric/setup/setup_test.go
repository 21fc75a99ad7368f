package setup_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/setup"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// bounded fails a call that may last longer than the check.
type bounded struct {
	t *testing.T
	http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if ends, is := r.Context().Deadline(); !is || time.Until(ends) > 2*time.Minute {
		b.t.Errorf("%s %s may last until %s, %t", r.Method, r.URL.Path, ends, is)
	}
	return b.RoundTripper.RoundTrip(r)
}

// Check reports each step that holds and stops at the first that does not, with what to do.
func TestCheck(t *testing.T) {
	t.Parallel()
	const client, tenant, ada = "33333333-3333-4333-8333-333333333333", "11111111-1111-4111-8111-111111111111",
		"22222222-2222-4222-8222-222222222222"
	behind, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	provider, err := emulator.NewEntra(client, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	service := emulator.New(emulator.Options{Folder: behind, Person: provider.Person})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1") {
			service.ServeHTTP(w, r)
			return
		}
		provider.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("of-the-service\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good, err := provider.SignIn(tenant, ada, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	expired, err := provider.SignIn(tenant, ada, -time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	application := setup.Application{ClientID: client, Tenants: []string{tenant}, SecretFile: secret, URL: server.URL, PowerBIURL: server.URL,
		Authority: server.URL, Transport: server.Client().Transport}
	consent := map[string]any{"error": "invalid_grant", "suberror": "consent_required", "error_codes": []int{65001}}
	for name, c := range map[string]struct {
		change  func(*setup.Application)
		token   string
		refuses []emulator.Refusal
		want    []string // in the output
		fails   string
		not     string
	}{
		"all":        {nil, good, nil, []string{"platform: granted", "agent: granted", "2 workspace(s)"}, "", ""},
		"no token":   {nil, "", nil, []string{"tenant " + tenant + " is at", "not tried"}, "", "granted"},
		"no consent": {nil, good, []emulator.Refusal{{Scope: "Workspace.Read.All", Status: 400, Body: consent}}, nil, "grant the application https://api.fabric.microsoft.com/Workspace.Read.All", "workspace(s)"},
		"no optional consent": {nil, good, []emulator.Refusal{
			{Scope: "Dataset.Read.All", Status: 400, Body: consent}, {Scope: "Dataset.Read.All", Status: 400, Body: consent}}, // MSAL asks twice
			[]string{"usage: not granted; grant the application https://api.fabric.microsoft.com/Dataset.Read.All", "workspace(s)"}, "", ""},
		"expired":           {nil, expired, nil, nil, "expired", "workspace(s)"},
		"another token":     {nil, "a.b.c", nil, nil, "no claims tid and oid", "granted"},
		"another tenant":    {func(a *setup.Application) { a.Tenants = []string{client} }, good, nil, nil, "the service is not configured", "workspace(s)"},
		"no secret":         {func(a *setup.Application) { a.SecretFile += "x" }, good, nil, nil, "--fabric-secret-file", "configuration"},
		"another client":    {func(a *setup.Application) { a.ClientID = tenant }, good, nil, nil, "not for the application", "workspace(s)"},
		"no such authority": {func(a *setup.Application) { a.Authority = server.URL + "/v1/x" }, good, nil, nil, "without a path", "sign-in"},
		"nobody is at that": {func(a *setup.Application) { a.Authority = "https://127.0.0.1:1" }, good, nil, []string{"configuration"}, "cannot be reached", "sign-in"},
	} {
		a := application
		if c.change != nil {
			c.change(&a)
		}
		a.Transport = bounded{t, a.Transport}
		provider.Refuse(c.refuses...)
		var out bytes.Buffer
		err := a.Check(t.Context(), c.token, func(step, outcome string) { fmt.Fprintln(&out, step, outcome) }, slog.New(slog.DiscardHandler))
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: got %v, want %q", name, err, c.fails)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: the output lacks %q:\n%s", name, want, out.String())
			}
		}
		if c.not != "" && strings.Contains(out.String(), c.not) {
			t.Errorf("%s: the output has %q:\n%s", name, c.not, out.String())
		}
		if all := out.String(); err != nil {
			all += err.Error()
			if strings.Contains(all, good) || strings.Contains(all, "of-the-service") {
				t.Errorf("%s: a secret is printed", name)
			}
		}
	}
}

// An application is refused with what is missing, before anything starts.
func TestValidate(t *testing.T) {
	t.Parallel()
	const id = "33333333-3333-4333-8333-333333333333"
	for want, f := range map[string]setup.Application{
		"":                     {ClientID: id, Tenants: []string{id}, ManagedIdentity: "system"},
		"--fabric-client-id":   {Tenants: []string{id}, ManagedIdentity: "system"},
		"--fabric-tenant":      {ClientID: id, ManagedIdentity: "system"},
		"not the id of a":      {ClientID: id, Tenants: []string{"contoso.com"}, ManagedIdentity: "system"},
		"personal accounts":    {ClientID: id, Tenants: []string{id, strings.ToUpper(item.PersonalTenant)}, ManagedIdentity: "system"},
		"needs one credential": {ClientID: id, Tenants: []string{id}},
		"one credential: ":     {ClientID: id, Tenants: []string{id}, ManagedIdentity: "system", SecretFile: "x"},
	} {
		if err := f.Validate(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
