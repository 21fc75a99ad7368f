package http_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/http/routing"
	"readiness/http/token"
	"readiness/test/oidctest"
)

// withOIDC makes the world trust an independent provider. Of its people, eve is in north and south, finn only in
// north, sol in a suspended account and cleo in a closed one.
func (w *world) withOIDC() *oidctest.Provider {
	w.t.Helper()
	p := oidctest.Start(w.t)
	w.trusted = append(w.trusted, token.Trusted{URL: p.URL, Audiences: []string{oidctest.Service}})
	_, err := w.Accounts.Apply(w.t.Context(), []account.Declaration{
		peopled(p, "north", account.Active, "eve", "finn"), peopled(p, "south", account.Active, "eve"),
		peopled(p, "frozen", account.Suspended, "sol"), peopled(p, "ended", account.Closed, "cleo"),
	})
	check(w.t, err)
	w.base, w.client = w.serve(w.limiter(w.url))
	return p
}

// peopled declares an account of people of the provider.
func peopled(p *oidctest.Provider, id string, status account.Status, names ...string) account.Declaration {
	d := account.Declaration{AccountID: id, Plan: account.Team, Status: status, Settings: account.Settings{AddPixies: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}}
	for _, n := range names {
		d.People = append(d.People, account.Person{Person: item.Person{Issuer: p.URL, ID: "tenant/" + n}, Role: account.Member})
	}
	return d
}

// All refusals of tokens and callers, with the tokens of an independent provider.
//
// proves: 5/1 5/6 7.2/Unauthorized 7.2/TokenExpired 7.2/InsufficientScopes 7.2/AppOnlyTokenNotSupported 7.2/UserNotRegistered 7.2/AccountNotActive decisions/3/app-only decisions/3/not-registered decisions/3/not-active decisions/3/token-secrecy
func TestRefusedTokensOfIndependentProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.withOIDC()
	both := []string{token.ScopeRead, token.ScopeReadWrite}
	access := func(person string, scopes ...string) string {
		return p.SignIn(t, person, oidctest.Service, append(both, scopes...)...).Access
	}
	finn := p.SignIn(t, "finn", oidctest.Service, both...)
	read, start := "/v1/workspaces", modelPath(modelA)+"/assess"
	w.untouched(func() {
		for _, tt := range []struct {
			name, token string
			status      int
			code        domain.Code
			says        string
		}{
			{"ID token", finn.ID, 403, domain.InsufficientScopes, "scope"},
			{"refresh token", finn.Refresh, 401, domain.Unauthorized, "malformed"},
			{"opaque token", p.SignIn(t, "finn", oidctest.Opaque, both...).Access, 401, domain.Unauthorized, "malformed"},
			{"for another service", p.SignIn(t, "finn", oidctest.Elsewhere, both...).Access, 401, domain.Unauthorized, "another service"},
			{"of a provider nobody trusts", oidctest.Start(t).SignIn(t, "finn", oidctest.Service, both...).Access, 401, domain.Unauthorized, "trust"},
			{"no scope of ours", p.SignIn(t, "finn", oidctest.Service, "email").Access, 403, domain.InsufficientScopes, "scope"},
			{"a program", p.Program(t, both...), 403, domain.AppOnlyTokenNotSupported, "program"},
			{"nobody we know", access("mallory"), 403, domain.UserNotRegistered, "no account"},
			{"somebody whom the accounts file knows without an issuer", access("ada"), 403, domain.UserNotRegistered, "no account"},
			{"two accounts and no choice", access("eve"), 403, domain.UserNotRegistered, "2 accounts"},
			{"two accounts and a third chosen", access("eve", oidctest.AccountScope+"acme"), 403, domain.UserNotRegistered, "acme"},
			{"one account and another chosen", access("finn", oidctest.AccountScope+"south"), 403, domain.UserNotRegistered, "south"},
			{"an account that is suspended", access("sol"), 403, domain.AccountNotActive, "Suspended"},
			{"an account that is closed", access("cleo"), 403, domain.AccountNotActive, "Closed"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				w.get(read, tt.token).refused(tt.status, tt.code).says(tt.says)
				w.post(start, tt.token, "").refused(tt.status, tt.code).says(tt.says)
			})
		}
		w.Clock.Advance(7 * time.Minute)
		w.get(read, finn.Access).refused(401, domain.TokenExpired)
		w.post(start, finn.Access, "").refused(401, domain.TokenExpired)
		w.Clock.Advance(-9 * time.Minute)
		w.get(read, finn.Access).refused(401, domain.Unauthorized).says("not valid yet")
		w.Clock.Advance(2 * time.Minute)
		w.get(read, finn.Access).ok(200)
	})
	if strings.Contains(w.log.String(), "eyJ") || strings.Contains(w.log.String(), finn.Refresh) {
		t.Error("a token was logged")
	}
}

