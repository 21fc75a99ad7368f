package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"readiness/domain/aiprovider"
	"readiness/internal/publicnet"
)

// class is the consequence of a failed request for the question.
type class int

const (
	unreachable class = iota // the provider does not answer, or does not accept us
	rejected                 // this request is not accepted
	malformed                // the answer does not follow the interface
	tooLong                  // the question or its answer; a smaller one may succeed
	refused                  // a policy keeps the text from being answered
)

// failure is the error of a request without an answer.
type failure struct {
	class class
	// what happened, in our words: never text that the provider wrote.
	what   string
	status int
	// retry reports that the same request may succeed later; after is the pause that the provider asks
	// for.
	retry bool
	after time.Duration
	// cause is the error of a test call; "" means that it follows from status and class.
	cause aiprovider.TestError
	// hint is the provider's text, in lower case, used to guess which parameter it rejects. It is
	// never shown.
	hint string
}

func (f *failure) Error() string { return f.what }

// testError returns the error of a test call for the failure.
func (f *failure) testError() aiprovider.TestError {
	switch {
	case f.cause != "":
		return f.cause
	case f.status == http.StatusUnauthorized, f.status == http.StatusForbidden:
		return aiprovider.KeyNotAccepted
	case f.status == http.StatusNotFound:
		return aiprovider.ModelNotFound
	case f.status == http.StatusTooManyRequests:
		return aiprovider.TooManyRequests
	case f.class == rejected:
		return aiprovider.RequestNotTaken
	case f.class == unreachable:
		return aiprovider.Unreachable
	}
	return aiprovider.AnswerNotUsable
}

// Bounds of the bytes read from an answer.
const (
	maxAnswer = 4 << 20
	maxError  = 64 << 10
)

var errRedirect = errors.New("redirected")

// noRedirect refuses redirects, so that keys and texts never go to an address that was not configured.
func noRedirect(*http.Request, []*http.Request) error { return errRedirect }

// failureOf returns the failure for a status and its body.
func failureOf(res *http.Response, text []byte) *failure {
	f := &failure{class: rejected, status: res.StatusCode, what: fmt.Sprintf("it answered with status %d", res.StatusCode)}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var reported struct {
		Code, Message, Param string
		Inner                struct{ Code string } `json:"innererror"`
	}
	if json.Unmarshal(text, &body) == nil {
		reported.Message = string(body.Error)
		if json.Unmarshal(body.Error, &reported) != nil { // "error" is a text, or a code is a number
			reported.Message = string(text)
		}
	} else {
		reported.Message = string(text)
	}
	f.hint = strings.ToLower(reported.Message + " " + reported.Code)
	if reported.Param != "" {
		f.hint = strings.ToLower(reported.Param + " " + reported.Code)
	}
	about := strings.ToLower(reported.Code + " " + reported.Inner.Code + " " + reported.Message)
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		f.class, f.what = unreachable, fmt.Sprintf("it does not accept the key (status %d)", s)
	case s == http.StatusNotFound:
		f.class, f.what = unreachable, "it knows no such address or model (status 404)"
	case s == http.StatusRequestEntityTooLarge || contains(about, "context_length_exceeded", "context length", "maximum context",
		"context window", "too many tokens", "prompt is too long"):
		f.class, f.what = tooLong, "the question is too long for it"
	case contains(about, "content_filter", "responsibleaipolicyviolation", "content_policy", "content management policy"):
		f.class, f.what = refused, "its content filter refuses the question"
	case contains(about, "insufficient_quota"):
		f.class, f.what = unreachable, fmt.Sprintf("its quota is used up (status %d)", s)
	case s == http.StatusTooManyRequests:
		f.class, f.what, f.retry, f.after = unreachable, "it accepts no requests at the moment (status 429)", true, retryAfter(res.Header)
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s >= 500 && s != http.StatusNotImplemented:
		f.class, f.retry, f.after = unreachable, true, retryAfter(res.Header)
	case s < 400:
		f.class = unreachable
	}
	return f
}

func contains(text string, any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

// retryAfter returns how long the provider asks to wait; 0 when it does not.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// network returns the failure for a connection error. It leaves out the error's text, which may
// contain an address.
func network(err error) *failure {
	f := &failure{class: unreachable, what: "the connection failed", retry: true}
	var slow net.Error
	var nowhere *net.DNSError
	switch {
	case errors.Is(err, publicnet.ErrAddress):
		f.what, f.retry, f.cause = "its address is in a network that saved providers may not reach", false, aiprovider.AddressNotAllowed
	case errors.Is(err, errRedirect):
		f.what, f.retry = "it redirects to another address, which is not followed", false
	case errors.As(err, &nowhere) && nowhere.IsNotFound:
		f.what = "its address does not exist"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		f.what, f.cause = "it took too long", aiprovider.TimedOut
	}
	return f
}

// failed returns the failure for any error of a request. An error without a status that is not from
// the network means that the answer could not be read.
func failed(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return network(err)
	}
	return &failure{class: malformed, what: "its answer does not follow the chat completions interface", retry: true}
}
