package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const (
	defaultTimeout = time.Minute
	// maxBody bounds an answer.
	maxBody = 64 << 20
	// attempts is how often a call is made at most, and longestPause how long it is waited for one more; who is asked to wait
	// longer is told so.
	attempts     = 4
	longestPause = time.Minute
	// firstPause is how long the second attempt waits for when nobody says; each further one waits twice as long.
	firstPause = 250 * time.Millisecond
)

// doer makes the requests of the generated calls: with the token, in bounded time, and again where that is safe. It turns every
// answer that is not what a call is for into an *Error.
type doer struct {
	http      *http.Client
	token     TokenSource
	pause     func(context.Context, time.Duration) error
	timeout   time.Duration
	userAgent string
}

// Do makes a request, again when a repetition may help and does nothing twice: a read, a start of work under its
// Idempotency-Key, or whatever a rate kept from being begun.
func (d *doer) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && !keyless.MatchString(r.URL.Path) && r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	token, err := d.token(r.Context())
	if err != nil {
		return nil, fmt.Errorf("client: no access token: %w", err)
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) || token == "" {
		return nil, errors.New("client: the access token is empty or holds characters that no token has")
	}
	safe := r.Method == http.MethodGet || r.Header.Get("Idempotency-Key") != ""
	whole := r.Body == nil || r.GetBody != nil
	pause, lost := firstPause, false
	for attempt := 1; ; attempt++ {
		answer, err := d.once(r, token)
		if err == nil || !whole || attempt == attempts || r.Context().Err() != nil {
			return answer, err
		}
		wait := pause
		switch refused, ok := errors.AsType[*Error](err); {
		case ok && held(refused):
			wait = max(wait, refused.RetryAfter)
		case !safe:
			return nil, err
		case !ok:
			lost = true // the service may have done what was asked for, or may be doing it
		case refused.Status == http.StatusBadGateway, refused.Status == http.StatusServiceUnavailable,
			refused.Status == http.StatusTooManyRequests && refused.RetryAfter > 0, // an allowance
			// The attempt of before is still being handled.
			lost && refused.Status == http.StatusConflict && refused.RetryAfter > 0 && len(refused.Parameters) == 0:
			wait = max(wait, refused.RetryAfter)
		default:
			return nil, err
		}
		if wait > longestPause {
			return nil, err
		}
		if stopped := d.pause(r.Context(), wait); stopped != nil {
			return nil, fmt.Errorf("%w, while waiting to make the call again: %w", stopped, err)
		}
		pause *= 2
	}
}

// held reports whether a rate refused the call, so that nothing of it was begun.
func held(refused *Error) bool {
	return refused.ErrorCode == "RequestBlocked" && refused.RetryAfter > 0 || refused.ErrorCode == "ThrottleStoreUnavailable"
}

// keyless matches the paths whose POST takes no Idempotency-Key: made twice, it would be done twice.
var keyless = regexp.MustCompile(`/v1/aiProviders(/[^/]+/test)?$|/aiReadiness/schedules$`)

// once makes one attempt.
func (d *doer) once(r *http.Request, token string) (answer *http.Response, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), d.timeout)
	defer cancel()
	sent := r.Clone(ctx) // what callers hold never has the token
	if r.GetBody != nil {
		if sent.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	sent.Header.Set("Authorization", "Bearer "+token)
	sent.Header.Set("Accept", "application/json")
	sent.Header.Set("User-Agent", d.userAgent)
	answer, err = d.http.Do(sent)
	if err != nil {
		return nil, d.unanswered(ctx, r, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return nil, d.unanswered(ctx, r, err)
	}
	answer.Request = r
	if len(body) > maxBody {
		return nil, &Error{Status: answer.StatusCode, ErrorResponse: ErrorResponse{Message: fmt.Sprintf("%s %s was answered with more than %d MiB", r.Method, r.URL.Redacted(), maxBody>>20)}}
	}
	if err := refusal(answer, body); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// unanswered says of a call that nothing came back.
func (d *doer) unanswered(ctx context.Context, r *http.Request, err error) error {
	if r.Context().Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("client: %s %s was not answered within %s", r.Method, r.URL.Redacted(), d.timeout)
	}
	return fmt.Errorf("client: %w", err)
}
