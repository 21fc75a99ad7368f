package program

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Call makes a call and reports whether it was answered with the status. A call that came too early or could not be
// counted is repeated, as a client would.
func (c *Program) Call(ctx context.Context, method, path string, want int, body any, headers ...string) (map[string]any, bool) {
	for began := time.Now(); ; {
		status, got, err := Exchange(ctx, c.Base, c.Token, method, path, body, headers...)
		if status != 0 {
			c.Last = got
		}
		if AgainLater(status, got) && ctx.Err() == nil && time.Since(began) < Patience {
			c.Wait(ctx, time.Second)
			continue
		}
		if err != nil {
			return nil, false
		}
		return got, status == want
	}
}

// AgainLater reports whether an answer says that nothing was begun and that the call should be repeated.
func AgainLater(status int, got map[string]any) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && got["isRetriable"] == true
}

// Exchange makes a call and returns the status and the JSON object of the answer, or an error if there is no complete
// answer.
func Exchange(ctx context.Context, base, token, method, path string, body any, headers ...string) (status int, got map[string]any, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // twice the service's own limit
	defer cancel()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string: // as it is
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, base+path, reader)
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	err = json.NewDecoder(answer.Body).Decode(&got)
	return answer.StatusCode, got, err
}

// Do makes a call that starts an operation and returns how the operation ended, with its result if it succeeded.
func (c *Program) Do(path string, body any) (state, result map[string]any) {
	c.T.Helper()
	accepted, ok := c.Call(c.T.Context(), http.MethodPost, path, http.StatusAccepted, body)
	if !ok {
		c.T.Fatalf("%s was not accepted: %v", path, c.Last)
	}
	at := "/v1/operations/" + accepted["operationId"].(string)
	c.Await(path+" ends", func() bool {
		state, _ = c.Call(c.T.Context(), http.MethodGet, at, http.StatusOK, nil)
		return state["status"] == "Succeeded" || state["status"] == "Failed"
	})
	if state["status"] == "Succeeded" {
		result, _ = c.Call(c.T.Context(), http.MethodGet, at+"/result", http.StatusOK, nil)
	}
	return state, result
}

// Result returns the result of an operation that has ended; ok is false while it has not, or if the service is killed meanwhile. The test
// fails if there is none.
func (c *Program) Result(ctx context.Context, operation string) (result map[string]any, ok bool) {
	c.T.Helper()
	at := "/v1/operations/" + operation
	state, ok := c.Call(ctx, http.MethodGet, at, http.StatusOK, nil)
	if !ok || state["status"] != "Succeeded" && state["status"] != "Failed" {
		return nil, false
	}
	if result, ok = c.Call(ctx, http.MethodGet, at+"/result", http.StatusOK, nil); !ok && ctx.Err() == nil && c.Last["errorCode"] != nil {
		c.T.Fatalf("operation %s is %v and has no result: %v", operation, state["status"], c.Last)
	}
	return result, ok
}
