package emulator_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"readiness/platform/fabric/emulator"
)

const (
	contoso = "11111111-1111-4111-8111-111111111111"
	service = "33333333-3333-4333-8333-333333333333"
	ada     = "22222222-2222-4222-8222-222222222222"
	fabric  = "https://api.fabric.microsoft.com/"
)

type provider struct {
	*emulator.Entra
	url    string
	client *http.Client // that follows no redirect
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	e, err := emulator.NewEntra(service, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(e)
	t.Cleanup(s.Close)
	e.SetAddress(s.URL)
	e.SetPeople(emulator.User{Name: "ada", Object: ada})
	c := s.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &provider{e, s.URL + "/" + contoso, c}
}

// post returns the status and the JSON of an answer.
func (p *provider) post(t *testing.T, path string, form url.Values) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	_ = json.Unmarshal(text, &body)
	return res.StatusCode, body
}

// follow returns where a page redirects to.
func (p *provider) follow(t *testing.T, address string) *url.URL {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	to, err := res.Location()
	if err != nil {
		t.Fatalf("%s answered %d without a redirect", address, res.StatusCode)
	}
	return to
}

// code signs ada in by a page and returns the code.
func (p *provider) code(t *testing.T, verifier string, more url.Values) string {
	t.Helper()
	q := url.Values{"client_id": {p.PublicClient()}, "response_type": {"code"}, "redirect_uri": {"http://localhost:1234/callback"},
		"scope": {"openid offline_access " + service + "/.default"}, "state": {"s"}, "nonce": {"n"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"}}
	for name, v := range more {
		q[name] = v
	}
	page := p.follow(t, p.url+"/oauth2/v2.0/authorize?"+q.Encode())
	back := p.follow(t, p.follow(t, page.String()+"&person="+ada).String())
	if back.Host != "localhost:1234" || back.Query().Get("state") != "s" {
		t.Fatalf("the sign-in ended at %s", back)
	}
	return back.Query().Get("code")
}

func claimsOf(t *testing.T, token any) map[string]any {
	t.Helper()
	text, _ := token.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("%v is no token", token)
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// A sign-in by code and PKCE gives a token for the service, an id_token whose aud is a string, and a refresh token, which
// can be used once.
func TestCode(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	verifier := oauth2.GenerateVerifier()
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {p.PublicClient()}, "code": {p.code(t, verifier, nil)},
		"redirect_uri": {"http://localhost:1234/callback"}, "code_verifier": {oauth2.GenerateVerifier()}}
	if status, body := p.post(t, "/oauth2/v2.0/token", form); status != http.StatusBadRequest || body["access_token"] != nil {
		t.Fatalf("another verifier: got %d %v", status, body)
	}
	form.Set("code", p.code(t, verifier, nil))
	form.Set("code_verifier", verifier)
	status, body := p.post(t, "/oauth2/v2.0/token", form)
	if status != http.StatusOK {
		t.Fatalf("got %d %v", status, body)
	}
	access, id := claimsOf(t, body["access_token"]), claimsOf(t, body["id_token"])
	if access["aud"] != service || access["tid"] != contoso || access["oid"] != ada || access["scp"] != "Service.ReadWrite.All" ||
		access["iss"] != p.url+"/v2.0" || id["aud"] != p.PublicClient() || id["nonce"] != "n" || body["client_info"] == nil {
		t.Errorf("got %v, %v", access, id)
	}
	if status, again := p.post(t, "/oauth2/v2.0/token", form); status != http.StatusBadRequest || again["access_token"] != nil {
		t.Errorf("the code serves twice: %d", status)
	}
	refresh, _ := body["refresh_token"].(string)
	form = url.Values{"grant_type": {"refresh_token"}, "client_id": {p.PublicClient()}, "refresh_token": {refresh}}
	for i, want := range []int{http.StatusOK, http.StatusBadRequest} {
		if status, body := p.post(t, "/oauth2/v2.0/token", form); status != want {
			t.Errorf("refresh %d: got %d %v, want %d", i, status, body, want)
		}
	}
}

// A device's sign-in is pending until the person enters its code, and then gives tokens that serve an exchange; a refusal
// by the person ends it.
func TestDevice(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	begin := url.Values{"client_id": {p.PublicClient()}, "scope": {"openid offline_access " + service + "/.default"}}
	_, begun := p.post(t, "/oauth2/v2.0/devicecode", begin)
	device, _ := begun["device_code"].(string)
	user, _ := begun["user_code"].(string)
	form := url.Values{"grant_type": {"device_code"}, "client_id": {p.PublicClient()}, "device_code": {device}}
	if status, body := p.post(t, "/oauth2/v2.0/token", form); status != http.StatusBadRequest || body["error"] != "authorization_pending" {
		t.Fatalf("before: got %d %v", status, body)
	}
	p.post(t, "/devicelogin", url.Values{"user_code": {strings.ToLower(user)}, "person": {ada}})
	status, body := p.post(t, "/oauth2/v2.0/token", form)
	if status != http.StatusOK || claimsOf(t, body["access_token"])["oid"] != ada {
		t.Fatalf("after: got %d %v", status, body)
	}
	refresh, _ := body["refresh_token"].(string)
	status, renewed := p.post(t, "/oauth2/v2.0/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {p.PublicClient()},
		"refresh_token": {refresh}})
	if status != http.StatusOK || claimsOf(t, renewed["access_token"])["oid"] != ada {
		t.Fatalf("refresh: got %d %v", status, renewed)
	}

	assertion, _ := renewed["access_token"].(string)
	status, exchanged := p.post(t, "/oauth2/v2.0/token", obo(assertion, "openid offline_access "+fabric+".default"))
	token, _ := exchanged["access_token"].(string)
	who, err := p.Person(token)
	if status != http.StatusOK || err != nil || who.ID != "ada" || len(who.Scopes) < 5 ||
		!strings.Contains(exchanged["scope"].(string), fabric+".default "+fabric+"Workspace.Read.All") {
		t.Errorf("exchange: got %d %v, %+v, %v", status, exchanged, who, err)
	}

	_, begun = p.post(t, "/oauth2/v2.0/devicecode", begin)
	form.Set("device_code", begun["device_code"].(string))
	p.post(t, "/devicelogin", url.Values{"user_code": {begun["user_code"].(string)}, "deny": {"yes"}})
	if status, body := p.post(t, "/oauth2/v2.0/token", form); status == http.StatusOK || body["error"] != "authorization_declined" {
		t.Errorf("refused: got %d %v", status, body)
	}
}

func obo(assertion, scope string) url.Values {
	return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "requested_token_use": {"on_behalf_of"},
		"client_id": {service}, "client_secret": {"s"}, "assertion": {assertion}, "scope": {scope}}
}

