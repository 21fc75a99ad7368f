package projections

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/eventstore"
)

// Work folds a preview, an apply or a revert from its operation's stream, which has a dozen events at
// most.
func (v *Views) Work(ctx context.Context, operationID uuid.UUID) (optimization.Work, error) {
	past := eventstore.Fold(operation.Stream(operationID), optimization.Evolve)
	err := v.Store.Load(ctx, past)
	return past.State, err
}

// Bundle folds a bundle from its operation's stream, which has a few events per kind.
func (v *Views) Bundle(ctx context.Context, operationID uuid.UUID) (optimization.Bundle, error) {
	past := eventstore.Fold(operation.Stream(operationID), optimization.EvolveBundle)
	err := v.Store.Load(ctx, past)
	return past.State, err
}
