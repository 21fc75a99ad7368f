package token_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// provider is an OpenID Connect provider over real HTTP: discovery and keys only.
type provider struct {
	url      string
	mu       sync.Mutex
	keys     map[string]crypto.Signer
	document func(map[string]any) // changes the discovery document
	down     atomic.Bool
	reads    atomic.Int32 // of the key set
}

func startProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{keys: map[string]crypto.Signer{"rsa": rsaKey(t), "ec": ecKey(t)}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		doc := map[string]any{"issuer": p.url, "jwks_uri": p.url + "/keys"}
		if p.document != nil {
			p.document(doc)
		}
		_ = json.NewEncoder(w).Encode(doc)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.reads.Add(1)
		p.mu.Lock()
		defer p.mu.Unlock()
		set := []map[string]string{{"kty": "OKP", "kid": "other", "crv": "X448", "x": "AA"}}
		for kid, key := range p.keys {
			set = append(set, jwk(kid, key.Public()))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": set})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func jwk(kid string, key crypto.PublicKey) map[string]string {
	b64 := base64.RawURLEncoding.EncodeToString
	switch key := key.(type) {
	case *rsa.PublicKey:
		return map[string]string{"kty": "RSA", "use": "sig", "kid": kid, "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, _ := key.Bytes()
		return map[string]string{"kty": "EC", "kid": kid, "crv": "P-256", "x": b64(point[1:33]), "y": b64(point[33:])}
	}
	return nil
}

func rsaKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, method jwt.SigningMethod, kid string, key any, c jwt.MapClaims, header ...string) string {
	t.Helper()
	tok := jwt.NewWithClaims(method, c)
	if kid != "" {
		tok.Header["kid"] = kid
	}
	for i := 0; i+1 < len(header); i += 2 {
		tok.Header[header[i]] = header[i+1]
	}
	signed, err := tok.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// with returns the claims of a valid token of p with changes; a nil value removes a claim.
func (p *provider) with(changes jwt.MapClaims) jwt.MapClaims {
	c := jwt.MapClaims{
		"iss": p.url, "aud": "service", "sub": "sub-1", "tid": "tenant", "oid": "object",
		"exp": noon.Add(time.Hour).Unix(), "nbf": noon.Add(-time.Minute).Unix(), "scp": "openid Service.Read.All",
	}
	for k, v := range changes {
		if v == nil {
			delete(c, k)
		} else {
			c[k] = v
		}
	}
	return c
}

func newVerifier(t *testing.T, o token.Options) *token.Verifier {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	o.Log = slog.New(slog.DiscardHandler)
	v, err := token.NewVerifier(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func trust(p *provider) token.Options {
	return token.Options{Issuers: []token.Trusted{{URL: p.url, Audiences: []string{"service", "api://service"}}}}
}

// proves: decisions/3/algorithms decisions/3/claims decisions/3/expired-only decisions/3/app-only decisions/3/person
func TestVerify(t *testing.T) {
	t.Parallel()
	p := startProvider(t)
	v := newVerifier(t, trust(p))
	rsaPrivate, ecPrivate := p.keys["rsa"], p.keys["ec"]
	publicDER, err := x509.MarshalPKIXPublicKey(rsaPrivate.Public())
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicDER})
	good := func(changes jwt.MapClaims) string {
		return sign(t, jwt.SigningMethodRS256, "rsa", rsaPrivate, p.with(changes))
	}
	person := item.Person{Issuer: p.url, ID: "tenant/object"}
	read := token.Identity{Person: person, Scopes: []string{token.ScopeRead}, Expires: noon.Add(time.Hour)}

	tests := []struct {
		name  string
		token string
		want  token.Identity
		code  domain.Code // the refusal's code; empty when the token is valid
	}{
		{name: "RS256", token: good(nil), want: read},
		{name: "ES256", token: sign(t, jwt.SigningMethodES256, "ec", ecPrivate, p.with(nil)), want: read},
		{name: "no kid", token: sign(t, jwt.SigningMethodRS256, "", rsaPrivate, p.with(nil)), want: read},
		{name: "second audience", token: good(jwt.MapClaims{"aud": []string{"x", "api://service"}}), want: read},
		{name: "sub without tenant", token: good(jwt.MapClaims{"tid": nil}), want: token.Identity{Person: item.Person{Issuer: p.url, ID: "sub-1"}, Scopes: read.Scopes, Expires: read.Expires}},
		{name: "tenant without oid", token: good(jwt.MapClaims{"oid": nil}), want: token.Identity{Person: item.Person{Issuer: p.url, ID: "tenant/sub-1"}, Scopes: read.Scopes, Expires: read.Expires}},
		{name: "e-mail is nobody", token: good(jwt.MapClaims{"email": "admin@example.com", "upn": "admin@example.com"}), want: read},
		{name: "read and write", token: good(jwt.MapClaims{"scp": "Service.ReadWrite.All Service.Read.All"}), want: token.Identity{Person: person, Scopes: []string{token.ScopeRead, token.ScopeReadWrite}, Expires: read.Expires}},
		{name: "no known scope", token: good(jwt.MapClaims{"scp": "openid service.read.all Service.Read.All2"}), want: token.Identity{Person: person, Expires: read.Expires}},
		{name: "no scope at all", token: good(jwt.MapClaims{"scp": nil}), want: token.Identity{Person: person, Expires: read.Expires}},
		{name: "roles without scope", token: good(jwt.MapClaims{"scp": nil, "roles": []string{"Service.Read.All"}}), want: token.Identity{Person: person, AppOnly: true, Expires: read.Expires}},
		{name: "roles with scope", token: good(jwt.MapClaims{"roles": []string{"x"}}), want: read},
		{name: "idtyp app", token: good(jwt.MapClaims{"idtyp": "app"}), want: token.Identity{Person: person, AppOnly: true, Scopes: read.Scopes, Expires: read.Expires}},
		{name: "idtyp user", token: good(jwt.MapClaims{"idtyp": "user"}), want: read},
		{name: "account", token: good(jwt.MapClaims{"account": "a"}), want: token.Identity{Person: person, Account: "a", Scopes: read.Scopes, Expires: read.Expires}},
		{name: "names of claims in other letters", token: good(jwt.MapClaims{"OID": "other", "Tid": "other", "SCP": "Service.ReadWrite.All", "Account": "a", "IDTYP": "app", "EXP": 1, "Iss": "x"}), want: read},
		{name: "subject that looks like another's id", token: good(jwt.MapClaims{"tid": nil, "sub": "tenant/object"}), want: token.Identity{Person: item.Person{Issuer: p.url, ID: "tenant%2Fobject"}, Scopes: read.Scopes, Expires: read.Expires}},
		{name: "tenant that looks like two", token: good(jwt.MapClaims{"tid": "a/b%", "oid": "c"}), want: token.Identity{Person: item.Person{Issuer: p.url, ID: "a%2Fb%25/c"}, Scopes: read.Scopes, Expires: read.Expires}},
		{name: "expired within the skew", token: good(jwt.MapClaims{"exp": noon.Add(-59 * time.Second).Unix()}), want: token.Identity{Person: person, Scopes: read.Scopes, Expires: noon.Add(-59 * time.Second)}},
		{name: "not yet valid within the skew", token: good(jwt.MapClaims{"nbf": noon.Add(60 * time.Second).Unix()}), want: read},

		{name: "expired", token: good(jwt.MapClaims{"exp": noon.Add(-60 * time.Second).Unix()}), code: domain.TokenExpired},
		{name: "expired and for another service", token: good(jwt.MapClaims{"exp": noon.Add(-time.Hour).Unix(), "aud": "x"}), code: domain.Unauthorized},
		{name: "expired and of nobody", token: good(jwt.MapClaims{"exp": noon.Add(-time.Hour).Unix(), "sub": nil, "tid": nil}), code: domain.Unauthorized},
		{name: "expired and forged", token: sign(t, jwt.SigningMethodRS256, "rsa", rsaKey(t), p.with(jwt.MapClaims{"exp": noon.Add(-time.Hour).Unix()})), code: domain.Unauthorized},
		{name: "not yet valid", token: good(jwt.MapClaims{"nbf": noon.Add(61 * time.Second).Unix()}), code: domain.Unauthorized},
		{name: "no exp", token: good(jwt.MapClaims{"exp": nil}), code: domain.Unauthorized},
		{name: "exp of another type", token: good(jwt.MapClaims{"exp": "tomorrow"}), code: domain.Unauthorized},
		{name: "other audience", token: good(jwt.MapClaims{"aud": "other"}), code: domain.Unauthorized},
		{name: "no audience", token: good(jwt.MapClaims{"aud": nil}), code: domain.Unauthorized},
		{name: "other issuer", token: good(jwt.MapClaims{"iss": "https://issuer.example.com"}), code: domain.Unauthorized},
		{name: "issuer with a slash more", token: good(jwt.MapClaims{"iss": p.url + "/"}), code: domain.Unauthorized},
		{name: "no issuer", token: good(jwt.MapClaims{"iss": nil}), code: domain.Unauthorized},
		{name: "embedded issuer, which is off", token: good(jwt.MapClaims{"iss": token.EmbeddedIssuer, "aud": token.EmbeddedAudience}), code: domain.Unauthorized},
		{name: "nobody", token: good(jwt.MapClaims{"sub": nil, "tid": nil}), code: domain.Unauthorized},
		{name: "scope of another type", token: good(jwt.MapClaims{"scp": []string{"Service.Read.All"}}), code: domain.Unauthorized},
		{name: "another key under a known kid", token: sign(t, jwt.SigningMethodRS256, "rsa", rsaKey(t), p.with(nil)), code: domain.Unauthorized},
		{name: "kid of a key of another kind", token: sign(t, jwt.SigningMethodRS256, "ec", rsaPrivate, p.with(nil)), code: domain.Unauthorized},
		{name: "kid that is a path", token: sign(t, jwt.SigningMethodRS256, "../../dev/null", rsaKey(t), p.with(nil)), code: domain.Unauthorized},
		{name: "keys of the token's own choosing", token: sign(t, jwt.SigningMethodRS256, "mine", rsaKey(t), p.with(nil), "jku", "https://keys.example.com", "x5u", "https://keys.example.com"), code: domain.Unauthorized},
		{name: "critical extension", token: critical(t, rsaPrivate, p.with(nil)), code: domain.Unauthorized},
		{name: "alg none", token: sign(t, jwt.SigningMethodNone, "rsa", jwt.UnsafeAllowNoneSignatureType, p.with(nil)), code: domain.Unauthorized},
		{name: "HS256 with the public key", token: sign(t, jwt.SigningMethodHS256, "rsa", publicPEM, p.with(nil)), code: domain.Unauthorized},
		{name: "PS256", token: sign(t, jwt.SigningMethodPS256, "rsa", rsaPrivate, p.with(nil)), code: domain.Unauthorized},
		{name: "RS512", token: sign(t, jwt.SigningMethodRS512, "rsa", rsaPrivate, p.with(nil)), code: domain.Unauthorized},
		{name: "changed payload", token: changed(good(nil)), code: domain.Unauthorized},
		{name: "no signature", token: good(nil)[:strings.LastIndexByte(good(nil), '.')+1], code: domain.Unauthorized},
		{name: "two parts", token: good(nil)[:strings.LastIndexByte(good(nil), '.')], code: domain.Unauthorized},
		{name: "empty", token: "", code: domain.Unauthorized},
		{name: "no JWT", token: "abc", code: domain.Unauthorized},
		{name: "too long", token: good(jwt.MapClaims{"x": strings.Repeat("x", token.MaxSize)}), code: domain.Unauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := v.Verify(t.Context(), tt.token)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("identity (-want +got):\n%s", diff)
			}
			switch refusal, _ := domain.Refused(err); {
			case tt.code == "" && err != nil:
				t.Errorf("got error %v, want none", err)
			case tt.code != "" && (refusal == nil || refusal.Code != tt.code):
				t.Errorf("got error %v, want %s", err, tt.code)
			case err != nil && len(tt.token) > 20 && strings.Contains(err.Error(), tt.token[:20]):
				t.Errorf("the error holds the token: %v", err)
			}
		})
	}
}