// An exchange is refused as Entra refuses it, and its refresh token serves until sessions end.
func TestExchanges(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	good, _ := p.SignIn(contoso, ada, time.Hour)
	old, _ := p.SignIn(contoso, ada, -time.Hour)
	guest, _ := p.SignIn(service, ada, time.Hour) // of another tenant
	program, _ := p.AppOnly(contoso, time.Hour)
	const scope = "offline_access " + fabric + "Workspace.Read.All"
	_, body := p.post(t, "/oauth2/v2.0/token", obo(good, "https://storage.azure.com/user_impersonation"))
	if c := claimsOf(t, body["access_token"]); c["aud"] != "https://storage.azure.com" || c["scp"] != "user_impersonation" {
		t.Errorf("a token for storage: %v", c)
	}
	if _, err := p.Person(body["access_token"].(string)); err == nil {
		t.Error("the platform takes a token for storage")
	}
	p.Withhold("Dataset.Read.All", "user_impersonation")
	without := func(name string) url.Values { f := obo(good, scope); f.Del(name); return f }
	for name, c := range map[string]struct {
		form url.Values
		code float64
	}{
		"expired":         {obo(old, scope), 500133},
		"another tenant":  {obo(guest, scope), 50013},
		"forged":          {obo(good+"x", scope), 50013},
		"a program":       {obo(program, scope), 50013},
		"no assertion":    {without("assertion"), 50013},
		"no secret":       {without("client_secret"), 7000218},
		"another client":  {func() url.Values { f := obo(good, scope); f.Set("client_id", ada); return f }(), 700016},
		"no consent":      {obo(good, fabric+"Dataset.Read.All"), 65001},
		"storage":         {obo(good, "https://storage.azure.com/user_impersonation"), 65001},
		"all of storage":  {obo(good, "https://storage.azure.com/.default"), 65001},
		"another use":     {without("requested_token_use"), 70003},
		"another grant":   {url.Values{"grant_type": {"password"}}, 70003},
		"unknown refresh": {url.Values{"grant_type": {"refresh_token"}, "client_id": {service}, "client_secret": {"s"}, "refresh_token": {"obo.x"}}, 50173},
	} {
		status, body := p.post(t, "/oauth2/v2.0/token", c.form)
		codes, _ := body["error_codes"].([]any)
		if status < 400 || body["access_token"] != nil || len(codes) != 1 || codes[0] != c.code {
			t.Errorf("%s: got %d %v, want %v", name, status, body, c.code)
		}
	}

	_, body = p.post(t, "/oauth2/v2.0/token", obo(good, scope))
	refresh, _ := body["refresh_token"].(string)
	again := url.Values{"grant_type": {"refresh_token"}, "client_id": {service}, "client_secret": {"s"}, "refresh_token": {refresh},
		"scope": {fabric + "Item.Read.All"}}
	if status, body := p.post(t, "/oauth2/v2.0/token", again); status != http.StatusOK || claimsOf(t, body["access_token"])["scp"] != "Item.Read.All" {
		t.Errorf("refresh: got %d %v", status, body)
	}
	p.EndSessions()
	if status, _ := p.post(t, "/oauth2/v2.0/token", again); status != http.StatusBadRequest {
		t.Errorf("after the sessions ended: got %d", status)
	}

	status, app := p.post(t, "/oauth2/v2.0/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {service},
		"client_secret": {"s"}, "scope": {fabric + ".default"}})
	token, _ := app["access_token"].(string)
	if who, err := p.Person(token); status != http.StatusOK || err != nil || !who.AppOnly || len(who.Scopes) > 0 {
		t.Errorf("client_credentials: got %d, %+v, %v", status, who, err)
	}
}

