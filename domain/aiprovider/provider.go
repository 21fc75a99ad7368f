// Package aiprovider holds the AI providers that an account saved in addition to the
// embedded one: their configuration, the results of their test calls, and who uses them
// (docs/decisions.md 7). All providers of an account share one stream, so that names
// are unique and a provider in use is never deleted. The stream records only whether a
// provider has a key, never the key.
package aiprovider

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// MaxProviders is how many providers an account can save at most.
const MaxProviders = 50

// DataPolicy says what a provider may be sent in addition to names, descriptions and
// data types.
type DataPolicy struct {
	// SendDAX lets the provider be sent DAX expressions.
	SendDAX bool `json:"sendDax"`
	// SendRows lets a judge see the rows that queries returned. Rows are sent for no other
	// purpose.
	SendRows bool `json:"sendRows,omitempty"`
}

// Configuration is an administrator's configuration of a provider. Members that do not
// apply to its kind are zero.
type Configuration struct {
	ProviderID string `json:"providerId"`
	// Name is what the administrators called the provider.
	Name string `json:"name" pii:"text"`
	// Kind is the interface that the provider speaks.
	Kind Kind `json:"kind"`
	// BaseURL is the provider's address.
	BaseURL string `json:"baseUrl,omitempty"`
	// Model is the name of the language model.
	Model string `json:"model,omitempty"`
	// APIVersion is the version of the provider's interface, where it has one.
	APIVersion string `json:"apiVersion,omitempty"`
	// WorkspaceID is the workspace of the data agent.
	WorkspaceID uuid.UUID `json:"workspaceId,omitzero"`
	// DataAgentID is the data agent that answers, for that kind.
	DataAgentID uuid.UUID `json:"dataAgentId,omitzero"`
	// Purposes are what the provider is used for.
	Purposes []Purpose `json:"purposes"`
	// Enabled says whether the provider may be used.
	Enabled bool `json:"enabled"`
	// DataPolicy says what the provider may be sent.
	DataPolicy DataPolicy `json:"dataPolicy"`
	// Limits bound its use.
	Limits Limits `json:"limits"`
	// Entra is nil unless a token of Microsoft Entra replaces the key of Azure OpenAI; the key
	// is then its secret.
	Entra *Entra `json:"entra,omitempty"`
	// Prices are nil when they are not configured; a cost is then unknown.
	Prices *Prices `json:"prices,omitempty"`
}

// Prices are what a language model's tokens cost: an amount of money for each million.
type Prices struct {
	// Input is the price of a million tokens that are sent.
	Input float64 `json:"input"`
	// Output is the price of a million tokens that are answered.
	Output float64 `json:"output"`
}

// Settings returns the settings for asking the provider with the key.
func (c Configuration) Settings(key Key) Settings {
	return Settings{
		ProviderID: c.ProviderID, Kind: c.Kind, Name: c.Name, BaseURL: c.BaseURL, Model: c.Model, APIVersion: c.APIVersion,
		WorkspaceID: c.WorkspaceID, DataAgentID: c.DataAgentID, Key: key, Entra: c.token(), WithoutDAX: !c.DataPolicy.SendDAX,
		WithRows: c.DataPolicy.SendRows, Limits: c.Limits, Prices: c.Prices,
	}
}

// token returns Entra, zero without.
func (c Configuration) token() Entra {
	if c.Entra == nil {
		return Entra{}
	}
	return *c.Entra
}

// Serves reports whether the provider is enabled and configured for the purpose.
func (c Configuration) Serves(p Purpose) bool { return c.Enabled && slices.Contains(c.Purposes, p) }

// Provider is a saved provider.
type Provider struct {
	Configuration
	HasKey bool
	// KeyChanges is how often its key was given, replaced or removed.
	KeyChanges   int
	Capabilities Capabilities
	LastTest     *Test
	CreatedAt    time.Time
	ChangedAt    time.Time // of the configuration or the key
	UsedBy       []string  // oldest use first
}

// Askable reports whether the provider has the key that its kind needs, if any.
func (p Provider) Askable() bool { return p.HasKey || !p.Kind.NeedsKey() }

// Settings returns the settings for asking the provider with the key, including its
// observed capabilities.
func (p Provider) Settings(key Key) Settings {
	s := p.Configuration.Settings(key)
	s.Capabilities = p.Capabilities
	return s
}

// Connection is everything that the result of a test call depends on. The result of one
// connection says nothing about another.
type Connection struct {
	Kind                       Kind
	BaseURL, Model, APIVersion string
	WorkspaceID, DataAgentID   uuid.UUID
	KeyChanges                 int
	Entra                      Entra
}

