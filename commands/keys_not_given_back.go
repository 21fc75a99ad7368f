package commands

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// keysNotGivenBack is how many keys wait to be given back; of more, handling ends
	// the claims.
	keysNotGivenBack = 10_000
	// givingBack is how often they are given back.
	givingBack = 500 * time.Millisecond
)

// HeldKeys are the keys of calls that have ended and that the database was away
// for. Without them a key is free when handling is over. They are safe for
// concurrent use.
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
	if len(h.all) < keysNotGivenBack {
		h.all = append(h.all, who)
	}
}

// take empties h.
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

// GiveKeysBack gives the keys of ended calls back that could not be when those
// ended, in one statement.
func (s *Service) GiveKeysBack(ctx context.Context) error {
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
		return fmt.Errorf("commands: give idempotency keys back: %w", err)
	}
	return nil
}

// KeepGivingKeysBack does so until ctx ends.
func (s *Service) KeepGivingKeysBack(ctx context.Context) {
	tick := time.NewTicker(givingBack)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			bounded, cancel := context.WithTimeout(ctx, 10*givingBack)
			_ = s.GiveKeysBack(bounded) // the next time makes up for it
			cancel()
		}
	}
}
