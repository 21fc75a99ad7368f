package http

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/http/api"
	"readiness/internal/optional"
)

// ListAIProviders handles GET /v1/aiProviders.
func (s *Server) ListAIProviders(ctx context.Context, _ api.ListAIProvidersRequestObject) (*api.AIProviderList, error) {
	saved, err := s.views.AIProviders(ctx, callerOf(ctx).Account)
	if err != nil {
		return nil, err
	}
	list := api.AIProviderList{Value: []api.AIProvider{embeddedProvider()}}
	for _, p := range saved.All {
		list.Value = append(list.Value, savedProvider(p))
	}
	return &list, nil
}

// GetAIProvider handles GET /v1/aiProviders/{providerId}.
func (s *Server) GetAIProvider(ctx context.Context, r api.GetAIProviderRequestObject) (*api.AIProvider, error) {
	if r.ProviderID == aiprovider.EmbeddedID {
		return new(embeddedProvider()), nil
	}
	saved, err := s.views.AIProviders(ctx, callerOf(ctx).Account)
	if err != nil {
		return nil, err
	}
	p, found := saved.Find(providerID(r.ProviderID))
	if !found {
		return nil, aiprovider.NotFound(r.ProviderID)
	}
	return new(savedProvider(p)), nil
}

// SaveAIProvider handles POST /v1/aiProviders.
func (s *Server) SaveAIProvider(ctx context.Context, r api.SaveAIProviderRequestObject) (*api.AIProvider, error) {
	b := r.Body
	of, who := configured(b), callerOf(ctx)
	var key aiprovider.Key
	if b.APIKey != nil {
		var err error
		if key, err = aiprovider.NewKey(*b.APIKey); err != nil {
			return nil, err
		}
	}
	p, err := s.commands.Providers.Save(ctx, who, of, key, optional.Value(b.SaveAnyway))
	if err != nil {
		return nil, err
	}
	return new(savedProvider(p)), nil
}

// configured converts a request to a provider's configuration and fills in defaults.
func configured(b *api.SaveAIProviderJSONRequestBody) aiprovider.Configuration {
	c := aiprovider.Configuration{
		Name: b.Name, Kind: b.Kind, BaseURL: optional.Value(b.BaseURL), Model: optional.Value(b.Model),
		APIVersion:  optional.Value(b.APIVersion),
		WorkspaceID: optional.Value(b.WorkspaceID), DataAgentID: optional.Value(b.DataAgentID),
		Purposes: optional.Or(b.Purposes, b.Kind.Purposes()), Enabled: optional.Or(b.Enabled, true),
		DataPolicy: aiprovider.DataPolicy{SendDAX: true}, Limits: aiprovider.DefaultLimits(), Prices: b.Prices, Entra: b.Entra,
	}
	if d := b.DataPolicy; d != nil {
		c.DataPolicy.SendDAX, c.DataPolicy.SendRows = optional.Or(d.SendDax, true), optional.Value(d.SendRows)
	}
	if l := b.Limits; l != nil {
		c.Limits.MaxConcurrency, c.Limits.TimeoutMs = optional.Or(l.MaxConcurrency, c.Limits.MaxConcurrency),
			optional.Or(l.TimeoutMs, c.Limits.TimeoutMs)
		c.Limits.MaxRetries, c.Limits.MaxOutputTokens = optional.Or(l.MaxRetries, c.Limits.MaxRetries),
			optional.Or(l.MaxOutputTokens, c.Limits.MaxOutputTokens)
	}
	return c
}

// ChangeAIProvider handles PATCH /v1/aiProviders/{providerId}.
func (s *Server) ChangeAIProvider(ctx context.Context, r api.ChangeAIProviderRequestObject) (*api.AIProvider, error) {
	patch, key, err := patched(r.Body)
	if err != nil {
		return nil, err
	}
	p, err := s.commands.Providers.Change(ctx, callerOf(ctx), providerID(r.ProviderID), patch, key,
		optional.Value(r.Body.SaveAnyway))
	if err != nil {
		return nil, err
	}
	return new(savedProvider(p)), nil
}

