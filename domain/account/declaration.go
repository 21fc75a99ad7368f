package account

import (
	"encoding/json"

	"github.com/google/uuid"

	"readiness/domain/aiprovider"
	"readiness/domain/item"
)

// Declaration is everything an operator declares about one account in the accounts
// file. It is complete: the account loses whatever the declaration does not name.
type Declaration struct {
	AccountID      string
	Plan           Plan
	Status         Status
	Region         string
	Settings       Settings
	Licenses       []License
	People         []Person
	TrackingSetups []TrackingSetup
	AIProvider     *AIProvider // nil: the embedded one
	// Rules are what the account's rules file says, in the JSON of ownrules.Written; "" without a file.
	Rules string
}

// Person is a declared person, with role, license and access to each platform
// permission.
type Person struct {
	Person      item.Person
	Role        Role
	License     string
	Permissions map[item.Permission]item.Access
}

// saved returns what the account stores of the person under the id.
func (p Person) saved(id item.PersonID) SavedPerson {
	if len(p.Permissions) == 0 {
		p.Permissions = nil
	}
	return SavedPerson{Person: id, Role: p.Role, License: p.License, Permissions: p.Permissions}
}

// Corner is the corner of a report page that a Pixie is put into (docs/decisions.md
// 8.2).
type Corner string

// The corners.
const (
	TopLeft     Corner = "TopLeft"
	TopRight    Corner = "TopRight"
	BottomLeft  Corner = "BottomLeft"
	BottomRight Corner = "BottomRight"
)

// MaxPixieSize is the largest side of a Pixie in pixels.
const MaxPixieSize = 64

// TrackingSetup says how Pixies are added to the reports of a workspace. Zero values
// mean the defaults of docs/decisions.md 8.2.
type TrackingSetup struct {
	WorkspaceID      uuid.UUID `json:"workspaceId"`
	CollectorBaseURL string    `json:"collectorBaseUrl,omitempty"`
	Size             int       `json:"size,omitempty"` // pixels
	Corner           Corner    `json:"corner,omitempty"`
	ExcludePages     []string  `json:"excludePages,omitempty"` // name patterns
}

// AIProvider is the AI provider that an accounts file declares for the account
// (docs/decisions.md 8.2). APIKeyEnv names the environment variable that holds the key;
// the key itself is never part of a declaration.
type AIProvider struct {
	Kind    aiprovider.Kind `json:"kind"`
	Name    string          `json:"name,omitempty"`
	BaseURL string          `json:"baseUrl,omitempty"`
	// Model is the model's name; for kind azure_openai the deployment's name.
	Model     string `json:"model,omitempty"`
	APIKeyEnv string `json:"apiKeyEnv,omitempty"`
	// APIVersion is for kind azure_openai only; "" selects its interface without
	// versions.
	APIVersion string `json:"apiVersion,omitempty"`
	// Entra is nil unless a token of Microsoft Entra replaces the key of kind azure_openai;
	// APIKeyEnv then names its secret.
	Entra *aiprovider.Entra `json:"entra,omitempty"`
	// WorkspaceID and DataAgentID identify the data agent of kind data_agent.
	WorkspaceID uuid.UUID `json:"workspaceId,omitzero"`
	DataAgentID uuid.UUID `json:"dataAgentId,omitzero"`
}

// AIProviderDocument is the name of the document that holds an account's AI provider.
const AIProviderDocument = "aiProvider"

// RulesDocument is the name of the document that holds what an account's rules file says.
const RulesDocument = "rules"

// TrackingSetupDocument returns the name of the document that holds the tracking setup
// of a workspace.
func TrackingSetupDocument(workspaceID uuid.UUID) string {
	return "trackingSetup/" + workspaceID.String()
}

// documents returns the parts of the declaration that an account keeps as JSON, by
// name.
func (d Declaration) documents() map[string]string {
	all := make(map[string]string, len(d.TrackingSetups)+1)
	for _, s := range d.TrackingSetups {
		all[TrackingSetupDocument(s.WorkspaceID)] = asJSON(s)
	}
	if d.AIProvider != nil {
		all[AIProviderDocument] = asJSON(*d.AIProvider)
	}
	if d.Rules != "" {
		all[RulesDocument] = d.Rules
	}
	return all
}

// asJSON returns v as JSON. Every v is a struct of this package, which always marshals.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
