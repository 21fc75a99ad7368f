package http_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"readiness/domain"
	"readiness/domain/item"
	readinesshttp "readiness/http"
	"readiness/http/rate"
	"readiness/test/testworld"
)

// Every response has its own request id and the headers of docs/decisions.md 2; openapitest checks the rest.
//
// proves: 2.1/x-ms-request-id 2.2/requestId 7.1/shape decisions/2/headers decisions/2/error-code-header
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := map[string]bool{}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/docs", "/docs/rapidoc-min.js", "/v1/openapi.json", "/v1/workspaces", "/v1/operations", "/nothing"} {
		for _, tok := range []string{"", w.as("ada")} {
			got := w.get(path, tok)
			id := uuid.MustParse(got.header.Get("x-ms-request-id"))
			if id.Version() != 7 || seen[id.String()] {
				t.Errorf("%s: got request id %s, which is not a UUID v7 or not unique", path, id)
			}
			seen[id.String()] = true
		}
	}
}

// proves: decisions/2/client-request-id
func TestClientRequestIDIsEchoed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for sent, want := range map[string]string{
		"job-7/attempt:2":        "job-7/attempt:2",
		strings.Repeat("x", 256): strings.Repeat("x", 256),
		strings.Repeat("x", 257): "",
		"a b":                    "",
		"ä":                      "",
	} {
		for _, path := range []string{"/healthz", "/v1/workspaces", "/nothing"} {
			if got := w.get(path, "", "x-ms-client-request-id", sent).header.Get("x-ms-client-request-id"); got != want {
				t.Errorf("%s: got %.20q, want %.20q", path, got, want)
			}
		}
	}
}

// A call's trace and request id are stored with the events that it caused.
//
// proves: decisions/2/traceparent
func TestTraceAndRequestIDReachTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	trace := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	got := w.post(modelPath(modelA)+"/assess", w.as("ada"), "", "traceparent", trace).ok(202)
	var metadata []byte
	check(t, w.Pool.QueryRow(t.Context(), `SELECT metadata FROM events WHERE type = 'operation.accepted'`).Scan(&metadata))
	for _, want := range []string{trace, got.header.Get("x-ms-request-id"), `"acme"`, `"ada"`} {
		if !bytes.Contains(metadata, []byte(want)) {
			t.Errorf("got metadata %s, want %s in it", metadata, want)
		}
	}
	if !strings.Contains(w.log.String(), trace) {
		t.Error("the trace is not in the access log")
	}
}

// A panic is a fault of the service: the caller gets UnknownError, the log gets the request id and the stack, and the
// next call works.
//
// proves: 7.2/UnknownError decisions/1/nothing-internal
func TestPanic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.cloud.fails = func(item.Caller) error { panic("the secret of the panic") }
	got := w.get("/v1/workspaces", ada).refused(500, domain.UnknownError)
	if strings.Contains(string(got.text), "secret") || strings.Contains(string(got.text), ".go") {
		t.Errorf("the response is %s", got.text)
	}
	for _, want := range []string{"the secret of the panic", got.header.Get("x-ms-request-id"), "cloud"} {
		if !strings.Contains(w.log.String(), want) {
			t.Errorf("%q is not in the log", want)
		}
	}
	w.get("/healthz", "").ok(200)
}

// When a handler panics after its response has begun, the response does not look complete. Aborting on purpose is not
// logged as a panic.
func TestPanicInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	registry, log := prometheus.NewRegistry(), &testworld.LogBook{}
	s, err := readinesshttp.New(readinesshttp.Options{
		Limiter: new(rate.Limiter), BaseURL: "http://api.example.com", PortalURL: "http://portal.example.com", TokenKey: make([]byte, 32),
		Registry: registry, Log: slog.New(slog.NewJSONHandler(log, nil)), Now: time.Now,
	})
	check(t, err)
	for name, fails := range map[string]any{"a fault": "no such row", "on purpose": http.ErrAbortHandler} {
		server := httptest.NewServer(s.Observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<16))
			panic(fails)
		})))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		check(t, err)
		answer, err := server.Client().Do(r)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			check(t, answer.Body.Close())
		}
		if err == nil {
			t.Errorf("%s: the response looks complete", name)
		}
		server.Close()
	}
	if got := strings.Count(log.String(), "a handler panicked"); got != 1 {
		t.Errorf("%d panics were logged, want the one fault", got)
	}
}

