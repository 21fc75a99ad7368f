package commands

import (
	"context"
	"time"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
)

// change is Store.Change of a call: who makes it is one of the account's people
// when it is appended, else it is refused as a stranger's is. An account that the
// log does not know has nobody to lose.
func (s *Service) change(ctx context.Context, who Caller, meta eventstore.Metadata, pasts []eventstore.Loadable, decide func(*eventstore.Change) error) error {
	in := owner(who).Unmoved()
	return s.Store.Change(ctx, meta, append(pasts[:len(pasts):len(pasts)], in), func(c *eventstore.Change) error {
		if err := belongs(in.State, who); err != nil {
			return err
		}
		return decide(c)
	})
}

// belongs refuses a person whom the account does not know any more, and everybody
// of an account that is not active any more.
func belongs(in account.Account, who Caller) error {
	m, known := in.Membership(who.Person)
	switch {
	case !in.Opened:
		return nil
	case !known:
		return account.Stranger(who.Account)
	case m.Status != account.Active:
		return m.NotActive()
	}
	return nil
}

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
