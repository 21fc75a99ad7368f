package work

import (
	"readiness/domain/assessment"
	"readiness/domain/readiness"
)

// documentSchema is the version of the document's shape.
const documentSchema = 1

// document is an assessment as it is stored (docs/decisions.md 6, Assessment
// document). It never changes once written, and stays readable under later regimes.
type document struct {
	SchemaVersion int              `json:"schemaVersion"`
	Report        readiness.Result `json:"report"`
	Regime        documentRegime   `json:"regime"`
	Usage         assessment.Usage `json:"usage"`
	// Model counts the contents of the semantic model, or of all models that a data
	// agent was scored on.
	Model          readiness.Counts `json:"model"`
	DefinitionHash string           `json:"definitionHash"`
	// DataAgent is absent for a semantic model.
	DataAgent *assessment.DataAgent `json:"dataAgent,omitempty"`
}

type documentRegime struct {
	ID             string `json:"id"`
	UsageInScoring bool   `json:"usageInScoring"`
}

func newDocument(scored readiness.Result, a assessment.Assessment) document {
	return document{
		SchemaVersion:  documentSchema,
		Report:         scored,
		Regime:         documentRegime{a.RegimeID, a.UsageInScoring},
		Usage:          a.Usage,
		Model:          scored.Model,
		DefinitionHash: a.DefinitionHash,
		DataAgent:      a.DataAgent,
	}
}
