// Package commands carries commands out: it looks up what a call names as the
// caller, lets the domain decide, appends the events and enqueues the work that
// follows, all or nothing. One file holds one command. Effects on the platform
// never happen inside a database transaction.
package commands

import (
	"context"
	"fmt"
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
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/vault"
)

// Platform is the analytics platform as commands need it, acting as the
// signed-in person. What the person cannot see is refused exactly like what
// does not exist, the workspace before what is in it. Every error is a
// *domain.Refusal or a fault.
type Platform interface {
	Workspaces(ctx context.Context, as item.Caller) ([]item.Workspace, error)
	Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error)
	Items(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type) ([]item.Item, error)
	Item(ctx context.Context, as item.Caller, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (item.Item, error)
	Reports(ctx context.Context, as item.Caller, workspaceID uuid.UUID) ([]item.WorkspaceReport, error)
	Capacity(ctx context.Context, as item.Caller, workspaceID uuid.UUID) (item.CapacityState, error)
	// Definition reads an item; only its ids and type need be given.
	Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
}

// Permissions says how the signed-in person of a call stands to each of the four
// platform permissions, as of now (spec 2.4, 4.3). What it does not say could
// not be found out.
type Permissions interface {
	Access(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
}

// Jobs enqueues steps of work in the transaction that accepts them.
type Jobs interface {
	Assess(ctx context.Context, tx pgx.Tx, steps []assessment.Step) error
	Optimize(ctx context.Context, tx pgx.Tx, steps ...optimization.Step) error
	ChangePixies(ctx context.Context, tx pgx.Tx, steps []pixies.Step) error
	Ask(ctx context.Context, tx pgx.Tx, step benchmark.Step) error
	MakeQuestions(ctx context.Context, tx pgx.Tx, step benchmark.QuestionStep) error
}

// Caller is the signed-in person of a call, with what their account lets them
// do as the account's view said when the call came in.
type Caller struct {
	item.Caller
	Role     account.Role
	License  string
	Plan     account.Plan
	Settings account.Settings
	Scopes   []string
	// MayWrite says that the token's scopes let it start work.
	MayWrite  bool
	RequestID string
	Trace     string
	// TokenExpires is when Token stops being accepted.
	TokenExpires time.Time
	// Key makes a call that starts work repeatable (decisions 2); nil without
	// an Idempotency-Key header.
	Key *IdempotencyKey
}

// Accepted is a call whose work was accepted.
type Accepted struct {
	OperationID uuid.UUID
	// Replayed says that an earlier call with the same key was accepted and
	// this one did nothing.
	Replayed bool
}

// Service carries commands out. All fields are set by the program.
type Service struct {
	Pool        *pgxpool.Pool
	Store       *eventstore.Store
	Platform    Platform
	Permissions Permissions
	// TrackedIn returns the account's tracked items of a type in a workspace as
	// the view last saw them; what is decided of one is decided from its stream.
	TrackedIn func(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error)
	// LatestAssessment returns the newest stored assessment of a model in the
	// account; false when it has none.
	LatestAssessment func(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error)
	// Overdue returns operations that have waited for their owner until now or
	// longer, as the view last saw them.
	Overdue func(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Providers are the AI providers of accounts.
	Providers Providers
	// Tester makes their test calls.
	Tester ProviderTester
	// Schedule returns a schedule of the account, and DueSlots slots of every
	// account's that are due at now, the earliest first, after the one given, as
	// the view last saw them; what is decided of one is decided from its stream.
	Schedule func(ctx context.Context, accountID string, id uuid.UUID) (schedule.Schedule, bool, error)
	DueSlots func(ctx context.Context, now time.Time, after schedule.Slot, limit int) ([]schedule.Slot, error)
	// DropDocuments queues what deletes those of the documents that no stored
	// assessment has any more.
	DropDocuments func(queue func(sql string, args ...any), hashes []string)
	// Recorder records what becomes of applies and reverts.
	Recorder Recorder
	// Runs records what becomes of benchmark runs and A/B runs.
	Runs Runs
	// CollectorURL is where Pixies are looked at in a workspace whose tracking
	// setup does not say: the service's own collector.
	CollectorURL string
	Plans        account.Plans
	Jobs         Jobs
	Vault        *vault.Vault
	Now          func() time.Time
	NewID        func() uuid.UUID
	// Life is the process that handles calls: it holds the keys of those it handles.
	Life *database.Life
	// HeldKeys are those that it could not give back.
	HeldKeys *HeldKeys
}

// metadata is what every event of a call says of where it came from.
func (who Caller) metadata(operationID uuid.UUID) eventstore.Metadata {
	return eventstore.Metadata{
		Account:     who.Account,
		Person:      who.Person.ID,
		RequestID:   who.RequestID,
		OperationID: operationID.String(),
		Correlation: operationID.String(),
		Trace:       who.Trace,
	}
}

// start carries out a call that starts work, under its idempotency key when it
// has one. do looks up, decides and appends for a new operation id.
func (s *Service) start(ctx context.Context, who Caller, do func(operationID uuid.UUID) error) (Accepted, error) {
	earlier, err := s.claim(ctx, who)
	if err != nil || earlier != nil {
		return Accepted{OperationID: deref(earlier), Replayed: earlier != nil}, err
	}
	id, accepted := s.NewID(), false
	defer func() { // after a panic too
		if !accepted {
			s.release(ctx, who)
		}
	}()
	if err := do(id); err != nil {
		return Accepted{}, err
	}
	accepted = true
	return Accepted{OperationID: id}, nil
}

// deref is what p points to, the zero value where it points to nothing.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// limits returns the limits of the caller's plan.
func (s *Service) limits(p account.Plan) (account.Limits, error) {
	l, ok := s.Plans[p]
	if !ok {
		return l, fmt.Errorf("commands: no limits are configured for plan %q", p)
	}
	return l, nil
}
