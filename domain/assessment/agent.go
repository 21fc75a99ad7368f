package assessment

import "github.com/google/uuid"

// MaxSources is how many sources of a data agent one assessment reads at most; an agent
// with more is not readable. The platform allows an agent five.
const MaxSources = 20

// DataAgent is the part of an assessment that describes the assessed data agent.
type DataAgent struct {
	// Stage is the stage that was assessed.
	Stage Stage `json:"stage"`
	// Sources are the sources of the stage, in the order of their folders.
	Sources []Source `json:"sources"`
}

// Stage is the stage of a data agent's configuration that was assessed. Scores of
// different stages are not comparable.
type Stage string

// The stages. Published is what people ask. A Draft is assessed only when nothing was
// published.
const (
	Published Stage = "Published"
	Draft     Stage = "Draft"
)

// Source is a source of a data agent, either scored or left out for a reason.
type Source struct {
	// ID is the item's id. It is the name of the source's folder when the agent gives
	// no id, or gives one that an earlier source has. It is unique in an assessment;
	// findings call it source_model_id.
	ID string `json:"id"`
	// Name is the source's name.
	Name        string    `json:"name"`
	Type        string    `json:"type"` // as in the agent's definition
	WorkspaceID uuid.UUID `json:"workspaceId"`
	// Scored is true when the source is a semantic model that took part in the score.
	Scored bool `json:"scored"`
	// Reason and Message say why the source was not scored; empty when it was.
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// DefinitionHash is the hash of the scored definition, and Usage says how the
	// model's usage took part. Both are empty unless Scored.
	DefinitionHash string `json:"definitionHash,omitempty"`
	Usage          *Usage `json:"usage,omitempty"`
}

// Reason says why a source was left out: one of the constants below, or the code of the
// error that reading it met.
type Reason string

// The reasons that are not codes of an operation.
const (
	// NoSemanticModel means that the source is not a semantic model, and only those are scored.
	NoSemanticModel Reason = "NoSemanticModel"
	// NamedTwice means that an earlier source is the same semantic model.
	NamedTwice Reason = "NamedTwice"
)
