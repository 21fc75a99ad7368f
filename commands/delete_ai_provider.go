package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// Delete deletes an AI provider of the caller's account, and its key
// (docs/decisions.md 7). It refuses while something uses the provider.
func (s *Providers) Delete(ctx context.Context, caller Caller, providerID string) error {
	past := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	return s.changeAsMember(ctx, caller, caller.providerMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, aiprovider.Delete{ProviderID: providerID}); err != nil {
			return err
		}
		id, err := uuid.Parse(providerID)
		if err != nil {
			return err
		}
		c.Queue(s.Keys.Forget(caller.Account, id))
		return nil
	})
}