// A person who signs in with the claims of a challenge, by code or device, passes it, also with refreshed tokens.
func TestChallenge(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Require("c1")
	plain, _ := p.SignIn(contoso, ada, time.Hour)
	status, body := p.post(t, "/oauth2/v2.0/token", obo(plain, fabric+"Workspace.Read.All"))
	claims, _ := body["claims"].(string)
	if status != http.StatusBadRequest || body["error"] != "interaction_required" || claims != emulator.ClaimsFor("c1") {
		t.Fatalf("got %d %v", status, body)
	}
	passes := func(what string, body map[string]any) {
		t.Helper()
		token, _ := body["access_token"].(string)
		if status, got := p.post(t, "/oauth2/v2.0/token", obo(token, fabric+"Workspace.Read.All")); status != http.StatusOK {
			t.Errorf("%s: got %d %v", what, status, got)
		}
	}
	verifier := oauth2.GenerateVerifier()
	_, body = p.post(t, "/oauth2/v2.0/token", url.Values{"grant_type": {"authorization_code"}, "client_id": {p.PublicClient()},
		"code": {p.code(t, verifier, url.Values{"claims": {claims}})}, "redirect_uri": {"http://localhost:1234/callback"}, "code_verifier": {verifier}})
	passes("code", body)
	refresh, _ := body["refresh_token"].(string)
	_, body = p.post(t, "/oauth2/v2.0/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {p.PublicClient()}, "refresh_token": {refresh}})
	passes("refreshed", body)

	_, begun := p.post(t, "/oauth2/v2.0/devicecode", url.Values{"client_id": {p.PublicClient()}, "scope": {"openid " + service + "/.default"},
		"claims": {claims}})
	p.post(t, "/devicelogin", url.Values{"user_code": {begun["user_code"].(string)}, "person": {ada}})
	_, body = p.post(t, "/oauth2/v2.0/token", url.Values{"grant_type": {"device_code"}, "client_id": {p.PublicClient()},
		"device_code": {begun["device_code"].(string)}})
	passes("device", body)
}
