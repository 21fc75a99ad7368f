package aiprovider

import "readiness/domain"

// Delete removes a saved provider. It refuses with AiProviderConflict while something
// uses it.
type Delete struct{ ProviderID string }

// maxNamed is how many users a refusal names at most.
const maxNamed = 10

func (c Delete) Decide(s Providers) ([]domain.Event, error) {
	if c.ProviderID == EmbeddedID {
		return nil, fixed()
	}
	p, err := s.find(c.ProviderID)
	if err != nil {
		return nil, err
	}
	if n := len(p.UsedBy); n > 0 {
		r := domain.Refuse(domain.AiProviderConflict, "A/B tests use the AI provider %q (%d); the parameters name them: delete "+
			"those tests first, or disable the provider", p.Name, n).About("providerId", p.ProviderID)
		for _, by := range p.UsedBy[:min(n, maxNamed)] {
			r.About("usedBy", by)
		}
		return nil, r
	}
	return []domain.Event{Deleted{p.ProviderID}}, nil
}
