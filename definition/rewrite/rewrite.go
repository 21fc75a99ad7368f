// Package rewrite changes single properties of a semantic model's definition and
// restores them: descriptions, display folders, default summarizations, the AI
// instructions, the visibilities and synonyms of the AI data schema, and whether Q&A is
// on. Only the necessary bytes change, and Restore restores every byte that Write
// changed.
//
// The place of AI instructions and visibilities depends on the definition. With any
// part under Copilot/, they are there. Without one, they are in the linguistic
// schema of a culture that has instructions, or visibilities that a person chose
// (State Authored; otherwise they follow from what the model hides), and are read
// and written there. Every other definition gets the parts under Copilot/. If there
// are several cultures, docs/regime.md decides: the model's default one, else the
// first by name. Scoring reads the AI data schema from Copilot/schema.json only, so
// this package sees objects hidden in a linguistic schema and scoring does not.
//
// Synonyms are read and written in Copilot/schema.json only. A definition whose AI
// instructions or visibilities are in a linguistic schema gets none: a folder Copilot
// would take their place.
package rewrite

import (
	"errors"
	"fmt"

	"readiness/definition"
	"readiness/definition/semanticmodel"
)

// Property is the property that a change sets.
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
	// Synonyms of a table, column or measure in the AI data schema, one a line.
	Synonyms Property = "synonyms"
	// QnAEnabled is whether Q&A is on for the model (Table and Name ""):
	// settings.qnaEnabled of definition.pbism. It is not written; what earlier versions
	// wrote is restored.
	QnAEnabled Property = "qnaEnabled"
)

// Target is one property of one object. Name is "" for a table; Table and Name are
// "" for the model. Names are compared exactly.
type Target struct {
	// Property is what of the object is written.
	Property Property `json:"property"`
	// Table is the object's table; empty for the model.
	Table string `json:"table"`
	// Name is the object in the table; empty for the table itself.
	Name string `json:"name"`
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

// Value is the value of a definition at a target.
type Value struct {
	// Found is false if the definition has no such object, or if it cannot have the
	// property.
	Found bool
	// Text is nil if the object does not have the property or it is empty; empty AI
	// instructions are not nil, and a qnaEnabled that is no boolean is. The lines of a
	// description, and synonyms, are joined by "\n".
	Text *string
}

// Change sets the property of a target to a value.
type Change struct {
	Target
	Value string
}

// Undo holds what Restore needs to restore the bytes of one change. It is stored as
// JSON with the change; its content is private to Restore.
type Undo struct {
	Target
	// Written is the value that the change wrote, as Values reads it. Restore
	// refuses if the definition has another value.
	Written string `json:"written" pii:"text"`
	// Lines are the bytes that the change replaced, nil if there were none.
	Lines *string `json:"lines,omitempty" pii:"text"`
	// Bytes replaces Lines if those are not UTF-8.
	Bytes []byte `json:"bytes,omitempty" pii:"text"`
	// Escaped is how Lines were escaped in a string of model.bim, if the current
	// writer would escape them differently.
	Escaped []byte `json:"escaped,omitempty" pii:"text"`
	// Culture is the culture whose linguistic schema was written, "" for none.
	Culture string `json:"culture,omitempty"`
	// Made lists the structure that the write created around the value in the AI
	// data schema, each with its previous content, "" for none. Restore removes it
	// when it is empty. With Q&A, settings in Made means that Lines are theirs.
	Made map[string]string `json:"made,omitempty" pii:"text"`
	// Created are the parts that the write created. Restore removes them when they
	// contain nothing but what it created.
	Created []string `json:"created,omitempty"`
}

// ErrChanged reports that the definition no longer contains what a write wrote.
var ErrChanged = errors.New("it was changed since")

// Values returns the definition's value at each target, in order. It fails only if
// the definition cannot be read; the error names the part and line.
func Values(d definition.Definition, targets []Target) ([]Value, error) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return nil, err
	}
	return ValuesOf(d, m, targets), nil
}

// ValuesOf is Values of a definition that was read as m.
func ValuesOf(d definition.Definition, m *semanticmodel.Model, targets []Target) []Value {
	r := newReading(d, m)
	values := make([]Value, len(targets))
	for i, t := range targets {
		values[i] = r.value(t)
	}
	return values
}

// Write makes all changes or none. It returns the new definition, whose unchanged
// parts share their bytes with the old one, and one Undo per change. It has read the
// result and checked that it is the same model except for the changes. A target
// without an object, one that is named twice, and a value that CheckText or the
// format refuses are errors.
func Write(d definition.Definition, changes []Change) (definition.Definition, []Undo, error) {
	written, _, undos, err := WriteAndRead(d, changes)
	return written, undos, err
}

// WriteAndRead is Write, and returns the model of the new definition too.
func WriteAndRead(d definition.Definition, changes []Change) (definition.Definition, *semanticmodel.Model, []Undo, error) {
	none := definition.Definition{}
	e, err := newEdit(d)
	if err != nil {
		return none, nil, nil, err
	}
	undos := make([]Undo, len(changes))
	seen := make(map[Target]bool, len(changes))
	for i, c := range changes {
		if seen[c.Target] {
			return none, nil, nil, fmt.Errorf("%s is changed twice", c.Target)
		}
		seen[c.Target] = true
		if undos[i], err = e.write(c); err != nil {
			return none, nil, nil, fmt.Errorf("%s cannot be written: %w", c.Target, err)
		}
	}
	written, err := e.definition()
	if err != nil {
		return none, nil, nil, err
	}
	m, err := e.verify(written, undos)
	if err != nil {
		return none, nil, nil, err
	}
	e.nameCreated(undos)
	return written, m, undos, nil
}

// Restore reverts the changes of the undos' write and nothing else. The undos may be
// some of a write's. After the last of them, in any order, every byte is restored
// unless someone else changed it. If the definition no longer contains what was
// written at one of them, Restore returns ErrChanged, naming the target, and
// restores nothing.
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
		return none, fmt.Errorf("after the restore, the definition cannot be read: %w", err)
	}
	return restored, nil
}
