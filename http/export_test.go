package http

import (
	"net/http"

	"readiness/domain/account"
	"readiness/http/token"
	"readiness/projections"
)

// Decode is decode, for the fuzz test.
var Decode = decode

// Observe puts what is around all routes around h.
func (s *Server) Observe(h http.Handler) http.Handler { return s.observe(h) }

// Allowed is what a person of an active account is told of a route, by role.
func Allowed(route Route, role account.Role) error {
	return allowed(route, principal{
		Identity: token.Identity{Scopes: []string{token.ScopeRead, token.ScopeReadWrite}},
		member: projections.Member{
			Status: account.Active, Settings: account.Settings{AddPixies: true, AIFeatures: true}, Person: account.Person{Role: role},
		},
	})
}
