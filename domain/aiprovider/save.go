package aiprovider

import (
	"time"

	"readiness/domain"
)

// Save adds a provider to the account (docs/decisions.md 7). HasKey says that its key
// is stored in the same append. Observed is the result of the test call made before.
type Save struct {
	Configuration Configuration
	HasKey        bool
	Observed      *Observation
	// Anyway saves a provider that the test call did not reach.
	Anyway bool
	At     time.Time
}

func (c Save) Decide(s Providers) ([]domain.Event, error) {
	of, err := c.Configuration.checked()
	if err != nil {
		return nil, err
	}
	if c.HasKey && of.Kind == DataAgent {
		return nil, keyOfDataAgent()
	}
	if c.HasKey && !MayCarryKey(of.BaseURL) {
		return nil, keyInClear()
	}
	if err := s.free(of); err != nil {
		return nil, err
	}
	if len(s.All) >= MaxProviders {
		return nil, domain.Refuse(domain.AiProviderConflict, "this account has %d AI providers, the most it may have: delete one first",
			len(s.All)).
			About("used", len(s.All)).About("limit", MaxProviders)
	}
	if err := c.Observed.reached(of.Name, c.Anyway); err != nil {
		return nil, err
	}
	events := []domain.Event{Saved{of, c.At}}
	if c.HasKey {
		events = append(events, KeyChanged{of.ProviderID, true, c.At})
	}
	return append(events, tested(of.ProviderID, c.Observed)...), nil
}

// Outcome returns the provider as it will be, without the result of a test call.
func (c Save) Outcome(s Providers) (Provider, error) {
	c.Observed = nil
	events, err := c.Decide(s)
	for _, e := range events {
		s = Evolve(s, e)
	}
	p, _ := s.Find(c.Configuration.ProviderID)
	return p, err
}

// free refuses a name that another provider of the account has.
func (s Providers) free(of Configuration) error {
	if id, taken := s.named(of.Name, of.ProviderID); taken {
		return domain.Refuse(domain.AiProviderConflict, "this account has an AI provider named %s already: give this one another name",
			of.Name).About("providerId", id)
	}
	return nil
}

func keyOfDataAgent() error {
	return wrong("apiKey", "is only for language models: a data agent is asked as the signed-in person and has no key")
}

// tested returns the event of a test call; none when o is nil.
func tested(id string, o *Observation) []domain.Event {
	if o == nil {
		return nil
	}
	return []domain.Event{Tested{id, o.Test, o.Capabilities}}
}
