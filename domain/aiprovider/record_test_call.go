package aiprovider

import "readiness/domain"

// RecordTest records the result of a test call made with the connection Of.
type RecordTest struct {
	ProviderID string
	Observed   Observation
	Of         Connection
}

func (c RecordTest) Decide(s Providers) ([]domain.Event, error) {
	p, err := s.Testable(c.ProviderID)
	if err != nil {
		return nil, err
	}
	if p.Connection() != c.Of {
		return nil, movedOn(p)
	}
	return tested(p.ProviderID, &c.Observed), nil
}

// Testable returns the provider when a test call of it can be made, or refuses.
func (s Providers) Testable(id string) (Provider, error) {
	if id == EmbeddedID {
		return Provider{}, fixed()
	}
	p, err := s.find(id)
	if err == nil && !p.Askable() {
		err = KeyMissing(p.Name, p.ProviderID)
	}
	return p, err
}
