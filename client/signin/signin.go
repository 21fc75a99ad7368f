// Package signin signs people in at an OpenID provider, for programs on a person's own machine: with a browser
// (authorization code and PKCE on a loopback address, RFC 8252) or with a code that the person enters on another device
// (RFC 8628). It refreshes and revokes the tokens. The provider's addresses come from its discovery document, so any provider works.
//
// Tokens and codes are in no error. Every request has a time limit and a limit for its answer, and follows no redirect.
package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	// callTimeout bounds one request, and maxAnswer its answer, in bytes.
	callTimeout = 15 * time.Second
	maxAnswer   = 1 << 20
	// signInLife is how long a person has for a sign-in.
	signInLife = 10 * time.Minute
	// maxToken is the longest accepted token, in bytes.
	maxToken = 64 << 10
)

// Options configures Discover. Issuer and ClientID are required.
type Options struct {
	// Issuer is the provider, exactly as its tokens name it.
	Issuer string
	// ClientID is this program at the provider, a public client.
	ClientID string
	// Scopes are what to ask for.
	Scopes []string
	// Transport sends the requests; nil for http.DefaultTransport.
	Transport http.RoundTripper
	// Pause waits between questions whether the person has signed in on another device; nil for a timer.
	Pause func(context.Context, time.Duration) error
	Now   func() time.Time // by default time.Now
}

// Provider is a provider whose addresses are known.
type Provider struct {
	o      Options
	client *http.Client
	found  document
}

// document is the discovery document.
type document struct {
	Issuer   string `json:"issuer"`
	Auth     string `json:"authorization_endpoint"`
	Token    string `json:"token_endpoint"`
	Device   string `json:"device_authorization_endpoint"`
	Revoke   string `json:"revocation_endpoint"`
	NamesIss bool   `json:"authorization_response_iss_parameter_supported"`
}

// Tokens are the tokens of a sign-in. Refresh is empty when the provider gave none, Expires zero when it did not say.
type Tokens struct {
	Access, Refresh string
	Expires         time.Time
}

// ErrEnded is the error of a refresh token that the provider does not take any longer: the person must sign in again.
var ErrEnded = errors.New("the sign-in has ended")

// Discover reads the provider's discovery document.
func Discover(ctx context.Context, o Options) (*Provider, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	o.Transport = cmp.Or(o.Transport, http.DefaultTransport)
	if o.ClientID == "" {
		return nil, errors.New("the client id is missing")
	}
	if err := sealed(o.Issuer); err != nil {
		return nil, fmt.Errorf("the issuer %q %w", o.Issuer, err)
	}
	p := &Provider{o: o, client: &http.Client{Transport: bounded{o.Transport}, Timeout: callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	text, err := p.get(ctx, strings.TrimSuffix(o.Issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return nil, fmt.Errorf("the issuer %s cannot be read: %w", o.Issuer, err)
	}
	if err := json.Unmarshal(text, &p.found); err != nil {
		return nil, fmt.Errorf("the issuer %s has no discovery document", o.Issuer)
	}
	if p.found.Issuer != o.Issuer {
		return nil, fmt.Errorf("the issuer %s calls itself %q; name it exactly as its tokens do", o.Issuer, p.found.Issuer)
	}
	for name, address := range map[string]string{"authorization_endpoint": p.found.Auth, "token_endpoint": p.found.Token,
		"device_authorization_endpoint": p.found.Device, "revocation_endpoint": p.found.Revoke} {
		if address == "" && name != "token_endpoint" {
			continue
		}
		if err := sealed(address); err != nil {
			return nil, fmt.Errorf("the issuer %s has a %s, %q, that %w", o.Issuer, name, address, err)
		}
	}
	return p, nil
}

// sealed returns an error unless others on the network cannot read what is sent to the address: https, or http on this
// machine.
func sealed(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return errors.New("is not an absolute address")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("must begin with https://")
}

func (p *Provider) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	res, err := p.client.Do(r)
	if err != nil {
		return nil, reason(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", res.Status)
	}
	return io.ReadAll(res.Body)
}

// reason is the part of err without the address, which can be long and hold a code.
func reason(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		if wrapped.Timeout() {
			return fmt.Errorf("it did not answer within %s", callTimeout)
		}
		return wrapped.Err
	}
	return err
}

// bounded is a transport whose answers end with an error when they are too long.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = &limited{res.Body, maxAnswer}
	}
	return res, err
}

