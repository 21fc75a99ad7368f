package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
)

// changeAsMember is Store.Change for a call. It refuses the caller as a stranger
// unless they are a member of the account at the time of the append. An account
// that is not in the log has no members to check.
func (s *core) changeAsMember(ctx context.Context, caller Caller, meta eventstore.Metadata, pasts []eventstore.Loadable,
	decide func(*eventstore.Change) error) error {
	in := pastAccount(caller).Guarded()
	return s.Store.Change(ctx, meta, append(pasts[:len(pasts):len(pasts)], in), func(c *eventstore.Change) error {
		if err := checkMember(in.State, caller); err != nil {
			return err
		}
		return decide(c)
	})
}

// checkMember refuses a person who is no longer a member of the account, and every
// member of an account that is no longer active.
func checkMember(in account.Account, caller Caller) error {
	m, known := in.Membership(caller.PersonID)
	switch {
	case !in.Opened:
		return nil
	case !known:
		return account.NotAMember(caller.Account)
	case m.Status != account.Active:
		return m.NotActive()
	}
	return nil
}

// CallerOf returns the person of the membership as a caller who acts with the
// token, for a call or for work started without one. mayWrite reports whether the
// token's scopes allow starting work.
func CallerOf(m account.Membership, token string, expires time.Time, mayWrite bool) Caller {
	return Caller{
		Caller:       item.Caller{Account: m.AccountID, PersonID: m.Person.Person, Token: token, Access: m.Person.AccessToEach()},
		Role:         m.Person.Role,
		License:      m.Person.License,
		Plan:         m.Plan,
		Settings:     m.Settings,
		MayWrite:     mayWrite,
		TokenExpires: expires,
	}
}

// metadata returns the origin that every event of a call records.
func (caller Caller) metadata(operationID uuid.UUID) eventstore.Metadata {
	return caller.origin(operationID).Metadata()
}
