package wiring

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/definition/dax/evaluate"
	"readiness/domain/comparison"
	"readiness/domain/item"
	"readiness/platform/folder"
)

// SampleQueries runs queries over the sample data of a folder of workspaces. It
// implements work.Queries.
type SampleQueries struct {
	Platform *folder.Platform
	Now      func() time.Time
}

// Rows returns the rows of a query. They name the embedded evaluator.
func (q SampleQueries) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (comparison.ResultSet, error) {
	result, err := q.Platform.Query(ctx, as, workspaceID, modelID, dax, q.Now().UTC())
	if err != nil {
		return comparison.ResultSet{}, err
	}
	set := comparison.ResultSet{Engine: result.Engine, Rows: make([][]comparison.Value, len(result.Rows))}
	for i, row := range result.Rows {
		for _, v := range row {
			set.Rows[i] = append(set.Rows[i], compared(v))
		}
	}
	return set, nil
}

// compared returns a value as it is compared.
func compared(v evaluate.Value) comparison.Value {
	switch v.Kind() {
	case evaluate.Boolean:
		return comparison.Boolean(v.Number() != 0)
	case evaluate.Number:
		return comparison.Number(v.Number())
	case evaluate.DateTime:
		return comparison.Instant(v.Time())
	case evaluate.Text:
		return comparison.Text(v.String())
	case evaluate.Blank:
	}
	return comparison.Value{}
}
