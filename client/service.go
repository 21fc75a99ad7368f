// Package client calls a running service from Go: the calls of http/openapi.yaml, generated from it, made safe to repeat, and a
// poller for the operations that they start. It imports nothing else of the service, follows no redirect and shows its token to
// nobody but the service.
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

// Service is a running service as one person calls it. A call that is not answered with what it is for returns an *Error. It may
// be used by many goroutines at once.
type Service struct {
	*ClientWithResponses
	pause func(context.Context, time.Duration) error
}

// TokenSource returns the access token of the next call. It is asked for every one, so it may renew a token that is about to end.
type TokenSource func(context.Context) (string, error)

// Token is the source of one token that is never renewed.
func Token(token string) TokenSource {
	return func(context.Context) (string, error) { return token, nil }
}

// Options are how a service is called. Token must be given.
type Options struct {
	Token TokenSource
	// Timeout is how long one attempt at a call may take; by default 60 seconds.
	Timeout time.Duration
	// Transport makes the requests; by default net/http's.
	Transport http.RoundTripper
	// UserAgent names the program that calls; by default readiness-client.
	UserAgent string
	// Pause waits between attempts and between reads of a state; by default for the time that it is given.
	Pause func(context.Context, time.Duration) error
}

// Open returns the service at an address: http or https, with a host, and a path where the service is below one. It asks the
// service nothing yet.
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
		token: o.Token, pause: o.Pause, timeout: cmp.Or(o.Timeout, defaultTimeout), userAgent: cmp.Or(o.UserAgent, "readiness-client"),
		http: &http.Client{
			Transport: o.Transport,
			// The token is for the service, wherever a redirect leads.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	calls, err := NewClientWithResponses(baseURL, WithHTTPClient(d))
	if err != nil {
		return nil, err
	}
	return &Service{ClientWithResponses: calls, pause: o.Pause}, nil
}

// CheckBaseURL says what is wrong with the address of a service.
func CheckBaseURL(baseURL string) error {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("client: the address of the service must be http:// or https:// with a host, not %q", baseURL)
	case u.User != nil:
		return errors.New("client: the address of the service must hold no name or password; a token is what callers are known by")
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("client: the address of the service must have no query and no fragment: %q", baseURL)
	}
	return nil
}

// Pause waits for d, or until ctx ends, as Options.Pause says.
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
