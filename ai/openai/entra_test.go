package openai_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"readiness/ai/openai"
	"readiness/ai/openai/entra"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

const application = "0d1a3c5b-8f0e-4a53-9d4e-6f1c2f3a7e90"

// authority issues tokens as Microsoft Entra does, and is a deployment of Azure OpenAI.
type authority struct {
	*httptest.Server
	mu       sync.Mutex
	tokens   []string // the forms of the requests for tokens
	asked    []http.Header
	refusing bool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		defer a.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/openid-configuration"):
			fmt.Fprintf(w, `{"authorization_endpoint":"%[1]s/tenant/oauth2/v2.0/authorize","token_endpoint":"%[1]s/tenant/oauth2/v2.0/token","issuer":"%[1]s/tenant/v2.0"}`, a.URL)
		case strings.HasSuffix(r.URL.Path, "/token"):
			a.tokens = append(a.tokens, string(body))
			if a.refusing {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprintf(w, `{"error":"invalid_client","error_description":"AADSTS7000215: %s"}`, secret)
				return
			}
			fmt.Fprint(w, `{"token_type":"Bearer","expires_in":3599,"access_token":"the-token"}`)
		default:
			a.asked = append(a.asked, r.Header)
			fmt.Fprint(w, say(judgement("same", 1, "So.")).body)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *authority) client(t *testing.T, key string, of aiprovider.Entra) (*openai.Client, error) {
	t.Helper()
	return openai.New(openai.Settings{Name: "Azure", BaseURL: a.URL, Model: "d", Key: key, Azure: true, Entra: of, PrivateAddresses: true},
		openai.Options{Client: a.Server.Client(), Tokens: entra.Tokens(a.URL + "/"), Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
}

// certificate returns a certificate with its private key, as PEM.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "x"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})) + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// Azure OpenAI gets a token of Microsoft Entra instead of a key: for the application, by its secret or its certificate, once for
// several questions.
func TestEntra(t *testing.T) {
	t.Parallel()
	for credential, key := range map[aiprovider.EntraCredential]string{aiprovider.ClientSecret: secret, aiprovider.ClientCertificate: certificate(t)} {
		a := newAuthority(t)
		c, err := a.client(t, key, aiprovider.Entra{Credential: credential, TenantID: "tenant", ClientID: application})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			j, _, err := c.Judge(t.Context(), benchmark.Case{Question: asked, Expected: expected, Answer: judged})
			if err != nil || j.Class != verdict.SameClass {
				t.Fatalf("%s: got %+v, %v", credential, j, err)
			}
		}
		form := strings.Join(a.tokens, " ")
		if len(a.tokens) != 1 || !strings.Contains(form, "client_id="+application) || !strings.Contains(form, "cognitiveservices.azure.com%2F.default") ||
			strings.Contains(form, "client_secret=") != (credential == aiprovider.ClientSecret) || strings.Contains(form, "client_assertion=") != (credential == aiprovider.ClientCertificate) {
			t.Errorf("%s: asked for tokens with %q", credential, a.tokens)
		}
		for _, h := range a.asked {
			if h.Get("Authorization") != "Bearer the-token" || h.Get("Api-Key") != "" || len(a.asked) != 2 {
				t.Errorf("%s: asked with %v", credential, h)
			}
		}
	}
}

// Without a token no request is sent, and Entra's text is not repeated.
func TestEntraRefuses(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.refusing = true
	c, err := a.client(t, secret, aiprovider.Entra{Credential: aiprovider.ClientSecret, TenantID: "tenant", ClientID: application})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.Judge(t.Context(), benchmark.Case{Question: asked, Expected: expected, Answer: judged})
	none, ok := errors.AsType[*openai.NoAnswer](err)
	if !ok || none.Code != aiprovider.KeyNotAccepted || !none.Lasting || none.What != "Microsoft Entra gives no token for it" || len(a.asked) != 0 {
		t.Errorf("got %+v, %v; %d requests", none, err, len(a.asked))
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"no PEM": secret, "no certificate": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))} {
		if _, err := a.client(t, key, aiprovider.Entra{Credential: aiprovider.ClientCertificate, TenantID: "tenant", ClientID: application}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
