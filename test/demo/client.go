package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// client calls the service as one person and checks every answer against what the
// interface promises for all answers.
type client struct {
	base, token string
	answers     *int
}

// answer is an answer that passed the checks.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call makes a call and checks the status and what every answer must have. If into
// is not nil, the body is decoded into it; unknown members are errors.
func (c client) call(ctx context.Context, want int, method, path string, body, into any, header ...string) (answer, error) {
	address := path
	if !strings.HasPrefix(path, "http") {
		address = c.base + path
	}
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return answer{}, err
		}
	}
	a, err := c.send(ctx, method, address, content, header)
	for attempt := 1; err == nil && attempt < 10 && a.uncounted(method); attempt++ {
		pause := time.Second
		if asked, err := a.retryAfter(); err == nil {
			pause = asked
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
		a, err = c.send(ctx, method, address, content, header)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if err := a.check(want, into); err != nil {
		return a, fmt.Errorf("%s %s: %w", method, path, err)
	}
	*c.answers++
	return a, nil
}

// send makes a call once.
func (c client) send(ctx context.Context, method, address string, content []byte, header []string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	return answer{response.StatusCode, response.Header, b}, err
}

// uncounted reports whether the service could not count the call in time, as may
// happen on a slow machine. Then it refuses the call as retriable, or answers a
// read without the rate fields. So is a call that the platform has no room for
// now, because the person has made many.
func (a answer) uncounted(method string) bool {
	var e errorResponse
	switch {
	case a.status == http.StatusServiceUnavailable, a.status == http.StatusBadGateway:
		return a.decode(&e) == nil && e.IsRetriable
	case method == http.MethodGet:
		return a.status < http.StatusBadRequest && a.header.Get("RateLimit") == ""
	}
	return false
}

func (a answer) check(want int, into any) error {
	if a.status != want {
		return fmt.Errorf("got status %d, want %d: %s", a.status, want, a.body)
	}
	if id := a.header.Get("x-ms-request-id"); !uuidPattern.MatchString(id) {
		return fmt.Errorf("x-ms-request-id is %q, want a UUID", id)
	}
	for name, value := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := a.header.Get(name); got != value {
			return fmt.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	if a.status != http.StatusUnauthorized && (a.header.Get("RateLimit") == "" || a.header.Get("RateLimit-Policy") == "") {
		return fmt.Errorf("the RateLimit fields are missing")
	}
	if kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); len(a.body) > 0 && kind != "application/json" {
		return fmt.Errorf("Content-Type is %q, want application/json", kind)
	}
	if into == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w in %.300s", err, a.body)
	}
	return nil
}

// decode decodes the body into a value that need not have every member.
func (a answer) decode(into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%w in %.300s", err, a.body)
	}
	return nil
}

// errorResponse is the body of every refusal.
type errorResponse struct {
	ErrorCode   string `json:"errorCode"`
	Message     string `json:"message"`
	IsRetriable bool   `json:"isRetriable"`
	Parameters  []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"parameters"`
	MoreDetails     json.RawMessage `json:"moreDetails"`
	RelatedResource json.RawMessage `json:"relatedResource"`
	RequestID       string          `json:"requestId"`
}

// refused makes a call that must be refused with the code.
func (c client) refused(ctx context.Context, want int, code, method, path string, body any) (errorResponse, error) {
	var e errorResponse
	a, err := c.call(ctx, want, method, path, body, &e)
	if err != nil {
		return e, err
	}
	if e.ErrorCode != code || a.header.Get("x-ms-error-code") != code || e.RequestID != a.header.Get("x-ms-request-id") || e.Message == "" {
		return e, fmt.Errorf("%s %s: got %s, want code %s, in the header too, with a message and the request's id", method, path, a.body,
			code)
	}
	return e, nil
}

// started is the body of a 202.
type started struct {
	OperationID string `json:"operationId"`
	Location    string `json:"location"`
}

// start makes a call that starts work.
func (c client) start(ctx context.Context, path string, body any, header ...string) (started, error) {
	var s started
	a, err := c.call(ctx, http.StatusAccepted, http.MethodPost, path, body, &s, header...)
	if err != nil {
		return s, err
	}
	_, err = a.retryAfter()
	if !uuidPattern.MatchString(s.OperationID) || a.header.Get("x-ms-operation-id") != s.OperationID ||
		s.Location != c.base+"/v1/operations/"+s.OperationID ||
		a.header.Get("Location") != s.Location || err != nil {
		return s, fmt.Errorf("POST %s: the 202 must name the operation's id and address in body and header, and Retry-After: %s %v", path,
			a.body, a.header)
	}
	return s, nil
}

func (a answer) retryAfter() (time.Duration, error) {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return 0, fmt.Errorf("Retry-After is %q, want an integer number of seconds", a.header.Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second, nil
}

// operation is an operation's state.
type operation struct {
	ID              string          `json:"id"`
	Status          string          `json:"status"`
	OperationType   string          `json:"operationType"`
	Created         time.Time       `json:"createdTimeUtc"`
	LastUpdated     time.Time       `json:"lastUpdatedTimeUtc"`
	PercentComplete *int            `json:"percentComplete"`
	Resource        json.RawMessage `json:"resource"`
	AllowanceImpact json.RawMessage `json:"allowanceImpact"`
	Error           json.RawMessage `json:"error"`
	WaitingFor      json.RawMessage `json:"waitingFor"` // absent unless it waits for a read
	Models          json.RawMessage `json:"models"`     // absent unless models were not assessed
}

// follow polls the operation at the intervals that it returns until it has
// succeeded, and returns the address of its result.
func (c client) follow(ctx context.Context, s started, progress func(percent int)) (result string, err error) {
	for {
		var o operation
		a, err := c.call(ctx, http.StatusOK, http.MethodGet, s.Location, nil, &o)
		if err != nil {
			return "", err
		}
		if o.ID != s.OperationID {
			return "", fmt.Errorf("%s describes operation %s", s.Location, o.ID)
		}
		if o.PercentComplete != nil {
			progress(*o.PercentComplete)
		}
		location := a.header.Get("Location")
		switch o.Status {
		case "NotStarted", "Running":
			wait, err := a.retryAfter()
			if err != nil || location != s.Location {
				return "", fmt.Errorf("%s runs: Location %q must be its own address: %w", s.Location, location, err)
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return "", ctx.Err()
			}
		case "Succeeded":
			if location != s.Location+"/result" {
				return "", fmt.Errorf("%s has succeeded: Location is %q, want that of the result", s.Location, location)
			}
			progress(100)
			return location, nil
		default:
			return "", fmt.Errorf("%s ended as %s: %s", s.Location, o.Status, o.Error)
		}
	}
}
