package http_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	readinesshttp "readiness/http"
)

// A process that serves images alone answers every request for one as the service does, and has no other route of it.
//
// proves: decisions/21/same-answers
func TestImagesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen, alone := &sights{}, &sights{}
	w.collector = seen
	w.base, w.client = w.serve(w.limiter(w.url))
	log := &strings.Builder{}
	images, err := readinesshttp.NewImages(readinesshttp.ImagesOptions{Collector: alone, Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewJSONHandler(log, nil))})
	check(t, err)
	server := httptest.NewServer(images.Handler())
	t.Cleanup(server.Close)
	ask := func(base, method, path string) (int, http.Header, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
		check(t, err)
		r.Header.Set("X-Ms-Client-Request-Id", "one-of-ours")
		r.Header.Set("Referer", "https://reports.example/eve")
		answer, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		check(t, err)
		for _, differs := range []string{"Date", "X-Ms-Request-Id"} {
			if answer.Header.Get(differs) == "" {
				t.Errorf("%s %.40s: no %s", method, path, differs)
			}
			answer.Header.Del(differs)
		}
		return answer.StatusCode, answer.Header, strings.ReplaceAll(string(text), base, "")
	}
	id := strings.Repeat("0123456789abcdef", 2)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "BREW"} {
		for _, path := range []string{id, "x", "%00", "..", "%0A", strings.Repeat("a", 5000)} {
			path = "/p/" + path + ".gif?t=1"
			status, header, text := ask(w.base, method, path)
			aloneStatus, aloneHeader, aloneText := ask(server.URL, method, path)
			if status >= 400 { // a refusal has the request's id
				text, aloneText = text[:strings.Index(text, `"requestId"`)], aloneText[:strings.Index(aloneText, `"requestId"`)]
			}
			if diff := cmp.Diff([]any{status, header, text}, []any{aloneStatus, aloneHeader, aloneText}); diff != "" {
				t.Errorf("%s %.40s (-service +images alone):\n%s", method, path, diff)
			}
		}
	}
	if diff := cmp.Diff(seen.ids, alone.ids); diff != "" || len(alone.ids) != 6 {
		t.Errorf("recorded views (-service +images alone):\n%s", diff)
	}
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 200, "/": 404, "/p/" + id + ".png": 404, "/p/.gif": 404, "/p/a/b.gif": 404, "/docs": 404,
		"/v1/openapi.json": 404, "/v1/workspaces": 404, "/v1/audit/checkpoint": 404, "/p/" + id: 404,
	} {
		answer, err := http.Get(server.URL + path)
		check(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, answer.StatusCode, want)
		}
	}
	if text := log.String(); strings.Contains(text, "reports.example") || strings.Contains(text, "gif\",\"status\":200") {
		t.Errorf("the log contains something about viewers: %s", text)
	}
	if len(alone.ids) != 6 {
		t.Error("a request for something else counted as a view")
	}
}
