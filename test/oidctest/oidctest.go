// Package oidctest runs an independent OpenID Connect provider (zitadel/oidc) over real HTTP. People sign in with the
// authorization code flow and programs with client credentials, so that tests use tokens made by code other than
// ours.
package oidctest

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Service and Elsewhere are the client ids of two services, and so the audiences of their tokens. Opaque is a client
// whose access tokens are not JWTs.
const (
	Service   = "service"
	Elsewhere = "elsewhere"
	Opaque    = "opaque"
)

// AccountScope followed by an account's id requests the claim account.
const AccountScope = "account:"

// redirect is where programs are sent back to, and consoleRedirect where the console is, on any port.
const (
	redirect        = "http://localhost/callback"
	consoleRedirect = "http://localhost/sign-in/callback"
)

// Provider is a running provider. Any user name can sign in.
type Provider struct {
	URL   string // the issuer
	store *store
	http  *httptest.Server
}

// Start starts a provider that signs with ES256. It stops when t ends.
func Start(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{store: &store{Storage: storage.NewStorageWithClients(people{}, map[string]*storage.Client{
		Service: storage.NativeClient(Service, redirect, consoleRedirect), Elsewhere: storage.NativeClient(Elsewhere, redirect),
		Opaque: storage.NativeClient(Opaque, redirect),
	})}}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	p.Rotate(key)
	p.http = httptest.NewUnstartedServer(nil)
	p.URL = "http://" + p.http.Listener.Addr().String()
	p.http.Config.Handler, err = op.NewProvider(&op.Config{CryptoKey: sha256.Sum256([]byte(rand.Text())), CodeMethodS256: true,
		GrantTypeRefreshToken: true}, p.store, op.StaticIssuer(p.URL), op.WithAllowInsecure())
	check(t, err)
	p.http.Start()
	t.Cleanup(p.http.Close)
	return p
}

// Stop makes the provider permanently unreachable.
func (p *Provider) Stop() { p.http.Close() }

// Rotate makes the provider sign with another key: RS256 for an RSA key, otherwise ES256. Earlier keys stay
// published.
func (p *Provider) Rotate(key crypto.Signer) {
	alg := jose.ES256
	if _, ok := key.(*rsa.PrivateKey); ok {
		alg = jose.RS256
	}
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	p.store.keys = append(p.store.keys, signingKey{uuid.NewString(), alg, key})
}

// Withdraw stops publishing all keys except the current signing key.
func (p *Provider) Withdraw() {
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	p.store.keys = p.store.keys[len(p.store.keys)-1:]
}

// Key returns the id and the public half of the current signing key.
func (p *Provider) Key() (id string, key crypto.PublicKey) {
	k := p.store.current()
	return k.id, k.key.Public()
}

// Tokens are the tokens of one sign-in.
type Tokens struct{ Access, ID, Refresh string }

// SignIn signs a person of the tenant "tenant" in at a service and returns the tokens.
func (p *Provider) SignIn(t testing.TB, person, service string, scopes ...string) Tokens {
	t.Helper()
	party, err := rp.NewRelyingPartyOIDC(t.Context(), p.URL, service, "", redirect,
		append([]string{oidc.ScopeOpenID, oidc.ScopeOfflineAccess}, scopes...))
	check(t, err)
	verifier := rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	back := p.Browse(t, person, rp.AuthURL("state", party, rp.WithCodeChallenge(base64.RawURLEncoding.EncodeToString(challenge[:]))))
	tokens, err := rp.CodeExchange[*oidc.IDTokenClaims](t.Context(), back.Query().Get("code"), party, rp.WithCodeVerifier(verifier))
	check(t, err)
	return Tokens{tokens.AccessToken, tokens.IDToken, tokens.RefreshToken}
}

// Browse signs a person in at the address where a program sent their browser, and returns where it is sent back to.
func (p *Provider) Browse(t testing.TB, person, address string) *url.URL {
	t.Helper()
	request := p.redirected(t, address).Query().Get("authRequestID")
	check(t, p.store.CheckUsernamePassword(person, "", request))
	return p.redirected(t, p.URL+"/authorize/callback?id="+url.QueryEscape(request))
}

