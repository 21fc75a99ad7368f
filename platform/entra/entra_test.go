package entra_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/entra"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
)

const (
	contoso = "11111111-1111-4111-8111-111111111111"
	ada     = "22222222-2222-4222-8222-222222222222"
	client  = "33333333-3333-4333-8333-333333333333"
)

type world struct {
	*entra.Exchange
	provider *emulator.Entra
	server   *httptest.Server
	ahead    atomic.Int64 // of the clock, in ns
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	var err error
	if w.provider, err = emulator.NewEntra(client, w.now); err != nil {
		t.Fatal(err)
	}
	w.server = httptest.NewTLSServer(w.provider)
	t.Cleanup(w.server.Close)
	secret, err := confidential.NewCredFromSecret("of the service")
	if err != nil {
		t.Fatal(err)
	}
	w.Exchange, err = entra.New(entra.Options{Scopes: fabric.Scopes, Authority: w.server.URL, ClientID: client, Credential: secret,
		Tenants: []string{contoso}, Transport: w.server.Client().Transport, Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) ada(t *testing.T) item.Caller {
	t.Helper()
	token, err := w.provider.SignIn(contoso, ada, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return item.Caller{Person: item.Person{Issuer: w.server.URL + "/" + contoso + "/v2.0", ID: contoso + "/" + ada}, Token: token}
}

func refused(t *testing.T, what string, err error, code domain.Code, words string) *domain.Refusal {
	t.Helper()
	r, ok := domain.Refused(err)
	if !ok || r.Code != code || !strings.Contains(r.Message, words) {
		t.Fatalf("%s: got %v, want %s with %q", what, err, code, words)
	}
	return r
}

// The token of an exchange acts as the person with the permission's scopes, and is asked for once.
func TestExchange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	as := w.ada(t)
	for range 3 {
		got, err := w.For(t.Context(), as, item.PermissionPlatform)
		if err != nil {
			t.Fatal(err)
		}
		who, err := w.provider.Person(got)
		if err != nil || who.ID != contoso+"/"+ada || who.AppOnly || !strings.Contains(strings.Join(who.Scopes, " "), "Item.ReadWrite.All") {
			t.Fatalf("the token stands for %+v, %v", who, err)
		}
	}
	if n := w.provider.Exchanges(); n != 1 {
		t.Errorf("%d exchanges, want 1", n)
	}
	if _, err := w.For(t.Context(), as, item.PermissionUsage); err != nil || w.provider.Exchanges() != 2 {
		t.Errorf("another permission: %v, %d exchanges", err, w.provider.Exchanges())
	}
}

// Who cannot be acted for is refused without a call; above all a call without a token, which libraries would answer
// with a token of the application itself.
func TestNoPersonToActFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.ada(t)
	for name, c := range map[string]struct {
		change func(*item.Caller)
		code   domain.Code
		words  string
	}{
		"no token":           {func(c *item.Caller) { c.Token = "" }, domain.Unauthorized, "sign in again"},
		"embedded issuer":    {func(c *item.Caller) { c.Person = item.Person{ID: "ada"} }, domain.PlatformAccessDenied, "Microsoft Entra ID"},
		"a person of no one": {func(c *item.Caller) { c.Person.ID = ada }, domain.PlatformAccessDenied, "Microsoft Entra ID"},
		"another tenant":     {func(c *item.Caller) { c.Person.ID = client + "/" + ada }, domain.PlatformAccessDenied, "not configured"},
		"consumers": {func(c *item.Caller) { c.Person.ID = "9188040d-6c67-4c5b-b112-36a304b66dad/" + ada }, domain.PlatformAccessDenied,
			"Microsoft Entra ID"},
	} {
		as := good
		c.change(&as)
		token, err := w.For(t.Context(), as, item.PermissionPlatform)
		if refused(t, name, err, c.code, c.words); token != "" {
			t.Errorf("%s: got a token in addition to the refusal", name)
		}
	}
	if n := w.provider.Exchanges(); n != 0 {
		t.Errorf("%d exchanges, want none", n)
	}
}

// Each refusal of the identity provider becomes the one that says what the person can do; no error has a token in it.
func TestRefusedExchange(t *testing.T) {
	t.Parallel()
	body := func(name, sub, claims string, codes ...int) map[string]any {
		return map[string]any{"error": name, "suberror": sub, "claims": claims, "error_codes": codes, "error_description": "AADSTS"}
	}
	for name, c := range map[string]struct {
		status int
		body   map[string]any
		code   domain.Code
		words  string
	}{
		"no consent":      {400, body("invalid_grant", "consent_required", "", 65001), domain.PlatformConsentRequired, "consentUrl"},
		"admin's consent": {400, body("invalid_grant", "", "", 90094), domain.PlatformConsentRequired, "consentUrl"},
		"second factor":   {400, body("interaction_required", "basic_action", `{"access_token":{}}`, 50076), domain.Unauthorized, "with the claims"},
		"no claims":       {400, body("interaction_required", "", "", 50076), domain.Unauthorized, "sign in again"},
		"garbled claims":  {400, body("interaction_required", "", "{", 50076), domain.Unauthorized, "sign in again"},
		"policy":          {400, body("invalid_grant", "", "", 53003), domain.PlatformAccessDenied, "sign-in policy"},
		"expired":         {400, body("invalid_grant", "", "", 500133), domain.TokenExpired, "expired"},
		"guest no longer": {400, body("invalid_grant", "", "", 50020), domain.PlatformAccessDenied, "not one of"},
		"our secret":      {401, body("invalid_client", "", "", 7000215), domain.PlatformUnavailable, "readinessd fabric check"},
		"unknown":         {400, body("invalid_grant", "", "", 1), domain.PlatformAccessDenied, "does not let"},
		"away":            {503, body("temporarily_unavailable", "", "", 90033), domain.PlatformUnavailable, "try again"},
		"empty":           {500, nil, domain.PlatformUnavailable, "try again"},
	} {
		w := newWorld(t)
		as := w.ada(t)
		for range 5 { // the library repeats calls that fail on the provider's side
			w.provider.Refuse(emulator.Refusal{Scope: "Workspace.Read.All", Status: c.status, Body: c.body})
		}
		_, err := w.For(t.Context(), as, item.PermissionPlatform)
		r := refused(t, name, err, c.code, c.words)
		if strings.Contains(err.Error(), as.Token) || strings.Contains(err.Error(), "of the service") && name != "our secret" {
			t.Errorf("%s: a secret is in %v", name, err)
		}
		if name == "second factor" {
			text, err := base64.RawURLEncoding.DecodeString(r.Params[0].Value)
			if err != nil || string(text) != `{"access_token":{}}` {
				t.Errorf("the claims are %q, %v", text, err)
			}
		}
		// Another permission is not affected.
		if _, err := w.For(t.Context(), as, item.PermissionUsage); err != nil {
			t.Errorf("%s: another permission: %v", name, err)
		}
	}
}

// Missing consent is remembered for a minute, and then asked about again.
func TestConsentIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	as := w.ada(t)
	w.provider.Refuse(emulator.Refusal{Status: 400, Body: map[string]any{"error": "invalid_grant", "suberror": "consent_required"}})
	for range 3 {
		_, err := w.For(t.Context(), as, item.PermissionPlatform)
		refused(t, "consent", err, domain.PlatformConsentRequired, "consentUrl")
	}
	if n := w.provider.Exchanges(); n != 1 {
		t.Errorf("%d exchanges, want 1", n)
	}
	w.ahead.Store(int64(61 * time.Second))
	if _, err := w.For(t.Context(), as, item.PermissionPlatform); err != nil {
		t.Errorf("after a minute: %v", err)
	}
}

