// Package rewrite changes single properties of a semantic model's definition and
// puts them back: descriptions, display folders, default summarizations, the AI
// instructions and the visibilities of the AI data schema. Only the bytes that
// must change do, and Restore gives back every byte that Write changed.
//
// Where AI instructions and visibilities are kept differs. A definition with any
// part under Copilot/ keeps them there. One without keeps them in the linguistic
// schema of a culture if that has instructions, or visibilities that a person
// chose (State Authored; without it they follow from what the model hides), and
// there they are read and written. Every other definition gets the parts under
// Copilot/. Which of several cultures it is follows regime C.9 (5): the model's
// default one, else the first by name. Scoring takes the AI data schema from
// Copilot/schema.json only, so what is hidden in a linguistic schema is seen
// here and not there.
package rewrite

import (
	"errors"
	"fmt"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

// Property is what a change sets.
type Property string

// The properties that can be set.
const (
	// Description of a table, a column or a measure.
	Description Property = "description"
	// DisplayFolder of a column or a measure.
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

func (t Target) String() string {
	switch {
	case t.Table == "":
		return fmt.Sprintf("%s of the model", t.Property)
	case t.Name == "":
		return fmt.Sprintf("%s of the table '%s'", t.Property, t.Table)
	}
	return fmt.Sprintf("%s of '%s'[%s]", t.Property, t.Table, t.Name)
}

// Value is what a definition holds at a target.
type Value struct {
	// Found is false when the definition holds no such object, or one that
	// cannot have the property.
	Found bool
	// Text is nil when the object does not have the property or, but for the AI
	// instructions, an empty one. The lines of a description are joined by "\n".
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
	// Written is the value the change wrote, as Values reads it; Restore refuses
	// when the definition holds another.
	Written string `json:"written"`
	// Lines are the bytes that stood where the change wrote, nil when nothing did.
	Lines *string `json:"lines,omitempty"`
	// Bytes are in place of Lines where those are not UTF-8.
	Bytes []byte `json:"bytes,omitempty"`
	// Escaped is how Lines stood in a text of model.bim, where that differs from
	// how it would be written today.
	Escaped []byte `json:"escaped,omitempty"`
	// Culture is the one whose linguistic schema was written to, "" for none.
	Culture string `json:"culture,omitempty"`
	// Made is what the write put around the value in the AI data schema, each
	// with what stood there before, "" for nothing. It goes when it is empty.
	Made map[string]string `json:"made,omitempty"`
	// Created are the parts that the write made, which go when nothing but what
	// it made is left in them.
	Created []string `json:"created,omitempty"`
}

// ErrChanged says that the definition no longer holds what a write put there.
var ErrChanged = errors.New("it was changed since")

// Values returns what the definition holds at each target, in their order. It
// fails only when the definition cannot be read, and names the part and line.
func Values(d definition.Definition, targets []Target) ([]Value, error) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return nil, err
	}
	r := newReading(d, m)
	values := make([]Value, len(targets))
	for i, t := range targets {
		values[i] = r.value(t)
	}
	return values, nil
}

// Write makes the changes, all or none, and returns the new definition, whose
// unchanged parts share their bytes with the old one, and one Undo a change. It
// has read the result and found it to be the same model but for the changes. A
// target without an object, named twice, or with a value that CheckText or the
// format refuses is an error.
func Write(d definition.Definition, changes []Change) (definition.Definition, []Undo, error) {
	none := definition.Definition{}
	e, err := newEdit(d)
	if err != nil {
		return none, nil, err
	}
	undos := make([]Undo, len(changes))
	seen := make(map[Target]bool, len(changes))
	for i, c := range changes {
		if seen[c.Target] {
			return none, nil, fmt.Errorf("%s is changed twice", c.Target)
		}
		seen[c.Target] = true
		if undos[i], err = e.write(c); err != nil {
			return none, nil, fmt.Errorf("%s cannot be written: %w", c.Target, err)
		}
	}
	written, err := e.definition()
	if err != nil {
		return none, nil, err
	}
	if err := e.verify(written, undos); err != nil {
		return none, nil, err
	}
	e.nameCreated(undos)
	return written, undos, nil
}

// Restore puts back what the undos' write changed and nothing else. The undos
// may be some of a write's; after the last of them, in any order, every byte is
// as it was, unless somebody else changed it. When the definition no longer
// holds what was written at one of them it returns ErrChanged, naming the
// target, and nothing is restored.
func Restore(d definition.Definition, undos []Undo) (definition.Definition, error) {
	none := definition.Definition{}
	e, err := newEdit(d)
	if err != nil {
		return none, err
	}
	seen := make(map[Target]bool, len(undos))
	for _, u := range undos {
		if seen[u.Target] {
			return none, fmt.Errorf("%s is restored twice", u.Target)
		}
		seen[u.Target] = true
		if err := e.restore(u); err != nil {
			return none, fmt.Errorf("%s cannot be restored: %w", u.Target, err)
		}
	}
	e.removeCreated(undos)
	restored, err := e.definition()
	if err != nil {
		return none, err
	}
	if _, err := semanticmodel.Read(restored); err != nil {
		return none, fmt.Errorf("with what was there before, the definition cannot be read: %w", err)
	}
	return restored, nil
}