// A call is a span of the caller's trace, named after its route. A span contains neither the query nor a header.
func TestSpans(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s, err := readinesshttp.New(readinesshttp.Options{
		BaseURL: "http://api.example.com", PortalURL: "http://portal.example.com", TokenKey: make([]byte, 32),
		Limiter: new(rate.Limiter), Registry: prometheus.NewRegistry(), Tracer: provider, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	check(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/operations/"+nowhere.String()+"?access_token=hunter2", nil)
	r.Header.Set("Authorization", "Basic hunter2")
	r.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	// Views of a report cause no span.
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/p/"+strings.Repeat("0", 32)+".gif", nil))
	ended := spans.Ended()
	if len(ended) != 1 {
		t.Fatalf("got %d spans, want 1", len(ended))
	}
	span := ended[0]
	if span.Name() != "GET /v1/operations/{operationId}" || span.Parent().SpanID().String() != "00f067aa0ba902b7" || span.SpanContext().TraceID().String() != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("got span %q under %v", span.Name(), span.Parent())
	}
	for _, a := range span.Attributes() {
		if strings.Contains(a.Value.String(), "hunter2") {
			t.Errorf("the span holds %s = %s", a.Key, a.Value.String())
		}
	}
}

// No log line contains what callers send outside the path.
//
// proves: decisions/3/token-secrecy
func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	w.get("/v1/operations?access_token=hunter2", ada, "X-Secret", "hunter2").ok(200)
	w.post(bulkPath, ada, `{"hunter2":"hunter2"}`).refused(400, domain.InvalidRequest)
	w.get("/v1/operations", "", "Authorization", "Basic hunter2").refused(401, domain.Unauthorized)
	log := w.log.String()
	if !strings.Contains(log, "/v1/operations") || strings.Contains(log, "hunter2") || strings.Contains(log, ada[:40]) {
		t.Errorf("got log\n%s", log)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.get("/healthz", "").ok(200); got.body["status"] != "ok" {
		t.Errorf("got %s", got.text)
	}
	if got := w.get("/readyz", "").ok(200); got.body["status"] != "ok" || got.body["checks"].(map[string]any)["database"] != "ok" {
		t.Errorf("got %s", got.text)
	}
	w.Pool.Close()
	got := w.get("/readyz", "").ok(503)
	if got.body["status"] != "unavailable" || got.body["checks"].(map[string]any)["database"] != "unavailable" || strings.Contains(string(got.text), "pool") {
		t.Errorf("got %s", got.text)
	}
	w.get("/healthz", "").ok(200)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.get("/v1/workspaces", w.as("ada")).ok(200)
	w.get("/v1/operations/"+nowhere.String(), w.as("ada")).refused(404, domain.OperationNotFound)
	w.get("/"+nowhere.String(), "").refused(404, domain.InvalidRequest)
	got := string(w.get("/metrics", "").ok(200).text)
	for _, want := range []string{
		`readiness_http_requests_total{method="GET",route="/v1/workspaces",status="200"} 1`,
		`readiness_http_requests_total{method="GET",route="/v1/operations/{operationId}",status="404"} 1`,
		`readiness_http_requests_total{method="other",route="none",status="404"} 1`,
		`readiness_http_refusals_total{code="OperationNotFound"} 1`,
		`readiness_http_request_duration_seconds_count{method="GET",route="/v1/workspaces"} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not among the metrics", want)
		}
	}
	if strings.Contains(got, nowhere.String()) {
		t.Error("a label contains a value that a caller chose")
	}
}

// The complete description is served with the service's own address, and the page that shows it loads nothing from
// other hosts.
//
// proves: 9/7 decisions/2/openapi
func TestDescriptionIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	served, err := openapi3.NewLoader().LoadFromData(w.get("/v1/openapi.json", "").ok(200).text)
	check(t, err)
	check(t, served.Validate(t.Context()))
	if len(served.Servers) != 1 || served.Servers[0].URL != w.base {
		t.Errorf("got servers %v, want %s", served.Servers, w.base)
	}
	served.Servers = description(t).Servers
	got, err := json.Marshal(served)
	check(t, err)
	want, err := json.Marshal(description(t))
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Error("the served description differs from openapi.yaml")
	}

	page := w.get("/docs", "").ok(200)
	if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") {
		t.Errorf("got policy %q", policy)
	}
	if text := string(page.text); strings.Contains(text, "http://") || strings.Contains(text, "https://") || strings.Contains(text, "//cdn") {
		t.Errorf("the page refers to another address:\n%s", text)
	}
	for _, encoding := range []string{"gzip", "identity"} {
		viewer := w.get("/docs/rapidoc-min.js", "", "Accept-Encoding", encoding).ok(200)
		text := viewer.text
		if viewer.header.Get("Content-Encoding") == "gzip" != (encoding == "gzip") {
			t.Errorf("%s: got Content-Encoding %q", encoding, viewer.header.Get("Content-Encoding"))
		}
		if encoding == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(text))
			check(t, err)
			text, err = io.ReadAll(z)
			check(t, err)
		}
		if !bytes.Contains(text, []byte(`"rapi-doc"`)) {
			t.Errorf("%s: got %d bytes that are not the viewer", encoding, len(text))
		}
	}
	if !strings.Contains(string(w.get("/docs/rapidoc.LICENSE.txt", "").ok(200).text), "MIT License") {
		t.Error("the viewer's license is not there")
	}
}

// Serve returns when its context ends: calls in progress complete, and no new ones are accepted.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	w.base = "http://" + l.Addr().String()
	s := w.server(w.base, w.limiter(w.url))
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()

	handling, resume := make(chan struct{}), make(chan struct{})
	w.cloud.fails = func(item.Caller) error {
		close(handling)
		<-resume
		return nil
	}
	ada := w.as("ada")
	answered := make(chan int, 1)
	go func() { answered <- w.get("/v1/workspaces", ada).status }()
	<-handling
	stop()
	for { // until the listener is closed
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	select {
	case err := <-served:
		t.Fatalf("Serve returned %v while a call was being handled", err)
	default:
	}
	close(resume)
	if got := <-answered; got != http.StatusOK {
		t.Errorf("the call being handled got %d, want its response", got)
	}
	if err := <-served; err != nil {
		t.Errorf("got %v, want a clean end", err)
	}
}

func TestServeReturnsListenerError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	if err := w.server("http://127.0.0.1:1", w.limiter(w.url)).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want the listener's error", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	good := func() readinesshttp.Options {
		return readinesshttp.Options{
			BaseURL: "https://api.example.com/readiness/", PortalURL: "https://portal.example.com", TokenKey: make([]byte, 32),
			Limiter: new(rate.Limiter), Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		}
	}
	if _, err := readinesshttp.New(good()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*readinesshttp.Options){
		"no base":           func(o *readinesshttp.Options) { o.BaseURL = "" },
		"relative base":     func(o *readinesshttp.Options) { o.BaseURL = "/v1" },
		"base of a file":    func(o *readinesshttp.Options) { o.BaseURL = "file:///v1" },
		"base with a query": func(o *readinesshttp.Options) { o.BaseURL = "https://api.example.com?x=1" },
		"base with a name":  func(o *readinesshttp.Options) { o.BaseURL = "https://me:secret@api.example.com" },
		"no portal":         func(o *readinesshttp.Options) { o.PortalURL = "" },
		"short key":         func(o *readinesshttp.Options) { o.TokenKey = make([]byte, 31) },
	} {
		o := good()
		change(&o)
		if _, err := readinesshttp.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// All addresses in responses are under the configured base, even with a path prefix.
//
// proves: decisions/2/absolute-locations
func TestAddressesAreUnderTheBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := httptest.NewUnstartedServer(nil)
	public := "https://api.example.com/readiness"
	proxy.Config.Handler = w.server(public+"/", w.limiter(w.url)).Handler()
	proxy.Start()
	t.Cleanup(proxy.Close)
	w.base = "http://" + proxy.Listener.Addr().String()
	got := w.post(modelPath(modelA)+"/assess", w.as("ada"), "").ok(202)
	w.assess("ada", modelB)
	want := public + operationPath(got.operation())
	if got.header.Get("Location") != want || got.body["location"] != want {
		t.Errorf("got %s and %v, want %s", got.header.Get("Location"), got.body["location"], want)
	}
	if uri, _ := w.get("/v1/operations?maxResults=1", w.as("ada")).body["continuationUri"].(string); !strings.HasPrefix(uri, public+"/v1/operations?") {
		t.Errorf("got continuationUri %s, want it under %s", uri, public)
	}
}
