package projections

import (
	"context"

	"readiness/domain/webhook"
	"readiness/eventstore"
)

// Webhooks folds the webhooks of an account from their stream, which grows with administrators' changes.
func (v *Views) Webhooks(ctx context.Context, accountID string) (webhook.Webhooks, error) {
	past := eventstore.FoldCached(webhook.Stream(accountID), webhook.Evolve)
	err := v.Store.Load(ctx, past)
	return past.State, err
}
