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
)

// ListAIProviders answers GET /v1/aiProviders (decisions 7).
func (s *Server) ListAIProviders(ctx context.Context, _ api.ListAIProvidersRequestObject) (api.ListAIProvidersResponseObject, error) {
	saved, err := s.views.AIProviders(ctx, of(ctx).who.Account)
	if err != nil {
		return nil, err
	}
	list := api.AIProviderList{Value: []api.AIProvider{embeddedProvider()}}
	for _, p := range saved.All {
		list.Value = append(list.Value, savedProvider(p))
	}
	return api.ListAIProviders200JSONResponse(list), nil
}

// GetAIProvider answers GET /v1/aiProviders/{providerId}.
func (s *Server) GetAIProvider(ctx context.Context, r api.GetAIProviderRequestObject) (api.GetAIProviderResponseObject, error) {
	if r.ProviderID == aiprovider.EmbeddedID {
		return api.GetAIProvider200JSONResponse(embeddedProvider()), nil
	}
	saved, err := s.views.AIProviders(ctx, of(ctx).who.Account)
	if err != nil {
		return nil, err
	}
	p, found := saved.Find(providerID(r.ProviderID))
	if !found {
		return nil, aiprovider.NotFound(r.ProviderID)
	}
	return api.GetAIProvider200JSONResponse(savedProvider(p)), nil
}

// SaveAIProvider answers POST /v1/aiProviders.
func (s *Server) SaveAIProvider(ctx context.Context, r api.SaveAIProviderRequestObject) (api.SaveAIProviderResponseObject, error) {
	b := r.Body
	of, who := configured(b), of(ctx).who
	var key aiprovider.Key
	if b.APIKey != nil {
		var err error
		if key, err = aiprovider.NewKey(*b.APIKey); err != nil {
			return nil, err
		}
	}
	p, err := s.commands.SaveAIProvider(ctx, who, of, key)
	if err != nil {
		return nil, err
	}
	return api.SaveAIProvider200JSONResponse(savedProvider(p)), nil
}

// configured is what a call says of a new provider, with what it leaves out.
func configured(b *api.SaveAIProviderJSONRequestBody) aiprovider.Configuration {
	c := aiprovider.Configuration{
		Name: b.Name, Kind: b.Kind, BaseURL: or(b.BaseURL, ""), Model: or(b.Model, ""), APIVersion: or(b.APIVersion, ""),
		WorkspaceID: or(b.WorkspaceID, uuid.Nil), DataAgentID: or(b.DataAgentID, uuid.Nil),
		Purposes: or(b.Purposes, b.Kind.Purposes()), Enabled: or(b.Enabled, true),
		DataPolicy: aiprovider.DataPolicy{SendDAX: true}, Limits: aiprovider.DefaultLimits(),
	}
	if d := b.DataPolicy; d != nil {
		c.DataPolicy.SendDAX = or(d.SendDax, true)
	}
	if l := b.Limits; l != nil {
		c.Limits.MaxConcurrency, c.Limits.TimeoutMs = or(l.MaxConcurrency, c.Limits.MaxConcurrency), or(l.TimeoutMs, c.Limits.TimeoutMs)
		c.Limits.MaxRetries, c.Limits.MaxOutputTokens = or(l.MaxRetries, c.Limits.MaxRetries), or(l.MaxOutputTokens, c.Limits.MaxOutputTokens)
	}
	return c
}

// or is what v points to, or byDefault when it points to nothing.
func or[T any](v *T, byDefault T) T {
	if v == nil {
		return byDefault
	}
	return *v
}

// ChangeAIProvider answers PATCH /v1/aiProviders/{providerId}.
func (s *Server) ChangeAIProvider(ctx context.Context, r api.ChangeAIProviderRequestObject) (api.ChangeAIProviderResponseObject, error) {
	patch, key, err := patched(r.Body)
	if err != nil {
		return nil, err
	}
	p, err := s.commands.ChangeAIProvider(ctx, of(ctx).who, providerID(r.ProviderID), patch, key)
	if err != nil {
		return nil, err
	}
	return api.ChangeAIProvider200JSONResponse(savedProvider(p)), nil
}

// patched is what a call changes of a provider, and the key that it gives.
func patched(b *api.ChangeAIProviderJSONRequestBody) (p aiprovider.Patch, key aiprovider.Key, err error) {
	p = aiprovider.Patch{Name: b.Name, Kind: b.Kind, Purposes: b.Purposes, Enabled: b.Enabled}
	if d := b.DataPolicy; d != nil {
		p.SendDAX = d.SendDax
	}
	if l := b.Limits; l != nil {
		p.MaxConcurrency, p.TimeoutMs, p.MaxRetries, p.MaxOutputTokens = l.MaxConcurrency, l.TimeoutMs, l.MaxRetries, l.MaxOutputTokens
	}
	var text *string
	err = cmp.Or(
		nullable("baseUrl", b.BaseURL, &p.BaseURL), nullable("model", b.Model, &p.Model), nullable("apiVersion", b.APIVersion, &p.APIVersion),
		nullable("workspaceId", b.WorkspaceID, &p.WorkspaceID), nullable("dataAgentId", b.DataAgentID, &p.DataAgentID), nullable("apiKey", b.APIKey, &text))
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

// nullable reads a member that may be null, which is its zero value; one that is
// absent stays nil. The error does not repeat what was given.
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

// DeleteAIProvider answers DELETE /v1/aiProviders/{providerId}.
func (s *Server) DeleteAIProvider(ctx context.Context, r api.DeleteAIProviderRequestObject) (api.DeleteAIProviderResponseObject, error) {
	id := providerID(r.ProviderID)
	if err := s.commands.DeleteAIProvider(ctx, of(ctx).who, id); err != nil {
		return nil, err
	}
	return api.DeleteAIProvider200JSONResponse{ProviderID: id, Deleted: true}, nil
}

// TestAIProvider answers POST /v1/aiProviders/{providerId}/test.
func (s *Server) TestAIProvider(ctx context.Context, r api.TestAIProviderRequestObject) (api.TestAIProviderResponseObject, error) {
	p, err := s.commands.TestAIProvider(ctx, of(ctx).who, providerID(r.ProviderID))
	if err != nil {
		return nil, err
	}
	return api.TestAIProvider200JSONResponse(savedProvider(p)), nil
}

// providerID is the id of a provider as it is stored: letter case does not matter in
// a UUID (decisions 8.12).
func providerID(text string) string {
	if id, ok := domain.ParseID(text); ok {
		return id.String()
	}
	return strings.TrimSpace(text)
}

// embeddedProvider is the embedded provider as callers see it.
func embeddedProvider() api.AIProvider {
	return api.AIProvider{
		ProviderID: aiprovider.EmbeddedID, Name: aiprovider.EmbeddedName, Kind: aiprovider.Rules, Purposes: []aiprovider.Purpose{aiprovider.Proposals}, Enabled: true,
	}
}

// savedProvider is a saved provider as callers see it.
func savedProvider(p aiprovider.Provider) api.AIProvider {
	out := api.AIProvider{
		ProviderID: p.ProviderID, Name: p.Name, Kind: p.Kind, BaseURL: text(p.BaseURL), Model: text(p.Model), APIVersion: text(p.APIVersion),
		Purposes: p.Purposes, Enabled: p.Enabled, DataPolicy: &p.DataPolicy, Limits: &p.Limits, HasKey: p.HasKey,
		Capabilities: &p.Capabilities, LastTest: p.LastTest, CreatedAtUtc: inUTC(&p.CreatedAt), ChangedAtUtc: inUTC(&p.ChangedAt), UsedBy: len(p.UsedBy),
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
