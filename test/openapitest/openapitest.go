// Package openapitest checks responses against openapi.yaml and the conventions of all routes, so that a test fails
// on any response that the description does not allow.
package openapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"

	"readiness/domain"
	readinesshttp "readiness/http"
	"readiness/http/api"
)

// Transport returns a RoundTripper that sends requests through next and reports every response that violates the
// description to t.
func Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil {
			return answer, err
		}
		if err := Check(r, answer.StatusCode, answer.Header, body); err != nil {
			t.Errorf("%s %s returned %d, which does not match openapi.yaml: %v\n%s", r.Method, r.URL.Path, answer.StatusCode, err, body)
		}
		return answer, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Check returns an error when the response to r does not match the description.
func Check(r *http.Request, status int, h http.Header, body []byte) error {
	if err := conventions(r.Method == http.MethodHead, status, h, body); err != nil {
		return err
	}
	router, err := described()
	if err != nil {
		return err
	}
	// Match routes by path alone, regardless of where the service listens. An escaped slash counts as a slash.
	at := r.Clone(context.Background())
	at.URL.Scheme, at.URL.Host, at.URL.RawPath, at.Host = "", "", "", ""
	head := at.Method == http.MethodHead
	if head { // responses are those of GET, without the body
		at.Method = http.MethodGet
	}
	for _, slashed := range withSlashes {
		if parts := slashed.FindStringSubmatch(at.URL.Path); parts != nil {
			at.URL.Path = parts[1] + strings.ReplaceAll(parts[2], "/", "_") + parts[3]
		}
	}
	route, parameters, err := router.FindRoute(at)
	if err != nil && r.URL.RawPath != "" { // the id of a question may contain slashes
		at.URL.RawPath = r.URL.RawPath
		route, parameters, err = router.FindRoute(at)
	}
	if err != nil {
		return undescribed(at, status, head, body)
	}
	if !head && (status >= 400 && status != http.StatusServiceUnavailable ||
		status == http.StatusServiceUnavailable && route.Path != "/readyz") {
		if err := documentedCode(route.Operation, body); err != nil {
			return err
		}
	}
	if status == http.StatusNotModified {
		status = notModified
	}
	if described := route.Operation.Responses.Status(status); len(body) > 0 &&
		(head || described != nil && len(described.Value.Content) == 0) {
		return fmt.Errorf("the response has a body, but none is described")
	}
	if h.Get("Content-Type") == "application/json" && !head && !json.Valid(body) {
		return fmt.Errorf("the body is not JSON, or there is something after it")
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: at, PathParams: parameters, Route: route},
		Status:                 status, Header: h, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true, SchemaValidationOptions: formats,
			// Pages and metrics are described by their media type alone.
			ExcludeResponseBody: head || strings.HasPrefix(h.Get("Content-Type"), "text/"),
		},
	})
}

// notModified replaces 304 in the description, because the validator accepts any 304.
const notModified = 399

// formats are string formats that the validator does not check by itself.
var formats = []openapi3.SchemaValidationOption{
	openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(func(v string) error {
		if id, ok := domain.ParseID(v); !ok || id.String() != v {
			return errors.New("not a UUID in lower case")
		}
		return nil
	})),
	openapi3.WithStringFormatValidator("uri", openapi3.NewCallbackValidator(func(v string) error {
		if u, err := url.Parse(v); err != nil || !u.IsAbs() {
			return errors.New("not an absolute address")
		}
		return nil
	})),
}

// described returns a router for the description in which every documented object is closed: a response must not have
// members that the description lacks, although clients must tolerate them.
var described = sync.OnceValues(func() (routers.Router, error) {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.PlainBodyDecoder)
	doc, err := openapi3.NewLoader().LoadFromData(readinesshttp.Description)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil
	for _, path := range doc.Paths.Map() {
		for _, operation := range path.Operations() {
			if unchanged := operation.Responses.Value(strconv.Itoa(http.StatusNotModified)); unchanged != nil {
				operation.Responses.Set(strconv.Itoa(notModified), unchanged)
			}
		}
	}
	for _, schema := range doc.Components.Schemas {
		s := schema.Value
		if len(s.Properties) > 0 && s.AdditionalProperties.Has == nil && s.AdditionalProperties.Schema == nil {
			s.AdditionalProperties.Has = new(bool)
		}
	}
	return gorillamux.NewRouter(doc)
})

// withSlashes match paths with a value that may contain slashes, which the router of the description does not know: objects of trees, and
// ids of questions.
var withSlashes = []*regexp.Regexp{
	regexp.MustCompile(`^(/v1/audit/(?:accounts/[^/]+/)?)((?:[0-9]+/)?(?:checkpoint|tile/.+))()$`),
	regexp.MustCompile(`^(.*/benchmark/runs/[^/]+/questions/)(.+)(/verdict)$`),
}

