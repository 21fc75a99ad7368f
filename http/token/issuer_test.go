package token_test

import (
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
	"readiness/test/oidctest"
)

// realClock starts now, because the tokens of a real provider do.
func realClock() *clock { c := &clock{}; c.at.Store(time.Now().UnixNano()); return c }

func trusting(t *testing.T, p *oidctest.Provider, c *clock) *token.Verifier {
	t.Helper()
	return newVerifier(t, token.Options{Issuers: []token.Trusted{{URL: p.URL, Audiences: []string{oidctest.Service}}}, Now: c.now})
}

// Tokens of people and programs from an independent provider, and how long they are valid.
//
// proves: decisions/3/claims decisions/3/expired-only decisions/3/app-only decisions/3/person
func TestTokensOfIndependentProvider(t *testing.T) {
	t.Parallel()
	p, c := oidctest.Start(t), realClock()
	v := trusting(t, p, c)
	both := []string{token.ScopeRead, token.ScopeReadWrite}
	eve := item.Person{Issuer: p.URL, ID: "tenant/eve"}
	signedIn := p.SignIn(t, "eve", oidctest.Service, both...)
	for _, tt := range []struct {
		name, token string
		later       time.Duration // the service's clock is this much ahead of the provider's
		want        token.Identity
		code        domain.Code
	}{
		{name: "access token", token: signedIn.Access, want: token.Identity{Person: eve, Scopes: both}},
		{name: "one scope", token: p.SignIn(t, "eve", oidctest.Service, token.ScopeRead).Access, want: token.Identity{Person: eve, Scopes: both[:1]}},
		{name: "a scope of the provider's alone", token: p.SignIn(t, "eve", oidctest.Service, "email").Access, want: token.Identity{Person: eve}},
		{name: "an account picked", token: p.SignIn(t, "eve", oidctest.Service, oidctest.AccountScope+"acme").Access, want: token.Identity{Person: eve, Account: "acme"}},
		{name: "a program", token: p.Program(t, both...), want: token.Identity{Person: item.Person{Issuer: p.URL, ID: "tenant/program"}, AppOnly: true}},
		// The token is for the service and names the person, but holds no scope.
		{name: "ID token", token: signedIn.ID, want: token.Identity{Person: item.Person{Issuer: p.URL, ID: "eve"}}},
		{name: "refresh token", token: signedIn.Refresh, code: domain.Unauthorized},
		{name: "opaque access token", token: p.SignIn(t, "eve", oidctest.Opaque, both...).Access, code: domain.Unauthorized},
		{name: "for another service", token: p.SignIn(t, "eve", oidctest.Elsewhere, both...).Access, code: domain.Unauthorized},
		{name: "of a provider nobody trusts", token: oidctest.Start(t).SignIn(t, "eve", oidctest.Service, both...).Access, code: domain.Unauthorized},
		{name: "not valid yet", token: signedIn.Access, later: -2 * time.Minute, code: domain.Unauthorized},
		{name: "not valid yet by less than clocks differ", token: signedIn.Access, later: -50 * time.Second, want: token.Identity{Person: eve, Scopes: both}},
		{name: "expired by less than clocks differ", token: signedIn.Access, later: 5*time.Minute + 10*time.Second, want: token.Identity{Person: eve, Scopes: both}},
		{name: "expired", token: signedIn.Access, later: 7 * time.Minute, code: domain.TokenExpired},
		{name: "for another service, and expired", token: p.SignIn(t, "eve", oidctest.Elsewhere, both...).Access, later: 7 * time.Minute, code: domain.Unauthorized},
	} {
		c.add(tt.later)
		got, err := v.Verify(t.Context(), tt.token)
		c.add(-tt.later)
		if got.Expires, got.Issued = (time.Time{}), got.Issued.Truncate(time.Minute); err == nil && got.Issued.IsZero() {
			t.Errorf("%s: the time of issue is missing", tt.name)
		}
		got.Issued = time.Time{}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: identity (-want +got):\n%s", tt.name, diff)
		}
		refusal, _ := domain.Refused(err)
		if tt.code == "" && err != nil || tt.code != "" && (refusal == nil || refusal.Code != tt.code) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.code)
		}
	}
}

// forged returns a token with a header, claims and a signature by sign.
func forged(t *testing.T, header map[string]any, claims any, sign func(text string) []byte) string {
	t.Helper()
	b64 := base64.RawURLEncoding.EncodeToString
	h, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	c, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := b64(h) + "." + b64(c)
	return text + "." + b64(sign(text))
}