func critical(t *testing.T, key crypto.Signer, c jwt.MapClaims) string {
	t.Helper()
	tok := jwt.NewWithClaims(jwt.SigningMethodRS256, c)
	tok.Header["kid"], tok.Header["crit"] = "rsa", []string{"b64"}
	signed, err := tok.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// changed returns the token with one bit of the payload flipped.
func changed(tok string) string {
	parts := strings.Split(tok, ".")
	payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), "object", "abject", 1)))
	return strings.Join(parts, ".")
}

// proves: decisions/2/scope-includes
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scopes      []string
		read, write bool
	}{
		{nil, false, false},
		{[]string{token.ScopeRead}, true, false},
		{[]string{token.ScopeReadWrite}, true, true},
	} {
		id := token.Identity{Scopes: tt.scopes}
		if got, write := id.Has(token.ScopeRead), id.Has(token.ScopeReadWrite); got != tt.read || write != tt.write {
			t.Errorf("%v: got read %v, write %v, want %v, %v", tt.scopes, got, write, tt.read, tt.write)
		}
	}
}

// clock is a clock that tests set.
type clock struct{ at atomic.Int64 }

func newClock() *clock               { c := &clock{}; c.at.Store(noon.UnixNano()); return c }
func (c *clock) now() time.Time      { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) add(d time.Duration) { c.at.Add(int64(d)) }

