package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/eventstore"
)

// Change changes an AI provider of the caller's account and returns it
// (docs/decisions.md 7). key is the key that patch sets, if any. If the change
// affects which model the provider reaches or with which key, the provider is
// tested first, and changed only with anyway if it cannot be reached.
func (s *Providers) Change(ctx context.Context, caller Caller, providerID string, patch aiprovider.Patch,
	key aiprovider.Key, anyway bool) (aiprovider.Provider, error) {
	change := aiprovider.Change{ProviderID: providerID, Patch: patch, Anyway: anyway, At: instant(s.Now)}
	past := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return aiprovider.Provider{}, err
	}
	before, after, err := change.Outcome(past.State)
	if err != nil {
		return before, err
	}
	if change.Of = before.Connection(); after.Connection() != change.Of {
		observed, err := s.testChanged(ctx, caller, after, patch, key)
		if err != nil {
			return before, err
		}
		change.Observed = &observed
	}
	id, err := uuid.Parse(before.ProviderID)
	if err != nil {
		return before, err
	}
	err = s.changeAsMember(ctx, caller, caller.providerMetadata(), []eventstore.Loadable{past}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, past, change); err != nil {
			return err
		}
		switch patch.Key {
		case aiprovider.GiveKey:
			c.Queue(s.Keys.Put(caller.Account, id, key.Reveal()))
		case aiprovider.RemoveKey:
			c.Queue(s.Keys.Forget(caller.Account, id))
		case aiprovider.KeepKey:
		}
		return nil
	})
	after, _ = past.State.Find(before.ProviderID)
	return after, err
}

// testChanged tests the provider as it will be after the change, with its new key
// if it gets one.
func (s *Providers) testChanged(ctx context.Context, caller Caller, p aiprovider.Provider, patch aiprovider.Patch,
	key aiprovider.Key) (aiprovider.Observation, error) {
	if patch.Key == aiprovider.KeepKey {
		settings, err := s.settings(ctx, caller.Account, p)
		if domain.IsRefused(err, domain.AiCredentialNotFound) {
			return s.failedTest(err)
		} else if err != nil {
			return aiprovider.Observation{}, err
		}
		key = settings.Key
	}
	return s.testCall(ctx, caller, p, key)
}
