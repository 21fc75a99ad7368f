// Package commands carries out commands. A command looks up what a call names as
// the caller and lets the domain decide; events and the work that follows are
// committed in one transaction. Each resource has one type, whose methods are its
// commands; core holds what several resources need. Each file holds one command. No
// command changes the platform inside a database transaction.
package commands

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/definition"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/readiness"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/processors"
	"readiness/storage/deliveries"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
)

// Platform is the analytics platform as commands need it, acting as the signed-in
// person. It refuses what the person cannot see exactly like what does not exist,
// and checks the workspace before the items in it. Every error is a *domain.Refusal
// or a fault.
type Platform interface {
	Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error)
	Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error)
	Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error)
	Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error)
	Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error)
	Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error)
	// Usable refuses items of one workspace and type, as the look-ups return them, that the platform withholds from the service or, if
	// writes is true, from being written, with the platform's reason.
	Usable(ctx context.Context, as item.Caller, writes bool, items ...item.Item) error
	// Definition reads an item; only the item's ids and type are required.
	Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
}

// Permissions reports the signed-in person's access to each of the four platform
// permissions, as of now. A permission missing from the result could not be
// determined.
type Permissions interface {
	Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
}

// Jobs enqueues steps of the work of a call in the transaction that accepts them.
type Jobs interface {
	Assess(ctx context.Context, tx pgx.Tx, of Origin, steps []assessment.Step) error
	Optimize(ctx context.Context, tx pgx.Tx, of Origin, step optimization.Step) error
	ChangePixies(ctx context.Context, tx pgx.Tx, of Origin, steps []pixies.Step) error
	Ask(ctx context.Context, tx pgx.Tx, of Origin, step benchmark.Step) error
	MakeQuestions(ctx context.Context, tx pgx.Tx, of Origin, step benchmark.QuestionStep) error
	ListView(ctx context.Context, tx pgx.Tx, of Origin) error
	// Rest returns what enqueues the steps that are left of an operation when it continues, in the transaction that records
	// that it does.
	Rest(ctx context.Context, of Origin, plan account.Plan) (func(ctx context.Context, tx pgx.Tx) error, error)
}

// Caller is the signed-in person of a call, with what their account allowed them to
// do when the call arrived, according to the account's view.
type Caller struct {
	item.Caller
	Role     account.Role
	License  string
	Plan     account.Plan
	Settings account.Settings
	// MayWrite reports whether the token's scopes allow starting work.
	MayWrite  bool
	RequestID string
	Trace     string
	// TokenExpires is when Token stops being accepted, and TokenIssued when it was issued; zero if it does not say.
	TokenExpires, TokenIssued time.Time
	// Key makes a call that starts work repeatable (docs/decisions.md 2); nil
	// without an Idempotency-Key header.
	Key *IdempotencyKey
}

// Accepted is a call whose work was accepted.
type Accepted struct {
	OperationID uuid.UUID
	// Replayed reports that an earlier call with the same key was accepted, and
	// this call did nothing.
	Replayed bool
}

