// Package token verifies access tokens (JWT, RS256 or ES256) and returns the identity of the caller. It accepts
// tokens of configured issuers and of the embedded issuer, which serves a single machine (docs/decisions.md 3). It
// does not know accounts: whether the person belongs to one, and what they may do, is decided later. A token never
// appears in an error or a log line.
package token

import (
	"slices"
	"time"

	"readiness/domain/item"
)

// The OAuth scopes that tokens hold.
const (
	ScopeRead      = "Service.Read.All"
	ScopeReadWrite = "Service.ReadWrite.All"
)

// MaxSize is the largest accepted token, in bytes.
const MaxSize = 16 << 10

// skew is the tolerated clock difference between an issuer and the service (docs/decisions.md 3).
const skew = 60 * time.Second

// Identity is what a valid token says about its bearer.
type Identity struct {
	// Person identifies the person. Its ID is tid/oid, tid/sub or sub; a slash or percent sign inside a part is
	// written %2F or %25. For tokens of the embedded issuer, the ID is the unchanged sub and Issuer is empty, as for
	// people without an issuer in the accounts file.
	Person item.Person
	// Account selects one of the person's accounts; empty when the token selects none.
	Account string
	// Scopes are the scopes of this service that the token holds.
	Scopes []string
	// AppOnly reports whether the token stands for a program instead of a person.
	AppOnly bool
	Expires time.Time
	// Issued is when the token was issued; zero if it does not say.
	Issued time.Time
}

// Has reports whether the identity holds the scope. Service.ReadWrite.All includes Service.Read.All
// (docs/decisions.md 2).
func (i Identity) Has(scope string) bool {
	return slices.ContainsFunc(i.Scopes, func(s string) bool { return s == scope || s == ScopeReadWrite && scope == ScopeRead })
}
