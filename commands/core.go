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
	"readiness/internal/processors"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
)

// core is what the commands of several resources need. Its exported fields are
// those of Options.
type core struct {
	Pool      *pgxpool.Pool
	Store     *eventstore.Store
	Documents *documents.Store
	Platform  Platform
	TrackedIn func(ctx context.Context, accountID string, workspaceID uuid.UUID, t item.Type) ([]trackeditem.Item, error)
	Plans     account.Plans
	Regime    *readiness.Regime
	Regimes   *Regimes
	Jobs      Jobs
	Vault     *vault.Vault
	People    *people.People
	Now       func() time.Time
	NewID     func() uuid.UUID
	keys      *IdempotencyKeys
	// processors are those that calls may use to read and score definitions.
	processors *processors.Share
}

// startOperation carries out a call that starts work, under its idempotency key
// if there is one. do looks up, decides and appends for a new operation id.
func (s *core) startOperation(ctx context.Context, caller Caller, do func(operationID uuid.UUID) error) (Accepted, error) {
	earlier, err := s.keys.claim(ctx, caller)
	if err != nil {
		return Accepted{}, err
	}
	if earlier != nil {
		return Accepted{OperationID: *earlier, Replayed: true}, s.keys.confirm(ctx)
	}
	id, accepted := s.NewID(), false
	defer func() { // after a panic too
		if !accepted {
			s.keys.release(ctx, caller)
		}
	}()
	if err := do(id); err != nil {
		return Accepted{}, s.keys.kept(caller, err)
	}
	accepted = true
	return Accepted{OperationID: id}, nil
}

// perStep is how long each of many steps of work may take, with its wait for the platform's quota.
const perStep = 10 * time.Second

// tokenFor returns the token to keep for work of so many steps: the caller's or, when the work may outlast it and the
// platform has one, a token that serves longer. Without that, the steps that come too late fail, as they would have.
func (s *core) tokenFor(ctx context.Context, caller Caller, steps int) (string, time.Time) {
	if s.Now().Add(time.Duration(steps) * perStep).After(caller.TokenExpires) {
		return s.lastingToken(ctx, caller, workLife)
	}
	return caller.Token, caller.TokenExpires
}

const (
	// workLife and scheduleLife are how long tokens that outlast their caller's are kept at most: for work in progress, and for a
	// schedule, which replaces its token at a slot once half of that time is over.
	workLife     = 24 * time.Hour
	scheduleLife = 90 * 24 * time.Hour
)

// lastingToken returns a token that serves as the caller for life, if the platform has one, else the caller's own.
func (s *core) lastingToken(ctx context.Context, caller Caller, life time.Duration) (string, time.Time) {
	remote, ok := s.Platform.(interface {
		Lasting(ctx context.Context, as item.Caller, life time.Duration) (string, time.Time, error)
	})
	if ok && caller.MayWrite {
		if token, expires, err := remote.Lasting(ctx, caller.Caller, life); err == nil && token != "" {
			return token, expires
		}
	}
	return caller.Token, caller.TokenExpires
}

// limits returns the limits of the caller's plan.
func (s *core) limits(p account.Plan) (account.Limits, error) {
	l, ok := s.Plans[p]
	if !ok {
		return l, fmt.Errorf("commands: no limits are configured for plan %q", p)
	}
	return l, nil
}