// Program returns the access token of a program that signs in with client credentials. The token holds the roles.
func (p *Provider) Program(t testing.TB, roles ...string) string {
	t.Helper()
	party, err := rp.NewRelyingPartyOIDC(t.Context(), p.URL, "program", "secret", redirect, roles)
	check(t, err)
	token, err := rp.ClientCredentials(t.Context(), party, nil)
	check(t, err)
	return token.AccessToken
}

// redirected requests an address and returns where the response redirects to.
func (p *Provider) redirected(t testing.TB, address string) *url.URL {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	check(t, err)
	answer, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer answer.Body.Close()
	to, err := answer.Location()
	check(t, err)
	if to.Query().Has("error") {
		t.Fatalf("the provider refused: %s", to.Query().Get("error_description"))
	}
	return to
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// store is the provider's in-memory store. It adds key rotation and the claims that this service reads.
type store struct {
	*storage.Storage
	mu   sync.Mutex
	keys []signingKey
}

func (s *store) current() signingKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1]
}

// SigningKey implements op.Storage.
func (s *store) SigningKey(context.Context) (op.SigningKey, error) { return s.current(), nil }

// SignatureAlgorithms implements op.Storage.
func (s *store) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{s.current().alg}, nil
}

// KeySet implements op.Storage.
func (s *store) KeySet(context.Context) (set []op.Key, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		set = append(set, publicKey{k})
	}
	return set, nil
}

// GetClientByClientID implements op.Storage.
func (s *store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	return client{c}, err
}

// GetPrivateClaimsFromScopes implements op.Storage. It returns the access token's claims beyond the registered ones.
func (s *store) GetPrivateClaimsFromScopes(_ context.Context, subject, _ string, scopes []string) (map[string]any, error) {
	ours := slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !strings.HasPrefix(scope, "Service.") })
	if subject == "program" {
		return map[string]any{"roles": ours, "tid": "tenant", "oid": "program"}, nil
	}
	claims := map[string]any{"scp": strings.Join(ours, " "), "tid": "tenant", "oid": subject}
	for _, scope := range scopes {
		if id, ok := strings.CutPrefix(scope, AccountScope); ok {
			claims["account"] = id
		}
	}
	return claims, nil
}

// ClientCredentials implements op.ClientCredentialsStorage.
func (s *store) ClientCredentials(ctx context.Context, _, _ string) (op.Client, error) {
	c, err := s.Storage.ClientCredentials(ctx, "sid1", "verysecret")
	return client{c}, err
}

// ClientCredentialsTokenRequest implements op.ClientCredentialsStorage.
func (s *store) ClientCredentialsTokenRequest(_ context.Context, id string, scopes []string) (op.TokenRequest, error) {
	return &oidc.JWTTokenRequest{Subject: id, Audience: []string{Service}, Scopes: scopes}, nil
}

// client may request every scope and gets access tokens that are JWTs, unless it is Opaque.
type client struct{ op.Client }

// AccessTokenType implements op.Client.
func (c client) AccessTokenType() op.AccessTokenType {
	if c.GetID() == Opaque {
		return op.AccessTokenTypeBearer
	}
	return op.AccessTokenTypeJWT
}

// IsScopeAllowed implements op.Client.
func (c client) IsScopeAllowed(string) bool { return true }

type signingKey struct {
	id  string
	alg jose.SignatureAlgorithm
	key crypto.Signer
}

// ID implements op.SigningKey and op.Key.
func (k signingKey) ID() string { return k.id }

// SignatureAlgorithm implements op.SigningKey.
func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return k.alg }

// Key implements op.SigningKey.
func (k signingKey) Key() any { return k.key }

type publicKey struct{ signingKey }

// Algorithm implements op.Key.
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return k.alg }

// Use implements op.Key.
func (k publicKey) Use() string { return "sig" }

// Key implements op.Key.
func (k publicKey) Key() any { return k.key.Public() }

// people is a user store in which every name exists and no one has a password.
type people struct{}

// GetUserByID implements storage.UserStore.
func (people) GetUserByID(id string) *storage.User { return &storage.User{ID: id, Username: id} }

// GetUserByUsername implements storage.UserStore.
func (people) GetUserByUsername(name string) *storage.User {
	return &storage.User{ID: name, Username: name}
}

// ExampleClientID implements storage.UserStore.
func (people) ExampleClientID() string { return Service }
