package emulator

import (
	"cmp"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
)

// Entra emulates what clients of the service and the service itself use of Microsoft Entra ID: people sign in with an
// authorization code and PKCE or with a device code, and the service exchanges their tokens (on-behalf-of). The flows are
// those of an independent provider (zitadel/oidc); paths, tokens and errors are Entra's. Any tenant whose id is a UUID is
// known, unless SetTenants names some. A service that requests a token for itself (client_credentials) gets an app-only one, as
// from Entra.
type Entra struct {
	key      *rsa.PrivateKey
	now      func() time.Time
	clientID string
	router   *mux.Router

	mu        sync.Mutex
	url       string // the base address, once it is known
	people    []User
	refusals  []Refusal
	exchanges int
	asked     string // the claims of the last request
	requires  string // an authentication context without which no token is exchanged
	withheld  []string
	secret    string   // of the service's application; "" for any
	known     []string // tenants; none for any
	life      time.Duration
	tenants   map[string]*tenant
	// contexts holds the authentication contexts that were asked for, by the request, code or refresh token that leads
	// to the token which has them.
	contexts map[string]string
	sessions map[string]session
}

// User is a person whom the sign-in page offers.
type User struct {
	Name   string
	Object string // the id in the tenant; "" for one that follows from the name
}

// ID returns the id in the tenant.
func (u User) ID() string {
	return cmp.Or(u.Object, uuid.NewSHA1(uuid.NameSpaceURL, []byte("person/"+u.Name)).String())
}

// Refusal is an error of the token endpoint, for the next exchange whose scopes contain Scope.
type Refusal struct {
	Scope  string
	Status int
	Body   map[string]any
}

// NewEntra returns an identity provider that knows the service's application, a confidential client, and a public client
// for people (PublicClient).
func NewEntra(clientID string, now func() time.Time) (*Entra, error) {
	key, err := signingKey()
	if err != nil {
		return nil, err
	}
	e := &Entra{key: key, now: now, clientID: clientID, router: mux.NewRouter(), life: time.Hour, tenants: map[string]*tenant{},
		contexts: map[string]string{}, sessions: map[string]session{}}
	const below = "/{tid:" + uuidPattern + "}"
	e.router.HandleFunc(below+"/v2.0/.well-known/openid-configuration", e.metadata).Methods(http.MethodGet)
	e.router.HandleFunc(below+"/oauth2/v2.0/token", e.token).Methods(http.MethodPost)
	e.router.HandleFunc(below+"/login", e.login).Methods(http.MethodGet, http.MethodPost)
	e.router.HandleFunc(below+devicePath, e.device).Methods(http.MethodGet, http.MethodPost)
	e.router.HandleFunc(below+"/oauth2/v2.0/devicecode", e.deviceCode).Methods(http.MethodPost)
	e.router.HandleFunc(below+"/oauth2/v2.0/authorize", e.authorize).Methods(http.MethodGet, http.MethodPost)
	e.router.HandleFunc(below+"/oauth2/v2.0"+callbackPath, e.callback).Methods(http.MethodGet)
	e.router.HandleFunc(below+"/discovery/v2.0/keys", e.keys).Methods(http.MethodGet)
	e.router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, aadsts(90002, "invalid_request", "The tenant or the page was not found"))
	})
	return e, nil
}

// PublicClient returns the client id with which people's programs sign in.
func (e *Entra) PublicClient() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("public/"+e.clientID)).String()
}

// ServeHTTP implements http.Handler.
func (e *Entra) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	e.mu.Lock()
	if e.url == "" {
		e.url = "https://" + r.Host
	}
	tenant, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	unknown := len(e.known) > 0 && !slices.Contains(e.known, strings.ToLower(tenant))
	e.mu.Unlock()
	if unknown {
		answer(w, http.StatusBadRequest, aadsts(90002, "invalid_tenant", "The tenant was not found"))
		return
	}
	e.router.ServeHTTP(w, r)
}

// SetAddress sets the provider's address, which is in the issuer of its tokens. Without it, the address of the
// first call is taken, and tokens made before name Entra's own.
func (e *Entra) SetAddress(url string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.url = url
}

