package commands

import (
	"context"

	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// Save adds an AI provider to the caller's account and returns it
// (docs/decisions.md 7); a zero key means that it has none. The provider is tested
// first. One that cannot be reached is saved only with anyway, one that answers with an
// error in any case.
func (s *Providers) Save(ctx context.Context, caller Caller, of aiprovider.Configuration, key aiprovider.Key,
	anyway bool) (aiprovider.Provider, error) {
	id := s.NewID()
	of.ProviderID = id.String()
	save := aiprovider.Save{Configuration: of, HasKey: !key.IsZero(), Anyway: anyway, At: instant(s.Now)}
	past := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return aiprovider.Provider{}, err
	}
	p, err := save.Outcome(past.State)
	if err != nil {
		return p, err
	}
	observed, err := s.testCall(ctx, caller, p, key)
	if err != nil {
		return p, err
	}
	save.Observed = &observed
	err = s.changeAsMember(ctx, caller, caller.providerMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, save); err != nil {
			return err
		}
		if save.HasKey {
			c.Queue(s.Keys.Put(caller.Account, id, key.Reveal()))
		}
		return nil
	})
	p, _ = past.State.Find(of.ProviderID)
	return p, err
}
