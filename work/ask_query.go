package work

import (
	"context"
	"fmt"
	"time"

	"readiness/domain"
	"readiness/domain/comparison"
)

// A query that runs longer, or has more rows, is never compared, whatever the platform.
const (
	queryTimeout = 10 * time.Second
	maxQueryRows = 100_000
	// queryTries is how often a query is made that the platform has no room for.
	queryTries = 4
)

// queried returns the result of a query; nil if it was not run or failed. The
// verdict then uses other methods. A query for which the platform has no room now
// is made again when it has.
func (s *side) queried(ctx context.Context, dax string) *comparison.ResultSet {
	if s.Queries == nil || dax == "" {
		return nil
	}
	var rows comparison.ResultSet
	var err error
	for range queryTries {
		rows, err = s.query(ctx, dax)
		refusal, refused := domain.Refused(err)
		if !refused || refusal.Code != domain.PlatformUnavailable || refusal.RetryAfter <= 0 || !s.passed(ctx, refusal.RetryAfter) {
			break
		}
	}
	if domain.IsRefused(err, domain.OperationNotSupportedForItem) { // it runs none on this model
		return nil
	}
	if err != nil {
		s.Log.Info("a query of a benchmark run failed", "operationId", s.step.OperationID, "error", err)
		return nil
	}
	return &rows
}

// query runs a query once.
func (s *side) query(ctx context.Context, dax string) (comparison.ResultSet, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	rows, err := s.Queries.Rows(ctx, s.as, s.of.WorkspaceID, s.of.SemanticModelID, dax)
	if err == nil && len(rows.Rows) > maxQueryRows {
		err = fmt.Errorf("work: a query has %d rows; at most %d are compared", len(rows.Rows), maxQueryRows)
	}
	return rows, err
}

// passed waits for a time and reports whether it passed before ctx ended.
func (*side) passed(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