// Tokens forged from what a provider publishes are rejected, and no address that they name is requested.
//
// proves: decisions/3/algorithms decisions/3/claims decisions/3/expired-only
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	p := oidctest.Start(t)
	v := trusting(t, p, realClock())
	genuine := p.SignIn(t, "eve", oidctest.Service, token.ScopeReadWrite)
	verify(t, v, genuine.Access, "")
	parts := strings.Split(genuine.Access, ".")
	var claims map[string]any
	if text, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil || json.Unmarshal(text, &claims) != nil {
		t.Fatal(err)
	}
	kid, public := p.Key()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	published, err := json.Marshal(jose.JSONWebKey{Key: public, KeyID: kid, Algorithm: "ES256", Use: "sig"})
	if err != nil {
		t.Fatal(err)
	}
	point, err := public.(*ecdsa.PublicKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}

	// Where the forged headers claim the keys are.
	var asked atomic.Int32
	mine := ecKey(t)
	myKeys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: mine.Public(), KeyID: kid, Algorithm: "ES256", Use: "sig"}}}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_ = json.NewEncoder(w).Encode(myKeys)
	}))
	t.Cleanup(elsewhere.Close)

	header := func(changes ...any) map[string]any {
		h := map[string]any{"alg": "ES256", "typ": "JWT", "kid": kid}
		for i := 0; i+1 < len(changes); i += 2 {
			h[changes[i].(string)] = changes[i+1]
		}
		return h
	}
	with := func(name string, value any) map[string]any {
		c := maps.Clone(claims)
		c[name] = value
		return c
	}
	nothing := func(string) []byte { return nil }
	byMe := func(text string) []byte {
		signature, err := jwt.SigningMethodES256.Sign(text, mine)
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	theirs := func(string) []byte {
		signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
		return signature
	}
	secret := func(key []byte) func(string) []byte {
		return func(text string) []byte {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(text))
			return mac.Sum(nil)
		}
	}
	tests := map[string]string{
		"another person under the signature": forged(t, header(), with("oid", "mallory"), theirs),
		"more scopes under the signature":    forged(t, header(), with("scp", token.ScopeReadWrite+" Service.Admin.All"), theirs),
		"the ID token's signature":           parts[0] + "." + parts[1] + genuine.ID[strings.LastIndexByte(genuine.ID, '.'):],
		"my key under their kid":             forged(t, header(), claims, byMe),
		"no kid":                             forged(t, header("kid", nil), claims, byMe),
		"kid that is a number":               forged(t, header("kid", 1), claims, byMe),
		"kid that is my address":             forged(t, header("kid", elsewhere.URL), claims, byMe),
		"kid that is a file":                 forged(t, header("kid", "../../../../dev/null"), claims, secret(nil)),
		"kid that is SQL":                    forged(t, header("kid", "x' UNION SELECT 'key"), claims, secret([]byte("key"))),
		"jku of mine":                        forged(t, header("jku", elsewhere.URL), claims, byMe),
		"jku of mine and a kid only there":   forged(t, header("jku", elsewhere.URL, "kid", "mine"), claims, byMe),
		"x5u of mine":                        forged(t, header("x5u", elsewhere.URL), claims, byMe),
		"key of mine in the header":          forged(t, header("jwk", myKeys.Keys[0]), claims, byMe),
		"issuer of mine":                     forged(t, header(), with("iss", elsewhere.URL), byMe),
		"issuer that theirs is a part of":    forged(t, header(), with("iss", p.URL+".example.com"), theirs),
		"alg none":                           forged(t, header("alg", "none"), claims, nothing),
		"alg None":                           forged(t, header("alg", "None"), claims, nothing),
		"alg none with their signature":      forged(t, header("alg", "none"), claims, theirs),
		"alg empty":                          forged(t, header("alg", ""), claims, nothing),
		"no alg":                             forged(t, header("alg", nil), claims, nothing),
		"HS256 with their key as PEM":        forged(t, header("alg", "HS256"), claims, secret(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))),
		"HS256 with their key as DER":        forged(t, header("alg", "HS256"), claims, secret(der)),
		"HS256 with their key as JWK":        forged(t, header("alg", "HS256"), claims, secret(published)),
		"HS256 with their key as a point":    forged(t, header("alg", "HS256"), claims, secret(point)),
		"HS256 with nothing":                 forged(t, header("alg", "HS256"), claims, secret(nil)),
		"ES256 of zeros":                     forged(t, header(), claims, func(string) []byte { return make([]byte, 64) }),
		"ES256 of nothing":                   forged(t, header(), claims, nothing),
		"RS256 with an EC key":               forged(t, header("alg", "RS256"), claims, theirs),
		"ES512":                              forged(t, header("alg", "ES512"), claims, theirs),
		"EdDSA":                              forged(t, header("alg", "EdDSA"), claims, theirs),
		"padded signature":                   genuine.Access + "==",
		"a fourth part":                      genuine.Access + "." + parts[2],
		"with spaces":                        " " + genuine.Access,
		"in the general JSON form":           `{"payload":"` + parts[1] + `","signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`,
	}
	for name, forgery := range tests {
		if got, err := v.Verify(t.Context(), forgery); err == nil {
			t.Errorf("%s: got %+v", name, got)
		} else if refusal, _ := domain.Refused(err); refusal == nil || refusal.Code != domain.Unauthorized {
			t.Errorf("%s: got error %v, want Unauthorized", name, err)
		} else if strings.Contains(err.Error(), parts[1][:20]) {
			t.Errorf("%s: the error holds the token: %v", name, err)
		}
	}
	verify(t, v, genuine.Access, "")
	if got := asked.Load(); got != 0 {
		t.Errorf("an address named by a token was requested %d times", got)
	}
}

