package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/storage/documents"
	"readiness/storage/people"
)

// Views has the queries of the GET routes. They never find a row of another account.
type Views struct {
	Pool  *pgxpool.Pool
	Store *eventstore.Store
	// Standby answers what it has of the history of accounts; nil for none.
	Standby *eventstore.Standby
	// People finds the members among the persons of tokens, and names persons.
	People *people.People
	// Documents are the stored results.
	Documents *documents.Store
	// Stored reads a document by its hash from the store of results; nil means the service's own
	// store. A customer's store may return an error, for example when its capacity is paused.
	Stored func(ctx context.Context, hash string) ([]byte, error)
}

// All returns the views of the service, inline ones first.
func All() []*View {
	return []*View{Operations, Assessments, Failures, Writes, Accounts, TrackedItems, Pixies, Schedules, ModelNotes, BenchmarkRuns, AbTests, AbRuns, Activity,
		PageViews, Audit}
}

// collect returns the rows of a query. doing says in an error what failed.
func collect[T any](ctx context.Context, v *Views, doing string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, _ := v.Pool.Query(ctx, sql, args...) // its error is that of CollectRows
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("projections: %s: %w", doing, err)
	}
	return all, nil
}

// one returns the row of a query, and false if there is none.
func one[T any](ctx context.Context, v *Views, doing string, scan pgx.RowToFunc[T], sql string, args ...any) (row T, found bool, err error) {
	rows, _ := v.Pool.Query(ctx, sql, args...)
	row, err = pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, false, nil
	}
	if err != nil {
		return row, false, fmt.Errorf("projections: %s: %w", doing, err)
	}
	return row, true, nil
}
