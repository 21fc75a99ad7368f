package ai

import (
	"cmp"
	"encoding/json"
	"net/url"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/domain"
	"readiness/domain/proposal"
)

// settings are an account's AI provider as its document says (decisions 8.2).
type settings struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	BaseURL    string `json:"baseUrl"`
	Model      string `json:"model"`
	APIKeyEnv  string `json:"apiKeyEnv"`
	APIVersion string `json:"apiVersion"`
}

// The kinds of provider.
const (
	kindRules      = "rules"
	kindOpenAI     = "openai"
	kindAnthropic  = "anthropic"
	kindCompatible = "openai_compatible"
	kindAzure      = "azure_openai"
	kindDataAgent  = "data_agent"
)

// vendors are the kinds that have one address, and what people call them.
// Anthropic is asked over its interface for clients of OpenAI's.
var vendors = map[string]struct{ name, baseURL string }{
	kindOpenAI:    {"OpenAI", "https://api.openai.com/v1"},
	kindAnthropic: {"Anthropic", "https://api.anthropic.com/v1"},
	kindAzure:     {"Azure OpenAI", ""},
	kindDataAgent: {"Data agent", ""},
}

// read takes the document apart; "" is the embedded provider.
func read(document string) (settings, error) {
	s := settings{Kind: kindRules}
	if document == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(document), &s); err != nil {
		return s, domain.Refuse(domain.OptimizationFailed, "The account's AI provider is not declared in a form that this version reads: apply the accounts file again.")
	}
	v := vendors[s.Kind]
	s.BaseURL = cmp.Or(s.BaseURL, v.baseURL)
	s.Name = cmp.Or(s.Name, v.name, host(s.BaseURL), s.Kind)
	return s, nil
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// provider is who an answer is of.
func (s settings) provider() proposal.Provider {
	if s.Kind == kindRules {
		return rules.Provider
	}
	return proposal.Provider{Kind: s.Kind, Name: s.Name, Model: s.Model}
}

// client are the settings of the language model; key is that of the environment.
func (s settings) client(key string) (openai.Settings, error) {
	switch {
	case s.Kind != kindOpenAI && s.Kind != kindAnthropic && s.Kind != kindCompatible && s.Kind != kindAzure:
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed, "The account's AI provider %s is of kind %q, which this version cannot ask: declare another one.", s.Name, s.Kind)
	case s.Model == "":
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed, "The AI provider %s names no model: add aiProvider.model to the accounts file.", s.Name)
	case s.APIKeyEnv == "" && s.Kind != kindCompatible:
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed, "The AI provider %s needs a key: name its environment variable in aiProvider.apiKeyEnv.", s.Name)
	case s.APIKeyEnv != "" && key == "":
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed, "The key of the AI provider %s is missing: the service's environment variable %s is not set.", s.Name, s.APIKeyEnv)
	}
	return openai.Settings{Name: s.Name, BaseURL: s.BaseURL, Model: s.Model, Key: key, Azure: s.Kind == kindAzure, APIVersion: s.APIVersion}, nil
}
