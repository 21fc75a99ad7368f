package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/auditview"
	"readiness/domain/schedule"
	"readiness/internal/database"
	"readiness/storage/deliveries"
	"readiness/storage/vault"
)

// Accounts are the commands on accounts.
type Accounts struct {
	*core
	Permissions Permissions
	ViewNames   []string
	// HeadOf returns the signed head that a time stands for, or the first that covers a position; nil if there is none. It is set
	// later, like the platform.
	HeadOf func(ctx context.Context, at auditview.Moment) (*auditview.Head, error)
}

// Workspaces looks up workspaces and the items in them, as the caller. Listings
// also record what they reveal about tracked items.
type Workspaces struct{ *core }

// Assessments are the commands on assessments of semantic models and data agents.
type Assessments struct {
	*core
	DropDocuments func(queue func(database.Statement), hashes []string)
}

// Optimizations are the commands on previews, applies and reverts, of one kind or
// bundled. Recorder records their outcomes.
type Optimizations struct {
	*core
	LatestAssessment func(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error)
	Recorder         Recorder
}

// ModelNotes are the commands on the owners of semantic models and on the notes about them.
type ModelNotes struct{ *core }

// Benchmarks are the commands on benchmark questions and benchmark runs. Runs
// records the outcomes of runs, standalone or sides of an A/B run.
type Benchmarks struct {
	*core
	Runs Runs
	// Reusing returns the A/B runs of the account that took the stored run for side A, from the view.
	Reusing func(ctx context.Context, accountID string, runID uuid.UUID) ([]uuid.UUID, error)
}

// ABTests are the commands on A/B tests and their runs.
type ABTests struct {
	*core
	benchmarks *Benchmarks
}

// Pixies are the commands on the Pixies of reports and on the page views that
// Pixies report.
type Pixies struct {
	*core
	CollectorURL string
}

// Schedules are the commands on the schedules of assessments.
type Schedules struct {
	*core
	assessments *Assessments
	Schedule    func(ctx context.Context, accountID string, id uuid.UUID) (schedule.Schedule, bool, error)
	DueSlots    func(ctx context.Context, now time.Time, after schedule.Slot, limit int) ([]schedule.Slot, error)
}

// Providers are the commands on AI providers. It also finds the provider to ask,
// with its key (docs/decisions.md 7): the settings that Get, ForPurpose and
// Proposing return serve one piece of work and must not be stored.
type Providers struct {
	*core
	Keys   *vault.Credentials
	Tester ProviderTester
}

// Webhooks are the commands on webhooks and on their deliveries.
type Webhooks struct {
	*core
	// Secrets stores their addresses and secrets, beside the keys of AI providers.
	Secrets *vault.Credentials
	Rows    deliveries.Rows
}

// Operations are the commands on operations of every type.
type Operations struct {
	*core
	optimizations *Optimizations
	benchmarks    *Benchmarks
	abTests       *ABTests
	Overdue       func(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
}
