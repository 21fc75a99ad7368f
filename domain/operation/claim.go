package operation

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// ErrKeyReused reports that the Idempotency-Key was used for another call
// (docs/decisions.md 2: status 422).
var ErrKeyReused = errors.New("operation: the Idempotency-Key was used for another call")

// Claim is the claim of a call on its Idempotency-Key. ID identifies this handling of
// the call, Fingerprint is a digest of everything the call asks for, and OperationID is
// what it started; nil while the call is being handled.
type Claim struct {
	ID          uuid.UUID
	Fingerprint string
	OperationID *uuid.UUID
}

// Replay returns the operation that an earlier call started under the same key; nil
// when this call must be carried out. holder is the claim that has the key, or nil
// while a call that began at the same instant is taking it. It refuses with
// OperationInProgress while the earlier call is handled, and returns ErrKeyReused when
// that was another call.
func (c Claim) Replay(holder *Claim) (*uuid.UUID, error) {
	switch {
	case holder != nil && holder.ID == c.ID:
		return nil, nil
	case holder != nil && holder.Fingerprint != c.Fingerprint:
		return nil, ErrKeyReused
	case holder == nil || holder.OperationID == nil:
		return nil, domain.Refuse(domain.OperationInProgress,
			"a call with the same Idempotency-Key is still being handled; call again with the same key").After(time.Second)
	}
	return holder.OperationID, nil
}

// Keep refuses with OperationInProgress a call whose claim was lost while it was
// handled: it expired, and another call took the key. held reports whether the key is
// still this call's.
func (Claim) Keep(held bool) error {
	if !held {
		return domain.Refuse(domain.OperationInProgress,
			"another call with the same Idempotency-Key took over; call again with the same key").After(time.Second)
	}
	return nil
}
