package http_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"readiness/http/token"
	"readiness/test/oidctest"
)

// TestMountedCallsAreBounded keeps calls of a mounted path in progress: at most 8 of a person.
func TestMountedCallsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.server("http://127.0.0.1:1", w.limiter(w.url))
	began, end := make(chan struct{}), make(chan struct{})
	s.Mount("/slow", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-end
	}))
	call := func(person string) int {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1:1/slow", nil)
		r.Header.Set("Authorization", "Bearer "+w.as(person))
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		return answer.Code
	}
	ended := make(chan int)
	for range 8 {
		go func() { ended <- call("ada") }()
		<-began
	}
	if got := call("ada"); got != http.StatusTooManyRequests {
		t.Errorf("the ninth call of a person: got status %d", got)
	}
	go func() { ended <- call("nora") }()
	<-began
	close(end)
	for range 9 {
		if got := <-ended; got != http.StatusOK {
			t.Errorf("a call that was admitted: got status %d", got)
		}
	}
	go func() { <-began }()
	if got := call("ada"); got != http.StatusOK {
		t.Errorf("a call after the others ended: got status %d", got)
	}
}

// TestMountedCallsNeedAToken refuses tokens without a scope of this service before the handler runs.
func TestMountedCallsNeedAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.server("http://127.0.0.1:1", w.limiter(w.url))
	ran := 0
	s.Mount("/mounted", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { ran++ }))
	for token, want := range map[string]int{"": 401, "eyJh.eyJh.x": 401, w.as("ada", "Another.Scope"): 403, w.as("ada", "Service.Read.All"): 200} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1:1/mounted", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer := httptest.NewRecorder()
		s.Handler().ServeHTTP(answer, r)
		if answer.Code != want || (want != 200) != (answer.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("got status %d and the headers %v, want %d", answer.Code, answer.Header(), want)
		}
	}
	if ran != 1 {
		t.Errorf("the handler ran %d times, want once", ran)
	}
}

// A refusal of a mounted path names the description with which MCP clients find where to sign in. The client is the MCP SDK's.
func TestMountedPathIsDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := oidctest.Start(t)
	w.trusted = append(w.trusted, token.Trusted{URL: p.URL, Audiences: []string{oidctest.Service}})
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	s := w.server(base, w.limiter(w.url))
	s.Mount("/mcp", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") }))
	server.Config.Handler = s.Handler()
	server.Start()
	t.Cleanup(server.Close)
	for _, bearer := range []string{"", "Bearer eyJh.eyJh.x", "Bearer " + p.SignIn(t, "finn", oidctest.Service, "email").Access} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", nil)
		check(t, err)
		if bearer != "" {
			r.Header.Set("Authorization", bearer)
		}
		answer, err := server.Client().Do(r)
		check(t, err)
		check(t, answer.Body.Close())
		challenges, err := oauthex.ParseWWWAuthenticate(answer.Header.Values("Www-Authenticate"))
		if err != nil || len(challenges) != 1 || challenges[0].Scheme != "bearer" {
			t.Fatalf("the challenges of %q are %v, %v", bearer, challenges, err)
		}
		m, err := oauthex.GetProtectedResourceMetadata(t.Context(), challenges[0].Params["resource_metadata"], base+"/mcp", server.Client())
		if err != nil || !slices.Contains(m.AuthorizationServers, p.URL) ||
			!slices.Equal(m.ScopesSupported, []string{token.ScopeRead, token.ScopeReadWrite}) {
			t.Errorf("the SDK reads %+v, %v", m, err)
		}
	}
	other, err := server.Client().Get(base + "/.well-known/oauth-protected-resource/v1")
	check(t, err)
	check(t, other.Body.Close())
	if other.StatusCode != http.StatusNotFound {
		t.Errorf("a path that is not mounted is described: status %d", other.StatusCode)
	}
}
