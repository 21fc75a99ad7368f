// Package client calls a running service from Go. It has the calls of http/openapi.yaml, generated from it and made
// safe to repeat, and functions that wait for the operations that calls start. It imports no other package of the
// service, follows no redirect and sends its token only to the service.
//
//	s, err := client.Open("https://readiness.example.com", client.Options{Token: client.Token(token)})
//	…
//	started, err := s.AssessSemanticModelWithResponse(ctx, workspaceID, semanticModelID, nil)
//	…
//	assessment, err := client.Result[client.Assessment](ctx, s, started.JSON202.OperationID)
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Service calls a service as one person. A response other than success is returned as an *Error. It is safe for
// concurrent use.
type Service struct {
	baseURL string
	doer    *doer
	pause   func(context.Context, time.Duration) error
	renew   func(context.Context, *Error) (string, error) // Options.Renew
}

// TokenSource returns the access token for the next call. It is called for every call, so it can renew a token that
// is about to expire.
type TokenSource func(context.Context) (string, error)

// Token returns a TokenSource that always returns token.
func Token(token string) TokenSource {
	return func(context.Context) (string, error) { return token, nil }
}

// Options configures a Service. Token is required.
type Options struct {
	Token TokenSource
	// Renew returns another token after the service refused one with status 401, and the call is made once more with it: an
	// expired token (TokenExpired), or one that lacks claims (parameter claims, JSON in base64url). Its error, such as the
	// refusal itself, becomes the call's. nil renews nothing. States calls it as well, for an operation whose owner must sign in;
	// Token must return the renewed token from then on.
	Renew func(ctx context.Context, refused *Error) (string, error)
	// Timeout bounds one attempt at a call; 0 means 60 seconds.
	Timeout time.Duration
	// Transport sends the requests; nil means that of net/http.
	Transport http.RoundTripper
	// UserAgent names the calling program; empty means readiness-client.
	UserAgent string
	// Pause waits between attempts and between reads of a state; nil means waiting for the given duration or until the
	// context ends.
	Pause func(context.Context, time.Duration) error
}

// Open returns the service at baseURL: http or https with a host, and a path when the service is below one. It sends
// no request.
func Open(baseURL string, o Options) (*Service, error) {
	if err := CheckBaseURL(baseURL); err != nil {
		return nil, err
	}
	if o.Token == nil {
		return nil, errors.New("client: Options.Token is missing")
	}
	if o.Pause == nil {
		o.Pause = sleep
	}
	d := &doer{
		token: o.Token, renew: o.Renew, pause: o.Pause,
		timeout: cmp.Or(o.Timeout, defaultTimeout), userAgent: cmp.Or(o.UserAgent, "readiness-client"),
		http: &http.Client{
			Transport: o.Transport,
			// The token must not reach another server, so redirects are returned instead of followed.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	return &Service{baseURL: baseURL, doer: d, pause: o.Pause, renew: o.Renew}, nil
}

// CheckBaseURL returns an error unless baseURL can be the address of a service.
func CheckBaseURL(baseURL string) error {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("client: the address of the service must be http:// or https:// with a host, not %q", baseURL)
	case u.User != nil:
		return errors.New("client: the address of the service must not contain a user name or password; callers are identified by a token")
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("client: the address of the service must not have a query or a fragment: %q", baseURL)
	}
	return nil
}

// Pause waits with Options.Pause for d, or until ctx ends.
func (s *Service) Pause(ctx context.Context, d time.Duration) error { return s.pause(ctx, d) }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
