package commands

import (
	"time"

	"readiness/domain/account"
	"readiness/domain/item"
)

// CallerOf is the person of the membership as the caller who acts with the token:
// of a call, or of what is started without one. mayWrite says that the token's
// scopes let it start work.
func CallerOf(m account.Membership, token string, expires time.Time, mayWrite bool) Caller {
	return Caller{
		Caller:       item.Caller{Account: m.AccountID, Person: m.Person.Person, Token: token, Access: m.Person.AccessToEach()},
		Role:         m.Person.Role,
		License:      m.Person.License,
		Plan:         m.Plan,
		Settings:     m.Settings,
		MayWrite:     mayWrite,
		TokenExpires: expires,
	}
}
