package aiprovider

import (
	"slices"

	"readiness/domain"
)

// Use marks the provider as needed by an A/B test, a schedule or the like, which
// By names. The embedded provider is always there and is not counted. Using it
// twice is using it once.
type Use struct{ ProviderID, By string }

// Decide implements domain.Command.
func (c Use) Decide(s Providers) ([]domain.Event, error) {
	if c.ProviderID == EmbeddedID {
		return nil, nil
	}
	p, err := s.find(c.ProviderID)
	switch {
	case err != nil:
		return nil, err
	case !p.Enabled:
		return nil, NotEnabled(p)
	case !p.Askable():
		return nil, KeyMissing(p.Name, p.ProviderID)
	case slices.Contains(p.UsedBy, c.By):
		return nil, nil
	}
	return []domain.Event{Used{p.ProviderID, c.By}}, nil
}

// Release ends every use of By.
type Release struct{ By string }

// Decide implements domain.Command.
func (c Release) Decide(s Providers) ([]domain.Event, error) {
	var events []domain.Event
	for _, p := range s.All {
		if slices.Contains(p.UsedBy, c.By) {
			events = append(events, Released{p.ProviderID, c.By})
		}
	}
	return events, nil
}