// SetPeople sets the people whom the sign-in page offers. Their ids at the platform are their names.
func (e *Entra) SetPeople(people ...User) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.people = people
}

// Refuse scripts refusals.
func (e *Entra) Refuse(all ...Refusal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusals = append(e.refusals, all...)
}

// Require makes every exchange fail with a claims challenge, unless the person signed in with the claims that ask for the
// authentication context; "" ends that.
func (e *Entra) Require(context string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requires = context
}

// Withhold makes every exchange for one of the delegated permissions fail for lack of consent.
func (e *Entra) Withhold(permissions ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.withheld = permissions
}

// Expect sets the client secret of the service's application; without it, any is accepted.
func (e *Entra) Expect(secret string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.secret = secret
}

// SetTenants sets the known tenants.
func (e *Entra) SetTenants(tenants ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = tenants
}

// SetTokenLife sets how long tokens are valid; by default an hour.
func (e *Entra) SetTokenLife(life time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.life = life
}

// EndSessions revokes every refresh token, as a change of password does.
func (e *Entra) EndSessions() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.sessions)
	clear(e.tenants)
}

// Exchanges returns how often a token was asked for.
func (e *Entra) Exchanges() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.exchanges
}

// Asked returns the claims of the last request for a token.
func (e *Entra) Asked() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked
}

// Sessions returns how many refresh tokens of exchanges are valid.
func (e *Entra) Sessions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sessions)
}

// base returns the address of a tenant.
func (e *Entra) base(tenant string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.url == "" {
		return "https://login.microsoftonline.com/" + tenant
	}
	return e.url + "/" + tenant
}

func tenantIn(r *http.Request) string { return strings.ToLower(mux.Vars(r)["tid"]) }

func (e *Entra) metadata(w http.ResponseWriter, r *http.Request) {
	base := e.base(tenantIn(r))
	answer(w, http.StatusOK, map[string]any{"issuer": base + "/v2.0", "token_endpoint": base + "/oauth2/v2.0/token",
		"authorization_endpoint": base + "/oauth2/v2.0/authorize", "jwks_uri": base + "/discovery/v2.0/keys",
		"device_authorization_endpoint": base + "/oauth2/v2.0/devicecode", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"pairwise"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		"scopes_supported": []string{"openid", "profile", "email", "offline_access"}, "tenant_region_scope": "EU"})
}

// answer sends JSON as Entra does.
func answer(w http.ResponseWriter, status int, body any) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store, no-cache")
	h.Set("Pragma", "no-cache")
	h["x-ms-request-id"] = []string{uuid.NewString()}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// aadsts is the body of an error of the provider.
func aadsts(code int, name, description string) map[string]any {
	return map[string]any{"error": name, "error_description": description, "error_codes": []int{code},
		"trace_id": uuid.NewString(), "correlation_id": uuid.NewString()}
}

// token answers the token endpoint: an exchange by itself, a sign-in by the provider behind it.
func (e *Entra) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		answer(w, http.StatusBadRequest, aadsts(900144, "invalid_request", "The request body is not valid"))
		return
	}
	form := r.PostForm.Get
	if status, body, refused := e.refused(form("scope"), form("claims")); refused {
		answer(w, status, body)
		return
	}
	switch grant := form("grant_type"); {
	case grant == "client_credentials", grant == onBehalfOf, grant == "refresh_token" && e.session(form("refresh_token")):
		status, body := e.exchange(tenantIn(r), form)
		answer(w, status, body)
	case slices.Contains([]string{"authorization_code", "refresh_token", "device_code", deviceGrant}, grant):
		e.signIn(w, r)
	default:
		answer(w, http.StatusBadRequest, aadsts(70003, "unsupported_grant_type", "The grant type is not supported"))
	}
}

// refused counts the request and returns the first scripted refusal of it.
func (e *Entra) refused(scope, claims string) (int, map[string]any, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exchanges++
	e.asked = claims
	i := slices.IndexFunc(e.refusals, func(f Refusal) bool { return strings.Contains(scope, f.Scope) })
	if i < 0 {
		return 0, nil, false
	}
	f := e.refusals[i]
	e.refusals = slices.Delete(e.refusals, i, i+1)
	return f.Status, f.Body, true
}

// answerOf is the answer of the provider behind.
func answerOf(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
