package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/internal/database"
)

// IdempotencyKey names a call that may be sent again. Fingerprint is a digest of
// everything the call asks for.
type IdempotencyKey struct {
	Key, Fingerprint string
	// claim identifies this handling of the call.
	claim uuid.UUID
}

// keyLife is how long a repeated call gets the answer of the accepted one. The
// claim of a process that has died is free at once; handling bounds claims that a
// living process has lost track of.
const (
	keyLife       = 24 * time.Hour
	handlingLimit = 2 * time.Minute
)

// claimSQL returns our row when the key was free, had expired, or its handler has
// died; else the earlier row. It returns none when a call that began at the same
// instant is taking the key. issuer is empty since persons have ids.
var claimSQL = `
	WITH taken AS (
		INSERT INTO idempotency_keys AS k (account_id, issuer, person, key, fingerprint, claim, expires_at, process)
		VALUES ($1, '', $2, $3, $4, $5, $7, $8)
		ON CONFLICT (account_id, issuer, person, key) DO UPDATE
			SET fingerprint = EXCLUDED.fingerprint, claim = EXCLUDED.claim, operation_id = NULL,
				expires_at = EXCLUDED.expires_at, process = EXCLUDED.process
			WHERE k.expires_at <= $6 OR k.operation_id IS NULL AND k.process IS NOT NULL AND NOT ` + database.Alive("k.process") + `
		RETURNING claim, fingerprint, operation_id)
	SELECT * FROM taken
	UNION ALL
	SELECT claim, fingerprint, operation_id FROM idempotency_keys
	WHERE account_id = $1 AND issuer = '' AND person = $2 AND key = $3 AND NOT EXISTS (SELECT FROM taken)`

// IdempotencyKeys are the keys under which calls that start work can be sent again.
type IdempotencyKeys struct {
	Pool  *pgxpool.Pool
	Now   func() time.Time
	NewID func() uuid.UUID
	// Life is the process that handles calls; it owns the keys of the calls in
	// flight.
	Life *database.Life
	// held are the keys of ended calls whose release failed; they are released
	// later.
	held heldKeys
}

// claim takes the call's key for this handling of it. It returns the operation that
// an earlier call started under the same key, or nil when this call must be carried
// out. Refusals are not stored.
func (s *IdempotencyKeys) claim(ctx context.Context, caller Caller) (*uuid.UUID, error) {
	if caller.Key == nil {
		return nil, nil
	}
	if err := s.Life.Take(ctx); err != nil { // a process that sees the claim must also see that this process lives
		return nil, fmt.Errorf("commands: claim an idempotency key: %w", err)
	}
	caller.Key.claim = s.NewID()
	ours, now := operation.Claim{ID: caller.Key.claim, Fingerprint: caller.Key.Fingerprint}, s.Now()
	var holder operation.Claim
	err := s.Pool.QueryRow(ctx, claimSQL,
		caller.Account, caller.PersonID, caller.Key.Key, ours.Fingerprint, ours.ID, now, now.Add(handlingLimit), s.Life.Key(),
	).Scan(&holder.ID, &holder.Fingerprint, &holder.OperationID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ours.Replay(nil)
	case err != nil:
		return nil, fmt.Errorf("commands: claim an idempotency key: %w", err)
	}
	return ours.Replay(&holder)
}

// confirm returns an error unless the earlier call would survive a promotion of the synchronous standby.
func (s *IdempotencyKeys) confirm(ctx context.Context) error {
	if err := database.Confirm(ctx, s.Pool); err != nil {
		return fmt.Errorf("commands: repeat a call: %w", err)
	}
	return nil
}

// rememberSQL fails with a division by zero if the key is no longer this call's, so that nothing of its transaction is committed.
const rememberSQL = `
	WITH kept AS (
		UPDATE idempotency_keys SET operation_id = $5, expires_at = $6
		WHERE account_id = $1 AND issuer = '' AND person = $2 AND key = $3 AND claim = $4
		RETURNING claim)
	SELECT 1 / count(*) FROM kept`

// remember stores the operation under the key, in the transaction that accepts it.
// If the claim expired while the call was handled, the transaction fails, with an error that kept recognizes.
func (s *IdempotencyKeys) remember(c *eventstore.Change, caller Caller, operationID uuid.UUID) {
	if caller.Key == nil {
		return
	}
	c.Queue(database.Statement{SQL: rememberSQL, Args: []any{caller.Account, caller.PersonID, caller.Key.Key, caller.Key.claim, operationID,
		s.Now().Add(keyLife)}})
}

// kept returns the refusal of a call whose key was taken over, if err is that of rememberSQL; else err.
func (s *IdempotencyKeys) kept(caller Caller, err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && caller.Key != nil && pg.Code == "22012" { // division_by_zero
		return operation.Claim{ID: caller.Key.claim}.Keep(false)
	}
	return err
}

// release releases the key of a refused call. If the database is unavailable,
// KeepReleasing does it later, so that an ended call does not look as if it
// were still being handled.
func (s *IdempotencyKeys) release(ctx context.Context, caller Caller) {
	if caller.Key == nil {
		return
	}
	ctx, cancel := database.Beyond(ctx, time.Second)
	defer cancel()
	_, err := s.Pool.Exec(ctx,
		`DELETE FROM idempotency_keys WHERE account_id = $1 AND issuer = '' AND person = $2 AND key = $3
			AND claim = $4 AND operation_id IS NULL`,
		caller.Account, caller.PersonID, caller.Key.Key, caller.Key.claim)
	if err != nil {
		s.held.add(caller)
	}
}

// Sweep deletes expired idempotency keys.
func (s *IdempotencyKeys) Sweep(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE expires_at <= $1`, s.Now())
	return err
}
