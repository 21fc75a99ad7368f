package aiprovider

import (
	"slices"

	"readiness/domain"
)

// Use records that By, an A/B test for example, needs the provider. The embedded
// provider always exists, so its uses are not recorded. Repeating a use has no effect.
type Use struct{ ProviderID, By string }

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

// Release ends every use by By.
type Release struct{ By string }

func (c Release) Decide(s Providers) ([]domain.Event, error) {
	var events []domain.Event
	for _, p := range s.All {
		if slices.Contains(p.UsedBy, c.By) {
			events = append(events, Released{p.ProviderID, c.By})
		}
	}
	return events, nil
}
