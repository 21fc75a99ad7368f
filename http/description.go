package http

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/http/docs"
	"readiness/http/health"
)

// Description is openapi.yaml, completed: all routes, members, headers, codes and limits of the API.
//
//go:embed openapi.gen.json
var Description []byte

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
	docs.Pages{NotFound: s.notFound, Fail: s.refuse}.Route(r)
	s.routeImages(r, registry)
}

// routeImages adds the route of Pixies' images and those for operators, with /metrics unless registry is nil.
func (s *Server) routeImages(r *mux.Router, registry *prometheus.Registry) {
	r.HandleFunc(pixiePath, s.pixie).Methods(http.MethodGet)
	r.HandleFunc("/healthz", health.Alive).Methods(http.MethodGet)
	r.HandleFunc("/readyz", s.checks.Ready).Methods(http.MethodGet)
	if registry != nil {
		r.Handle("/metrics", health.Metrics(registry, s.log)).Methods(http.MethodGet)
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
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}
}