// A rotated key is accepted at once. A withdrawn key is rejected after the next fetch. Unknown kids do not trigger a
// fetch on every call.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	p, c := startProvider(t), newClock()
	o := trust(p)
	o.Now = c.now
	v := newVerifier(t, o)
	old := sign(t, jwt.SigningMethodRS256, "rsa", p.keys["rsa"], p.with(jwt.MapClaims{"exp": noon.Add(24 * time.Hour).Unix()}))
	verify(t, v, old, "")
	c.add(time.Minute)

	next := rsaKey(t)
	p.mu.Lock()
	p.keys = map[string]crypto.Signer{"next": next}
	p.mu.Unlock()
	rotated := sign(t, jwt.SigningMethodRS256, "next", next, p.with(jwt.MapClaims{"exp": noon.Add(24 * time.Hour).Unix()}))
	verify(t, v, rotated, "")
	verify(t, v, old, domain.Unauthorized)
	if got := p.reads.Load(); got != 2 {
		t.Fatalf("the keys were read %d times, want 2", got)
	}

	unknown := sign(t, jwt.SigningMethodRS256, "nobody", rsaKey(t), p.with(nil))
	for range 50 {
		verify(t, v, unknown, domain.Unauthorized)
	}
	if got := p.reads.Load(); got != 2 {
		t.Errorf("unknown kids made the keys be read %d times, want 2", got)
	}
	c.add(30 * time.Second)
	verify(t, v, unknown, domain.Unauthorized)
	if got := p.reads.Load(); got != 3 {
		t.Errorf("after a while the keys were read %d times, want 3", got)
	}
}

