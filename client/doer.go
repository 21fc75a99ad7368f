package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	defaultTimeout = time.Minute
	// maxBody is the largest accepted response body, in bytes.
	maxBody = 64 << 20
	// attempts is how many times a call is tried at most. longestPause is the longest wait before another attempt;
	// when the service asks for a longer wait, the caller gets the error instead.
	attempts     = 4
	longestPause = time.Minute
	// firstPause is the wait before the second attempt when the service names none; it doubles with each attempt.
	firstPause = 250 * time.Millisecond
)

// doer sends the requests of the generated calls. It adds the token, bounds each attempt in time and retries where
// that is safe. It turns every response other than success into an *Error.
type doer struct {
	http      *http.Client
	token     TokenSource
	renew     func(context.Context, *Error) (string, error)
	pause     func(context.Context, time.Duration) error
	timeout   time.Duration
	userAgent string
}

// Do sends a request. It retries when that may help and cannot repeat an effect: reads, calls that start work with an
// Idempotency-Key, and calls that were refused for their rate before anything began.
func (d *doer) Do(r *http.Request) (File, error) {
	if r.Method == http.MethodPost && repeatable.MatchString(r.URL.Path) && r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	token, err := d.token(r.Context())
	if err != nil {
		return File{}, fmt.Errorf("client: no access token: %w", err)
	}
	if err := sendable(token); err != nil {
		return File{}, err
	}
	safe := r.Method == http.MethodGet || r.Header.Get("Idempotency-Key") != ""
	replayable := r.Body == nil || r.GetBody != nil
	pause, lost, renewed := firstPause, false, d.renew == nil
	for attempt := 1; ; attempt++ {
		answer, err := d.send(r, token)
		if err == nil || !replayable || attempt == attempts || r.Context().Err() != nil {
			return answer, err
		}
		wait := pause
		refused, ok := errors.AsType[*Error](err)
		if ok && refused.Status == http.StatusUnauthorized && !renewed { // nothing began, so the call may be made again
			renewed = true
			if token, err = d.renew(r.Context(), refused); err != nil {
				return File{}, err
			}
			if err := sendable(token); err != nil {
				return File{}, err
			}
			continue
		}
		switch {
		case ok && rateLimited(refused):
			wait = max(wait, refused.RetryAfter)
		case !safe:
			return File{}, err
		case !ok:
			lost = true // the service may have handled the call, or may still be handling it
		case refused.Status == http.StatusBadGateway, refused.Status == http.StatusServiceUnavailable,
			refused.Status == http.StatusTooManyRequests && refused.RetryAfter > 0, // an allowance
			// The earlier attempt is still being handled.
			lost && refused.Status == http.StatusConflict && refused.RetryAfter > 0 && len(refused.Parameters) == 0:
			wait = max(wait, refused.RetryAfter)
		default:
			return File{}, err
		}
		if wait > longestPause {
			return File{}, err
		}
		if stopped := d.pause(r.Context(), wait); stopped != nil {
			return File{}, fmt.Errorf("%w, while waiting to make the call again: %w", stopped, err)
		}
		pause *= 2
	}
}

// sendable returns an error unless the token can be in a header.
func sendable(token string) error {
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) || token == "" {
		return errors.New("client: the access token is empty or contains invalid characters")
	}
	return nil
}

// rateLimited reports whether the call was refused for its rate, before anything began.
func rateLimited(refused *Error) bool {
	return refused.ErrorCode == "RequestBlocked" && refused.RetryAfter > 0 || refused.ErrorCode == "ThrottleStoreUnavailable"
}

// send makes one attempt.
func (d *doer) send(r *http.Request, token string) (_ File, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), d.timeout)
	defer cancel()
	sent := r.Clone(ctx) // the caller's request never carries the token
	if r.GetBody != nil {
		if sent.Body, err = r.GetBody(); err != nil {
			return File{}, err
		}
	}
	sent.Header.Set("Authorization", "Bearer "+token)
	if sent.Header.Get("Accept") == "" { // a caller may ask for a file
		sent.Header.Set("Accept", "application/json")
	}
	sent.Header.Set("User-Agent", d.userAgent)
	answer, err := d.http.Do(sent)
	if err != nil {
		return File{}, d.unanswered(ctx, r, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return File{}, d.unanswered(ctx, r, err)
	}
	answer.Request = r
	if len(body) > maxBody {
		return File{}, &Error{Status: answer.StatusCode, ErrorResponse: ErrorResponse{Message: fmt.Sprintf("%s %s returned more than %d MiB",
			r.Method, r.URL.Redacted(), maxBody>>20)}}
	}
	if err := refusal(answer, body); err != nil {
		return File{}, err
	}
	return File{body, answer}, nil
}

// unanswered returns the error of an attempt that got no response.
func (d *doer) unanswered(ctx context.Context, r *http.Request, err error) error {
	if r.Context().Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("client: %s %s got no response within %s", r.Method, r.URL.Redacted(), d.timeout)
	}
	return fmt.Errorf("client: %w", err)
}