// Consent to storage is a person's own, apart from the platform's: without it, only what needs storage is refused.
func TestConsentToStorage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := fabric.New(fabric.Options{Tokens: w.For})
	if err != nil {
		t.Fatal(err)
	}
	w.provider.Withhold("user_impersonation")
	access, err := p.Access(t.Context(), w.ada(t))
	if err != nil || access[item.PermissionStorage] != item.ConsentRequired || access[item.PermissionPlatform] != item.Granted {
		t.Errorf("got %v, %v", access, err)
	}
	w.provider.Withhold()
	if access, err = p.Access(t.Context(), w.ada(t)); err != nil || access[item.PermissionStorage] != item.Granted {
		t.Errorf("after the consent: %v, %v", access, err)
	}
}

// A provider that does not answer, and one that redirects, cannot have the assertion of another host.
func TestProviderAway(t *testing.T) {
	t.Parallel()
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was called") }))
	t.Cleanup(other.Close)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	w := newWorld(t)
	secret, err := confidential.NewCredFromSecret("s")
	if err != nil {
		t.Fatal(err)
	}
	x, err := entra.New(entra.Options{Scopes: fabric.Scopes, Authority: s.URL, ClientID: client, Credential: secret, Tenants: []string{contoso},
		Transport: s.Client().Transport})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.For(t.Context(), w.ada(t), item.PermissionPlatform)
	refused(t, "redirect", err, domain.PlatformUnavailable, "try again")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.For(ended, w.ada(t), item.PermissionPlatform); err == nil {
		t.Error("got a token for a call that ended")
	}
}

