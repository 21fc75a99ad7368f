package projections

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/internal/coalesce"
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

	members    coalesce.Trips[item.Person, []account.Membership]
	operations coalesce.Trips[uuid.UUID, *Operation]
}

// tripTimeout bounds a query that several callers wait for.
const tripTimeout = 10 * time.Second

// All are the views of the service, inline ones first.
func All() []*View {
	return []*View{Operations, Assessments, Accounts, TrackedItems, Pixies, Schedules, BenchmarkRuns, AbTests, AbRuns, Activity, PageViews}
}
