package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"readiness/internal/pace"
)

const (
	// maxHeldKeys bounds the keys that wait to be released; the claims of
	// further ones expire after handling.
	maxHeldKeys = 10_000
	// releaseInterval is how often held keys are released.
	releaseInterval = 500 * time.Millisecond
)

// heldKeys are the keys of ended calls that could not be released because the
// database was unavailable. They are safe for concurrent use.
type heldKeys struct {
	mu  sync.Mutex
	all []Caller
}

func (h *heldKeys) add(caller Caller) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) < maxHeldKeys {
		h.all = append(h.all, caller)
	}
}

// take returns all keys and empties h.
func (h *heldKeys) take() []Caller {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

// ReleaseHeld releases, in one statement, the keys of ended calls whose release
// failed.
func (s *IdempotencyKeys) ReleaseHeld(ctx context.Context) error {
	held := s.held.take()
	if len(held) == 0 {
		return nil
	}
	var accounts, persons, keys []string
	var claims [][16]byte
	for _, caller := range held {
		accounts, persons = append(accounts, caller.Account), append(persons, string(caller.PersonID))
		keys, claims = append(keys, caller.Key.Key), append(claims, caller.Key.claim)
	}
	_, err := s.Pool.Exec(ctx, `DELETE FROM idempotency_keys k
		USING unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) g (account_id, person, key, claim)
		WHERE k.account_id = g.account_id AND k.issuer = '' AND k.person = g.person AND k.key = g.key
			AND k.claim = g.claim AND k.operation_id IS NULL`,
		accounts, persons, keys, claims)
	if err != nil {
		for _, caller := range held {
			s.held.add(caller)
		}
		return fmt.Errorf("commands: release idempotency keys: %w", err)
	}
	return nil
}

// KeepReleasing calls ReleaseHeld periodically until ctx ends.
func (s *IdempotencyKeys) KeepReleasing(ctx context.Context) {
	for range pace.Every(ctx, releaseInterval) {
		bounded, cancel := context.WithTimeout(ctx, 10*releaseInterval)
		_ = s.ReleaseHeld(bounded) // the next tick retries
		cancel()
	}
}
