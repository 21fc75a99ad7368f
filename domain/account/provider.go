package account

import (
	"encoding/json"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

// Provider returns the settings of the declared AI provider, or of the embedded one
// when none is declared. The environment variable KeyEnv holds its key. Provider
// refuses with OptimizationFailed when the stored declaration cannot be read.
func (a Account) Provider() (aiprovider.Settings, error) {
	text, declared := a.Saved[AIProviderDocument]
	if !declared {
		return aiprovider.Embedded(), nil
	}
	var p AIProvider
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return aiprovider.Settings{}, domain.Refuse(domain.OptimizationFailed,
			"This version cannot read the stored declaration of the account's AI provider: apply the accounts file again.")
	}
	var token aiprovider.Entra
	if p.Entra != nil {
		token = *p.Entra
	}
	return aiprovider.Settings{
		Entra: token,
		Kind:  p.Kind, Name: p.Name, BaseURL: p.BaseURL, Model: p.Model, APIVersion: p.APIVersion,
		WorkspaceID: p.WorkspaceID, DataAgentID: p.DataAgentID, KeyEnv: p.APIKeyEnv, Declared: true,
	}, nil
}
