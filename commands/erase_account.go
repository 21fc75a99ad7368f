package commands

import (
	"context"

	"readiness/domain/account"
	"readiness/eventstore"
	"readiness/internal/database"
)

// EraseAccount closes an account for good: it deletes the key of the account's texts and records that, in one append, and nothing is
// appended for the account after it. It reports whether it recorded anything: repeated, it does not. What the account has outside of the
// log is deleted afterwards.
func (s *Accounts) EraseAccount(ctx context.Context, accountID string) (recorded bool, err error) {
	past := eventstore.FoldCached(account.Stream(accountID), account.Evolve)
	meta := eventstore.Metadata{Account: accountID, Causation: "accounts erase"}
	err = s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, account.Erase{AccountID: accountID}); err != nil {
			return err
		}
		c.Alone()
		sql, args := s.Store.Keys.Forget(accountID)
		c.Queue(database.Statement{SQL: sql, Args: args})
		recorded = len(c.Recorded()) > 0
		return nil
	})
	return recorded && err == nil, err
}
