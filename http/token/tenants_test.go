package token_test

import (
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
)

const (
	contoso  = "11111111-1111-4111-8111-11111111abcd"
	fabrikam = "22222222-2222-4222-8222-222222222222"
	northern = "33333333-3333-4333-8333-333333333333" // a tenant that is not served
	ada      = "44444444-4444-4444-8444-444444444444"
	visiting = "55555555-5555-4555-8555-555555555555" // ada, as a guest of another tenant
)

// directory is a provider of many tenants, which signs for all of them with the same keys, as Microsoft Entra ID does.
type directory struct {
	url   string
	key   *rsa.PrivateKey
	asked atomic.Pointer[[]string] // the tenants whose keys were read
}

func startDirectory(t *testing.T) *directory {
	t.Helper()
	d := &directory{key: rsaKey(t)}
	d.asked.Store(&[]string{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{tid}/v2.0/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		asked := append(*d.asked.Load(), r.PathValue("tid"))
		d.asked.Store(&asked)
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": d.issuer(r.PathValue("tid")), "jwks_uri": d.url + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []map[string]string{jwk("shared", d.key.Public())}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func (d *directory) issuer(tenant string) string { return d.url + "/" + tenant + "/v2.0" }

// sign returns a token of a tenant's person, with changes as in provider.with.
func (d *directory) sign(t *testing.T, tenant, object string, changes jwt.MapClaims) string {
	t.Helper()
	all := jwt.MapClaims{"iss": d.issuer(tenant), "tid": tenant, "oid": object, "sub": "pairwise", "aud": "service",
		"exp": noon.Add(time.Hour).Unix(), "nbf": noon.Add(-time.Minute).Unix(), "scp": token.ScopeRead}
	for name, v := range changes {
		if all[name] = v; v == nil {
			delete(all, name)
		}
	}
	return sign(t, jwt.SigningMethodRS256, "shared", d.key, all)
}

// Tokens of the configured tenants are accepted, each as a person of its tenant. Every other tenant is refused at the door, and its
// keys are not asked for; so is a token that names one tenant in its issuer and another in tid, although the provider signed it.
//
// proves: decisions/3/tenants
func TestTenants(t *testing.T) {
	t.Parallel()
	d := startDirectory(t)
	v := newVerifier(t, token.Options{Issuers: []token.Trusted{{URL: d.url + "/{tid}/v2.0", Tenants: []string{contoso, strings.ToUpper(fabrikam),
		contoso}, Audiences: []string{"service"}}}})
	person := func(tenant, object string) token.Identity {
		return token.Identity{Person: item.Person{Issuer: d.issuer(tenant), ID: tenant + "/" + object}, Scopes: []string{token.ScopeRead},
			Expires: noon.Add(time.Hour)}
	}
	program := person(contoso, ada)
	program.AppOnly, program.Scopes = true, nil
	for name, tt := range map[string]struct {
		token string
		want  token.Identity
		code  domain.Code
		words string
	}{
		"one tenant":                {token: d.sign(t, contoso, ada, nil), want: person(contoso, ada)},
		"another":                   {token: d.sign(t, fabrikam, ada, nil), want: person(fabrikam, ada)},
		"a guest is another person": {token: d.sign(t, fabrikam, visiting, jwt.MapClaims{"idp": d.issuer(contoso)}), want: person(fabrikam, visiting)},
		"a guest with a personal account": {token: d.sign(t, fabrikam, visiting, jwt.MapClaims{"idp": "live.com"}),
			want: person(fabrikam, visiting)},
		"a program, by idtyp": {token: d.sign(t, contoso, ada, jwt.MapClaims{"idtyp": "app", "scp": nil}), want: program},
		"a program, by roles": {token: d.sign(t, contoso, ada, jwt.MapClaims{"roles": []string{"x"}, "scp": nil}), want: program},

		"a tenant that is not served":          {token: d.sign(t, northern, ada, nil), code: domain.Unauthorized, words: "tenant " + northern},
		"tid of another served tenant":         {token: d.sign(t, contoso, ada, jwt.MapClaims{"tid": fabrikam}), code: domain.Unauthorized, words: "another tenant"},
		"tid of a tenant that is not served":   {token: d.sign(t, contoso, ada, jwt.MapClaims{"tid": northern}), code: domain.Unauthorized, words: "another tenant"},
		"issuer of a tenant that is not":       {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": d.issuer(northern)}), code: domain.Unauthorized, words: "not configured"},
		"no tid":                               {token: d.sign(t, contoso, ada, jwt.MapClaims{"tid": nil}), code: domain.Unauthorized, words: "another tenant"},
		"tid in capital letters":               {token: d.sign(t, contoso, ada, jwt.MapClaims{"tid": strings.ToUpper(contoso)}), code: domain.Unauthorized, words: "another tenant"},
		"personal accounts":                    {token: d.sign(t, item.PersonalTenant, ada, nil), code: domain.Unauthorized, words: "personal account"},
		"tid of personal accounts":             {token: d.sign(t, contoso, ada, jwt.MapClaims{"tid": item.PersonalTenant}), code: domain.Unauthorized, words: "personal account"},
		"the place itself":                     {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": d.url + "/{tid}/v2.0"}), code: domain.Unauthorized, words: "does not trust"},
		"all organizations":                    {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": d.url + "/organizations/v2.0"}), code: domain.Unauthorized, words: "does not trust"},
		"a tenant that is a path":              {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": d.url + "/" + contoso + "/../" + northern + "/v2.0"}), code: domain.Unauthorized, words: "does not trust"},
		"the issuer of tokens of version 1":    {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": "https://sts.windows.net/" + contoso + "/"}), code: domain.Unauthorized, words: "does not trust"},
		"a served tenant of another provider":  {token: d.sign(t, contoso, ada, jwt.MapClaims{"iss": "https://login.example.com/" + contoso + "/v2.0"}), code: domain.Unauthorized, words: "does not trust"},
		"a served tenant, expired":             {token: d.sign(t, contoso, ada, jwt.MapClaims{"exp": noon.Add(-time.Hour).Unix()}), code: domain.TokenExpired, words: "expired"},
		"a served tenant, for another service": {token: d.sign(t, contoso, ada, jwt.MapClaims{"aud": "x"}), code: domain.Unauthorized, words: "another service"},
	} {
		for range 2 { // a token that was seen before is refused as at first
			got, err := v.Verify(t.Context(), tt.token)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: identity (-want +got):\n%s", name, diff)
			}
			refusal, refused := domain.Refused(err)
			if refused != (tt.code != "") || refused && (refusal.Code != tt.code || !strings.Contains(refusal.Message, tt.words)) {
				t.Errorf("%s: got error %v, want %q with %q", name, err, tt.code, tt.words)
			}
		}
	}
	for _, tenant := range *d.asked.Load() {
		if tenant != contoso && tenant != fabrikam {
			t.Errorf("the keys of tenant %s were asked for", tenant)
		}
	}
}

// Issuers of several tenants that could let others in, or no one, are refused before the service starts.
func TestTenantsOptions(t *testing.T) {
	t.Parallel()
	const several = "https://login.example.com/{tid}/v2.0"
	for name, trusted := range map[string][]token.Trusted{
		"no tenant":             {{URL: several}},
		"a name":                {{URL: several, Tenants: []string{"contoso.example"}}},
		"personal accounts":     {{URL: several, Tenants: []string{contoso, item.PersonalTenant}}},
		"their own issuer":      {{URL: "https://login.example.com/" + item.PersonalTenant + "/v2.0"}},
		"two places":            {{URL: "https://login.example.com/{tid}/{tid}/v2.0", Tenants: []string{contoso}}},
		"Microsoft's own place": {{URL: "https://login.example.com/{tenantid}/v2.0", Tenants: []string{contoso}}},
		"a place for the host":  {{URL: "http://{tid}/v2.0", Tenants: []string{contoso}}},
		"one of them again":     {{URL: several, Tenants: []string{contoso}}, {URL: "https://login.example.com/" + contoso + "/v2.0"}},
	} {
		for i := range trusted {
			trusted[i].Audiences = []string{"service"}
		}
		if _, err := token.NewVerifier(token.Options{Issuers: trusted, Now: time.Now}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Reach reads the keys of each tenant's issuer, and says which of them cannot be read.
func TestReachTenants(t *testing.T) {
	t.Parallel()
	d := startDirectory(t)
	if err := token.Reach(t.Context(), token.Trusted{URL: d.url + "/{tid}/v2.0", Tenants: []string{contoso, fabrikam}}, nil); err != nil {
		t.Error(err)
	}
	if got := *d.asked.Load(); !cmp.Equal(got, []string{contoso, fabrikam}) {
		t.Errorf("asked for the keys of %v", got)
	}
	if err := token.Reach(t.Context(), token.Trusted{URL: d.url + "/x/{tid}/v2.0", Tenants: []string{contoso}}, nil); err == nil {
		t.Error("an issuer without keys is reached")
	}
}
