package http_test

import (
	"strings"
	"testing"

	"readiness/domain"
)

// The documents are served as pages without a token, next to the description of the interface, and load only what the
// service serves.
func TestSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]struct{ kind, part string }{
		"/docs/":                   {"text/html; charset=utf-8", "<h1>All pages</h1>"},
		"/docs/index.html":         {"text/html; charset=utf-8", `id="pages"`},
		"/docs/README.html":        {"text/html; charset=utf-8", `<a href="/docs">Interface</a>`},
		"/docs/rules/DSC-01.html":  {"text/html; charset=utf-8", `<link rel="stylesheet" href="../style.css">`},
		"/docs/events":             {"text/html; charset=utf-8", `<a href="events.schema.json">`},
		"/docs/events.schema.json": {"application/schema+json", `"#/$defs/operation.accepted.v2"`},
		"/docs/style.css":          {"text/css; charset=utf-8", "prefers-color-scheme"},
		"/docs/search.js":          {"text/javascript; charset=utf-8", "use strict"},
	} {
		got := w.get(path, "").ok(200)
		if !strings.Contains(string(got.text), want.part) {
			t.Errorf("%s lacks %s", path, want.part)
		}
		policy := got.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "script-src 'self';") || strings.Contains(policy, "unsafe") ||
			strings.Contains(policy, "http") {
			t.Errorf("%s: got policy %q", path, policy)
		}
		for name, value := range map[string]string{"Content-Type": want.kind, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer"} {
			if header := got.header.Get(name); header != value {
				t.Errorf("%s: got %s %q, want %q", path, name, header, value)
			}
		}
	}
	if text := string(w.get("/docs", "").ok(200).text); !strings.Contains(text, "<rapi-doc") || !strings.Contains(text, `<a href="/docs/">`) {
		t.Errorf("the description of the interface is not at /docs, or does not lead to the documents:\n%s", text)
	}
	for _, path := range []string{"/docs/docs/architecture.md", "/docs/README.md", "/docs/rules", "/docs/rules/", "/docs//README.html", "/docs/%2e%2e/go.mod"} {
		if got := w.get(path, "").refused(404, domain.InvalidRequest); got.header.Get("Content-Security-Policy") != "" {
			t.Errorf("%s is answered as a page", path)
		}
	}
	if got := w.send("POST", "/docs/README.html", "", "").refused(405, domain.InvalidRequest); got.header.Get("Allow") != "GET" {
		t.Errorf("POST: got Allow %q", got.header.Get("Allow"))
	}
}
