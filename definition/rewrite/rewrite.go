// Package rewrite changes single properties of a semantic model's definition and
// puts them back: descriptions, display folders, default summarizations, the AI
// instructions and the visibilities of the AI data schema. Only the bytes that
// must change do, and Restore gives back every byte that Write changed.
package rewrite

// Property is what a change sets.
type Property string

// The properties that can be set.
const (
	// Description of a table, a column or a measure.
	Description Property = "description"
	// DisplayFolder of a measure.
	DisplayFolder Property = "displayFolder"
	// SummarizeBy of a column.
	SummarizeBy Property = "summarizeBy"
	// Instructions are the AI instructions of the model (Table and Name "").
	Instructions Property = "instructions"
	// Visibility of a table, column or measure in the AI data schema.
	Visibility Property = "visibility"
)

// Target is one property of one object. Name is "" for a table, both are "" for
// the model. Names are compared exactly.
type Target struct {
	Property Property `json:"property"`
	Table    string   `json:"table"`
	Name     string   `json:"name"`
}

// Value is what a definition holds at a target.
type Value struct {
	// Found is false when the definition holds no such object.
	Found bool
	// Text is nil when the object does not have the property.
	Text *string
}

// Change sets the property of a target to a value.
type Change struct {
	Target
	Value string
}

// Undo is what puts the bytes of one change back. It is stored as JSON beside
// the change; nobody but Restore looks into it.
type Undo struct {
	Target
	// Written is the value the change wrote; Restore refuses when the definition
	// holds another.
	Written string `json:"written"`
	// Lines are the bytes that stood where the change wrote, nil when nothing did.
	Lines *string `json:"lines,omitempty"`
	// Created are the parts that the write made, which go when nothing but what
	// it made is left in them.
	Created []string `json:"created,omitempty"`
}
