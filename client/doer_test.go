package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

const secret = "eyJhbGciOiJFUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

// answers is a service that returns the given responses in order and records the requests.
type answers struct {
	*httptest.Server
	give []func(http.ResponseWriter)
	mu   sync.Mutex
	seen []*http.Request
}

// asked returns the requests so far.
func (a *answers) asked() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.seen)
}

func serve(t *testing.T, give ...func(http.ResponseWriter)) *answers {
	t.Helper()
	a := &answers{give: give}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.seen = append(a.seen, r)
		n := len(a.seen)
		a.mu.Unlock()
		if n > len(a.give) {
			t.Errorf("%s %s was requested more often than expected", r.Method, r.URL)
			return
		}
		a.give[n-1](w)
	}))
	t.Cleanup(a.Close)
	return a
}

// answer returns a response with a body, and headers as name-value pairs.
func answer(status int, body string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func refuse(status int, code string, headers ...string) func(http.ResponseWriter) {
	return answer(status, fmt.Sprintf(`{"errorCode":%q,"message":"no","requestId":"01a1fe19-b4e6-73d6-a5f4-307239dadc95"}`, code), headers...)
}

// lose drops the connection.
func lose(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// open returns a client of the service and the waits that it requested.
func open(t *testing.T, a *answers) (*Service, *[]time.Duration) {
	t.Helper()
	waited := &[]time.Duration{}
	s, err := Open(a.URL, Options{Token: Token(secret), Pause: func(ctx context.Context, d time.Duration) error {
		*waited = append(*waited, d)
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s, waited
}

var (
	none     = answer(200, `{"value":[]}`)
	accepted = answer(202, `{"operationId":"01a1fe19-b4e6-73d6-a5f4-307239dadc95","location":"x"}`)
	busy     = refuse(429, "RequestBlocked", "Retry-After", "7")
	bad      = refuse(502, "PlatformUnavailable")
	closed   = refuse(503, "ThrottleStoreUnavailable", "Retry-After", "5")
)

// Calls are retried only when that is safe, at most a few times, and after the requested wait.
func TestRetries(t *testing.T) {
	t.Parallel()
	list := func(ctx context.Context, s *Service) error {
		_, err := s.ListWorkspacesWithResponse(ctx, nil)
		return err
	}
	start := func(ctx context.Context, s *Service) error {
		_, err := s.OptimizeWithResponse(ctx, uuid.Nil, uuid.Nil, nil, OptimizeRequest{Approval: "required"})
		return err
	}
	save := func(ctx context.Context, s *Service) error {
		_, err := s.SaveAIProviderWithResponse(ctx, SaveAIProviderRequest{Name: "x", Kind: "openai"})
		return err
	}
	remove := func(ctx context.Context, s *Service) error {
		_, err := s.DeleteScheduleWithResponse(ctx, uuid.Nil)
		return err
	}
	for name, tt := range map[string]struct {
		call   func(context.Context, *Service) error
		give   []func(http.ResponseWriter)
		waited []time.Duration
		status int // of the error; -1 for one without an answer
	}{
		"a read":                         {list, []func(http.ResponseWriter){busy, bad, closed, none}, []time.Duration{7 * time.Second, 500 * time.Millisecond, 5 * time.Second}, 0},
		"a read, too often":              {list, []func(http.ResponseWriter){bad, bad, bad, bad}, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}, 502},
		"a read that is lost":            {list, []func(http.ResponseWriter){lose, none}, []time.Duration{250 * time.Millisecond}, 0},
		"a read that is refused":         {list, []func(http.ResponseWriter){refuse(404, "WorkspaceNotFound")}, nil, 404},
		"a read that fails":              {list, []func(http.ResponseWriter){refuse(500, "UnknownError")}, nil, 500},
		"an allowance of tomorrow":       {start, []func(http.ResponseWriter){refuse(429, "AssessmentDailyLimitReached", "Retry-After", "3600")}, nil, 429},
		"an allowance of never":          {start, []func(http.ResponseWriter){refuse(429, "BenchmarkRunsExhausted")}, nil, 429},
		"a start":                        {start, []func(http.ResponseWriter){closed, bad, accepted}, []time.Duration{5 * time.Second, 500 * time.Millisecond}, 0},
		"a start that is lost":           {start, []func(http.ResponseWriter){lose, refuse(409, "OperationInProgress", "Retry-After", "1"), accepted}, []time.Duration{250 * time.Millisecond, time.Second}, 0},
		"a start where another goes on":  {start, []func(http.ResponseWriter){refuse(409, "OperationInProgress", "Retry-After", "1")}, nil, 409},
		"what would be done twice, lost": {save, []func(http.ResponseWriter){lose}, nil, -1},
		"what would be done twice, gone": {save, []func(http.ResponseWriter){bad}, nil, 502},
		"what would be done twice, held": {save, []func(http.ResponseWriter){closed, busy, answer(200, "{}")}, []time.Duration{5 * time.Second, 7 * time.Second}, 0},
		"a DELETE that is lost":          {remove, []func(http.ResponseWriter){lose}, nil, -1},
		"a DELETE that is gone":          {remove, []func(http.ResponseWriter){bad}, nil, 502},
		"a DELETE that is held":          {remove, []func(http.ResponseWriter){closed, answer(200, "{}")}, []time.Duration{5 * time.Second}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serve(t, tt.give...)
			s, waited := open(t, a)
			err := tt.call(t.Context(), s)
			refused, ok := errors.AsType[*Error](err)
			switch {
			case tt.status == 0 && err != nil, tt.status < 0 && (err == nil || ok), tt.status > 0 && (!ok || refused.Status != tt.status):
				t.Errorf("got error %v, want status %d", err, tt.status)
			}
			if !slices.Equal(*waited, tt.waited) || len(a.asked()) != len(tt.give) {
				t.Errorf("asked %d times and waited %v, want %d and %v", len(a.asked()), *waited, len(tt.give), tt.waited)
			}
			key := ""
			for i, r := range a.asked() {
				if r.Header.Get("Authorization") != "Bearer "+secret {
					t.Errorf("attempt %d came without the token", i+1)
				}
				sent := r.Header.Get("Idempotency-Key")
				if i > 0 && sent != key {
					t.Errorf("attempt %d came under another key", i+1)
				}
				if key = sent; (key == "") != (r.Method == http.MethodGet || r.Method == http.MethodDelete || strings.HasSuffix(r.URL.Path, "aiProviders")) {
					t.Errorf("%s %s came under key %q", r.Method, r.URL.Path, key)
				}
				if r.Method == http.MethodPost && r.ContentLength <= 0 {
					t.Errorf("attempt %d came without its body", i+1)
				}
			}
		})
	}
}

// The token is sent only to the service. It appears in no error and in nothing that callers get.
func TestTokenIsNotLeaked(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		a := serve(t, answer(status, "", "Location", elsewhere.URL+"/v1/workspaces?token=x"))
		s, _ := open(t, a)
		_, err := s.ListWorkspacesWithResponse(t.Context(), nil)
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Status != status || !strings.Contains(err.Error(), elsewhere.URL) {
			t.Errorf("%d: got %v, want an error that names where it leads", status, err)
		}
	}
	if len(elsewhere.asked()) != 0 {
		t.Error("a redirect was followed")
	}

	s, _ := open(t, serve(t, none))
	got, err := s.ListWorkspacesWithResponse(t.Context(), nil)
	if err != nil || len(got.HTTPResponse.Request.Header["Authorization"]) > 0 {
		t.Errorf("the answer holds the token, or %v", err)
	}
	a := serve(t, lose, lose, lose, lose)
	s, _ = open(t, a)
	_, err = s.ListWorkspacesWithResponse(t.Context(), nil)
	if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprintf("%+v", s), secret) {
		t.Errorf("got %v", err)
	}
	for _, token := range []string{"", "a b", "a\nHost: x", "é"} {
		s, err := Open(a.URL, Options{Token: Token(token), Pause: func(context.Context, time.Duration) error {
			t.Errorf("token %q: what cannot help is tried again", token)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ListWorkspacesWithResponse(t.Context(), nil); err == nil || len(token) > 2 && strings.Contains(err.Error(), token) {
			t.Errorf("token %q: got %v", token, err)
		}
	}
}

// A refusal is returned as the service sent it; a response that the service did not send is reported as such.
func TestErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		give func(http.ResponseWriter)
		want string
	}{
		"a refusal": {
			answer(404, `{"errorCode":"ItemNotFound","message":"no such model","parameters":[{"name":"semanticModelId","value":"m1"}],"requestId":"01a1fe19-b4e6-73d6-a5f4-307239dadc95"}`),
			"ItemNotFound: no such model; semanticModelId=m1 (HTTP 404, request 01a1fe19-b4e6-73d6-a5f4-307239dadc95)",
		},
		"another server's page":  {answer(200, "<html>", "Content-Type", "text/html"), "status 200 and text/html that the service does not send; check the service's address (HTTP 200)"},
		"an undocumented status": {answer(204, ""), "status 204"},
		"a body cut short":       {answer(200, `{"value":[`), "status 200"},
		"a proxy's refusal":      {answer(404, "", "Content-Type", "text/plain", "x-ms-request-id", "01a1fe19-b4e6-73d6-a5f4-307239dadc95"), "(HTTP 404, request 01a1fe19-b4e6-73d6-a5f4-307239dadc95)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, serve(t, tt.give))
			if _, err := s.ListWorkspacesWithResponse(t.Context(), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
	// A call without a response times out.
	silent := serve(t, func(w http.ResponseWriter) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-t.Context().Done()
	})
	s, err := Open(silent.URL, Options{Token: Token(secret), Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateScheduleWithResponse(t.Context(), uuid.Nil, uuid.Nil, CreateScheduleRequest{}); err == nil || !strings.Contains(err.Error(), "got no response within 1ms") {
		t.Errorf("got %v", err)
	}
	silent.CloseClientConnections()
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "readiness.example.com", "ftp://x", "http://", "https://ada:secret@x", "https://x/?a=b", "https://x/#a", ":"} {
		if _, err := Open(address, Options{Token: Token("t")}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got error %v", address, err)
		}
	}
	a := serve(t, none)
	s, err := Open(a.URL+"/readiness/", Options{Token: Token("t")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ListWorkspacesWithResponse(t.Context(), nil); err != nil || a.asked()[0].URL.Path != "/readiness/v1/workspaces" {
		t.Errorf("got error %v, asked for %s", err, a.asked()[0].URL)
	}
}
