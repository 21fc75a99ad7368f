package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Error is a response that refuses a call. When the response does not come from the service, for example from a
// proxy, ErrorCode is empty and Message describes what was received.
type Error struct {
	// Status is the HTTP status.
	Status int
	// ErrorResponse is the body. Its RequestID identifies the call in the service's log; it is zero when the response
	// has none.
	ErrorResponse
	// RetryAfter is how long to wait before the same call may be accepted; zero when waiting alone does not help.
	RetryAfter time.Duration
}

// Claims returns what the service wants of a new sign-in, as JSON in base64url; "" for nothing.
func (e *Error) Claims() string {
	for _, p := range e.Parameters {
		if p.Name == "claims" {
			return p.Value
		}
	}
	return ""
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.ErrorCode != "" {
		b.WriteString(e.ErrorCode + ": ")
	}
	b.WriteString(e.Message)
	for _, p := range e.Parameters {
		fmt.Fprintf(&b, "; %s=%s", p.Name, p.Value)
	}
	fmt.Fprintf(&b, " (HTTP %d", e.Status)
	if e.RequestID != uuid.Nil {
		fmt.Fprintf(&b, ", request %s", e.RequestID)
	}
	b.WriteString(")")
	return b.String()
}

// refusal returns the error that a response stands for; nil for a successful response.
func refusal(answer *http.Response, body []byte) error {
	read := answer.Request.Method == http.MethodGet
	switch {
	case answer.StatusCode == http.StatusNotModified && read:
		return nil
	case answer.StatusCode == http.StatusOK, answer.StatusCode == http.StatusAccepted && !read:
		if isJSON(answer) && json.Valid(body) || isFile(answer) {
			return nil
		}
	}
	e := &Error{Status: answer.StatusCode}
	e.RetryAfter, _ = RetryAfter(answer.Header)
	if isJSON(answer) && json.Unmarshal(body, &e.ErrorResponse) == nil && e.ErrorCode != "" {
		return e
	}
	e.ErrorResponse = ErrorResponse{}
	e.RequestID, _ = uuid.Parse(answer.Header.Get("x-ms-request-id"))
	if to, err := answer.Location(); err == nil && answer.StatusCode >= 300 && answer.StatusCode < 400 {
		e.Message = fmt.Sprintf("the service's address redirects to %s://%s, and the token is not sent there; use that address if it is "+
			"the service's", to.Scheme, to.Host)
		return e
	}
	e.Message = fmt.Sprintf("%s %s returned status %d and %s that the service does not send; check the service's address",
		answer.Request.Method, answer.Request.URL.Redacted(), answer.StatusCode, contentOf(answer.Header))
	return e
}

func isJSON(answer *http.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json")
}

func contentOf(h http.Header) string {
	if kind, _, _ := strings.Cut(h.Get("Content-Type"), ";"); kind != "" {
		return kind
	}
	return "a body"
}

// RetryAfter returns how long a response's Retry-After asks to wait, before the next read of a state or before
// repeating the call. ok is false without a valid Retry-After.
func RetryAfter(h http.Header) (d time.Duration, ok bool) {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(0, seconds)) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// isFile reports whether a response is a file that its request asked for, by the parameter format or by the header Accept.
func isFile(answer *http.Response) bool {
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if kind != "" && kind == answer.Request.Header.Get("Accept") {
		return true
	}
	wanted := map[string]string{"csv": "text/csv", "jsonl": "application/x-ndjson"}[answer.Request.URL.Query().Get("format")]
	return wanted != "" && kind == wanted
}
