package http

import "net/http"

// Decode is decode, for the fuzz test.
var Decode = decode

// Observe puts what is around all routes around h.
func (s *Server) Observe(h http.Handler) http.Handler { return s.observe(h) }
