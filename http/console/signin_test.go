package console_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"readiness/http/console/signin"
	"readiness/http/token"
	"readiness/test/consoletest"
	"readiness/test/oidctest"
)

// provided starts a service whose people sign in at a provider.
func provided(t *testing.T, scopes ...string) (*consoletest.World, *oidctest.Provider) {
	t.Helper()
	p := oidctest.Start(t)
	return consoletest.Start(t, consoletest.Options{
		Issuers:  []signin.Issuer{{URL: p.URL, ClientID: oidctest.Service, Scopes: scopes}},
		Verify:   []token.Trusted{{URL: p.URL, Audiences: []string{oidctest.Service}}},
		Accounts: "accounts:\n  - accountId: contoso\n    plan: Team\n    people:\n      - {person: tenant/finn, issuer: '" + p.URL + "'}\n",
	}), p
}

var scopes = []string{token.ScopeReadWrite, "offline_access"}

// back returns where the provider redirects the browser of a person who began to sign in.
func back(t *testing.T, b *consoletest.Browser, p *oidctest.Provider, person, to string) string {
	t.Helper()
	got := b.Get("/sign-in/start?issuer=0&to=" + url.QueryEscape(to))
	want(t, got, http.StatusSeeOther)
	q, err := got.Location()
	if err != nil || q.Query().Get("code_challenge_method") != "S256" || q.Query().Get("state") == "" || q.Query().Get("nonce") == "" {
		t.Fatalf("the browser is sent to %s, %v", q, err)
	}
	return p.Browse(t, person, q.String()).RequestURI()
}

// TestSignInAtProvider signs people in by code and PKCE at an independent provider. The browser gets no token, a person whom no
// account knows is refused with a message, and a code is not accepted in another browser or with another state.
func TestSignInAtProvider(t *testing.T) {
	t.Parallel()
	w, p := provided(t, scopes...)
	b := w.Browser()
	host := strings.TrimPrefix(p.URL, "http://")
	got := b.Get("/sign-in")
	want(t, got, 200, "Sign in with "+host)
	if strings.Contains(got.Body, "trial") {
		t.Error("the trial is offered next to a provider")
	}
	want(t, b.Send("/sign-in/trial", url.Values{"account": {"contoso"}, "person": {"tenant/finn"}}), http.StatusForbidden)

	at := back(t, b, p, "finn", "/?sort=name")
	want(t, w.Browser().Get(at), http.StatusBadRequest, "The sign-in was not finished")
	want(t, b.Get(strings.Replace(at, "state=", "state=x", 1)), http.StatusBadRequest, "The sign-in was not finished")
	got = b.Get(at)
	want(t, got, http.StatusSeeOther)
	if to := got.Header.Get("Location"); to != "/?sort=name" {
		t.Errorf("the sign-in leads to %q", to)
	}
	for _, c := range got.Cookies() {
		if strings.Contains(c.Value, "eyJ") || !c.HttpOnly {
			t.Errorf("got cookie %+v", c)
		}
	}
	want(t, b.Get("/"), 200, "<bdi>contoso</bdi>")
	want(t, b.Get(at), http.StatusBadRequest) // again

	stranger := w.Browser()
	want(t, stranger.Get(back(t, stranger, p, "eve", "/")), http.StatusForbidden, "in no account", "UserNotRegistered")
	want(t, stranger.Get("/"), http.StatusSeeOther)
	want(t, stranger.Get("/sign-in/callback?error=access_denied&state=x"), http.StatusBadRequest)
}

// TestSignInWithClaims asks the provider for the claims that the service requires, unless they are no JSON object.
func TestSignInWithClaims(t *testing.T) {
	t.Parallel()
	w, _ := provided(t, scopes...)
	for name, c := range map[string]struct{ claims, asked string }{
		"asked for":    {"eyJhIjoxfQ", `{"a":1}`},
		"padded":       {"eyJhIjoxfQ==", `{"a":1}`},
		"nothing":      {"", ""},
		"no base64url": {"{}", ""},
		"no JSON":      {"YWJj", ""},
		"no object":    {"WzFd", ""},
		"too long":     {base64.RawURLEncoding.EncodeToString([]byte(`{"a":"` + strings.Repeat("x", 4000) + `"}`)), ""},
	} {
		b := w.Browser()
		want(t, b.Get("/sign-in?claims="+url.QueryEscape(c.claims)), http.StatusOK, "/sign-in/start?issuer=0")
		got := b.Get("/sign-in/start?issuer=0&claims=" + url.QueryEscape(c.claims))
		want(t, got, http.StatusSeeOther)
		at, err := got.Location()
		if err != nil || at.Query().Get("claims") != c.asked || at.Query().Has("claims") != (c.asked != "") {
			t.Errorf("%s: the provider is asked by %s, %v", name, at, err)
		}
	}
}

// TestRenewedToken renews the token of a session that has ended, and asks for a sign-in where the provider gives no refresh token.
func TestRenewedToken(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		scopes []string
		after  time.Duration // the provider's tokens last five minutes
		status int
	}{"with a refresh token": {scopes, 4*time.Minute + 30*time.Second, 200}, "without one": {scopes[:1], 6 * time.Minute, http.StatusSeeOther}} {
		w, p := provided(t, row.scopes...)
		b := w.Browser()
		want(t, b.Get(back(t, b, p, "finn", "/")), http.StatusSeeOther)
		want(t, b.Get("/"), 200)
		sealed := func() (content []byte) {
			if err := w.Pool.QueryRow(t.Context(), `SELECT sealed FROM console_sessions`).Scan(&content); err != nil {
				t.Fatal(err)
			}
			return content
		}
		before := sealed()
		w.Clock.Advance(row.after)
		want(t, b.Get("/"), row.status)
		if renewed := !bytes.Equal(before, sealed()); renewed != (row.status == 200) {
			t.Errorf("%s: the session has new tokens: %v", name, renewed)
		}
		want(t, b.Get("/"), row.status)
	}
}

// TestProviderAway shows a message if the provider does not answer.
func TestProviderAway(t *testing.T) {
	t.Parallel()
	w, p := provided(t)
	p.Stop()
	want(t, w.Browser().Get("/sign-in/start?issuer=0"), http.StatusBadGateway, "The sign-in service did not answer")
}
