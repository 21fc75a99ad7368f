package projections

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// QuestionWork folds a generation or a saving of benchmark questions from its operation's stream,
// which has a handful of events. The saved questions of a model are in the last event of a separate
// stream, so neither has a table.
func (v *Views) QuestionWork(ctx context.Context, operationID uuid.UUID) (benchmark.QuestionWork, error) {
	work := eventstore.Fold(operation.Stream(operationID), benchmark.EvolveQuestionWork)
	err := v.Store.Load(ctx, work)
	return work.State, err
}
