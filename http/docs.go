package http

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/http/health"
)

// Description is openapi.yaml, completed: all routes, members, headers, codes and limits of the API.
//
//go:embed openapi.gen.json
var Description []byte

var (
	//go:embed docs/index.html
	docsPage []byte
	//go:embed docs/rapidoc-min.js.gz
	docsViewer []byte // gzip
	//go:embed docs/rapidoc.LICENSE.txt
	docsLicense []byte
)

// docsPolicy allows the page to load only what this service serves. Inline styles are allowed because the viewer uses
// them.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// loadDescription parses and validates the description once per process. All servers share the result and must not
// modify it.
var loadDescription = sync.OnceValues(func() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(Description)
	if err == nil {
		err = doc.Validate(loader.Context)
	}
	if err != nil {
		return nil, fmt.Errorf("http: openapi.yaml: %w", err)
	}
	return doc, nil
})

// routeOpen adds the routes that need no token, with /metrics unless registry is nil.
func (s *Server) routeOpen(r *mux.Router, doc *openapi3.T, registry *prometheus.Registry) {
	r.HandleFunc("/v1/openapi.json", s.serveDescription(doc)).Methods(http.MethodGet)
	r.HandleFunc(pixiePath, s.pixie).Methods(http.MethodGet)
	r.HandleFunc("/docs", serveDocs).Methods(http.MethodGet)
	r.HandleFunc("/docs/rapidoc-min.js", s.serveViewer).Methods(http.MethodGet)
	r.HandleFunc("/docs/rapidoc.LICENSE.txt", serve("text/plain; charset=utf-8", docsLicense)).Methods(http.MethodGet)
	r.HandleFunc("/healthz", health.Alive).Methods(http.MethodGet)
	r.HandleFunc("/readyz", s.checks.Ready).Methods(http.MethodGet)
	if registry != nil {
		r.Handle("/metrics", health.Metrics(registry, s.log)).Methods(http.MethodGet)
	}
}

func serve(contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	}
}

// serveDescription returns doc with this service's address. It encodes doc at the first request, because encoding
// takes as long as the rest of the startup.
func (s *Server) serveDescription(doc *openapi3.T) http.HandlerFunc {
	encoded := sync.OnceValues(func() ([]byte, error) {
		ours := *doc
		ours.Servers = openapi3.Servers{{URL: s.base}}
		return json.Marshal(&ours)
	})
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := encoded()
		if err != nil {
			s.refuse(w, r, fmt.Errorf("http: openapi.yaml: %w", err))
			return
		}
		serve("application/json", text)(w, r)
	}
}

func serveDocs(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	serve("text/html; charset=utf-8", docsPage)(w, r)
}

func (s *Server) serveViewer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(docsViewer)
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(docsViewer))
	if err != nil {
		s.refuse(w, r, fmt.Errorf("http: the packaged viewer: %w", err))
		return
	}
	_, _ = io.Copy(w, z)
}
