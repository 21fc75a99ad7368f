package token

import (
	"errors"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"readiness/domain/item"
)

// claims are the members of a token that are read.
type claims struct {
	jwt.RegisteredClaims
	Scope  *string `json:"scp,omitempty"` // nil is not the same as none: see appOnly
	Roles  any     `json:"roles,omitempty"`
	IDType string  `json:"idtyp,omitempty"`
	Tenant string  `json:"tid,omitempty"`
	Object string  `json:"oid,omitempty"`
	// Account is the embedded issuer's own claim: which of the person's accounts the call is for.
	Account string `json:"account,omitempty"`
}

var errNoPerson = errors.New("the token names no person")

// Validate implements jwt.ClaimsValidator.
func (c claims) Validate() error {
	if c.Subject == "" && (c.Tenant == "" || c.Object == "") {
		return errNoPerson
	}
	return nil
}

// appOnly reports whether the token stands for a program (decisions 3).
func (c claims) appOnly() bool { return c.IDType == "app" || c.Scope == nil && c.Roles != nil }

// person is the person's id at their issuer: never an e-mail address.
func (c claims) person() string {
	switch {
	case c.Tenant == "":
		return c.Subject
	case c.Object == "":
		return c.Tenant + "/" + c.Subject
	default:
		return c.Tenant + "/" + c.Object
	}
}

func (c claims) identity(issuer string) Identity {
	id := Identity{
		Person:  item.Person{Issuer: issuer, ID: c.person()},
		Account: c.Account,
		AppOnly: c.appOnly(),
		Expires: c.ExpiresAt.UTC(),
	}
	if c.Scope != nil {
		for _, scope := range []string{ScopeRead, ScopeReadWrite} {
			if slices.Contains(strings.Fields(*c.Scope), scope) {
				id.Scopes = append(id.Scopes, scope)
			}
		}
	}
	return id
}