// Connection returns the provider's current connection.
func (p Provider) Connection() Connection {
	return Connection{p.Kind, p.BaseURL, p.Model, p.APIVersion, p.WorkspaceID, p.DataAgentID, p.KeyChanges, p.token()}
}

// Providers are the saved providers of an account, oldest first. The zero Providers is
// empty.
type Providers struct{ All []Provider }

// Stream returns the name of the stream of an account's providers.
func Stream(accountID string) string { return "aiproviders-" + accountID }

// Find returns the saved provider with the id, or false when there is none.
func (s Providers) Find(id string) (Provider, bool) {
	if i := s.index(id); i >= 0 {
		return s.All[i], true
	}
	return Provider{}, false
}

func (s Providers) index(id string) int {
	return slices.IndexFunc(s.All, func(p Provider) bool { return p.ProviderID == id })
}

// find returns the saved provider with the id, or refuses with AiProviderNotFound.
func (s Providers) find(id string) (Provider, error) {
	p, ok := s.Find(id)
	if !ok {
		return p, NotFound(id)
	}
	return p, nil
}

// NotFound returns the refusal of an id that no provider of the account has.
func NotFound(id string) *domain.Refusal {
	return domain.Refuse(domain.AiProviderNotFound, "this account has no AI provider %s", short(id)).About("providerId", short(id))
}

// NotEnabled returns the refusal to ask a provider that is not enabled.
func NotEnabled(p Provider) *domain.Refusal {
	return domain.Refuse(domain.AiProviderNotFound, "the AI provider %s is not enabled: enable it first, or name another one",
		p.Name).About("providerId", p.ProviderID)
}

// KeyMissing returns the refusal to ask a provider that needs a key and has none.
func KeyMissing(name, id string) *domain.Refusal {
	return domain.Refuse(domain.AiCredentialNotFound, "the AI provider %s needs a key and none is saved: change it with its apiKey",
		name).About("providerId", id)
}

// KeyUnreadable returns the refusal to ask a provider whose saved key can no longer be
// decrypted.
func KeyUnreadable(p Provider) *domain.Refusal {
	return domain.Refuse(domain.AiCredentialNotFound,
		"the service can no longer decrypt the key of AI provider %s: change the provider and give its apiKey again", p.Name).
		About("providerId", p.ProviderID)
}

// short bounds the length of an id in a message, because a caller can send any text.
func short(id string) string {
	const most = 64
	return domain.Shortened(id, most)
}

// named returns the id of another provider with the name, if there is one. Letter case
// does not matter.
func (s Providers) named(name, except string) (id string, taken bool) {
	if strings.EqualFold(name, EmbeddedName) {
		return EmbeddedID, true
	}
	for _, p := range s.All {
		if p.ProviderID != except && strings.EqualFold(p.Name, name) {
			return p.ProviderID, true
		}
	}
	return "", false
}

// Evolve returns s after e.
func Evolve(s Providers, e domain.Event) Providers {
	switch e := e.(type) {
	case Saved:
		return Providers{append(slices.Clone(s.All), Provider{
			Configuration: e.Configuration, Capabilities: Capabilities{JSONSchema: Unknown}, CreatedAt: e.At, ChangedAt: e.At,
		})}
	case Changed:
		return s.with(e.Configuration.ProviderID, func(p *Provider) {
			before := p.Connection()
			p.Configuration, p.ChangedAt = e.Configuration, e.At
			if p.Connection() != before {
				p.Capabilities, p.LastTest = Capabilities{JSONSchema: Unknown}, nil
			}
		})
	case KeyChanged:
		return s.with(e.ProviderID, func(p *Provider) {
			p.HasKey, p.ChangedAt = e.HasKey, e.At
			p.KeyChanges++
			p.LastTest = nil
		})
	case Tested:
		return s.with(e.ProviderID, func(p *Provider) {
			p.LastTest = &e.Test
			if e.Capabilities != nil {
				p.Capabilities = *e.Capabilities
			}
		})
	case Used:
		return s.with(e.ProviderID, func(p *Provider) { p.UsedBy = append(slices.Clone(p.UsedBy), e.By) })
	case Released:
		return s.with(e.ProviderID, func(p *Provider) {
			p.UsedBy = slices.DeleteFunc(slices.Clone(p.UsedBy), func(by string) bool { return by == e.By })
		})
	case Deleted:
		return Providers{slices.DeleteFunc(slices.Clone(s.All), func(p Provider) bool { return p.ProviderID == e.ProviderID })}
	}
	return s
}

// with copies the list, because a state that was returned must not change later.
func (s Providers) with(id string, change func(*Provider)) Providers {
	all := slices.Clone(s.All)
	if i := s.index(id); i >= 0 {
		change(&all[i])
	}
	return Providers{all}
}
