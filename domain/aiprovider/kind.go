package aiprovider

import "slices"

// Kind says what answers.
type Kind string

// The kinds, by the names that the accounts file has for them (decisions 8.2).
// Rules is the embedded provider's alone among those of an account's own.
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

// NeedsKey reports whether it is never asked without a key. A server that is
// compatible may want none.
func (k Kind) NeedsKey() bool { return k.Remote() && k != OpenAICompatible }

// NeedsAddress reports whether it has no address unless one is given.
func (k Kind) NeedsAddress() bool { return k == OpenAICompatible || k == AzureOpenAI }

// Purpose is what a saved provider may be asked for.
type Purpose string

// The purposes.
const (
	Proposals Purpose = "Proposals" // texts of previews (spec 4.5)
	Questions Purpose = "Questions" // benchmark questions
	Judge     Purpose = "Judge"     // whether an answer is right, where no rule says so
	Agent     Purpose = "Agent"     // answers: a GenericAgent side of an A/B test (spec 2.11)
)

// Purposes are those that the kind can serve, in their one order. A data agent
// answers as the person and neither judges nor writes questions (regime F.1).
func (k Kind) Purposes() []Purpose {
	if k == DataAgent {
		return []Purpose{Proposals, Agent}
	}
	return []Purpose{Proposals, Questions, Judge, Agent}
}

// serves reports whether the kind can be asked for the purpose.
func (k Kind) serves(p Purpose) bool { return slices.Contains(k.Purposes(), p) }
