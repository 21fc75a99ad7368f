package fabrictest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/mux"
)

// Entra emulates the part of Microsoft Entra ID that exchanges a person's token for one of the platform (on-behalf-of).
// A service that begs for a token of its own (client_credentials) gets an app-only one, as it does from Entra.
type Entra struct {
	key      *ecdsa.PrivateKey
	now      func() time.Time
	clientID string
	router   *mux.Router

	mu        sync.Mutex
	refusals  []Refusal
	exchanges int
}

// Refusal is an error of the token endpoint, for the next exchange whose scopes contain Scope.
type Refusal struct {
	Scope  string
	Status int
	Body   map[string]any
}

// NewEntra returns an identity provider that knows one confidential client.
func NewEntra(clientID string, now func() time.Time) (*Entra, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	e := &Entra{key: key, now: now, clientID: clientID, router: mux.NewRouter()}
	e.router.HandleFunc("/{tid}/v2.0/.well-known/openid-configuration", e.metadata).Methods(http.MethodGet)
	e.router.HandleFunc("/{tid}/oauth2/v2.0/token", e.token).Methods(http.MethodPost)
	return e, nil
}

// ServeHTTP implements http.Handler.
func (e *Entra) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.router.ServeHTTP(w, r) }

// Refuse scripts refusals.
func (e *Entra) Refuse(all ...Refusal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusals = append(e.refusals, all...)
}

// Exchanges returns how often a token was asked for.
func (e *Entra) Exchanges() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.exchanges
}

type entraClaims struct {
	jwt.RegisteredClaims
	Tenant string `json:"tid"`
	Object string `json:"oid"`
	Scopes string `json:"scp,omitempty"`
	IDType string `json:"idtyp,omitempty"`
}

// SignIn returns the token that a person sends to the service.
func (e *Entra) SignIn(tenant, object string, life time.Duration) (string, error) {
	return e.sign(entraClaims{Tenant: tenant, Object: object, Scopes: "Service.ReadWrite.All"}, e.clientID, life)
}

func (e *Entra) sign(c entraClaims, audience string, life time.Duration) (string, error) {
	now := e.now()
	c.RegisteredClaims = jwt.RegisteredClaims{Issuer: "https://login.microsoftonline.com/" + c.Tenant + "/v2.0",
		Audience: jwt.ClaimStrings{audience}, Subject: c.Object,
		ExpiresAt: jwt.NewNumericDate(now.Add(life)), IssuedAt: jwt.NewNumericDate(now)}
	return jwt.NewWithClaims(jwt.SigningMethodES256, c).SignedString(e.key)
}

func (e *Entra) read(token, audience string) (entraClaims, error) {
	var c entraClaims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return &e.key.PublicKey, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(audience), jwt.WithTimeFunc(e.now), jwt.WithExpirationRequired())
	return c, err
}

// platformAudience is the application of both interfaces of the platform.
const platformAudience = "https://api.fabric.microsoft.com"

// Person is Options.Person for tokens of this provider: its people's ids are tenant and object.
func (e *Entra) Person(bearer string) (Person, error) {
	c, err := e.read(bearer, platformAudience)
	if errors.Is(err, jwt.ErrTokenExpired) {
		return Person{}, ErrExpired
	}
	if err != nil {
		return Person{}, err
	}
	return Person{ID: c.Tenant + "/" + c.Object, Scopes: strings.Fields(c.Scopes), AppOnly: c.IDType == "app"}, nil
}

func (e *Entra) metadata(w http.ResponseWriter, r *http.Request) {
	base := "https://" + r.Host + "/" + mux.Vars(r)["tid"]
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"issuer": base + "/v2.0", "token_endpoint": base + "/oauth2/v2.0/token",
		"authorization_endpoint": base + "/oauth2/v2.0/authorize", "jwks_uri": base + "/discovery/v2.0/keys"})
}

// aadsts is the body of an error of the provider.
func aadsts(code int, name, description string) map[string]any {
	return map[string]any{"error": name, "error_description": description, "error_codes": []int{code},
		"trace_id": "0f5d6c1e-0000-4000-8000-000000000000", "correlation_id": "0f5d6c1e-0000-4000-8000-000000000001"}
}

func (e *Entra) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var status int
	var body map[string]any
	if err := r.ParseForm(); err != nil {
		status, body = http.StatusBadRequest, aadsts(900144, "invalid_request", "The request body is not valid")
	} else {
		status, body = e.exchange(mux.Vars(r)["tid"], r.PostForm.Get)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store, no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (e *Entra) exchange(tenant string, form func(string) string) (int, map[string]any) {
	e.mu.Lock()
	e.exchanges++
	i := slices.IndexFunc(e.refusals, func(f Refusal) bool { return strings.Contains(form("scope"), f.Scope) })
	if i >= 0 {
		f := e.refusals[i]
		e.refusals = slices.Delete(e.refusals, i, i+1)
		e.mu.Unlock()
		return f.Status, f.Body
	}
	e.mu.Unlock()
	if form("client_id") != e.clientID {
		return http.StatusBadRequest, aadsts(700016, "unauthorized_client", "The application was not found in the directory")
	}
	if form("client_secret") == "" && form("client_assertion") == "" {
		return http.StatusUnauthorized, aadsts(7000218, "invalid_client", "The request must contain a client secret or assertion")
	}
	const life = time.Hour
	c := entraClaims{Tenant: tenant, IDType: "app"}
	if form("grant_type") != "client_credentials" {
		if form("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || form("requested_token_use") != "on_behalf_of" {
			return http.StatusBadRequest, aadsts(70003, "unsupported_grant_type", "The grant type is not supported")
		}
		person, err := e.read(form("assertion"), e.clientID)
		switch {
		case errors.Is(err, jwt.ErrTokenExpired):
			return http.StatusBadRequest, aadsts(500133, "invalid_grant", "Assertion is not within its valid time range")
		case err != nil || person.Tenant != tenant:
			return http.StatusBadRequest, aadsts(50013, "invalid_grant", "Assertion failed signature validation")
		}
		var granted []string
		for s := range strings.FieldsSeq(form("scope")) {
			if at := strings.LastIndexByte(s, '/'); at >= 0 {
				granted = append(granted, s[at+1:])
			}
		}
		c = entraClaims{Tenant: tenant, Object: person.Object, Scopes: strings.Join(granted, " ")}
	}
	signed, err := e.sign(c, platformAudience, life)
	if err != nil {
		return http.StatusInternalServerError, aadsts(90033, "server_error", "A transient error has occurred")
	}
	return http.StatusOK, map[string]any{"token_type": "Bearer", "scope": form("scope"), "expires_in": int(life.Seconds()),
		"ext_expires_in": int(life.Seconds()), "access_token": signed}
}
