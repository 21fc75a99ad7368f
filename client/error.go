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

// Error is an answer that refuses a call, as the service said it. Where the answer is not one of the service's, a proxy's say,
// ErrorCode is empty and Message tells what came.
type Error struct {
	// Status is the HTTP status.
	Status int
	// ErrorResponse is the body. Its RequestID finds the call in the service's log; it is zero where the answer names none.
	ErrorResponse
	// RetryAfter is when the same call may be accepted; zero when time alone does not help.
	RetryAfter time.Duration
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

// refusal is the error that an answer means; nil for one that a call was made for.
func refusal(answer *http.Response, body []byte) error {
	isJSON := strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json")
	read := answer.Request.Method == http.MethodGet
	switch {
	case answer.StatusCode == http.StatusNotModified && read:
		return nil
	case answer.StatusCode == http.StatusOK, answer.StatusCode == http.StatusAccepted && !read:
		if isJSON && json.Valid(body) {
			return nil
		}
	}
	e := &Error{Status: answer.StatusCode}
	e.RetryAfter, _ = RetryAfter(answer.Header)
	if isJSON && json.Unmarshal(body, &e.ErrorResponse) == nil && e.ErrorCode != "" {
		return e
	}
	e.ErrorResponse = ErrorResponse{}
	e.RequestID, _ = uuid.Parse(answer.Header.Get("x-ms-request-id"))
	if to, err := answer.Location(); err == nil && answer.StatusCode >= 300 && answer.StatusCode < 400 {
		e.Message = fmt.Sprintf("the service's address leads on to %s://%s, where the token is not sent; give that address if the service is there", to.Scheme, to.Host)
		return e
	}
	e.Message = fmt.Sprintf("%s %s was answered with status %d and %s that the service does not send; is its address right?",
		answer.Request.Method, answer.Request.URL.Redacted(), answer.StatusCode, contentOf(answer.Header))
	return e
}

func contentOf(h http.Header) string {
	if kind, _, _ := strings.Cut(h.Get("Content-Type"), ";"); kind != "" {
		return kind
	}
	return "a body"
}

// RetryAfter is how long an answer asks to wait: for the next read of a state, or before the same call is made again.
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
