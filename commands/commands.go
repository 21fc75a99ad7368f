// Package commands carries out commands. A command looks up what a call names as
// the caller and lets the domain decide; events and the work that follows are
// committed in one transaction. Each file holds one command. No command changes the
// platform inside a database transaction.
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
	// Definition reads an item; only the item's ids and type are required.
	Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
}

// Permissions reports the signed-in person's access to each of the four platform
// permissions, as of now. A permission missing from the result could not be
// determined.
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

// Caller is the signed-in person of a call, with what their account allowed them to
// do when the call arrived, according to the account's view.
type Caller struct {
	item.Caller
	Role     account.Role
	License  string
	Plan     account.Plan
	Settings account.Settings
	Scopes   []string
	// MayWrite reports whether the token's scopes allow starting work.
	MayWrite  bool
	RequestID string
	Trace     string
	// TokenExpires is when Token stops being accepted.
	TokenExpires time.Time
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

// Service carries out commands. The program sets all fields.
type Service struct {
	Pool        *pgxpool.Pool
	Store       *eventstore.Store
	Platform    Platform
	Permissions Permissions
	// TrackedIn returns the account's tracked items of a type in a workspace, from
	// the view. Decisions about an item use its stream instead.
	TrackedIn func(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error)
	// LatestAssessment returns the newest stored assessment of a model in the
	// account; false when there is none.
	LatestAssessment func(ctx context.Context, accountID string, modelID uuid.UUID) (assessment.Assessment, bool, error)
	// Overdue returns operations whose deadline to wait for their owner has passed
	// at now, from the view.
	Overdue func(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error)
	// Providers are the AI providers of accounts.
	Providers Providers
	// Tester makes the test calls to AI providers.
	Tester ProviderTester
	// Schedule returns a schedule of the account. DueSlots returns slots, of all
	// accounts, that are due at now, earliest first, starting behind after. Both
	// read the view; decisions about a schedule use its stream.
	Schedule func(ctx context.Context, accountID string, id uuid.UUID) (schedule.Schedule, bool, error)
	DueSlots func(ctx context.Context, now time.Time, after schedule.Slot, limit int) ([]schedule.Slot, error)
	// DropDocuments queues the deletion of those documents that no stored
	// assessment refers to any longer.
	DropDocuments func(queue func(sql string, args ...any), hashes []string)
	// Recorder records outcomes of previews, applies and reverts.
	Recorder Recorder
	// Runs records outcomes of benchmark runs and A/B runs.
	Runs Runs
	// CollectorURL is the service's own collector: where Pixies are loaded from in
	// a workspace whose tracking setup names no other.
	CollectorURL string
	Plans        account.Plans
	Jobs         Jobs
	Vault        *vault.Vault
	Now          func() time.Time
	NewID        func() uuid.UUID
	// Life is the process that handles calls; it owns the idempotency keys of the
	// calls in flight.
	Life *database.Life
	// HeldKeys are keys of ended calls whose release failed; they are released
	// later.
	HeldKeys *HeldKeys
}

// metadata returns the origin that every event of a call records.
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

// start carries out a call that starts work, under its idempotency key if there is
// one. do looks up, decides and appends for a new operation id.
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

// deref returns what p points to, or the zero value when p is nil.
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
