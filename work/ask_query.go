package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/internal/pace"
)

// A query that runs longer, or has more rows, is never compared, whatever the platform.
const (
	queryTimeout = 10 * time.Second
	maxQueryRows = 100_000
	// queryTries is how many times a query is tried while the platform has no room for it.
	queryTries = 4
)

// Rows runs a query as the person, within a time. If the platform has no room for the query, it waits and tries again.
func (o Options) Rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	if o.Queries == nil {
		return verdict.ResultSet{}, domain.Refuse(domain.OperationNotSupportedForItem, "the platform runs no queries")
	}
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(ctx, queryTimeout)
		rows, err := o.Queries.Rows(limited, as, workspaceID, modelID, dax)
		cancel()
		refusal, refused := domain.Refused(err)
		full := refused && refusal.Code == domain.PlatformUnavailable && refusal.RetryAfter > 0
		if !full || try == queryTries || o.pause(ctx, refusal.RetryAfter) != nil {
			return rows, err
		}
	}
}

// pause waits for a time. It returns early with ctx's error.
func (o Options) pause(ctx context.Context, d time.Duration) error {
	if o.Wait != nil {
		return o.Wait(ctx, d)
	}
	return pace.Wait(ctx, d)
}

// queried is the result of a query: rows, or why there are none to compare; neither if the query was not made.
type queried struct {
	rows *verdict.ResultSet
	none string
}

// query runs a query for a verdict, which uses other methods if there are no rows.
func (s *side) query(ctx context.Context, dax string) queried {
	if s.Queries == nil || dax == "" {
		return queried{}
	}
	rows, err := s.Rows(ctx, s.as, s.of.WorkspaceID, s.of.SemanticModelID, dax)
	if err == nil && len(rows.Rows) > maxQueryRows {
		err = fmt.Errorf("the query returned %d rows; at most %d are compared", len(rows.Rows), maxQueryRows)
	}
	refusal, refused := domain.Refused(err)
	why := ""
	switch {
	case err == nil && rows.Truncated:
		return queried{&rows, "the platform cut them off"}
	case err == nil:
		return queried{rows: &rows}
	case refused && refusal.Code == domain.OperationNotSupportedForItem: // it runs none on this model
		return queried{}
	case refused:
		why = shortened(refusal.Message)
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf("there were none within %s", queryTimeout)
	}
	s.Log.Info("a query of a benchmark run failed", "operationId", s.step.OperationID, "error", err)
	return queried{none: cmp.Or(why, "it could not be run")}
}
