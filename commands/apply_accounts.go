package commands

import (
	"context"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/eventstore"
)

// AccountChange is what applying a declaration did, or would do, to an account.
type AccountChange struct {
	AccountID string
	// Before is the account before the change. Events are the differences; empty
	// when there are none.
	Before account.Account
	Events []domain.Event
}

// Apply changes each declared account to match its declaration, each in one
// append, in the order given. It stops at the first declaration that is refused;
// earlier ones stay applied, and applying all of them again is safe. Accounts
// without a declaration are not changed.
func (s *Accounts) Apply(ctx context.Context, declarations []account.Declaration) ([]AccountChange, error) {
	var changes []AccountChange
	for _, d := range declarations {
		past := eventstore.FoldCached(account.Stream(d.AccountID), account.Evolve)
		var change AccountChange
		meta := eventstore.Metadata{Account: d.AccountID, Causation: "accounts file"}
		err := s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			change = AccountChange{AccountID: d.AccountID, Before: past.State}
			if err := eventstore.Decide(c, past, account.Apply{Declaration: d, Plans: s.Plans}); err != nil {
				return err
			}
			for _, r := range c.Recorded() {
				change.Events = append(change.Events, r.Event)
			}
			return nil
		})
		if err != nil {
			return changes, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// Diff returns what Apply would do. It changes nothing.
func (s *Accounts) Diff(ctx context.Context, declarations []account.Declaration) ([]AccountChange, error) {
	pasts := make([]*eventstore.Past[account.Account], len(declarations))
	loads := make([]eventstore.Loadable, len(declarations))
	for i, d := range declarations {
		pasts[i] = eventstore.FoldCached(account.Stream(d.AccountID), account.Evolve)
		loads[i] = pasts[i]
	}
	if err := s.Store.Load(ctx, loads...); err != nil {
		return nil, err
	}
	changes := make([]AccountChange, len(declarations))
	for i, d := range declarations {
		events, err := account.Apply{Declaration: d, Plans: s.Plans}.Decide(pasts[i].State)
		if err != nil {
			return nil, err
		}
		changes[i] = AccountChange{d.AccountID, pasts[i].State, events}
	}
	return changes, nil
}
