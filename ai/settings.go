package ai

import (
	"cmp"
	"net/url"
	"strings"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
)

// vendors are the display names of kinds.
var vendors = map[aiprovider.Kind]string{
	aiprovider.OpenAI: "OpenAI", aiprovider.Anthropic: "Anthropic", aiprovider.AzureOpenAI: "Azure OpenAI",
	aiprovider.DataAgent: "Data agent",
}

// withDefaults returns the settings with the name and address that their kind implies.
func withDefaults(s aiprovider.Settings) aiprovider.Settings {
	s.BaseURL = cmp.Or(s.BaseURL, s.Kind.Address())
	s.Name = cmp.Or(s.Name, vendors[s.Kind], host(s.BaseURL), string(s.Kind))
	return s
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// providerOf returns the provider that an answer names.
func providerOf(s aiprovider.Settings) proposal.Provider {
	if s.IsEmbedded() {
		return rules.Provider
	}
	return proposal.Provider{Kind: string(s.Kind), Name: s.Name, Model: s.Model}
}

// settings returns the client settings of the language model. The key of a declared provider is read
// from the environment.
func (p *Proposer) settings(s aiprovider.Settings) (openai.Settings, error) {
	key := s.Key.Reveal()
	if s.KeyEnv != "" {
		key = strings.TrimSpace(p.options.Getenv(s.KeyEnv))
	}
	switch {
	case !s.Kind.Remote():
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"The account's AI provider %s has the kind %q, which this version does not support: choose another one.", s.Name, s.Kind)
	case s.Model == "" && s.Declared:
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"The AI provider %s names no model: add aiProvider.model to the accounts file.", s.Name)
	case s.Model == "":
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed, "The AI provider %s names no model: change it with one.", s.Name)
	case s.Declared && s.KeyEnv == "" && s.Kind.NeedsKey():
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"The AI provider %s needs a key: name its environment variable in aiProvider.apiKeyEnv.", s.Name)
	case s.KeyEnv != "" && key == "":
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"The key of the AI provider %s is missing: the service's environment variable %s is not set.", s.Name, s.KeyEnv)
	case key == "" && s.Kind.NeedsKey() && !s.Entra.Keyless():
		return openai.Settings{}, aiprovider.KeyMissing(s.Name, s.ProviderID)
	case key != "" && !aiprovider.MayCarryKey(s.BaseURL): // saved before such settings were refused
		return openai.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"The AI provider %s has a key and an http address, and keys are sent over https only: change its baseUrl and give "+
				"the key again.", s.Name)
	}
	schema := s.Capabilities.JSONSchema
	return openai.Settings{
		Name: s.Name, BaseURL: s.BaseURL, Model: s.Model, Key: key, Azure: s.Kind == aiprovider.AzureOpenAI, Entra: s.Entra,
		Anthropic: s.Kind == aiprovider.Anthropic, APIVersion: s.APIVersion,
		WithoutDAX: s.WithoutDAX, WithRows: s.WithRows, Limits: s.Limits,
		NotEnforced:      schema == aiprovider.AcceptedNotEnforced || schema == aiprovider.None,
		PrivateAddresses: s.Declared || p.options.PrivateAddresses,
	}, nil
}