// A person in two accounts acts in the one that the token's claim account selects; the other account is unaffected.
//
// proves: decisions/3/person 4.2/state
func TestAccountOfAPersonOfTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.withOIDC()
	in := func(id string) string {
		return p.SignIn(t, "eve", oidctest.Service, token.ScopeReadWrite, oidctest.AccountScope+id).Access
	}
	north, south := in("north"), in("south")
	id := w.post(modelPath(modelA)+"/assess", north, "").operation()
	w.get(operationPath(id), north).ok(200)
	w.get(operationPath(id), south).refused(404, domain.OperationNotFound)
	w.post(operationPath(id)+"/cancel", south, "").refused(404, domain.OperationNotFound)
	for tok, want := range map[string]int{north: 1, south: 0} {
		if got := len(w.get("/v1/operations", tok).ok(200).value()); got != want {
			t.Errorf("got %d operations, want %d", got, want)
		}
	}
	// The rate is counted per person and account.
	_, err := w.Pool.Exec(t.Context(), `UPDATE rate_windows SET hits = array_fill(clock_timestamp(), ARRAY[30]) WHERE key LIKE 'start "north"%'`)
	check(t, err)
	w.post(modelPath(modelB)+"/assess", north, "").refused(429, domain.RequestBlocked)
	w.post(modelPath(modelB)+"/assess", south, "").operation()
}

// A token with only Service.Read.All gets InsufficientScopes on exactly the routes that start work or change
// something.
//
// proves: 5/2-read 5/2-write 7.2/InsufficientScopes
func TestReadingScopeStartsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	finn := w.withOIDC().SignIn(t, "finn", oidctest.Service, token.ScopeRead).Access
	w.untouched(func() {
		for _, route := range routing.Table() {
			w.uncounted() // there are more routes than calls allowed per minute
			got := w.send(route.Method, filled(route.Path), finn, "")
			if refused := got.body["errorCode"] == string(domain.InsufficientScopes); refused != (route.Method != http.MethodGet && !readsByPost[route.Operation]) {
				t.Errorf("%s %s: got %d %s", route.Method, route.Path, got.status, got.text)
			} else if challenge := got.header.Get("WWW-Authenticate"); refused && challenge != `Bearer error="insufficient_scope", scope="Service.ReadWrite.All"` {
				t.Errorf("%s %s: got WWW-Authenticate %q", route.Method, route.Path, challenge)
			}
		}
	})
}

// When a provider is down, an instance that has its keys still accepts its tokens. An instance that starts then
// refuses them and asks to call again later, but accepts tokens of other issuers.
//
// proves: 7.2/Unauthorized
func TestProviderDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.withOIDC()
	finn := p.SignIn(t, "finn", oidctest.Service, token.ScopeReadWrite).Access
	w.get("/v1/workspaces", finn).ok(200)
	p.Stop()
	w.get("/v1/workspaces", finn).ok(200)
	w.base, w.client = w.serve(w.limiter(w.url))
	w.untouched(func() {
		got := w.post(modelPath(modelA)+"/assess", finn, "").refused(401, domain.Unauthorized).says("keys", "call again")
		if got.body["isRetriable"] != true || got.header.Get("Retry-After") != "5" || strings.Contains(string(got.text), p.URL) {
			t.Errorf("got %v %s", got.header, got.text)
		}
	})
	w.get("/v1/workspaces", w.as("ada")).ok(200)
}
