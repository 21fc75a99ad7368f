package signin

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"readiness/client"
	"readiness/http/console/page"
)

// Issuer is an OpenID provider at which the console is registered, with the redirect address BASE_URL/sign-in/callback.
type Issuer struct {
	// URL is the issuer, as its tokens name it.
	URL                    string
	ClientID, ClientSecret string
	// Scopes are asked for besides openid. They must make the issuer's access tokens valid for this service.
	Scopes []string
}

// issuer is an Issuer whose addresses are discovered at the first sign-in.
type issuer struct {
	Issuer
	mu    sync.Mutex
	found *oidc.Provider
}

func (i *issuer) name() string {
	u, err := url.Parse(i.URL)
	if err != nil {
		return i.URL
	}
	return u.Host + strings.TrimSuffix(u.Path, "/")
}

// discovered returns the issuer's addresses and keys. A failure is not kept.
func (i *issuer) discovered(ctx context.Context) (*oidc.Provider, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.found == nil {
		found, err := oidc.NewProvider(ctx, i.URL)
		if err != nil {
			return nil, err
		}
		i.found = found
	}
	return i.found, nil
}

func (i *issuer) config(found *oidc.Provider, base string) *oauth2.Config {
	return &oauth2.Config{ClientID: i.ClientID, ClientSecret: i.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: base + "/sign-in/callback", Scopes: append([]string{oidc.ScopeOpenID}, i.Scopes...)}
}

// with returns a context whose requests to issuers are bounded and follow no redirect.
func (d *Desk) with(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{Transport: d.o.Transport, Timeout: callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }})
}

// pending is a sign-in in progress. It is in a cookie of the browser that began it, and only that browser can end it.
type pending struct {
	Issuer   int    `json:"issuer"`
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"`
}

// pendingLife is how long a person has for a sign-in, in seconds.
const pendingLife = 600

// start sends the browser to an issuer.
func (d *Desk) start(v *page.Visit) error {
	number, err := strconv.Atoi(v.Request.FormValue("issuer"))
	if err != nil || number < 0 || number >= len(d.issuers) {
		return page.NotFound
	}
	i := d.issuers[number]
	found, err := i.discovered(d.with(v.Request.Context()))
	if err != nil {
		d.o.Log.WarnContext(v.Request.Context(), "the issuer cannot be read", "issuer", i.URL, "err", err)
		return unanswered(i)
	}
	p := pending{number, rand.Text(), rand.Text(), oauth2.GenerateVerifier(), to(v.Request)}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	d.set(v.Writer, pendingCookie, base64.RawURLEncoding.EncodeToString(text), pendingLife)
	options := []oauth2.AuthCodeOption{oidc.Nonce(p.Nonce), oauth2.S256ChallengeOption(p.Verifier)}
	if asked := claims(v.Request); asked != "" {
		options = append(options, oauth2.SetAuthURLParam("claims", asked))
	}
	http.Redirect(v.Writer, v.Request, i.config(found, d.o.BaseURL).AuthCodeURL(p.State, options...), http.StatusSeeOther)
	return nil
}

// maxClaims bounds what a sign-in may ask for, in characters.
const maxClaims = 4096

// claims returns what the sign-in of a request must ask for, a JSON object, from base64url; "" for nothing in particular.
func claims(r *http.Request) string {
	encoded := r.FormValue("claims")
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	var object map[string]any
	if encoded == "" || len(encoded) > maxClaims || err != nil || json.Unmarshal(text, &object) != nil {
		return ""
	}
	return string(text)
}

func unanswered(i *issuer) error {
	return &page.Problem{Status: http.StatusBadGateway, Title: "The sign-in service did not answer",
		Text: i.name() + " could not be reached. Try again in a moment.", Link: "/sign-in", LinkText: "Sign in"}
}

var errUnfinished = &page.Problem{Status: http.StatusBadRequest, Title: "The sign-in was not finished",
	Text: "It took longer than ten minutes, or it was begun in another browser. Sign in again.", Link: "/sign-in", LinkText: "Sign in"}

// callback ends a sign-in: the issuer sends the browser here.
func (d *Desk) callback(v *page.Visit) error {
	q := v.Request.URL.Query()
	p, ok := d.pending(v.Request)
	if !ok || q.Get("state") != p.State || p.State == "" || p.Issuer < 0 || p.Issuer >= len(d.issuers) {
		return errUnfinished
	}
	d.set(v.Writer, pendingCookie, "", -1)
	i := d.issuers[p.Issuer]
	if iss := q.Get("iss"); iss != "" && iss != i.URL { // RFC 9207
		return errUnfinished
	}
	if q.Get("code") == "" {
		return &page.Problem{Status: http.StatusForbidden, Title: i.name() + " did not sign you in",
			Text: "It answered " + strconv.Quote(q.Get("error")) + ".", Link: "/sign-in", LinkText: "Sign in"}
	}
	ctx := d.with(v.Request.Context())
	found, err := i.discovered(ctx)
	if err != nil {
		return unanswered(i)
	}
	tokens, err := i.config(found, d.o.BaseURL).Exchange(ctx, q.Get("code"), oauth2.VerifierOption(p.Verifier))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		d.o.Log.WarnContext(ctx, "the issuer refused a code", "issuer", i.URL, "code", refused.ErrorCode)
		return errUnfinished
	}
	if err != nil {
		return unanswered(i)
	}
	name, err := i.identified(ctx, found, tokens, p.Nonce)
	if err != nil {
		d.o.Log.WarnContext(ctx, "the issuer's identity token is not valid", "issuer", i.URL, "err", err)
		return errUnfinished
	}
	err = d.begin(v, session{Person: page.Person{Name: name}, Issuer: i.URL, Access: tokens.AccessToken, Refresh: tokens.RefreshToken,
		Expires: d.expires(tokens)}, p.To)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusUnauthorized {
		return &page.Problem{Status: http.StatusForbidden, Title: "The sign-in is not for this service", Text: "You are signed in at " +
			i.name() + ", and its token is for another service. An operator must correct --console-scope.", Code: refused.ErrorCode,
			RequestID: refused.RequestID.String()}
	}
	return err
}

// pending returns the browser's sign-in in progress.
func (d *Desk) pending(r *http.Request) (p pending, ok bool) {
	cookie, err := r.Cookie(d.cookie(pendingCookie))
	if err != nil {
		return p, false
	}
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || json.Unmarshal(text, &p) != nil {
		return p, false
	}
	if !page.Local(p.To) {
		p.To = "/"
	}
	return p, true
}

// identified verifies the identity token and returns the person's name for display.
func (i *issuer) identified(ctx context.Context, found *oidc.Provider, tokens *oauth2.Token, nonce string) (string, error) {
	raw, _ := tokens.Extra("id_token").(string)
	verified, err := found.Verifier(&oidc.Config{ClientID: i.ClientID}).Verify(ctx, raw)
	if err != nil {
		return "", err
	}
	if verified.Nonce != nonce {
		return "", errors.New("another nonce")
	}
	var claims struct {
		Name      string `json:"name"`
		Preferred string `json:"preferred_username"`
	}
	if err := verified.Claims(&claims); err != nil {
		return "", err
	}
	for _, name := range []string{claims.Name, claims.Preferred} {
		if name != "" {
			return name, nil
		}
	}
	return verified.Subject, nil
}
