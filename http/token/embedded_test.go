package token_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/http/token"
)

func open(t *testing.T, dir string) *token.Issuer {
	t.Helper()
	i, err := token.OpenIssuer(dir)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func mint(t *testing.T, i *token.Issuer, life time.Duration) string {
	t.Helper()
	tok, err := i.Mint("acme", "ada", []string{token.ScopeRead, token.ScopeReadWrite}, noon, life)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// proves: decisions/3/embedded-issuer
func TestEmbeddedIssuer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, again, other := open(t, dir), open(t, dir), open(t, t.TempDir())
	v := newVerifier(t, token.Options{Embedded: first})

	got, err := v.Verify(t.Context(), mint(t, again, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := token.Identity{Person: item.Person{ID: "ada"}, Account: "acme", Scopes: []string{token.ScopeRead, token.ScopeReadWrite}, Expires: noon.Add(time.Hour), Issued: noon}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	odd, err := first.Mint("acme", "team/ada 100%", nil, noon, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Verify(t.Context(), odd); err != nil || got.Person.ID != "team/ada 100%" {
		t.Errorf("got %+v, %v, want the person as the accounts file names them", got, err)
	}
	verify(t, v, mint(t, again, -2*time.Minute), domain.TokenExpired)
	verify(t, v, mint(t, other, time.Hour), domain.Unauthorized)
}

// A trusted issuer cannot make tokens of the embedded issuer, nor the other way around.
func TestEmbeddedAndOtherIssuersStaySeparate(t *testing.T) {
	t.Parallel()
	p := startProvider(t)
	o := trust(p)
	o.Embedded = open(t, t.TempDir())
	v := newVerifier(t, o)
	verify(t, v, mint(t, o.Embedded, time.Hour), "")
	verify(t, v, sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(nil)), "")
	verify(t, v, sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(jwt.MapClaims{"iss": token.EmbeddedIssuer, "aud": token.EmbeddedAudience})), domain.Unauthorized)
	verify(t, v, sign(t, jwt.SigningMethodES256, "ec", p.keys["ec"], p.with(jwt.MapClaims{"iss": ""})), domain.Unauthorized)
}

// Processes that start concurrently on one directory end up with the same key.
func TestEmbeddedKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	issuers := make([]*token.Issuer, 8)
	var wg sync.WaitGroup
	for i := range issuers {
		wg.Go(func() {
			var err error
			if issuers[i], err = token.OpenIssuer(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	v := newVerifier(t, token.Options{Embedded: issuers[0]})
	for _, i := range issuers {
		verify(t, v, mint(t, i, time.Hour), "")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %v, want the key alone", files)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

func TestEmbeddedKeyIsChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		spoil      func(path string) error
	}{
		{"readable by others", "chmod 600", func(path string) error { return os.Chmod(path, 0o640) }},
		{"no key", "delete it", func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }},
		{"broken key", "delete it", func(path string) error {
			return os.WriteFile(path, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
		}},
	} {
		dir := t.TempDir()
		open(t, dir)
		if err := tt.spoil(filepath.Join(dir, "issuer.pem")); err != nil {
			t.Fatal(err)
		}
		if _, err := token.OpenIssuer(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one that contains %q", tt.name, err, tt.want)
		}
	}
}