// A token that the platform refused with claims is exchanged again with them, also by the library, and replaces the kept one.
func TestChallenged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	as := w.ada(t)
	first, err := w.For(t.Context(), as, item.PermissionPlatform)
	if err != nil {
		t.Fatal(err)
	}
	const claims = `{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}`
	second, err := w.Challenged(t.Context(), as, item.PermissionPlatform, base64.RawURLEncoding.EncodeToString([]byte(claims)))
	if err != nil || second == first || !strings.Contains(w.provider.Asked(), "1700000000") || !strings.Contains(w.provider.Asked(), "cp1") {
		t.Fatalf("%v; asked with %s", err, w.provider.Asked())
	}
	before := w.provider.Exchanges()
	if kept, err := w.For(t.Context(), as, item.PermissionPlatform); err != nil || kept != second || w.provider.Exchanges() != before {
		t.Errorf("the new token is not kept: %v", err)
	}
	for _, garbled := range []string{"", "x", base64.RawURLEncoding.EncodeToString([]byte("{"))} {
		_, err := w.Challenged(t.Context(), as, item.PermissionPlatform, garbled)
		refused(t, "garbled", err, domain.PlatformUnavailable, "cannot be read")
	}
	as.Token = ""
	_, err = w.Challenged(t.Context(), as, item.PermissionPlatform, base64.RawURLEncoding.EncodeToString([]byte(claims)))
	if refused(t, "no token", err, domain.Unauthorized, "sign in again"); w.provider.Exchanges() != before {
		t.Error("the provider was asked")
	}
}