// immutable is the Cache-Control of what never changes.
const immutable = "private, max-age=31536000, immutable"

// conventions checks what all responses have in common (docs/decisions.md 2).
func conventions(head bool, status int, h http.Header, body []byte) error {
	id, err := uuid.Parse(h.Get("x-ms-request-id"))
	if err != nil || id.Version() != 7 {
		return fmt.Errorf("x-ms-request-id is %q, not a UUID v7", h.Get("x-ms-request-id"))
	}
	if got := h.Get("Cache-Control"); got != "no-store" && (got != immutable || status != http.StatusOK) {
		return fmt.Errorf("the header Cache-Control is %q, not no-store", got)
	}
	if got := h.Get("X-Content-Type-Options"); got != "nosniff" {
		return fmt.Errorf("the header X-Content-Type-Options is %q, not nosniff", got)
	}
	if after := h.Get("Retry-After"); after != "" {
		if n, err := strconv.Atoi(after); err != nil || n < 1 {
			return fmt.Errorf("Retry-After is %q, not a positive number of seconds", after)
		}
	}
	if status < 400 || h.Get("x-ms-error-code") == "" || head && len(body) == 0 {
		return nil
	}
	return refusal(status, id, h, body)
}

// refusal checks what every ErrorResponse has in common (docs/decisions.md 1).
func refusal(status int, id uuid.UUID, h http.Header, body []byte) error {
	var e api.ErrorResponse
	if err := json.Unmarshal(body, &e); err != nil {
		return fmt.Errorf("the body is not an ErrorResponse: %w", err)
	}
	if e.RequestID != id {
		return fmt.Errorf("requestId is %s and x-ms-request-id is %s", e.RequestID, id)
	}
	if got := h.Get("x-ms-error-code"); got != e.ErrorCode {
		return fmt.Errorf("x-ms-error-code is %q and errorCode is %q", got, e.ErrorCode)
	}
	if e.Message == "" {
		return fmt.Errorf("the message is empty")
	}
	want, known := readinesshttp.Status(domain.Code(e.ErrorCode))
	if !known {
		return fmt.Errorf("%s is not an error code of the service", e.ErrorCode)
	}
	form := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		http.StatusPreconditionFailed}
	away := status == http.StatusServiceUnavailable && e.ErrorCode == string(domain.UnknownError) // the database is unavailable
	if status != want && !away && (e.ErrorCode != string(domain.InvalidRequest) || !slices.Contains(form, status)) {
		return fmt.Errorf("%s has status %d, not %d", e.ErrorCode, want, status)
	}
	switch status {
	case http.StatusUnauthorized:
		if h.Get("WWW-Authenticate") == "" {
			return fmt.Errorf("there is no WWW-Authenticate")
		}
	case http.StatusMethodNotAllowed:
		if h.Get("Allow") == "" {
			return fmt.Errorf("there is no Allow")
		}
	}
	if e.ErrorCode == string(domain.RequestBlocked) && h.Get("Retry-After") == "" {
		return fmt.Errorf("RequestBlocked without Retry-After")
	}
	if status == http.StatusServiceUnavailable && (h.Get("Retry-After") == "" || e.IsRetriable == nil || !*e.IsRetriable) {
		return fmt.Errorf("503 without Retry-After, or not retriable")
	}
	return nil
}

// undescribed checks a response on a path or method that the description lacks. It must be an ErrorResponse, or a
// page of the documentation or a file that one loads.
func undescribed(r *http.Request, status int, head bool, body []byte) error {
	if status == http.StatusOK && r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/docs/") {
		return nil
	}
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		return fmt.Errorf("an unknown route must return 404, and a wrong method 405")
	}
	if head {
		return nil
	}
	var e api.ErrorResponse
	if err := json.Unmarshal(body, &e); err != nil || e.ErrorCode != string(domain.InvalidRequest) {
		return fmt.Errorf("an unknown route or method must return an ErrorResponse with InvalidRequest")
	}
	return nil
}

// documentedCode checks that the operation lists the errorCode.
func documentedCode(operation *openapi3.Operation, body []byte) error {
	var e api.ErrorResponse
	if err := json.Unmarshal(body, &e); err != nil {
		return fmt.Errorf("the body is not an ErrorResponse: %w", err)
	}
	codes, _ := operation.Extensions["x-error-codes"].([]any)
	if !slices.Contains(codes, any(e.ErrorCode)) {
		return fmt.Errorf("%s is not among the x-error-codes of %s", e.ErrorCode, operation.OperationID)
	}
	return nil
}
