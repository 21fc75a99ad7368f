package account

import (
	"encoding/json"

	"readiness/domain"
	"readiness/domain/aiprovider"
)

// Provider returns the settings of the AI provider that the account's declaration
// says, those of the embedded one when it says nothing. The key is where KeyEnv
// says.
func (a Account) Provider() (aiprovider.Settings, error) {
	text, declared := a.Saved[AIProviderDocument]
	if !declared {
		return aiprovider.Embedded(), nil
	}
	var p AIProvider
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return aiprovider.Settings{}, domain.Refuse(domain.OptimizationFailed, "The account's AI provider is not declared in a form that this version reads: apply the accounts file again.")
	}
	return aiprovider.Settings{
		Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL, Model: p.Model, APIVersion: p.APIVersion,
		WorkspaceID: p.WorkspaceID, DataAgentID: p.DataAgentID, KeyEnv: p.APIKeyEnv, Declared: true,
	}, nil
}