// patched returns the changes that a request makes to a provider, and the key that it contains.
func patched(b *api.ChangeAIProviderJSONRequestBody) (p aiprovider.Patch, key aiprovider.Key, err error) {
	p = aiprovider.Patch{Name: b.Name, Kind: b.Kind, Purposes: b.Purposes, Enabled: b.Enabled}
	if d := b.DataPolicy; d != nil {
		p.SendDAX, p.SendRows = d.SendDax, d.SendRows
	}
	if l := b.Limits; l != nil {
		p.MaxConcurrency, p.TimeoutMs, p.MaxRetries, p.MaxOutputTokens = l.MaxConcurrency, l.TimeoutMs, l.MaxRetries, l.MaxOutputTokens
	}
	var text *string
	err = cmp.Or(
		nullable("baseUrl", b.BaseURL, &p.BaseURL), nullable("model", b.Model, &p.Model),
		nullable("apiVersion", b.APIVersion, &p.APIVersion),
		nullable("workspaceId", b.WorkspaceID, &p.WorkspaceID), nullable("dataAgentId", b.DataAgentID, &p.DataAgentID),
		nullable("prices", b.Prices, &p.Prices), nullable("entra", b.Entra, &p.Entra), nullable("apiKey", b.APIKey, &text))
	switch {
	case err != nil || text == nil:
		return p, key, err
	case string(b.APIKey) == "null":
		p.Key = aiprovider.RemoveKey
		return p, key, nil
	}
	p.Key = aiprovider.GiveKey
	key, err = aiprovider.NewKey(*text)
	return p, key, err
}

// nullable decodes a member that may be null; null becomes the zero value. *into stays nil when the member is absent.
// The error does not repeat the value, which may be a key.
func nullable[T any](member string, raw json.RawMessage, into **T) error {
	if raw == nil {
		return nil
	}
	*into = new(T)
	if json.Unmarshal(raw, *into) != nil {
		return fmt.Errorf("http: %s is not what openapi.yaml describes", member)
	}
	return nil
}

// DeleteAIProvider handles DELETE /v1/aiProviders/{providerId}.
func (s *Server) DeleteAIProvider(ctx context.Context, r api.DeleteAIProviderRequestObject) (*api.DeletedAIProvider, error) {
	id := providerID(r.ProviderID)
	if err := s.commands.Providers.Delete(ctx, callerOf(ctx), id); err != nil {
		return nil, err
	}
	return &api.DeletedAIProvider{ProviderID: id, Deleted: true}, nil
}

// TestAIProvider handles POST /v1/aiProviders/{providerId}/test.
func (s *Server) TestAIProvider(ctx context.Context, r api.TestAIProviderRequestObject) (*api.AIProvider, error) {
	p, err := s.commands.Providers.Test(ctx, callerOf(ctx), providerID(r.ProviderID))
	if err != nil {
		return nil, err
	}
	return new(savedProvider(p)), nil
}

// providerID returns the id of a provider as it is stored: letter case does not matter in a UUID (docs/decisions.md
// 8.12).
func providerID(text string) string {
	if id, ok := domain.ParseID(text); ok {
		return id.String()
	}
	return strings.TrimSpace(text)
}

// embeddedProvider returns the embedded provider in its API form.
func embeddedProvider() api.AIProvider {
	return api.AIProvider{
		ProviderID: aiprovider.EmbeddedID, Name: aiprovider.EmbeddedName, Kind: aiprovider.Rules,
		Purposes: []aiprovider.Purpose{aiprovider.Proposals}, Enabled: true,
	}
}

// savedProvider converts a saved provider to its API form.
func savedProvider(p aiprovider.Provider) api.AIProvider {
	out := api.AIProvider{
		ProviderID: p.ProviderID, Name: p.Name, Kind: p.Kind, BaseURL: optional.Of(p.BaseURL), Model: optional.Of(p.Model),
		APIVersion: optional.Of(p.APIVersion),
		Purposes:   p.Purposes, Enabled: p.Enabled, DataPolicy: &p.DataPolicy, Limits: &p.Limits, Prices: p.Prices,
		Entra: p.Entra, HasKey: p.HasKey,
		Capabilities: &p.Capabilities, LastTest: p.LastTest,
		CreatedAtUtc: optional.UTC(&p.CreatedAt), ChangedAtUtc: optional.UTC(&p.ChangedAt),
		UsedBy: len(p.UsedBy),
	}
	for _, id := range []struct {
		of uuid.UUID
		to **uuid.UUID
	}{{p.WorkspaceID, &out.WorkspaceID}, {p.DataAgentID, &out.DataAgentID}} {
		if id.of != uuid.Nil {
			*id.to = new(id.of)
		}
	}
	return out
}