// A lasting token acts as the caller after theirs has ended, with each permission, until the provider ends the session. It is
// one person's alone.
func TestLasting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	as := w.ada(t)
	bob := as
	bob.Person.ID = contoso + "/" + client
	var err error
	if bob.Token, err = w.provider.SignIn(contoso, client, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := w.For(t.Context(), bob, item.PermissionPlatform); err != nil {
		t.Fatal(err)
	}
	plain := as
	var until time.Time
	as.Token, until, err = w.Lasting(t.Context(), as, 24*time.Hour)
	if err != nil || as.Token == plain.Token || until.Sub(w.now()) < 23*time.Hour {
		t.Fatalf("%v, until %s", err, until)
	}
	w.ahead.Store(int64(3 * time.Hour))
	_, err = w.For(t.Context(), plain, item.PermissionUsage)
	if _, is := domain.Refused(err); !is {
		t.Errorf("the caller's own token still serves: %v", err)
	}
	for _, p := range []item.Permission{item.PermissionPlatform, item.PermissionUsage} {
		got, err := w.For(t.Context(), as, p)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if who, err := w.provider.Person(got); err != nil || who.ID != contoso+"/"+ada || who.AppOnly {
			t.Errorf("%s: the token stands for %+v, %v", p, who, err)
		}
	}
	// It is replaced by one with another refresh token, also after the caller's own has ended; both serve.
	longer := as
	if longer.Token, until, err = w.Lasting(t.Context(), as, 90*24*time.Hour); err != nil || longer.Token == as.Token ||
		until.Sub(w.now()) < 89*24*time.Hour {
		t.Errorf("a lasting token is not replaced: %v, until %s", err, until)
	}
	for _, each := range []item.Caller{as, longer} {
		if _, err := w.For(t.Context(), each, fabric.PermissionCapacity); err != nil {
			t.Error(err)
		}
	}
	w.provider.EndSessions()
	_, err = w.For(t.Context(), as, item.PermissionAgent)
	if r := refused(t, "ended", err, domain.TokenExpired, "sign in again"); strings.Contains(r.Message, as.Token) {
		t.Error("the token is in the message")
	}
}

// A guest is another person in the tenant that they visit: their token there is exchanged there, and not kept for the other.
func TestGuest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	home := w.ada(t)
	if _, err := w.For(t.Context(), home, item.PermissionPlatform); err != nil {
		t.Fatal(err)
	}
	guest := home
	guest.Person.ID = contoso + "/" + client // another object in this tenant
	var err error
	if guest.Token, err = w.provider.SignIn(contoso, client, time.Hour); err != nil {
		t.Fatal(err)
	}
	got, err := w.For(t.Context(), guest, item.PermissionPlatform)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := w.provider.Person(got); err != nil || who.ID != contoso+"/"+client {
		t.Errorf("the token stands for %+v, %v", who, err)
	}
	// A token of another tenant is not taken by this one.
	if guest.Token, err = w.provider.SignIn(client, client, time.Hour); err != nil {
		t.Fatal(err)
	}
	_, err = w.For(t.Context(), guest, item.PermissionPlatform)
	refused(t, "another tenant's token", err, domain.TokenExpired, "sign in again")
}

// Once the caller's token has ended, none that it was exchanged for is given any longer, though the library has one that is
// still valid, and could get another with its refresh token. A lasting token serves on.
func TestAfterTheTokensEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.provider.SetTokenLife(3 * time.Hour)
	as := w.ada(t)
	if _, err := w.For(t.Context(), as, item.PermissionPlatform); err != nil {
		t.Fatal(err)
	}
	lasting := as
	var err error
	if lasting.Token, _, err = w.Lasting(t.Context(), as, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := w.Valid(as); err != nil {
		t.Errorf("before the end: %v", err)
	}
	w.ahead.Store(int64(time.Hour))
	exchanges := w.provider.Exchanges()
	for _, p := range []item.Permission{item.PermissionPlatform, item.PermissionUsage} {
		_, err = w.For(t.Context(), as, p)
		refused(t, string(p), err, domain.TokenExpired, "sign in again")
	}
	_, err = w.Challenged(t.Context(), as, item.PermissionPlatform, base64.RawURLEncoding.EncodeToString([]byte("{}")))
	refused(t, "claims", err, domain.TokenExpired, "sign in again")
	_, _, err = w.Lasting(t.Context(), as, 24*time.Hour)
	refused(t, "lasting", err, domain.TokenExpired, "sign in again")
	refused(t, "valid", w.Valid(as), domain.TokenExpired, "sign in again")
	if n := w.provider.Exchanges(); n != exchanges {
		t.Errorf("%d exchanges after the end", n-exchanges)
	}
	if err := w.Valid(lasting); err != nil {
		t.Errorf("a lasting token: %v", err)
	}
	if _, err := w.For(t.Context(), lasting, item.PermissionPlatform); err != nil {
		t.Errorf("a lasting token: %v", err)
	}
}
