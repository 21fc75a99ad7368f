package wiring

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/platform/fabric"
	"readiness/platform/fabric/rowsets"
	"readiness/platform/folder"
	"readiness/platform/union"
)

// SampleQueries runs queries over the sample data of a folder of workspaces. It
// implements work.Queries.
type SampleQueries struct {
	Platform *folder.Platform
	Now      func() time.Time
}

// Rows returns the rows of a query. They name the embedded evaluator.
func (q SampleQueries) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	result, err := q.Platform.Query(ctx, as, workspaceID, modelID, dax, q.Now().UTC())
	if err != nil {
		return verdict.ResultSet{}, err
	}
	return verdict.Evaluated(result), nil
}

// FabricQueries runs queries on Microsoft Fabric as the person. It implements work.Queries.
type FabricQueries struct{ Platform *fabric.Platform }

// Rows returns the rows of a query.
func (q FabricQueries) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	result, err := q.Platform.Query(ctx, as, workspaceID, modelID, dax)
	if err != nil {
		return verdict.ResultSet{}, err
	}
	set := verdict.ResultSet{Truncated: result.Cut, Rows: make([][]verdict.Value, len(result.Values))}
	for i, row := range result.Values {
		for _, v := range row {
			set.Rows[i] = append(set.Rows[i], given(v))
		}
	}
	return set, nil
}

// instants are how the platform writes dates in JSON. It gives no types there, so a text of this form counts as one.
var instants = []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z"}

// given returns a value of the platform as it is compared.
func given(v any) verdict.Value {
	switch v := v.(type) {
	case bool:
		return verdict.Boolean(v)
	case json.Number:
		if number, err := v.Float64(); err == nil {
			return verdict.Number(number)
		}
		return verdict.Text(v.String())
	case rowsets.Exact:
		return verdict.Exact(string(v))
	case float64:
		return verdict.Number(v)
	case time.Time:
		return verdict.Instant(v)
	case string:
		for _, layout := range instants {
			if at, err := time.Parse(layout, v); err == nil {
				return verdict.Instant(at)
			}
		}
		return verdict.Text(v)
	}
	return verdict.Value{}
}

// UnionQueries runs queries where a workspace is: over the sample data of the folder, or on Microsoft Fabric.
type UnionQueries struct {
	Union  *union.Platform
	Folder SampleQueries
	Fabric FabricQueries
}

// Rows returns the rows of a query.
func (q UnionQueries) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	here, err := q.Union.InFolder(ctx, as, workspaceID)
	switch {
	case err != nil:
		return verdict.ResultSet{}, err
	case here:
		return q.Folder.Rows(ctx, as, workspaceID, modelID, dax)
	}
	return q.Fabric.Rows(ctx, as, workspaceID, modelID, dax)
}
