package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/internal/database"
)

// IdempotencyKey names a call that may be sent again. Fingerprint is a digest
// of everything the call asks for.
type IdempotencyKey struct {
	Key, Fingerprint string
	// claim tells this handling of the call from any other.
	claim uuid.UUID
}

// ErrKeyReused: the call's Idempotency-Key stands for another call (decisions
// 2: status 422).
var ErrKeyReused = errors.New("commands: the Idempotency-Key was used for another call")

// keyLife is how long an accepted call is answered again. A claim whose process
// has died is free at once; handling bounds the others, whose process lives and
// has forgotten them.
const (
	keyLife  = 24 * time.Hour
	handling = 2 * time.Minute
)

// claimSQL returns a row of ours when the key was free, its life was over or its
// handler has died, else the earlier one; none when a call that began at the same
// instant is taking the key.
var claimSQL = `
	WITH taken AS (
		INSERT INTO idempotency_keys AS k (account_id, issuer, person, key, fingerprint, claim, expires_at, process)
		VALUES ($1, $2, $3, $4, $5, $6, $8, $9)
		ON CONFLICT (account_id, issuer, person, key) DO UPDATE
			SET fingerprint = EXCLUDED.fingerprint, claim = EXCLUDED.claim, operation_id = NULL, expires_at = EXCLUDED.expires_at, process = EXCLUDED.process
			WHERE k.expires_at <= $7 OR k.operation_id IS NULL AND k.process IS NOT NULL AND NOT ` + database.Alive("k.process") + `
		RETURNING claim, fingerprint, operation_id)
	SELECT * FROM taken
	UNION ALL
	SELECT claim, fingerprint, operation_id FROM idempotency_keys
	WHERE account_id = $1 AND issuer = $2 AND person = $3 AND key = $4 AND NOT EXISTS (SELECT FROM taken)`

// claim takes the call's key for this handling of it. It returns the operation
// an earlier call started under the same key, or nil when the call is to be
// carried out. Refusals are not remembered.
func (s *Service) claim(ctx context.Context, who Caller) (*uuid.UUID, error) {
	if who.Key == nil {
		return nil, nil
	}
	if err := s.Life.Take(ctx); err != nil { // whoever sees the claim is to see that this process lives
		return nil, fmt.Errorf("commands: claim an idempotency key: %w", err)
	}
	who.Key.claim = s.NewID()
	now := s.Now()
	var claim uuid.UUID
	var fingerprint string
	var operation *uuid.UUID
	err := s.Pool.QueryRow(ctx, claimSQL,
		who.Account, who.Person.Issuer, who.Person.ID, who.Key.Key, who.Key.Fingerprint, who.Key.claim, now, now.Add(handling), s.Life.Key(),
	).Scan(&claim, &fingerprint, &operation)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("commands: claim an idempotency key: %w", err)
	case err == nil && claim == who.Key.claim:
		return nil, nil
	case err == nil && fingerprint != who.Key.Fingerprint:
		return nil, ErrKeyReused
	case operation == nil:
		return nil, domain.Refuse(domain.OperationInProgress, "a call with the same Idempotency-Key is still being handled; call again with the same key").After(time.Second)
	}
	return operation, nil
}

// remember ties the key to the operation in the transaction that accepts it. A
// claim that ran out while the call was handled makes the transaction fail.
func (s *Service) remember(c *eventstore.Change, who Caller, operationID uuid.UUID) {
	if who.Key == nil {
		return
	}
	expires := s.Now().Add(keyLife)
	c.InTx(func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE idempotency_keys SET operation_id = $6, expires_at = $7
			WHERE account_id = $1 AND issuer = $2 AND person = $3 AND key = $4 AND claim = $5`,
			who.Account, who.Person.Issuer, who.Person.ID, who.Key.Key, who.Key.claim, operationID, expires)
		if err == nil && tag.RowsAffected() != 1 {
			return domain.Refuse(domain.OperationInProgress, "another call with the same Idempotency-Key took over; call again with the same key").After(time.Second)
		}
		return err
	})
}

// release gives the key of a refused call back. What the database is away for is
// left to KeepGivingKeysBack, so that a call that has ended does not look as if it
// were still handled.
func (s *Service) release(ctx context.Context, who Caller) {
	if who.Key == nil {
		return
	}
	ctx, cancel := database.Beyond(ctx, time.Second)
	defer cancel()
	_, err := s.Pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE account_id = $1 AND issuer = $2 AND person = $3 AND key = $4 AND claim = $5 AND operation_id IS NULL`,
		who.Account, who.Person.Issuer, who.Person.ID, who.Key.Key, who.Key.claim)
	if err != nil {
		s.HeldKeys.add(who)
	}
}

// SweepKeys deletes idempotency keys whose life is over.
func (s *Service) SweepKeys(ctx context.Context) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE expires_at <= $1`, s.Now())
	return err
}
