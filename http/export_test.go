package http

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"

	"readiness/commands"
	"readiness/http/routing"
)

// IdempotencyKey returns the key and fingerprint of a call of a route.
func IdempotencyKey(r *http.Request, line routing.Route, described *openapi3.Operation, canonical []byte) *commands.IdempotencyKey {
	return idempotencyKey(r, &route{line, described}, canonical)
}

// Observe wraps h in the middleware of all routes.
func (s *Server) Observe(h http.Handler) http.Handler { return s.observe(h) }

// Guarded serves routes, described or not, behind the middleware of all routes. Calls that the guard admits get 202.
func (s *Server) Guarded(routes []routing.Route) http.Handler {
	r := mux.NewRouter()
	for _, line := range routes {
		m := r.HandleFunc(line.Path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }).Methods(line.Method)
		s.matched[m] = matched{line.Path, &route{line, &openapi3.Operation{}}}
	}
	r.Use(s.match, s.guard)
	return s.observe(r)
}
