package aiprovider

import "slices"

// Kind says what kind of AI answers.
type Kind string

// The kinds, named as in the accounts file (docs/decisions.md 8.2). No saved provider
// has kind Rules; it is the embedded provider's.
const (
	Rules            Kind = "rules"
	OpenAI           Kind = "openai"
	Anthropic        Kind = "anthropic"
	OpenAICompatible Kind = "openai_compatible"
	AzureOpenAI      Kind = "azure_openai"
	DataAgent        Kind = "data_agent"
)

// Remote reports whether a language model behind an address answers.
func (k Kind) Remote() bool {
	switch k {
	case OpenAI, Anthropic, OpenAICompatible, AzureOpenAI:
		return true
	case Rules, DataAgent:
	}
	return false
}

// NeedsKey reports whether the kind always needs a key. An OpenAI-compatible server may
// need none.
func (k Kind) NeedsKey() bool { return k.Remote() && k != OpenAICompatible }

// NeedsAddress reports whether the kind has no default address.
func (k Kind) NeedsAddress() bool { return k == OpenAICompatible || k == AzureOpenAI }

// Purpose is what a saved provider may be asked for.
type Purpose string

// The purposes.
const (
	Proposals Purpose = "Proposals" // texts of previews
	Questions Purpose = "Questions" // benchmark questions
	Judge     Purpose = "Judge"     // whether an answer is correct, where no rule decides
	Agent     Purpose = "Agent"     // answers, as the GenericAgent side of an A/B test
)

// Purposes returns the purposes that the kind can serve, in a fixed order. A data agent
// answers as the person, and neither judges nor writes questions.
func (k Kind) Purposes() []Purpose {
	if k == DataAgent {
		return []Purpose{Proposals, Agent}
	}
	return []Purpose{Proposals, Questions, Judge, Agent}
}

// serves reports whether the kind can be asked for the purpose.
func (k Kind) serves(p Purpose) bool { return slices.Contains(k.Purposes(), p) }