type limited struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (l *limited) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return n, err
}

// config returns the library's view of the provider.
func (p *Provider) config(redirect string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.o.ClientID, Scopes: p.o.Scopes, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{AuthURL: p.found.Auth, TokenURL: p.found.Token, DeviceAuthURL: p.found.Device,
			AuthStyle: oauth2.AuthStyleInParams}}
}

func (p *Provider) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.client)
}

// asked returns the option that passes claims on; none for "".
func asked(claims string) []oauth2.AuthCodeOption {
	if claims == "" {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("claims", claims)}
}

// tokens checks what the token endpoint gave. nonce is what the id_token must repeat; "" for any.
func (p *Provider) tokens(got *oauth2.Token, nonce string) (Tokens, error) {
	if !strings.EqualFold(got.Type(), "bearer") {
		return Tokens{}, errors.New("the provider gave a token of another type than Bearer")
	}
	for _, t := range []string{got.AccessToken, got.RefreshToken} {
		if len(t) > maxToken || strings.ContainsFunc(t, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return Tokens{}, errors.New("the provider gave a token that is none")
		}
	}
	if got.AccessToken == "" {
		return Tokens{}, errors.New("the provider gave no access token")
	}
	if slices.Contains(p.o.Scopes, "openid") && nonce != "" {
		id, _ := got.Extra("id_token").(string)
		if err := p.identifies(id, nonce); err != nil {
			return Tokens{}, err
		}
	}
	t := Tokens{Access: got.AccessToken, Refresh: got.RefreshToken}
	if got.ExpiresIn > 0 {
		t.Expires = p.o.Now().Add(time.Duration(min(got.ExpiresIn, int64(365*24*time.Hour/time.Second))) * time.Second)
	}
	return t, nil
}

// Refresh returns new tokens for a refresh token, which the provider may have replaced. The error is ErrEnded when it does
// not take it any longer.
func (p *Provider) Refresh(ctx context.Context, refresh string) (Tokens, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	got, err := p.config("").TokenSource(p.with(ctx), &oauth2.Token{RefreshToken: refresh}).Token()
	if err != nil {
		refused, ok := errors.AsType[*oauth2.RetrieveError](err)
		if ok && (refused.ErrorCode == "invalid_grant" || refused.ErrorCode == "interaction_required") {
			return Tokens{}, ErrEnded
		}
		return Tokens{}, failed("the tokens cannot be refreshed", err)
	}
	t, err := p.tokens(got, "")
	if err == nil && t.Refresh == "" {
		t.Refresh = refresh
	}
	return t, err
}

// Revoke ends a refresh token at the provider. It reports false when the provider has no endpoint for that.
func (p *Provider) Revoke(ctx context.Context, refresh string) (bool, error) {
	if p.found.Revoke == "" {
		return false, nil
	}
	form := url.Values{"token": {refresh}, "token_type_hint": {"refresh_token"}, "client_id": {p.o.ClientID}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.found.Revoke, strings.NewReader(form.Encode()))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := p.client.Do(r)
	if err != nil {
		return false, fmt.Errorf("the tokens cannot be revoked: %w", reason(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the tokens cannot be revoked: the provider answered %s", res.Status)
	}
	return true, nil
}

// maxQuoted bounds what an error repeats of the provider's words, in bytes.
const maxQuoted = 300

// failed returns an error that says what the provider answered, without what was sent or given.
func failed(what string, err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case ok && refused.ErrorCode != "":
		return fmt.Errorf("%s: the provider says %s", what, quoted(refused.ErrorCode, refused.ErrorDescription))
	case ok:
		return fmt.Errorf("%s: the provider answered %s", what, refused.Response.Status)
	}
	if _, isCall := errors.AsType[*url.Error](err); isCall || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", what, reason(err))
	}
	return fmt.Errorf("%s: the provider's answer cannot be read", what) // the error could show it
}

// quoted returns an error of the provider for people.
func quoted(code, description string) string {
	text := code
	if description != "" {
		text += ": " + description
	}
	if len(text) > maxQuoted {
		text = strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
