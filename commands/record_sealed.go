package commands

import (
	"context"

	"github.com/jackc/pgx/v5"

	"readiness/domain/account"
	"readiness/eventstore"
)

// RecordSealed records the head of an account's tree on the account's stream. mark is part of the same transaction and undoes it with an
// error.
func (s *Accounts) RecordSealed(ctx context.Context, accountID string, head account.Seal, mark func(context.Context, pgx.Tx) error) error {
	past := eventstore.FoldCached(account.Stream(accountID), account.Evolve)
	meta := eventstore.Metadata{Account: accountID, Causation: "audit tree"}
	return s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		c.InTx(mark)
		return eventstore.Decide(c, past, head)
	})
}
