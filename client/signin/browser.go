package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// callbackPath is where the browser comes back to, on a loopback address and any port.
const callbackPath = "/callback"

// WithBrowser signs a person in with a browser, which open opens at an address. claims is what the provider shall require,
// as JSON; "" for nothing. It waits until the browser comes back, for at most ten minutes.
func (p *Provider) WithBrowser(ctx context.Context, claims string, open func(address string) error) (Tokens, error) {
	if p.found.Auth == "" {
		return Tokens{}, errors.New("the provider has no sign-in with a browser")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, signInLife, fmt.Errorf("no one signed in within %s", signInLife))
	defer cancel()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "localhost:0")
	if err != nil {
		return Tokens{}, err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return Tokens{}, errors.Join(err, listener.Close())
	}
	config := p.config("http://localhost:" + port + callbackPath)
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	back := &callback{state: state, issuer: p.found.Issuer, named: p.found.NamesIss, got: make(chan outcome, 1)}
	server := &http.Server{Handler: back, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the page to reach the browser
		defer cancel()
		if server.Shutdown(ending) != nil {
			_ = server.Close()
		}
		<-served //nolint:errcheck // the server was closed
	}()
	o := append(asked(claims), oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("nonce", nonce))
	if err := open(config.AuthCodeURL(state, o...)); err != nil {
		return Tokens{}, err
	}
	select {
	case <-ctx.Done():
		return Tokens{}, context.Cause(ctx)
	case end := <-back.got:
		if end.err != nil {
			return Tokens{}, end.err
		}
		asking, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		got, err := config.Exchange(p.with(asking), end.code, append(asked(claims), oauth2.VerifierOption(verifier))...)
		if err != nil {
			return Tokens{}, failed("the sign-in failed", err)
		}
		return p.tokens(got, nonce)
	}
}

// callback is the page that the browser comes back to. The first visit that knows the state decides; others change nothing.
type callback struct {
	state, issuer string
	named         bool // the provider names itself in each answer
	got           chan outcome
}

// outcome is what a browser came back with.
type outcome struct {
	code string
	err  error
}

// ServeHTTP implements http.Handler.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'")
	say := func(status int, text string) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintln(w, text)
	}
	if r.URL.Path != callbackPath || r.Method != http.MethodGet {
		say(http.StatusNotFound, "There is nothing here.")
		return
	}
	q := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1 {
		say(http.StatusBadRequest, "This is not the sign-in that was begun here.")
		return
	}
	var end outcome
	switch iss := q.Get("iss"); {
	case iss != "" && iss != c.issuer, iss == "" && c.named:
		end.err = errors.New("the sign-in failed: another provider than the one that was asked answered")
	case q.Has("error"):
		end.err = fmt.Errorf("the sign-in failed: the provider says %s", quoted(q.Get("error"), q.Get("error_description")))
	case q.Get("code") == "":
		end.err = errors.New("the sign-in failed: the provider gave no code")
	default:
		end.code = q.Get("code")
	}
	select {
	case c.got <- end:
	default:
		say(http.StatusGone, "This sign-in has ended.")
		return
	}
	if end.err != nil {
		say(http.StatusOK, "The sign-in failed. The program says why. You may close this page.")
		return
	}
	say(http.StatusOK, "You may close this page.")
}

// audiences is the claim aud, a string or several.
type audiences []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audiences) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audiences{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// identifies checks that an id_token is the answer to this sign-in. It came over TLS from the provider itself, so its
// signature says nothing more (OpenID Connect Core 3.1.3.7).
func (p *Provider) identifies(token, nonce string) error {
	var claims struct {
		Issuer   string    `json:"iss"`
		Audience audiences `json:"aud"`
		Nonce    string    `json:"nonce"`
		Expires  float64   `json:"exp"`
	}
	_, rest, _ := strings.Cut(token, ".")
	payload, _, ok := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	if !ok || err != nil || json.Unmarshal(text, &claims) != nil {
		return errors.New("the sign-in failed: the provider gave no id_token")
	}
	switch {
	case claims.Issuer != p.found.Issuer:
		return errors.New("the sign-in failed: the id_token has another issuer")
	case !slices.Contains(claims.Audience, p.o.ClientID):
		return errors.New("the sign-in failed: the id_token is for another program")
	case subtle.ConstantTimeCompare([]byte(claims.Nonce), []byte(nonce)) != 1:
		return errors.New("the sign-in failed: the id_token answers another sign-in")
	case p.o.Now().After(time.Unix(int64(claims.Expires), 0).Add(time.Minute)):
		return errors.New("the sign-in failed: the id_token has expired")
	}
	return nil
}
