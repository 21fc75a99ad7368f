package aiprovider

import (
	"reflect"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
)

// Patch is a partial change of a provider. A nil member stays as it is; a zero value
// clears it.
type Patch struct {
	Name                     *string
	Kind                     *Kind
	BaseURL                  *string
	Model                    *string
	APIVersion               *string
	WorkspaceID, DataAgentID *uuid.UUID
	Purposes                 *[]Purpose
	Enabled                  *bool
	SendDAX, SendRows        *bool
	MaxConcurrency           *int
	TimeoutMs                *int
	MaxRetries               *int
	MaxOutputTokens          *int
	Entra                    **Entra
	Prices                   **Prices
	Key                      KeyPatch
}

// KeyPatch says what a change does to the key.
type KeyPatch int

// The changes of a key.
const (
	KeepKey KeyPatch = iota
	GiveKey
	RemoveKey
)

// apply returns the configuration with the patch's changes.
func (p Patch) apply(c Configuration) Configuration {
	set(&c.Name, p.Name)
	set(&c.Kind, p.Kind)
	set(&c.BaseURL, p.BaseURL)
	set(&c.Model, p.Model)
	set(&c.APIVersion, p.APIVersion)
	set(&c.WorkspaceID, p.WorkspaceID)
	set(&c.DataAgentID, p.DataAgentID)
	set(&c.Purposes, p.Purposes)
	set(&c.Enabled, p.Enabled)
	set(&c.DataPolicy.SendDAX, p.SendDAX)
	set(&c.DataPolicy.SendRows, p.SendRows)
	set(&c.Limits.MaxConcurrency, p.MaxConcurrency)
	set(&c.Limits.TimeoutMs, p.TimeoutMs)
	set(&c.Limits.MaxRetries, p.MaxRetries)
	set(&c.Limits.MaxOutputTokens, p.MaxOutputTokens)
	set(&c.Entra, p.Entra)
	set(&c.Prices, p.Prices)
	return c
}

func set[T any](member, value *T) {
	if value != nil {
		*member = *value
	}
}

// Change changes a saved provider. When it changes the connection, the caller must have
// made a test call first: Observed is its result, and Of the connection that the
// provider had then.
type Change struct {
	ProviderID string
	Patch      Patch
	Observed   *Observation
	// Anyway changes a provider that the test call did not reach.
	Anyway bool
	Of     Connection
	At     time.Time
}

func (c Change) Decide(s Providers) ([]domain.Event, error) {
	before, after, err := c.Outcome(s)
	if err != nil {
		return nil, err
	}
	needed := after.Connection() != before.Connection()
	if needed != (c.Observed != nil) || needed && before.Connection() != c.Of {
		return nil, movedOn(before)
	}
	if err := c.Observed.reached(after.Name, c.Anyway); err != nil {
		return nil, err
	}
	_, events, err := c.events(s)
	return append(events, tested(before.ProviderID, c.Observed)...), err
}

// Outcome returns the provider before and after the change, without the result of a
// test call. When their connections differ, a test call must be made.
func (c Change) Outcome(s Providers) (before, after Provider, err error) {
	before, events, err := c.events(s)
	if err != nil {
		return before, after, err
	}
	for _, e := range events {
		s = Evolve(s, e)
	}
	after, _ = s.Find(before.ProviderID)
	return before, after, nil
}

// events returns the provider before the change and the events of the change itself.
func (c Change) events(s Providers) (p Provider, events []domain.Event, err error) {
	if c.ProviderID == EmbeddedID {
		return p, nil, fixed()
	}
	if p, err = s.find(c.ProviderID); err != nil {
		return p, nil, err
	}
	of, err := c.Patch.apply(p.Configuration).checked()
	switch {
	case err != nil:
		return p, nil, err
	case c.Patch.Key == GiveKey && of.Kind == DataAgent:
		return p, nil, keyOfDataAgent()
	case c.Patch.Key == GiveKey && !MayCarryKey(of.BaseURL):
		return p, nil, keyInClear()
	case c.Patch.Key == KeepKey && p.HasKey && (of.Kind != p.Kind || of.BaseURL != p.BaseURL || of.token() != p.token()):
		// An administrator who changes the address may not read the key, and must not
		// be able to have it sent to an address of theirs.
		return p, nil, wrong("apiKey", "must be given again, or set to null, when kind, baseUrl or entra changes: a key is sent only to "+
			"the address that it was given for")
	}
	if err := s.free(of); err != nil {
		return p, nil, err
	}
	if !reflect.DeepEqual(of, p.Configuration) {
		events = append(events, Changed{of, c.At})
	}
	if c.Patch.Key == GiveKey || c.Patch.Key == RemoveKey && p.HasKey {
		events = append(events, KeyChanged{p.ProviderID, c.Patch.Key == GiveKey, c.At})
	}
	return p, events, nil
}

func fixed() error {
	return domain.Refuse(domain.InvalidRequest, "the provider %s is part of the service: it cannot be changed, tested or deleted",
		EmbeddedID).About("providerId", EmbeddedID)
}

// movedOn refuses to record a test call of a connection that the provider no longer
// has.
func movedOn(p Provider) error {
	return domain.Refuse(domain.OperationInProgress, "another call changed the AI provider %s while this one tested it; repeat the call",
		p.Name).
		About("providerId", p.ProviderID).After(time.Second)
}
