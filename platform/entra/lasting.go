package entra

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"

	"readiness/domain/item"
)

// lastingPrefix begins a lasting token. No token of a caller has it, because a JWT begins with its header.
const lastingPrefix = "lasting."

// lasting is a caller's token together with the refresh token of an exchange, which makes it usable after the caller's token has ended.
type lasting struct{ Assertion, Refresh string }

// refreshing carries the calls of a client for one lasting token. The library can neither export the cache of an
// on-behalf-of exchange nor redeem a refresh token that it did not get itself, so refreshing keeps the refresh token of an answer and
// sends it instead of the assertion; the library authenticates the service.
type refreshing struct {
	http.RoundTripper
	kept *lasting
}

// RoundTrip implements http.RoundTripper.
func (f refreshing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		return f.RoundTripper.RoundTrip(r)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxFailure))
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, err
	}
	if f.kept.Refresh != "" {
		form.Del("assertion")
		form.Del("requested_token_use")
		form.Set("grant_type", "refresh_token")
		form.Set("refresh_token", f.kept.Refresh)
	}
	sent := r.Clone(r.Context())
	body := form.Encode()
	sent.Body, sent.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	res, err := f.RoundTripper.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if text, err = io.ReadAll(io.LimitReader(res.Body, maxFailure)); err != nil {
		return nil, err
	}
	var given struct {
		Refresh string `json:"refresh_token"`
	}
	if json.Unmarshal(text, &given) == nil && given.Refresh != "" {
		f.kept.Refresh = given.Refresh
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

// clientFor returns a client for one lasting token.
func (x *Exchange) clientFor(tenant string, l *lasting) (confidential.Client, error) {
	own := *x.http
	own.Transport = refreshing{own.Transport, l}
	return x.newClient(tenant, &own)
}

// lastingOf reads a lasting token.
func lastingOf(token string) (l lasting, ok bool) {
	encoded, ok := strings.CutPrefix(token, lastingPrefix)
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	return l, ok && err == nil && json.Unmarshal(text, &l) == nil && l.Assertion != ""
}

// Lasting returns a token that For accepts after the caller's own has ended, and until when to keep it, which is for life; the identity
// provider may end it earlier. It holds a refresh token, so it is for the vault alone, for work that
// may outlast the caller's token, and is deleted with the work. A lasting token is replaced by one whose refresh token is new.
func (x *Exchange) Lasting(ctx context.Context, as item.Caller, life time.Duration) (string, time.Time, error) {
	tenant, err := x.actable(as)
	if err != nil {
		return "", time.Time{}, err
	}
	l, lasts := lastingOf(as.Token)
	if !lasts {
		l = lasting{Assertion: as.Token}
	}
	client, err := x.clientFor(tenant, &l)
	if err != nil {
		return "", time.Time{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	if _, _, err := x.acquire(ctx, client, l.Assertion, x.o.Scopes[item.PermissionPlatform]); err != nil {
		return "", time.Time{}, x.failed(ctx, key{person: as.Person, permission: item.PermissionPlatform}, err)
	}
	if l.Refresh == "" { // the provider gives none: use the caller's token
		ends, _ := expiryOf(as.Token)
		return as.Token, ends, nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return "", time.Time{}, err
	}
	return lastingPrefix + base64.RawURLEncoding.EncodeToString(text), x.o.Now().Add(life), nil
}
