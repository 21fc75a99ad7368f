// Package entra exchanges the tokens that people send to the service for tokens that act as them at the platform, by the
// on-behalf-of flow of Microsoft Entra ID. One permission is one exchange, because one scope without consent fails all
// scopes of its request.
//
// A token is kept in memory for the same person, permission and token of the caller, and no longer than either token is
// valid. Neither token appears in an error or a log line. Errors are *domain.Refusal.
package entra

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
	lru "github.com/hashicorp/golang-lru/v2"

	"readiness/domain"
	"readiness/domain/item"
)

// DefaultAuthority is Microsoft Entra ID of the public cloud.
const DefaultAuthority = "https://login.microsoftonline.com"

const (
	// exchangeTimeout bounds one exchange.
	exchangeTimeout = 15 * time.Second
	// maxKept bounds the tokens and refusals that are kept.
	maxKept = 20_000
	// consentLife is how long missing consent is remembered.
	consentLife = time.Minute
	// early is how long before its end a token is no longer used; a quarter of a shorter life.
	early = 2 * time.Minute
	// maxExchanges is after how many exchanges a client of the library is replaced, whose own cache keeps every caller's
	// token.
	maxExchanges = 500
)

// Options configures New. Scopes, ClientID, Credential and Tenants are required.
type Options struct {
	// Scopes are the delegated permissions that each permission stands for.
	Scopes map[item.Permission][]string
	// Authority is the address of the identity provider, without the tenant; by default DefaultAuthority.
	Authority  string
	ClientID   string
	Credential confidential.Credential
	// Tenants are the ids of the tenants whose people may be acted for.
	Tenants []string
	// Transport carries the calls; nil for http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time // by default time.Now
	Log       *slog.Logger     // by default none
}

// Exchange exchanges tokens. It is safe for concurrent use.
type Exchange struct {
	o    Options
	http *http.Client

	kept *lru.Cache[key, entry]

	mu      sync.Mutex
	clients map[string]*tenantClient
}

// key is what a token is kept for. Assertion is the hash of the token that the caller sent.
type key struct {
	person     item.Person
	permission item.Permission
	assertion  [sha256.Size]byte
}

// entry is a token, or none for missing consent, until it expires.
type entry struct {
	token   string
	expires time.Time
}

// tenantClient is a client of the library for one tenant.
type tenantClient struct {
	confidential.Client
	exchanges int
}

