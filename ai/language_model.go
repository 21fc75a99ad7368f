package ai

import (
	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// LanguageModel returns the client of the settings' language model, for requests other than proposals.
// It shares cached clients with Propose, so that the provider's limits apply to all requests. The
// error is a *domain.Refusal when the settings cannot be used.
func (p *Proposer) LanguageModel(s aiprovider.Settings) (*openai.Client, error) {
	return p.client(withDefaults(s))
}
