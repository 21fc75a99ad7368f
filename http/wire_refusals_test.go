package http_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/http/api"
	"readiness/test/openapitest"
)

// A call that never becomes a request is refused with an ErrorResponse, and the connection is closed.
//
// proves: 7.1/shape
func TestMalformedHTTPIsAnErrorResponse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	s := w.server("http://"+l.Addr().String(), w.limiter(w.url))
	go func() { served <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		check(t, <-served)
	})
	const host = "Host: x\r\n"
	for name, row := range map[string]struct {
		sent   string
		status int
		says   string
	}{
		"headers too large":          {"GET /v1/workspaces HTTP/1.1\r\n" + host + "X-Long: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 431, "65536 bytes"},
		"an unknown transfer coding": {"POST /v1/aiReadiness/abTests HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, "Transfer-Encoding"},
		"no host":                    {"GET /v1/workspaces HTTP/1.1\r\n\r\n", 400, "Host"},
		"a malformed header":         {"GET /v1/workspaces HTTP/1.1\r\n" + host + "a b: c\r\n\r\n", 400, "header name"},
		"no request line":            {"nothing\r\n\r\n", 400, "well-formed"},
		"a version of the future":    {"GET / HTTP/3.0\r\n" + host + "\r\n", 505, "HTTP/1.1"},
		"an unknown expectation":     {"GET /v1/workspaces HTTP/1.1\r\n" + host + "Expect: the worst\r\n\r\n", 417, "Expect"},
		"two lengths":                {"POST /v1/aiReadiness/abTests HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, "well-formed"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
			check(t, err)
			defer c.Close()
			check(t, c.SetDeadline(time.Now().Add(patience)))
			go func() { _, _ = io.WriteString(c, row.sent) }() // an early refusal does not read the rest
			from := bufio.NewReader(c)
			answer, err := http.ReadResponse(from, nil)
			check(t, err)
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			check(t, err)
			var refusal api.ErrorResponse
			check(t, json.Unmarshal(text, &refusal))
			id, err := uuid.Parse(answer.Header.Get("X-Ms-Request-Id"))
			if err != nil || id.Version() != 7 || refusal.RequestID != id {
				t.Errorf("the request id is %v in the header and %v in the body, want the same UUID v7", id, refusal.RequestID)
			}
			if answer.StatusCode != row.status || refusal.ErrorCode != string(domain.InvalidRequest) || !strings.Contains(refusal.Message, row.says) {
				t.Errorf("got %d %s, want %d, InvalidRequest and %q", answer.StatusCode, text, row.status, row.says)
			}
			if !answer.Close || answer.Header.Get("X-Ms-Error-Code") != string(domain.InvalidRequest) {
				t.Errorf("got the headers %v, want the error's code and Connection: close", answer.Header)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/account", nil)
			check(t, err)
			if !slices.Contains([]int{http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusExpectationFailed}, row.status) {
				check(t, openapitest.Check(r, answer.StatusCode, answer.Header, text))
			}
			if _, err := from.ReadByte(); err == nil {
				t.Error("the connection stays open after the refusal")
			}
		})
	}
}

// Integers may be written with a fraction or an exponent.
func TestIntegersInEveryNotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := modelPath(modelA) + "/benchmark/questions/generate"
	first := w.post(path, w.as("ada"), `{"count":5}`, "Idempotency-Key", "five").operation()
	for _, same := range []string{`{"count":5.0}`, `{"count":5e0}`, `{"count":0.5E+1}`} {
		if got := w.post(path, w.as("ada"), same, "Idempotency-Key", "five").operation(); got != first {
			t.Errorf("%s started another operation than {\"count\":5}", same)
		}
	}
	w.untouched(func() {
		for _, body := range []string{`{"count":5.5}`, `{"count":1e400}`, `{"count":0.0}`, `{"count":1e2000000000}`, `{"count":"5"}`} {
			w.post(path, w.as("ada"), body).refused(400, domain.InvalidRequest).says("count")
		}
	})
}
