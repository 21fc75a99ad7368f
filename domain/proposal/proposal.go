// Package proposal is the vocabulary between who wants texts for a semantic
// model and what proposes them: which objects, what was proposed, what was not
// and why (spec 2.12; regime F). It decides nothing and knows no provider.
package proposal

import "readiness/definition/semanticmodel"

// Type is what a change writes (spec 2.12, change types).
type Type string

// The types of change.
const (
	AIInstructions Type = "aiInstructions"
	Description    Type = "description"
	DisplayFolder  Type = "displayFolder"
	SummarizeBy    Type = "summarizeBy"
	AIDataSchema   Type = "aiDataSchema"
)

// ObjectType is what kind of object a change writes to.
type ObjectType string

// The object types. Model is the model itself, which holds the AI instructions.
const (
	Model   ObjectType = "Model"
	Table   ObjectType = "Table"
	Column  ObjectType = "Column"
	Measure ObjectType = "Measure"
)

// Object names an object of a semantic model: Name is "" for a table, both are
// "" for the model itself.
type Object struct {
	Table string     `json:"table"`
	Name  string     `json:"object"`
	Type  ObjectType `json:"objectType"`
}

// The values proposed for the AI data schema (formats B, visibility).
const (
	Visible = "Visible"
	Hidden  = "Hidden"
)

// Limits of what is proposed, in characters (regime F, decisions 4).
const (
	MinDescription  = 15
	MaxDescription  = 200
	MaxInstructions = 10_000
	MaxFolder       = 100
	// MaxSchemaTables is how many tables a proposed AI data schema shows.
	MaxSchemaTables = 25
)

// Ask is what proposals are wanted for: one type, some objects of one model.
type Ask struct {
	// Type is any but SummarizeBy, which is never proposed by a provider.
	Type  Type
	Model *semanticmodel.Model
	// Objects are those to propose for, the most urgent first: tables, columns
	// and measures for Description, measures for DisplayFolder; empty for
	// AIInstructions and AIDataSchema, which concern the model as a whole.
	Objects []Object
	// Usage is how often each field was viewed: table, field, views; nil is no
	// usage.
	Usage map[string]map[string]int64
}

// Proposal is a value proposed for an object. For AIDataSchema it is Visible or
// Hidden, and Recommended marks what an apply without keys writes.
type Proposal struct {
	Object
	Value       string
	Reason      string // a sentence: why this value
	Recommended bool
}

// SkipReason says why an object has no proposal (spec 2.12).
type SkipReason string

// The reasons.
const (
	NothingProposed    SkipReason = "NothingProposed"
	PermissionRequired SkipReason = "PermissionRequired"
)

// Skip is an object that nothing is proposed for.
type Skip struct {
	Object
	Reason  SkipReason
	Message string // a sentence
}

// Provider says who answered.
type Provider struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
}

// Answer is what was proposed. Every object asked about is in Proposals or in
// Skipped, once. No proposal repeats the value that the model has.
type Answer struct {
	Provider  Provider
	Proposals []Proposal
	Skipped   []Skip
}
