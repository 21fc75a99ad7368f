package projections

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
)

// Views are the reads that the GET routes make. A row of another account is
// never found.
type Views struct {
	Pool  *pgxpool.Pool
	Store *eventstore.Store
	// Stored reads a document from where results are kept, by its hash; nil is the
	// service's own store. A store of a customer's own may refuse: its capacity is
	// paused.
	Stored func(ctx context.Context, hash string) ([]byte, error)
}

// All are the views of the service, inline ones first.
func All() []*View {
	return []*View{Operations, Assessments, Accounts, TrackedItems, Pixies, Schedules, BenchmarkRuns, AbTests, AbRuns, Activity, PageViews, Audit}
}
