package http

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gorilla/mux"
)

// Decode is decode, for the fuzz test.
var Decode = decode

// Observe puts what is around all routes around h.
func (s *Server) Observe(h http.Handler) http.Handler { return s.observe(h) }

// Guarded serves routes, built or not, behind everything that is around all routes. What the guard lets through is answered
// 202.
func (s *Server) Guarded(routes []Route) http.Handler {
	r := mux.NewRouter()
	for _, line := range routes {
		m := r.HandleFunc(line.Path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }).Methods(line.Method)
		s.matched[m] = matched{line.Path, &route{line, &openapi3.Operation{}}}
	}
	r.Use(s.match, s.guard)
	return s.observe(r)
}
