package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/eventstore"
	"readiness/storage/vault"
)

// Get returns the settings of the embedded provider or of one that the account
// saved. It refuses with AiProviderNotFound when the account has no such provider
// or it is not enabled, and with AiCredentialNotFound when its kind needs a key and
// it has none.
func (s *Providers) Get(ctx context.Context, accountID, providerID string) (aiprovider.Settings, error) {
	if providerID == aiprovider.EmbeddedID {
		return aiprovider.Embedded(), nil
	}
	past := eventstore.FoldCached(aiprovider.Stream(accountID), aiprovider.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return aiprovider.Settings{}, err
	}
	found, ok := past.State.Find(providerID)
	switch {
	case !ok:
		return aiprovider.Settings{}, aiprovider.NotFound(providerID)
	case !found.Enabled:
		return aiprovider.Settings{}, aiprovider.NotEnabled(found)
	}
	return s.settings(ctx, accountID, found)
}

// ForPurpose returns the settings of the account's oldest saved language model that
// is enabled and meant for the purpose; false when there is none. It skips the ids
// in except and providers that ask the same model as one of them, providers that lack
// the key their kind needs, and data agents.
func (s *Providers) ForPurpose(ctx context.Context, accountID string, purpose aiprovider.Purpose, except ...string) (aiprovider.Settings,
	bool, error) {
	past := eventstore.FoldCached(aiprovider.Stream(accountID), aiprovider.Evolve)
	if err := s.Store.Load(ctx, past); err != nil {
		return aiprovider.Settings{}, false, err
	}
	except = past.State.Aliases(except)
	return s.oldest(ctx, accountID, past.State, purpose, func(of aiprovider.Provider) bool {
		return of.Kind.Remote() && !slices.Contains(except, of.ProviderID)
	})
}

// Proposing returns the settings of the provider that proposes texts for the
// account (4.5/preview/2): the oldest saved one with that purpose, else the one in
// the accounts file, else the embedded one.
func (s *Providers) Proposing(ctx context.Context, accountID string) (aiprovider.Settings, error) {
	saved := eventstore.FoldCached(aiprovider.Stream(accountID), aiprovider.Evolve)
	owner := eventstore.FoldCached(account.Stream(accountID), account.Evolve)
	if err := s.Store.Load(ctx, saved, owner); err != nil {
		return aiprovider.Settings{}, err
	}
	settings, found, err := s.oldest(ctx, accountID, saved.State, aiprovider.Proposals, func(aiprovider.Provider) bool { return true })
	if found || err != nil {
		return settings, err
	}
	return owner.State.Provider()
}

func (s *Providers) oldest(ctx context.Context, accountID string, saved aiprovider.Providers, purpose aiprovider.Purpose,
	may func(aiprovider.Provider) bool) (aiprovider.Settings, bool, error) {
	for _, one := range saved.All {
		if one.Serves(purpose) && one.Askable() && may(one) {
			settings, err := s.settings(ctx, accountID, one)
			return settings, err == nil, err
		}
	}
	return aiprovider.Settings{}, false, nil
}

// settings returns a saved provider's settings, with its key if it has one.
func (s *Providers) settings(ctx context.Context, accountID string, of aiprovider.Provider) (aiprovider.Settings, error) {
	if !of.Askable() {
		return aiprovider.Settings{}, aiprovider.KeyMissing(of.Name, of.ProviderID)
	}
	if !of.HasKey {
		return of.Settings(aiprovider.Key{}), nil
	}
	id, err := uuid.Parse(of.ProviderID)
	if err != nil {
		return aiprovider.Settings{}, fmt.Errorf("commands: the id of AI provider %q: %w", of.ProviderID, err)
	}
	text, ok, err := s.Keys.Key(ctx, accountID, id)
	switch {
	case errors.Is(err, vault.ErrNotOpened):
		return aiprovider.Settings{}, aiprovider.KeyUnreadable(of)
	case err != nil:
		return aiprovider.Settings{}, err
	case !ok: // removed since the provider was read
		return aiprovider.Settings{}, aiprovider.KeyMissing(of.Name, of.ProviderID)
	}
	key, err := aiprovider.NewKey(text)
	if err != nil {
		return aiprovider.Settings{}, fmt.Errorf("commands: the key of AI provider %s: %w", of.ProviderID, err)
	}
	return of.Settings(key), nil
}