// New returns an Exchange. It calls nothing.
func New(o Options) (*Exchange, error) {
	o.Authority = cmp.Or(o.Authority, DefaultAuthority)
	u, err := url.Parse(o.Authority)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, fmt.Errorf("the authority %q must be an https address without a path, such as %s", o.Authority, DefaultAuthority)
	}
	o.Authority = strings.TrimSuffix(o.Authority, "/")
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.ClientID == "" || len(o.Tenants) == 0 {
		return nil, fmt.Errorf("acting for people needs the client id of the service's application and at least one tenant")
	}
	o.Transport = cmp.Or(o.Transport, http.DefaultTransport)
	kept, err := lru.New[key, entry](maxKept)
	if err != nil {
		return nil, err
	}
	return &Exchange{o: o, kept: kept, clients: map[string]*tenantClient{},
		http: &http.Client{Transport: noting{o.Transport}, Timeout: exchangeTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// For returns a token that acts as the caller with the permission.
func (x *Exchange) For(ctx context.Context, as item.Caller, p item.Permission) (string, error) {
	tenant, err := x.actable(as)
	if err == nil && x.o.Scopes[p] == nil {
		err = domain.Refuse(domain.PlatformAccessDenied, "the platform has no permission %s", p)
	}
	if err != nil {
		return "", err
	}
	k := key{as.Person, p, sha256.Sum256([]byte(as.Token))}
	if e, ok := x.kept.Get(k); ok && x.o.Now().Before(e.expires) {
		if e.token == "" {
			return "", consentMissing(p)
		}
		return e.token, nil
	}
	return x.exchange(ctx, tenant, as, k, "")
}

// Challenged returns another token after the platform refused that of For and asked for claims, which are JSON in
// base64url: a session was revoked, or a policy changed (continuous access evaluation).
func (x *Exchange) Challenged(ctx context.Context, as item.Caller, p item.Permission, claims string) (string, error) {
	tenant, err := x.actable(as)
	if err != nil {
		return "", err
	}
	text, err := base64.RawURLEncoding.DecodeString(claims)
	if err != nil || !json.Valid(text) || x.o.Scopes[p] == nil {
		return "", domain.Refuse(domain.PlatformUnavailable, "the platform asks for claims that cannot be read")
	}
	k := key{as.Person, p, sha256.Sum256([]byte(as.Token))}
	x.kept.Remove(k)
	return x.exchange(ctx, tenant, as, k, string(text))
}

// actable returns the tenant of a caller who can be acted for.
func (x *Exchange) actable(as item.Caller) (string, error) {
	tenant, ok := tenantOf(as.Person)
	switch {
	case as.Token == "":
		// Without an assertion, libraries fall back to a token of the application itself, which may see everything.
		return "", domain.Refuse(domain.Unauthorized, "the call carries no token to act for you with; sign in again")
	case !ok:
		return "", domain.Refuse(domain.PlatformAccessDenied, "the service acts on Fabric only for people who sign in with Microsoft "+
			"Entra ID; sign in with an account of your organization")
	case !slices.Contains(x.o.Tenants, tenant):
		return "", domain.Refuse(domain.PlatformAccessDenied, "the service is not configured for your organization (tenant %s); ask its "+
			"operator to add the tenant", tenant)
	}
	return tenant, x.Valid(as)
}

// Valid refuses with TokenExpired once the caller's token has ended. The library caches the tokens that it exchanged, and would return
// them for longer. The identity provider decides when a lasting token ends.
func (x *Exchange) Valid(as item.Caller) error {
	if ends, known := expiryOf(as.Token); known && !x.o.Now().Before(ends) {
		return domain.Refuse(domain.TokenExpired, "the token has expired; sign in again")
	}
	return nil
}

// exchange asks for a token, which has the claims, and keeps it.
func (x *Exchange) exchange(ctx context.Context, tenant string, as item.Caller, k key, claims string) (string, error) {
	assertion := as.Token
	client, err := x.client(tenant)
	if kept, lasts := lastingOf(as.Token); lasts && err == nil {
		assertion = kept.Assertion
		client, err = x.clientFor(tenant, &kept)
	}
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	var o []confidential.AcquireOnBehalfOfOption
	if claims != "" {
		o = append(o, confidential.WithClaims(claims))
	}
	token, until, err := x.acquire(ctx, client, assertion, x.o.Scopes[k.permission], o...)
	if err != nil {
		return "", x.failed(ctx, k, err)
	}
	if ends, known := expiryOf(as.Token); known && ends.Before(until) {
		until = ends
	}
	x.kept.Add(k, entry{token, until.Add(-min(early, until.Sub(x.o.Now())/4))})
	return token, nil
}

// Serves reports whether a person belongs to one of the tenants.
func (x *Exchange) Serves(person item.Person) bool {
	tenant, ok := tenantOf(person)
	return ok && slices.Contains(x.o.Tenants, tenant)
}

// tenantOf returns the tenant in a person's id, which is tenant and object.
func tenantOf(p item.Person) (string, bool) {
	tenant, object, ok := strings.Cut(p.ID, "/")
	return strings.ToLower(tenant), ok && p.Issuer != "" && tenant != "" && object != "" && !strings.EqualFold(tenant, item.PersonalTenant)
}

// expiryOf reads when a token ends. The token was verified when the call arrived.
func expiryOf(token string) (time.Time, bool) {
	_, rest, _ := strings.Cut(token, ".")
	payload, _, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct{ Exp int64 }
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Exp == 0 {
		return time.Time{}, false
	}
	return time.Unix(claims.Exp, 0), true
}

// client returns the library's client for a tenant.
func (x *Exchange) client(tenant string) (confidential.Client, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.clients[tenant]
	if c == nil || c.exchanges >= maxExchanges {
		made, err := x.newClient(tenant, x.http)
		if err != nil {
			return confidential.Client{}, err
		}
		c = &tenantClient{Client: made}
		x.clients[tenant] = c
	}
	c.exchanges++
	return c.Client, nil
}

func (x *Exchange) newClient(tenant string, h *http.Client) (confidential.Client, error) {
	c, err := confidential.New(x.o.Authority+"/"+tenant, x.o.ClientID, x.o.Credential, confidential.WithHTTPClient(h),
		confidential.WithInstanceDiscovery(false), confidential.WithClientCapabilities([]string{"cp1"}))
	if err != nil {
		return c, fmt.Errorf("entra: %w", err)
	}
	return c, nil
}
