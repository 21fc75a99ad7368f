// Package proposal is the vocabulary between the code that asks for texts for a
// semantic model and the providers that propose them: which objects, what was proposed,
// and what was skipped and why. It decides nothing and depends on no provider.
package proposal

import "readiness/definition/semanticmodel"

// Type is the type of a change, or of what a provider is asked for.
type Type string

// The types of change (docs/specification.md 2.12).
const (
	AIInstructions Type = "aiInstructions"
	Description    Type = "description"
	DisplayFolder  Type = "displayFolder"
	SummarizeBy    Type = "summarizeBy"
	AIDataSchema   Type = "aiDataSchema"
)

// Synonyms asks for all synonyms of objects, one a line. The changes that come of it have
// the type AIDataSchema.
const Synonyms Type = "synonyms"

// Change returns the type of the changes that come of asking for t.
func (t Type) Change() Type {
	if t == Synonyms {
		return AIDataSchema
	}
	return t
}

// UnmarshalText reads a type of change. Earlier versions stored two further ones: synonyms,
// and qnaEnabled, which they wrote together with AI instructions.
func (t *Type) UnmarshalText(text []byte) error {
	switch string(text) {
	case "synonyms":
		*t = AIDataSchema
	case "qnaEnabled":
		*t = AIInstructions
	default:
		*t = Type(text)
	}
	return nil
}

// ObjectType is the type of the object that a change writes to.
type ObjectType string

// The object types. Model is the model itself, which holds the AI instructions.
const (
	Model   ObjectType = "Model"
	Table   ObjectType = "Table"
	Column  ObjectType = "Column"
	Measure ObjectType = "Measure"
)

// Object identifies an object of a semantic model. Name is "" for a table; Table and
// Name are both "" for the model itself.
type Object struct {
	Table string     `json:"table"`
	Name  string     `json:"object"`
	Type  ObjectType `json:"objectType"`
}

// The values proposed for the AI data schema.
const (
	Visible = "Visible"
	Hidden  = "Hidden"
)

// The limits of proposals, in characters except for MaxSchemaTables (docs/decisions.md
// 4).
const (
	MinDescription  = 15
	MaxDescription  = 200
	MaxInstructions = 10_000
	MaxFolder       = 100
	// MaxSchemaTables is how many tables a proposed AI data schema shows at most.
	MaxSchemaTables = 25
)

// Ask is a request for proposals of one type, for objects of one model.
type Ask struct {
	// Type is Synonyms or any type of change except SummarizeBy, which no provider proposes.
	Type  Type
	Model *semanticmodel.Model
	// Objects are the objects to propose for, the most urgent first: tables, columns
	// and measures for Description, measures for DisplayFolder. They are empty for
	// AIInstructions, AIDataSchema and Synonyms, which concern the entire model.
	Objects []Object
	// Limit is how many proposals are wanted at most, those for the first objects; 0 means
	// any number.
	Limit int
	// Usage is the number of views by table and field; nil without usage.
	Usage map[string]map[string]int64
	// Captions are what reports call the model's fields, for Synonyms.
	Captions []Caption
	// Memory is shared by the asks about one model; nil remembers nothing.
	Memory *Memory
}

// Memory keeps what a provider computed from a Model and its Usage for later asks about the same, which do not change meanwhile. It is not
// safe for concurrent use.
type Memory struct {
	Model *semanticmodel.Model
	Facts any
}

// Proposal is a value proposed for an object. For AIDataSchema the value is Visible or
// Hidden; for Synonyms it holds those that the object has, and then the new ones.
// Recommended marks what an apply without keys writes.
type Proposal struct {
	Object
	Value       string
	Reason      string // a sentence: why this value
	Recommended bool
	// Origin is the request that an AI provider answered with the value; nil if no AI wrote
	// it.
	Origin *Origin
	// Review says why a person must review the value before it is written; "" if nothing
	// more than usual requires it.
	Review string
}

// Origin identifies the request to an AI provider that a text came from.
type Origin struct {
	// Provider is what the administrators called the provider.
	Provider string `json:"provider" pii:"text"`
	// Model is the language model.
	Model string `json:"model,omitempty"`
	// Prompt is the version of the service's own text of the request.
	Prompt string `json:"promptVersion"`
	// Request is the SHA-256 of the messages of the request, in hexadecimal.
	Request string `json:"requestHash"`
}

// SkipReason says why an object has no proposal.
type SkipReason string

// The reasons.
const (
	NothingProposed    SkipReason = "NothingProposed"
	PermissionRequired SkipReason = "PermissionRequired"
	// Flagged is the reason of a text of an AI provider that package screen dropped, and
	// ReviewRequired of a change that is not written unattended.
	Flagged        SkipReason = "Flagged"
	ReviewRequired SkipReason = "ReviewRequired"
)

// Skip is an object without a proposal.
type Skip struct {
	Object
	Reason  SkipReason
	Message string // a sentence
}

// Question asks a person for what the definition does not say about an object, or about
// the model.
type Question struct {
	Object
	Text string
}

// Provider identifies the provider that answered.
type Provider struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
}

// Replaced returns the warning that the embedded rules propose instead of an AI provider, and why.
func Replaced(why string) string {
	return "The embedded rules made these proposals, because the AI provider failed: " + why
}

// Answer is a provider's answer. Every object of the Ask is either in Proposals or in
// Skipped, exactly once, except for those that More counts. Without objects in the Ask,
// the model itself is skipped if nothing is proposed; for Synonyms the answer is then
// empty. No proposal repeats the value that the model already has.
type Answer struct {
	Provider  Provider
	Proposals []Proposal
	Skipped   []Skip
	// Questions are for a person to answer, so that more can be proposed or written.
	Questions []Question
	// More is how many objects have no answer because of the Limit.
	More int
	// Warning says why another provider than the chosen one answers; "" if the chosen one does.
	Warning string
}
