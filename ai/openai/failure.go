package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"readiness/domain/aiprovider"
)

// class says what a failed request means for what was asked.
type class int

const (
	unreachable class = iota // nobody answers, or not us
	rejected                 // this request is not taken
	malformed                // the answer is not one of the interface
	tooLong                  // the question or its answer is; a smaller one may do
	refused                  // the text is not answered, by policy
)

// failure is a request that brought no answer.
type failure struct {
	class class
	// what happened, in words of ours: never what the provider wrote.
	what   string
	status int
	// retry tells that the same request may do later, and after how long.
	retry bool
	after time.Duration
	// cause is what a test call says of it; "" follows from status and class.
	cause aiprovider.TestError
	// hint is what the provider wrote, in lower case, to guess what it does not
	// take. It is never shown.
	hint string
}

func (f *failure) Error() string { return f.what }

// testError is what a test call says of the failure.
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

// Bounds of what is read of an answer.
const (
	maxAnswer = 4 << 20
	maxError  = 64 << 10
)

var errRedirect = errors.New("redirected")

// noRedirect keeps keys and texts from an address that nobody configured.
func noRedirect(*http.Request, []*http.Request) error { return errRedirect }

// bounded is the middleware that reads at most so much, and makes failures of
// the statuses that are.
func bounded(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, network(err)
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		text, err := io.ReadAll(io.LimitReader(res.Body, maxError))
		if err != nil {
			text = nil // the status says enough
		}
		return nil, failureOf(res, text)
	}
	// It is read whole here, so that a connection that is cut is told from an
	// answer that makes no sense.
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, network(err)
	}
	if len(text) > maxAnswer {
		return nil, &failure{class: tooLong, what: "its answer is too large"}
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	res.Header.Set("Content-Type", "application/json") // or it is found out when it is parsed
	return res, nil
}

// failureOf reads what a status means (regime F.3, point 4).
func failureOf(res *http.Response, text []byte) *failure {
	f := &failure{class: rejected, status: res.StatusCode, what: fmt.Sprintf("it answered with status %d", res.StatusCode)}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var told struct {
		Code, Message, Param string
		Inner                struct{ Code string } `json:"innererror"`
	}
	if json.Unmarshal(text, &body) == nil {
		told.Message = string(body.Error)
		if json.Unmarshal(body.Error, &told) != nil { // "error" is a text, or a code is a number
			told.Message = string(text)
		}
	} else {
		told.Message = string(text)
	}
	f.hint = strings.ToLower(told.Message + " " + told.Code)
	if told.Param != "" {
		f.hint = strings.ToLower(told.Param + " " + told.Code)
	}
	about := strings.ToLower(told.Code + " " + told.Inner.Code + " " + told.Message)
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		f.class, f.what = unreachable, fmt.Sprintf("it does not accept the key (status %d)", s)
	case s == http.StatusNotFound:
		f.class, f.what = unreachable, "it knows no such address or model (status 404)"
	case s == http.StatusRequestEntityTooLarge || contains(about, "context_length_exceeded", "context length", "maximum context", "context window", "too many tokens"):
		f.class, f.what = tooLong, "the question is too long for it"
	case contains(about, "content_filter", "responsibleaipolicyviolation", "content_policy", "content management policy"):
		f.class, f.what = refused, "its content filter refuses the question"
	case contains(about, "insufficient_quota"):
		f.class, f.what = unreachable, fmt.Sprintf("its quota is used up (status %d)", s)
	case s == http.StatusTooManyRequests:
		f.class, f.what, f.retry, f.after = unreachable, "it takes no more requests for now (status 429)", true, retryAfter(res.Header)
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s >= 500 && s != http.StatusNotImplemented:
		f.class, f.retry, f.after = unreachable, true, retryAfter(res.Header)
	case s < 400:
		f.class = unreachable
	}
	return f
}

func contains(text string, any ...string) bool {
	for _, s := range any {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// retryAfter is how long the provider asks to wait, 0 when it does not say.
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

// network makes a failure of an error of the connection. What the network and its
// libraries say is left out: it may hold an address.
func network(err error) *failure {
	f := &failure{class: unreachable, what: "the connection failed", retry: true}
	var slow net.Error
	var nowhere *net.DNSError
	switch {
	case errors.Is(err, errAddress):
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

// failed makes a failure of any error of a request: what is no status and not of
// the network is an answer that could not be read.
func failed(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return network(err)
	}
	return &failure{class: malformed, what: "its answer is not one of a chat completions interface", retry: true}
}
