package http

import (
	"encoding/json"
	"net/http"
)

// resourceMetadata is the folder of the descriptions of mounted paths (RFC 9728).
const resourceMetadata = "/.well-known/oauth-protected-resource"

// protectedResource describes a mounted path to clients that sign in by themselves: MCP clients find it by the WWW-Authenticate field of
// a refusal.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
	Methods              []string `json:"bearer_methods_supported"`
}

// describeMounted serves the description of a mounted path. It returns its address; empty when no issuer has a sign-in.
func (s *Server) describeMounted(path string) (address string) {
	issuers, scopes := s.verifier.Authorities()
	if len(issuers) == 0 {
		return ""
	}
	description := protectedResource{s.base + path, issuers, scopes, []string{"header"}}
	m := s.router.HandleFunc(resourceMetadata+path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // clients in browsers read it too; it is public
		_ = json.NewEncoder(w).Encode(description)
	}).Methods(http.MethodGet)
	s.matched[m] = matched{path: resourceMetadata + path}
	return s.base + resourceMetadata + path
}