// When a provider rotates its keys, from ES256 to RS256, no caller is locked out: the new key is accepted at once,
// the old one as long as it is published.
//
// proves: decisions/3/algorithms
func TestRotationAtIndependentProvider(t *testing.T) {
	t.Parallel()
	p, c := oidctest.Start(t), realClock()
	v := trusting(t, p, c)
	before := p.SignIn(t, "eve", oidctest.Service, token.ScopeRead).Access
	verify(t, v, before, "")
	c.add(time.Minute)
	p.Rotate(rsaKey(t))
	after := p.SignIn(t, "eve", oidctest.Service, token.ScopeRead).Access
	verify(t, v, after, "")
	verify(t, v, before, "")
	p.Withdraw()
	verify(t, v, before, "") // nothing has triggered a fetch of the keys since
	c.add(time.Minute)
	p.Rotate(ecKey(t))
	verify(t, v, p.SignIn(t, "eve", oidctest.Service, token.ScopeRead).Access, "")
	verify(t, v, before, domain.Unauthorized)
	verify(t, v, after, "")
}

// When a provider is down, a verifier that has its keys still accepts its tokens. A verifier that never fetched them
// refuses and asks to call again.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	p, c := oidctest.Start(t), realClock()
	knows, never := trusting(t, p, c), trusting(t, p, c)
	access := p.SignIn(t, "eve", oidctest.Service, token.ScopeRead).Access
	verify(t, knows, access, "")
	p.Stop()
	c.add(3 * time.Minute)
	verify(t, knows, access, "")
	err := verify(t, never, access, domain.Unauthorized)
	if refusal, _ := domain.Refused(err); refusal.RetryAfter <= 0 || !strings.Contains(refusal.Message, "keys") {
		t.Errorf("got %v, want a refusal that says to call again because of the keys", err)
	}
	if strings.Contains(err.Error(), p.URL) {
		t.Errorf("the refusal contains the address of the provider: %v", err)
	}
}

// stalled is a transport that, once closed, blocks requests until giveUp or the end of their context.
type stalled struct {
	closed          atomic.Bool
	waiting         atomic.Int32
	entered, giveUp chan struct{}
}

func (h *stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	if !h.closed.Load() {
		return http.DefaultTransport.RoundTrip(r)
	}
	h.waiting.Add(1)
	defer h.waiting.Add(-1)
	h.entered <- struct{}{}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-h.giveUp:
		return nil, io.ErrUnexpectedEOF
	}
}

// A provider that does not respond blocks no caller whose key is cached, neither while a forged kid triggers a fetch
// nor once the keys are stale.
func TestCachedKeysDoNotWait(t *testing.T) {
	t.Parallel()
	p, c := startProvider(t), newClock()
	h := &stalled{entered: make(chan struct{}, 1), giveUp: make(chan struct{}, 1)}
	o := trust(p)
	o.Now, o.Client = c.now, &http.Client{Transport: h}
	v := newVerifier(t, o)
	late := jwt.MapClaims{"exp": noon.Add(24 * time.Hour).Unix()}
	good := sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(late))
	unknown := sign(t, jwt.SigningMethodES256, "nobody", ecKey(t), p.with(late))
	verify(t, v, good, "")
	h.closed.Store(true)
	for _, first := range []string{unknown, good} {
		c.add(2 * time.Hour)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = v.Verify(t.Context(), first) })
		<-h.entered
		verify(t, v, good, "")
		if h.waiting.Load() == 0 {
			t.Error("a call with a known key waited for the provider")
		}
		h.giveUp <- struct{}{}
		wg.Wait()
	}
}