// Options are what the commands need from the rest of the program.
type Options struct {
	Pool        *pgxpool.Pool
	Store       *eventstore.Store
	Documents   *documents.Store
	Platform    Platform
	Permissions Permissions
	Jobs        Jobs
	Vault       *vault.Vault
	People      *people.People
	// Keys stores the keys of AI providers, and the addresses and secrets of webhooks.
	Keys  *vault.Credentials
	Plans account.Plans
	// Regime is the scoring regime of new runs of accounts without a rules file; nil means the current one.
	Regime *readiness.Regime
	Now    func() time.Time
	NewID  func() uuid.UUID
	// Life is the process that handles calls; it owns the idempotency keys of
	// the calls in flight.
	Life *database.Life
	// TrackedIn returns the account's tracked items of a type in a workspace,
	// from the view. Decisions about an item use its stream instead.
	TrackedIn func(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error)
	// LatestAssessment returns the newest stored assessment of a model in the
	// account; false when there is none.
	LatestAssessment func(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error)
	// Reusing returns the A/B runs of the account that took a stored benchmark run for side A, from the view.
	Reusing func(ctx context.Context, accountID string, runID uuid.UUID) ([]uuid.UUID, error)
	// Overdue returns operations whose deadline to wait for their owner has
	// passed at now, from the view.
	Overdue func(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Tester makes the test calls to AI providers.
	Tester ProviderTester
	// Schedule returns a schedule of the account. DueSlots returns slots, of all
	// accounts, that are due at now, earliest first, starting behind after. Both
	// read the view; decisions about a schedule use its stream.
	Schedule func(ctx context.Context, accountID string, id uuid.UUID) (schedule.Schedule, bool, error)
	DueSlots func(ctx context.Context, now time.Time, after schedule.Slot, limit int) ([]schedule.Slot, error)
	// DropDocuments queues the deletion of those documents that no stored
	// assessment refers to any longer.
	DropDocuments func(queue func(database.Statement), hashes []string)
	// ViewNames are the names of the views.
	ViewNames []string
	// CollectorURL is the service's own collector: where Pixies are loaded from
	// in a workspace whose tracking setup names no other.
	CollectorURL string
}

// Commands are the commands on all resources. They share one core: its fields, such
// as Platform and Jobs, may be set until the first command runs.
type Commands struct {
	*core
	Accounts      *Accounts
	Workspaces    *Workspaces
	Assessments   *Assessments
	ModelNotes    *ModelNotes
	Optimizations *Optimizations
	Benchmarks    *Benchmarks
	ABTests       *ABTests
	Pixies        *Pixies
	Schedules     *Schedules
	Providers     *Providers
	Webhooks      *Webhooks
	Operations    *Operations
	Keys          *IdempotencyKeys
}

// New returns the commands. A command that needs an option that is not set panics.
func New(o Options) *Commands {
	keys := &IdempotencyKeys{Pool: o.Pool, Now: o.Now, NewID: o.NewID, Life: o.Life}
	core := &core{
		Pool: o.Pool, Store: o.Store, Documents: o.Documents, Platform: o.Platform, TrackedIn: o.TrackedIn, Plans: o.Plans,
		Regime: o.Regime, Regimes: newRegimes(), Jobs: o.Jobs, Vault: o.Vault, People: o.People, Now: o.Now, NewID: o.NewID, keys: keys,
		processors: processors.Half(),
	}
	assessments := &Assessments{core: core, DropDocuments: o.DropDocuments}
	optimizations := &Optimizations{core: core, LatestAssessment: o.LatestAssessment,
		Recorder: Recorder{Store: o.Store, Vault: o.Vault, Now: o.Now}}
	benchmarks := &Benchmarks{core: core, Runs: Runs{Store: o.Store, Vault: o.Vault, Now: o.Now}, Reusing: o.Reusing}
	abTests := &ABTests{core: core, benchmarks: benchmarks}
	return &Commands{
		core:          core,
		Accounts:      &Accounts{core: core, Permissions: o.Permissions, ViewNames: o.ViewNames},
		Workspaces:    &Workspaces{core: core},
		Assessments:   assessments,
		ModelNotes:    &ModelNotes{core},
		Optimizations: optimizations,
		Benchmarks:    benchmarks,
		ABTests:       abTests,
		Pixies:        &Pixies{core: core, CollectorURL: o.CollectorURL},
		Schedules:     &Schedules{core: core, assessments: assessments, Schedule: o.Schedule, DueSlots: o.DueSlots},
		Providers:     &Providers{core: core, Keys: o.Keys, Tester: o.Tester},
		Webhooks:      &Webhooks{core: core, Secrets: o.Keys, Rows: deliveries.Rows{Pool: o.Pool}},
		Operations:    &Operations{core: core, optimizations: optimizations, benchmarks: benchmarks, abTests: abTests, Overdue: o.Overdue},
		Keys:          keys,
	}
}
