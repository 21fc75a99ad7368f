package commands

import (
	"context"

	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/internal/lists"
)

// AccountChange is what applying a declaration did, or would do, to an account.
type AccountChange struct {
	AccountID string
	// Before is the account before the change. Events are the differences; empty
	// when there are none.
	Before account.Account
	Events []domain.Event
	// Names has the persons in Events, without those who were erased.
	Names map[item.PersonID]item.Person
}

// Apply changes each declared account to match its declaration, each in one
// append, in the order given. It stops at the first declaration that is refused;
// earlier ones stay applied, and applying all of them again is safe. Accounts
// without a declaration are not changed.
func (s *Accounts) Apply(ctx context.Context, declarations []account.Declaration) ([]AccountChange, error) {
	var changes []AccountChange
	for _, d := range declarations {
		ids, unknown, planned, err := s.plan(ctx, d)
		if err != nil {
			return changes, err
		}
		if len(unknown) > 0 { // before the append, so that processes that apply at the same time agree
			claimed, err := s.People.Claim(ctx, d.AccountID, unknown)
			if err != nil {
				return changes, err
			}
			for who, id := range claimed {
				delete(planned.Names, ids[who])
				ids[who], planned.Names[id] = id, who
			}
		}
		change := AccountChange{AccountID: d.AccountID, Names: planned.Names}
		past := eventstore.FoldCached(account.Stream(d.AccountID), account.Evolve)
		meta := eventstore.Metadata{Account: d.AccountID, Causation: "accounts file"}
		err = s.Store.Change(ctx, meta, []eventstore.Loadable{past}, func(c *eventstore.Change) error {
			change.Before, change.Events = past.State, nil
			if err := eventstore.Decide(c, past, account.Apply{Declaration: d, Plans: s.Plans, IDs: ids}); err != nil {
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

// Diff returns what Apply would do. It changes nothing. New persons have other ids
// than Apply will give them.
func (s *Accounts) Diff(ctx context.Context, declarations []account.Declaration) ([]AccountChange, error) {
	changes := make([]AccountChange, len(declarations))
	for i, d := range declarations {
		var err error
		if _, _, changes[i], err = s.plan(ctx, d); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// plan returns what applying the declaration would do, with the ids of its persons and,
// of these, the ones that the account does not know yet.
func (s *Accounts) plan(ctx context.Context, d account.Declaration) (ids, unknown map[item.Person]item.PersonID, change AccountChange,
	err error) {
	past := eventstore.FoldCached(account.Stream(d.AccountID), account.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return nil, nil, change, err
	}
	declared := lists.Map(d.People, func(p account.Person) item.Person { return p.Person })
	if ids, err = s.People.Find(ctx, d.AccountID, declared); err != nil {
		return nil, nil, change, err
	}
	if len(ids) < len(declared) {
		if err := s.People.Check(ctx); err != nil { // else no person would be found, and each would be replaced
			return nil, nil, change, err
		}
	}
	change = AccountChange{AccountID: d.AccountID, Before: past.State, Names: map[item.PersonID]item.Person{}}
	unknown = map[item.Person]item.PersonID{}
	for _, who := range declared {
		if _, known := ids[who]; !known {
			id := item.FormerPersonID(who)
			if _, former := past.State.People.Get(id); !former {
				id = s.People.NewID(who)
			}
			ids[who], unknown[who] = id, id
		}
		change.Names[ids[who]] = who
	}
	if change.Events, err = (account.Apply{Declaration: d, Plans: s.Plans, IDs: ids}).Decide(past.State); err != nil {
		return nil, nil, change, err
	}
	var removed []item.PersonID
	for _, e := range change.Events {
		if r, ok := e.(account.PersonRemoved); ok {
			removed = append(removed, r.Person)
		}
	}
	if len(removed) > 0 {
		names, err := s.People.Names(ctx, d.AccountID, removed...)
		if err != nil {
			return nil, nil, change, err
		}
		for id, who := range names {
			change.Names[id] = who
		}
	}
	return ids, unknown, change, nil
}
