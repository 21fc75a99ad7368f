package projections

import (
	"context"

	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// AIProviders folds the saved AI providers of an account from their stream. The stream grows with
// administrators' changes and with each start and end of their use.
func (v *Views) AIProviders(ctx context.Context, accountID string) (aiprovider.Providers, error) {
	past := eventstore.FoldCached(aiprovider.Stream(accountID), aiprovider.Evolve)
	err := v.Store.Load(ctx, past)
	return past.State, err
}
