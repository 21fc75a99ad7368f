package projections

import (
	"context"

	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// AIProviders folds the saved AI providers of an account from their one stream,
// which grows with what administrators change and with what begins and ends to
// use them.
func (v *Views) AIProviders(ctx context.Context, accountID string) (aiprovider.Providers, error) {
	past := eventstore.FoldKept(aiprovider.Stream(accountID), aiprovider.Evolve)
	err := v.Store.Load(ctx, past)
	return past.State, err
}
