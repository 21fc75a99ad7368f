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

// claimNames are the names of what claims hold.
var claimNames = []string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "scp", "roles", "idtyp", "tid", "oid", "account"}

// UnmarshalJSON implements json.Unmarshaler. Names of claims are case-sensitive (RFC 7519, 4), which encoding/json is not:
// a claim OID that an issuer lets people choose themselves must not become their oid.
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
	// No database holds the character NUL in a text, so nobody is called so.
	if strings.ContainsRune(c.Subject+c.Tenant+c.Object+c.Account, 0) {
		return jwt.ErrTokenMalformed
	}
	return nil
}

// appOnly reports whether the token stands for a program (decisions 3).
func (c claims) appOnly() bool { return c.IDType == "app" || c.Scope == nil && c.Roles != nil }

// oneName keeps a part of a person's id from looking like two.
var oneName = strings.NewReplacer("%", "%25", "/", "%2F")

// person is the person's id at their issuer: never an e-mail address.
func (c claims) person() string {
	if c.Issuer == EmbeddedIssuer {
		return c.Subject
	}
	if c.Tenant == "" {
		return oneName.Replace(c.Subject)
	}
	return oneName.Replace(c.Tenant) + "/" + oneName.Replace(cmp.Or(c.Object, c.Subject))
}

// identity is whom the claims name, the embedded issuer's people by no issuer.
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
	if c.Scope != nil {
		for _, scope := range []string{ScopeRead, ScopeReadWrite} {
			if slices.Contains(strings.Fields(*c.Scope), scope) {
				id.Scopes = append(id.Scopes, scope)
			}
		}
	}
	return id
}
