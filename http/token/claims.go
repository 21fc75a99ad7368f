package token

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"readiness/domain/item"
)

// claims are the claims of a token that the service reads.
type claims struct {
	jwt.RegisteredClaims
	Scope  *string `json:"scp,omitempty"` // nil (no claim) differs from empty: see appOnly
	Roles  any     `json:"roles,omitempty"`
	IDType string  `json:"idtyp,omitempty"`
	Tenant string  `json:"tid,omitempty"`
	Object string  `json:"oid,omitempty"`
	// Account is a claim of the embedded issuer only: which of the person's accounts the call is for.
	Account string `json:"account,omitempty"`
}

// claimNames are the JSON names of the fields of claims.
var claimNames = []string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "scp", "roles", "idtyp", "tid", "oid", "account"}

// UnmarshalJSON implements json.Unmarshaler. Claim names are case-sensitive (RFC 7519, 4), but encoding/json matches
// them case-insensitively. Some issuers let people choose custom claims, and a custom claim OID must not become the
// oid.
func (c *claims) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(claimNames, name) })
	exact, err := json.Marshal(all)
	if err != nil {
		return err
	}
	type plain claims
	return json.Unmarshal(exact, (*plain)(c))
}

var errNoPerson = errors.New("the token names no person")

// Validate implements jwt.ClaimsValidator.
func (c claims) Validate() error {
	if c.Subject == "" && (c.Tenant == "" || c.Object == "") {
		return errNoPerson
	}
	// PostgreSQL cannot store NUL in text, so no person or account has such an id.
	if strings.ContainsRune(c.Subject+c.Tenant+c.Object+c.Account, 0) {
		return jwt.ErrTokenMalformed
	}
	return nil
}

// appOnly reports whether the token stands for a program (docs/decisions.md 3).
func (c claims) appOnly() bool { return c.IDType == "app" || c.Scope == nil && c.Roles != nil }

// escapeSegment escapes the separator within one segment of a person's id.
var escapeSegment = strings.NewReplacer("%", "%25", "/", "%2F")

// person returns the person's id at their issuer, which is never an e-mail address.
func (c claims) person() string {
	if c.Issuer == EmbeddedIssuer {
		return c.Subject
	}
	if c.Tenant == "" {
		return escapeSegment.Replace(c.Subject)
	}
	return escapeSegment.Replace(c.Tenant) + "/" + escapeSegment.Replace(cmp.Or(c.Object, c.Subject))
}

// identity returns the identity that the claims describe. People of the embedded issuer have an empty Issuer.
func (c claims) identity() Identity {
	issuer := c.Issuer
	if issuer == EmbeddedIssuer {
		issuer = ""
	}
	id := Identity{
		Person:  item.Person{Issuer: issuer, ID: c.person()},
		Account: c.Account,
		AppOnly: c.appOnly(),
		Expires: c.ExpiresAt.UTC(),
	}
	if c.IssuedAt != nil {
		id.Issued = c.IssuedAt.UTC()
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
