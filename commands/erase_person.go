package commands

import (
	"context"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/person"
	"readiness/eventstore"
)

// ErasePerson deletes who the person of the id is, removes them from the account, and
// records both, in one append. It reports whether it recorded anything: repeated, it
// does not, but deletes the row that a restored database may hold again.
func (s *Accounts) ErasePerson(ctx context.Context, accountID string, id item.PersonID) (recorded bool, err error) {
	erased := eventstore.Fold(person.Stream(accountID, id), person.Evolve)
	in := eventstore.FoldCached(account.Stream(accountID), account.Evolve)
	meta := eventstore.Metadata{Account: accountID, Causation: "people erase"}
	err = s.Store.Change(ctx, meta, []eventstore.Loadable{erased, in}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, erased, person.Erase{PersonID: id}); err != nil {
			return err
		}
		if err := eventstore.Decide(c, in, account.RemovePerson{PersonID: id}); err != nil {
			return err
		}
		c.Queue(s.People.Erase(accountID, id))
		recorded = len(c.Recorded()) > 0
		return nil
	})
	return recorded && err == nil, err
}
