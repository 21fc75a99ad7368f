package token_test

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/http/token"
)

// embedded returns a verifier of the embedded issuer's tokens at noon, with the issuer and its key.
func embedded(t testing.TB) (*token.Verifier, *token.Issuer, *ecdsa.PrivateKey) {
	t.Helper()
	dir := t.TempDir()
	issuer, err := token.OpenIssuer(dir)
	if err != nil {
		t.Fatal(err)
	}
	v, err := token.NewVerifier(token.Options{Embedded: issuer, Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "issuer.pem"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return v, issuer, key.(*ecdsa.PrivateKey)
}

// unverified checks the result for a token that is not accepted.
func unverified(t *testing.T, tok string, id token.Identity, err error) {
	t.Helper()
	if !domain.IsRefused(err, domain.Unauthorized) && !domain.IsRefused(err, domain.TokenExpired) || !cmp.Equal(id, token.Identity{}) {
		t.Fatalf("got %+v, %v", id, err)
	}
	if len(tok) > 20 && strings.Contains(err.Error(), tok) || len(err.Error()) > 300 {
		t.Fatalf("the refusal contains the token: %v", err)
	}
}

// Only tokens that the issuer signed are accepted, and no refusal contains the token.
func FuzzVerify(f *testing.F) {
	v, issuer, _ := embedded(f)
	good, err := issuer.Mint("acme", "ada", []string{token.ScopeReadWrite}, noon, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	signed := good[:strings.LastIndexByte(good, '.')]
	header, rest, _ := strings.Cut(good, ".")
	claims, _, _ := strings.Cut(rest, ".")
	b64 := base64.RawURLEncoding.EncodeToString
	for _, tok := range []string{
		good, good + "=", good + "\n", signed, signed + ".", signed + ".AAAA", "..", ".", "", "a.b.c.d", b64([]byte(`{"alg":"none"}`)) + "." + claims + ".", b64([]byte(`{"alg":"HS256"}`)) + "." + claims + ".AAAA",
		header + "." + b64([]byte(`{"iss":"readiness:embedded","sub":"ada","exp":1e400}`)) + ".", strings.Repeat("a.", 40), strings.Repeat("A", 17<<10), header + "." + b64([]byte(strings.Repeat("[", 9000))) + ".x",
	} {
		f.Add(tok)
	}
	f.Fuzz(func(t *testing.T, tok string) {
		id, err := v.Verify(t.Context(), tok)
		if err == nil && !strings.HasPrefix(tok, signed+".") {
			t.Fatalf("%q is accepted as %+v", tok, id)
		}
		if err != nil {
			unverified(t, tok, id, err)
		}
	})
}

// The identity of an accepted token follows from its claims, each under its own name in its exact letter case.
func FuzzClaims(f *testing.F) {
	v, _, key := embedded(f)
	for _, claims := range []string{
		`{"iss":"readiness:embedded","aud":"readiness","sub":"ada","exp":1795000000,"scp":"Service.Read.All"}`,
		`{"iss":"readiness:embedded","aud":["x","readiness"],"sub":"a/b%","exp":1.795e9,"nbf":1795262400,"scp":"Service.ReadWrite.All x","account":"acme"}`,
		`{"iss":"readiness:embedded","aud":"readiness","SUB":"eve","Sub":"eve","sub":"ada","exp":1795300000,"roles":["x"]}`,
		`{"iss":"readiness:embedded","aud":"readiness","sub":"ada","sub":"eve","exp":1795300000,"idtyp":"app","scp":""}`,
		`{"iss":"readiness:embedded","aud":"readiness","tid":"t","oid":"o","exp":1795300000,"scp":null}`,
		`{"iss":"readiness:embedded","aud":"readiness","sub":"\u0000","exp":"1795300000"}`, `{"iss":"readiness:embedded","aud":"readiness","sub":"a\u0000","exp":1795300000}`, `{"exp":1795300000}`, `null`, `[]`, `{"iss":1}`, ``,
	} {
		f.Add([]byte(claims))
	}
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","typ":"JWT"}`))
	f.Fuzz(func(t *testing.T, claims []byte) {
		signing := header + "." + base64.RawURLEncoding.EncodeToString(claims)
		signature, err := jwt.SigningMethodES256.Sign(signing, key)
		if err != nil {
			t.Fatal(err)
		}
		tok := signing + "." + base64.RawURLEncoding.EncodeToString(signature)
		id, err := v.Verify(t.Context(), tok)
		if err != nil {
			unverified(t, tok, id, err)
			return
		}
		var said map[string]any
		if err := json.Unmarshal(claims, &said); err != nil {
			t.Fatalf("%s is accepted: %v", claims, err)
		}
		text := func(name string) string { s, _ := said[name].(string); return s }
		for name, value := range said { // null counts as absent
			if value == nil {
				delete(said, name)
			}
		}
		audience, _ := said["aud"].([]any)
		if text("iss") != token.EmbeddedIssuer || text("aud") != token.EmbeddedAudience && !slices.Contains(audience, any(token.EmbeddedAudience)) {
			t.Fatalf("%s is accepted, from another issuer or for another service", claims)
		}
		moment := func(name string) (float64, bool) { // some issuers write it as a string
			if s, ok := said[name].(string); ok {
				n, err := strconv.ParseFloat(s, 64)
				return n, err == nil
			}
			n, ok := said[name].(float64)
			return n, ok
		}
		until, ok := moment("exp")
		from, _ := moment("nbf")
		const skew = 60
		if now := float64(noon.Unix()); !ok || until <= now-skew-1 || from > now+skew+1 {
			t.Fatalf("%s is accepted at noon", claims)
		}
		scope, scoped := said["scp"]
		_, roles := said["roles"]
		if strings.ContainsRune(id.Person.ID+id.Account, 0) {
			t.Fatalf("%s is accepted as %+v, which cannot be looked up", claims, id)
		}
		if id.Person.ID != text("sub") || id.Person.Issuer != "" || id.Account != text("account") || id.AppOnly != (text("idtyp") == "app" || !scoped && roles) {
			t.Fatalf("%s is accepted as %+v", claims, id)
		}
		words := map[string]bool{}
		if scoped {
			for word := range strings.FieldsSeq(scope.(string)) {
				words[word] = true
			}
		}
		maps.DeleteFunc(words, func(word string, _ bool) bool { return word != token.ScopeRead && word != token.ScopeReadWrite })
		if got := slices.Sorted(slices.Values(id.Scopes)); !cmp.Equal(got, slices.Sorted(maps.Keys(words))) {
			t.Fatalf("%s is accepted with the scopes %v", claims, got)
		}
	})
}
