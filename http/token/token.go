// Package token says who a call is made by. It verifies access tokens (JWT, RS256 or ES256) of configured issuers and of
// the embedded issuer, which exists for one machine (decisions 3). It knows nothing of accounts: whether a person is
// known, and may do what, is decided after it. No token is ever put into an error or a log line.
package token

import (
	"time"

	"readiness/domain/item"
)

// The scopes of the interface (spec 5).
const (
	ScopeRead      = "Service.Read.All"
	ScopeReadWrite = "Service.ReadWrite.All"
)

// MaxSize bounds a token, in bytes.
const MaxSize = 16 << 10

// skew is by how much the clocks of an issuer and of the service may differ (decisions 3).
const skew = 60 * time.Second

// Identity is what a valid token says.
type Identity struct {
	// Person has the id tid/oid, tid/sub or sub, a slash or percent sign within one of them being %2F or %25. When the embedded
	// issuer made the token it has its sub as it is and an empty Issuer, as people of the accounts file without an issuer do.
	Person item.Person
	// Account picks one of the person's accounts; empty when the token picks none.
	Account string
	// Scopes are those of the interface that the token holds.
	Scopes []string
	// AppOnly tokens stand for a program, not for a person.
	AppOnly bool
	Expires time.Time
}

// Has reports whether the identity holds the scope. Service.ReadWrite.All includes Service.Read.All (decisions 2).
func (i Identity) Has(scope string) bool {
	for _, s := range i.Scopes {
		if s == scope || s == ScopeReadWrite && scope == ScopeRead {
			return true
		}
	}
	return false
}
