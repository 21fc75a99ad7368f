package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/internal/optional"
	"readiness/vault"
)

// core is what the commands of several resources need. Its exported fields are
// those of Options.
type core struct {
	Pool      *pgxpool.Pool
	Store     *eventstore.Store
	Platform  Platform
	TrackedIn func(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error)
	Plans     account.Plans
	Regime    *readiness.Regime
	Jobs      Jobs
	Vault     *vault.Vault
	Now       func() time.Time
	NewID     func() uuid.UUID
	keys      *IdempotencyKeys
}

// startOperation carries out a call that starts work, under its idempotency key
// if there is one. do looks up, decides and appends for a new operation id.
func (s *core) startOperation(ctx context.Context, caller Caller, do func(operationID uuid.UUID) error) (Accepted, error) {
	earlier, err := s.keys.claim(ctx, caller)
	if err != nil || earlier != nil {
		return Accepted{OperationID: optional.Value(earlier), Replayed: earlier != nil}, err
	}
	id, accepted := s.NewID(), false
	defer func() { // after a panic too
		if !accepted {
			s.keys.release(ctx, caller)
		}
	}()
	if err := do(id); err != nil {
		return Accepted{}, err
	}
	accepted = true
	return Accepted{OperationID: id}, nil
}

// limits returns the limits of the caller's plan.
func (s *core) limits(p account.Plan) (account.Limits, error) {
	l, ok := s.Plans[p]
	if !ok {
		return l, fmt.Errorf("commands: no limits are configured for plan %q", p)
	}
	return l, nil
}
