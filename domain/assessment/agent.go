package assessment

import "github.com/google/uuid"

// MaxSources is how many sources of a data agent one assessment looks at; an
// agent that has more is not readable. The platform lets an agent have five.
const MaxSources = 20

// DataAgent is what an assessment of a data agent says of what it read (regime
// C.6).
type DataAgent struct {
	Stage Stage `json:"stage"`
	// Sources are those of the stage, in the order of their folders.
	Sources []Source `json:"sources"`
}

// Stage is the state of a data agent's configuration that was assessed. It is
// part of the score's key: scores of different stages are not compared.
type Stage string

// The stages. Published is what people ask; a Draft is assessed only where
// nothing was published.
const (
	Published Stage = "Published"
	Draft     Stage = "Draft"
)

// Source is a source of a data agent: scored, or left out and why.
type Source struct {
	// ID is that of the item; the name of the source's folder where the agent
	// says no id, or one that an earlier source has. It is unique in an
	// assessment, and what findings call source_model_id.
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Type        string    `json:"type"` // as the agent's definition has it
	WorkspaceID uuid.UUID `json:"workspaceId"`
	// Scored says that the source is a semantic model that took part in the score.
	Scored bool `json:"scored"`
	// Reason and Message say why it did not.
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// DefinitionHash is of the definition that was scored, Usage how usage of the
	// model took part; both are empty unless it was.
	DefinitionHash string `json:"definitionHash,omitempty"`
	Usage          *Usage `json:"usage,omitempty"`
}

// Reason says why a source was left out: one of these, or the code of what the
// platform or the model made of reading it.
type Reason string

// The reasons that are no code of an operation.
const (
	// NoSemanticModel: only semantic models are scored (regime C.6, 1).
	NoSemanticModel Reason = "NoSemanticModel"
	// NamedTwice: an earlier source is the same semantic model.
	NamedTwice Reason = "NamedTwice"
)
