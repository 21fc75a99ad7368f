package projections

import (
	"context"

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
	return []*View{Operations, Assessments, Failures, Writes, Accounts, TrackedItems, Pixies, Schedules, BenchmarkRuns, AbTests, AbRuns, Activity,
		PageViews, Audit}
}
