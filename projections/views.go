package projections

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
)

// Views are the reads that the GET routes make. A row of another account is
// never found.
type Views struct {
	Pool  *pgxpool.Pool
	Store *eventstore.Store
}

// All are the views of the service, inline ones first.
func All() []*View {
	return []*View{Operations, Assessments, Accounts, TrackedItems, Pixies, Schedules, BenchmarkRuns, AbTests, AbRuns, Activity, PageViews}
}
