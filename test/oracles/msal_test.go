package oracles_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
	msal "github.com/AzureAD/microsoft-authentication-library-for-go/apps/errors"
	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/public"

	"readiness/platform/fabric/emulator"
)

func (w *world) public() public.Client {
	c, err := public.New(w.entra.PublicClient(), public.WithAuthority(w.server.URL+"/"+tenant), public.WithHTTPClient(w.client),
		public.WithInstanceDiscovery(false))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) confidential() confidential.Client {
	secret, err := confidential.NewCredFromSecret("s")
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := confidential.New(w.server.URL+"/"+tenant, service, secret, confidential.WithHTTPClient(w.client),
		confidential.WithInstanceDiscovery(false), confidential.WithClientCapabilities([]string{"cp1"}))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

var ours = []string{service + "/.default"}

var workspaces = []string{"https://api.fabric.microsoft.com/Workspace.Read.All"}

// MSAL signs ada in with a device code and with a browser, keeps her account, refreshes her token, and exchanges it for one
// that acts as her on the platform.
func TestMSAL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.entra.SetTokenLife(2 * time.Minute) // shorter than MSAL keeps a token
	p := w.public()
	code, err := p.AcquireTokenByDeviceCode(t.Context(), ours)
	if err != nil {
		t.Fatal(err)
	}
	w.enters(t.Context(), code.Result.VerificationURL, code.Result.UserCode)
	byDevice, err := code.AuthenticationResult(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if byDevice.Account.HomeAccountID != ada+"."+tenant || byDevice.IDToken.Audience != w.entra.PublicClient() {
		t.Errorf("signed in as %+v with %+v", byDevice.Account, byDevice.IDToken)
	}
	refreshed, err := p.AcquireTokenSilent(t.Context(), ours, public.WithSilentAccount(byDevice.Account))
	if err != nil || refreshed.AccessToken == byDevice.AccessToken {
		t.Errorf("not refreshed: %v", err)
	}
	w.entra.SetTokenLife(time.Hour)
	byBrowser, err := w.public().AcquireTokenInteractive(t.Context(), ours, public.WithOpenURL(func(address string) error {
		page := w.visit(t.Context(), http.MethodGet, address, nil)
		if page != nil {
			go w.visit(t.Context(), http.MethodGet, page.String()+"&person="+ada, nil)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"device": byDevice.AccessToken, "refreshed": refreshed.AccessToken, "browser": byBrowser.AccessToken} {
		got, err := w.confidential().AcquireTokenOnBehalfOf(t.Context(), token, workspaces)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		who, err := w.entra.Person(got.AccessToken)
		if err != nil || who.ID != "ada" || len(who.Scopes) != 1 || who.AppOnly {
			t.Errorf("%s: the token is for %+v, %v", what, who, err)
		}
	}
}

// Each refusal reaches a client of MSAL with its raw body; a refresh token of an exchange works after the assertion has expired.
func TestMSALRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, body := range map[string]map[string]any{
		"consent": {"error": "invalid_grant", "suberror": "consent_required", "error_codes": []int{65001}},
		"claims":  {"error": "interaction_required", "claims": emulator.ClaimsFor("c1"), "error_codes": []int{50076}},
		"policy":  {"error": "invalid_grant", "error_codes": []int{53003}},
		"expired": {"error": "invalid_grant", "error_codes": []int{500133}},
	} {
		w.entra.Refuse(emulator.Refusal{Scope: "Workspace.Read.All", Status: http.StatusBadRequest, Body: body})
		_, err := w.confidential().AcquireTokenOnBehalfOf(t.Context(), w.assertion(), workspaces)
		call, ok := errors.AsType[msal.CallErr](err)
		if !ok {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		text, err := io.ReadAll(call.Resp.Body)
		if err != nil || !strings.Contains(string(text), body["error"].(string)) {
			t.Errorf("%s: the body is %q, %v", name, text, err)
		}
	}

	short, err := w.entra.SignIn(tenant, ada, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	c := w.confidential()
	if _, err := c.AcquireTokenOnBehalfOf(t.Context(), short, workspaces); err != nil {
		t.Fatal(err)
	}
	before := w.entra.Exchanges()
	w.entra.EndSessions()
	_, err = c.AcquireTokenOnBehalfOf(t.Context(), short, []string{"https://api.fabric.microsoft.com/Report.Read.All"})
	if err != nil || w.entra.Exchanges() != before+2 { // its refresh token is refused, then the assertion is used
		t.Errorf("got %v after %d requests, want 2", err, w.entra.Exchanges()-before)
	}
}

// The emulator issues a token of the application itself, as Entra does, and no route of the platform accepts it.
func TestAppOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	got, err := w.confidential().AcquireTokenByCredential(t.Context(), []string{"https://api.fabric.microsoft.com/.default"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/workspaces", "/v1/workspaces/" + retail, "/v1/workspaces/" + retail + "/items", "/v1/capacities",
		"/v1/workspaces/" + retail + "/semanticModels", "/v1.0/myorg/groups/" + retail + "/reports", "/v1/operations/" + retail} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+got.AccessToken)
		res, err := w.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || res.Header.Get("x-ms-public-api-error-code") != "PrincipalTypeNotSupported" {
			t.Errorf("%s: got %s", path, res.Status)
		}
	}
}
