package ai

import (
	"readiness/ai/openai"
	"readiness/domain/aiprovider"
)

// LanguageModel returns what asks the language model of the settings, for what is
// not a proposal: the one of before if there is one, so that a provider's limits
// hold for all that ask it. The error is a *domain.Refusal for settings that nothing
// can be asked with.
func (p *Proposer) LanguageModel(s aiprovider.Settings) (*openai.Client, error) {
	return p.client(whole(s))
}
