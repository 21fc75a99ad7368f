package commands

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// maxHeldKeys bounds the keys that wait to be released; the claims of further
	// ones expire after handling.
	maxHeldKeys = 10_000
	// releaseInterval is how often held keys are released.
	releaseInterval = 500 * time.Millisecond
)

// HeldKeys are the keys of ended calls that could not be released because the
// database was unavailable. Without HeldKeys a key stays claimed until handling has
// passed. They are safe for concurrent use.
type HeldKeys struct {
	mu  sync.Mutex
	all []Caller
}

func (h *HeldKeys) add(who Caller) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) < maxHeldKeys {
		h.all = append(h.all, who)
	}
}

// take returns all keys and empties h.
func (h *HeldKeys) take() []Caller {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

// ReleaseHeldKeys releases, in one statement, the keys of ended calls whose release
// failed.
func (s *Service) ReleaseHeldKeys(ctx context.Context) error {
	held := s.HeldKeys.take()
	if len(held) == 0 {
		return nil
	}
	var accounts, issuers, persons, keys []string
	var claims [][16]byte
	for _, who := range held {
		accounts, issuers, persons = append(accounts, who.Account), append(issuers, who.Person.Issuer), append(persons, who.Person.ID)
		keys, claims = append(keys, who.Key.Key), append(claims, who.Key.claim)
	}
	_, err := s.Pool.Exec(ctx, `DELETE FROM idempotency_keys k USING unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) g (account_id, issuer, person, key, claim)
		WHERE k.account_id = g.account_id AND k.issuer = g.issuer AND k.person = g.person AND k.key = g.key AND k.claim = g.claim AND k.operation_id IS NULL`,
		accounts, issuers, persons, keys, claims)
	if err != nil {
		for _, who := range held {
			s.HeldKeys.add(who)
		}
		return fmt.Errorf("commands: release idempotency keys: %w", err)
	}
	return nil
}

// KeepReleasingKeys calls ReleaseHeldKeys periodically until ctx ends.
func (s *Service) KeepReleasingKeys(ctx context.Context) {
	tick := time.NewTicker(releaseInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			bounded, cancel := context.WithTimeout(ctx, 10*releaseInterval)
			_ = s.ReleaseHeldKeys(bounded) // the next tick retries
			cancel()
		}
	}
}