// A cached token is checked again at each call: its times, and whether its issuer still publishes its key.
func TestCachedTokenIsCheckedAgain(t *testing.T) {
	t.Parallel()
	p, c := startProvider(t), newClock()
	o := trust(p)
	o.Now = c.now
	v := newVerifier(t, o)
	short := sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(jwt.MapClaims{"exp": noon.Add(time.Minute).Unix()}))
	long := sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(jwt.MapClaims{"exp": noon.Add(24 * time.Hour).Unix()}))
	for range 2 {
		verify(t, v, short, "")
		verify(t, v, long, "")
	}
	c.add(time.Minute + 61*time.Second)
	verify(t, v, short, domain.TokenExpired)
	verify(t, v, long, "")
	p.mu.Lock()
	p.keys["ec"] = ecKey(t)
	p.mu.Unlock()
	verify(t, v, long, "")
	c.add(time.Hour) // the keys are fetched again
	verify(t, v, long, domain.Unauthorized)
}

func BenchmarkVerify(b *testing.B) {
	issuer, err := token.OpenIssuer(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	tokens := make([]string, 8192) // twice as many as the cache holds
	for i := range tokens {
		if tokens[i], err = issuer.Mint("acme", fmt.Sprint("p-", i), []string{token.ScopeRead}, noon, time.Hour); err != nil {
			b.Fatal(err)
		}
	}
	v, err := token.NewVerifier(token.Options{Embedded: issuer, Now: func() time.Time { return noon }})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		of   int
	}{{"known", 100}, {"new", len(tokens)}} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := v.Verify(b.Context(), tokens[i%c.of]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// When an issuer is down, its tokens are refused until its keys were fetched once; after that, the fetched keys stay
// in use.
func TestKeysUnreachable(t *testing.T) {
	t.Parallel()
	p, c := startProvider(t), newClock()
	o := trust(p)
	o.Now = c.now
	v := newVerifier(t, o)
	good := sign(t, jwt.SigningMethodRS256, "rsa", p.keys["rsa"], p.with(jwt.MapClaims{"exp": noon.Add(24 * time.Hour).Unix()}))

	p.down.Store(true)
	err := verify(t, v, good, domain.Unauthorized)
	if refusal, _ := domain.Refused(err); refusal.RetryAfter <= 0 || !strings.Contains(refusal.Message, "keys") {
		t.Errorf("got %v, want a refusal that says to call again because of the keys", err)
	}
	p.down.Store(false)
	verify(t, v, good, domain.Unauthorized) // within keysPause
	c.add(30 * time.Second)
	verify(t, v, good, "")

	p.down.Store(true)
	c.add(2 * time.Hour)
	verify(t, v, good, "")
}

// Callers that arrive during a fetch wait for that one fetch.
func TestConcurrentCallersShareOneFetch(t *testing.T) {
	t.Parallel()
	p := startProvider(t)
	v := newVerifier(t, trust(p))
	good := sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(nil))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := v.Verify(context.WithoutCancel(t.Context()), good); err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	if got := p.reads.Load(); got != 1 {
		t.Errorf("the keys were read %d times, want once", got)
	}
}

func TestDiscoveryIsChecked(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]func(map[string]any){
		"another issuer":  func(d map[string]any) { d["issuer"] = "https://issuer.example.com" },
		"keys over http":  func(d map[string]any) { d["jwks_uri"] = "http://keys.example.com/keys" },
		"keys in a file":  func(d map[string]any) { d["jwks_uri"] = "file:///keys" },
		"no keys":         func(d map[string]any) { delete(d, "jwks_uri") },
		"missing key set": func(d map[string]any) { d["jwks_uri"] = d["issuer"].(string) + "/nothing" },
		"endless":         func(d map[string]any) { d["x"] = strings.Repeat("x", 2<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t)
			p.document = document
			v := newVerifier(t, trust(p))
			verify(t, v, sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(nil)), domain.Unauthorized)
		})
	}
}

func TestVerifierOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]token.Options{
		"nobody":      {},
		"no audience": {Issuers: []token.Trusted{{URL: "https://issuer.example.com"}}},
		"twice":       {Issuers: []token.Trusted{{URL: "https://a.example.com", Audiences: []string{"x"}}, {URL: "https://a.example.com", Audiences: []string{"y"}}}},
		"plain http":  {Issuers: []token.Trusted{{URL: "http://issuer.example.com", Audiences: []string{"x"}}}},
		"no address":  {Issuers: []token.Trusted{{URL: "issuer", Audiences: []string{"x"}}}},
	} {
		if _, err := token.NewVerifier(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// verify verifies tok, wants the code ("" for none), and returns the error.
func verify(t *testing.T, v *token.Verifier, tok string, want domain.Code) error {
	t.Helper()
	_, err := v.Verify(t.Context(), tok)
	refusal, refused := domain.Refused(err)
	if want == "" && err != nil || want != "" && (!refused || refusal.Code != want) {
		t.Fatalf("got error %v, want %q", err, want)
	}
	return err
}
