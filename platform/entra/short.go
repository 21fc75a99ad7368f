package entra

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"
)

// libraryLife is the life of a token up to which the library refuses it, as if the provider had failed; with room for the time that
// the answer takes.
const libraryLife = 5*time.Minute + exchangeTimeout

// given is what the provider answered to an exchange.
type given struct {
	Token   string      `json:"access_token"`
	Scope   string      `json:"scope"`
	Expires json.Number `json:"expires_in"` // in seconds
}

// life is how long the token is valid; 0 for no token, and for one that lacks a scope.
func (g given) life(scopes []string) time.Duration {
	seconds, err := g.Expires.Int64()
	granted := strings.Fields(strings.ToLower(g.Scope))
	lacks := func(scope string) bool { return len(granted) > 0 && !slices.Contains(granted, strings.ToLower(scope)) }
	if err != nil || g.Token == "" || slices.ContainsFunc(scopes, lacks) {
		return 0
	}
	return time.Duration(max(seconds, 0)) * time.Second
}

// acquire exchanges an assertion for a token, which the library keeps unless it ends soon.
func (x *Exchange) acquire(ctx context.Context, client confidential.Client, assertion string, scopes []string,
	o ...confidential.AcquireOnBehalfOfOption) (token string, expires time.Time, err error) {
	var answered given
	got, err := client.AcquireTokenOnBehalfOf(context.WithValue(ctx, given{}, &answered), assertion, scopes, o...)
	if err == nil {
		return got.AccessToken, got.ExpiresOn, nil
	}
	if life := answered.life(scopes); life > 0 && life <= libraryLife {
		return answered.Token, x.o.Now().Add(life), nil
	}
	return "", time.Time{}, err
}

// noting carries the calls of the library and notes what the provider answers to an exchange. It implements http.RoundTripper.
type noting struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (n noting) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := n.RoundTripper.RoundTrip(r)
	into, exchanges := r.Context().Value(given{}).(*given)
	if err != nil || !exchanges || r.Method != http.MethodPost || res.StatusCode != http.StatusOK {
		return res, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxFailure))
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(text, into) // the library says what is wrong with it
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}
