package token

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Authorities returns the names of the issuers at which people can sign in, sorted, and the scopes to ask for there. Both are empty if
// only the embedded issuer is trusted, which has no sign-in.
func (v *Verifier) Authorities() (issuers, scopes []string) {
	issuers = slices.DeleteFunc(slices.Sorted(maps.Keys(v.issuers)), func(name string) bool { return name == EmbeddedIssuer })
	if len(issuers) > 0 {
		scopes = v.scopes
	}
	return issuers, scopes
}

// askable returns the scope as a client asks for it at the issuer of an audience: an application of Entra, known by its id or its
// identifier, wants its identifier in front.
func askable(audience, scope string) string {
	switch _, err := uuid.Parse(audience); {
	case err == nil:
		return "api://" + audience + "/" + scope
	case strings.Contains(audience, "://"):
		return strings.TrimSuffix(audience, "/") + "/" + scope
	}
	return scope
}
