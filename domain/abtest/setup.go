// Package abtest holds A/B tests: two sides that are asked one set of questions,
// run after run, and how a run goes (spec 2.11, 3.2, 4.6). What the answers come
// to, package comparison computes.
package abtest

import (
	"time"

	"github.com/google/uuid"
)

// SideName is "a" or "b".
type SideName string

// The sides.
const (
	A SideName = "a"
	B SideName = "b"
)

// SourceKind says where a test's questions come from (spec 2.11).
type SourceKind string

// The kinds of source.
const (
	FromRun       SourceKind = "Run"
	FromQuestions SourceKind = "Questions"
)

// Source is where a test's questions come from. RunID and RunStoredAt are those
// of the stored run, for FromRun.
type Source struct {
	Kind        SourceKind `json:"kind"`
	RunID       *uuid.UUID `json:"runId,omitempty"`
	RunStoredAt *time.Time `json:"runStoredAtUtc,omitempty"`
}

// CorrectAnswers says what happens to the correct answers on each run.
type CorrectAnswers string

// The values: those the test was made with, or computed from side A anew.
const (
	Preserve CorrectAnswers = "Preserve"
	Update   CorrectAnswers = "Update"
)

// QuestionSet says which questions a further run asks.
type QuestionSet string

// The question sets: what the test froze, or what side A's model has saved now.
const (
	Frozen  QuestionSet = "Frozen"
	Current QuestionSet = "Current"
)

// Questions are a set in a document.
type Questions struct {
	// Document is the hash of the document with the benchmark.Set.
	Document string `json:"document"`
	SetHash  string `json:"questionSetHash"`
	Count    int    `json:"count"`
}

// Hypothesis is what the customer expects; Kind is A, B or Same for a suggested
// sentence, nil for the customer's own words.
type Hypothesis struct {
	Text string  `json:"text"`
	Kind *string `json:"kind,omitempty"`
}

// Words are what may be changed of a test at any time (spec 4.6, PATCH rules).
type Words struct {
	Name             string      `json:"name"`
	Description      *string     `json:"description,omitempty"`
	Hypothesis       *Hypothesis `json:"hypothesis,omitempty"`
	LabelA           *string     `json:"labelA,omitempty"`
	LabelB           *string     `json:"labelB,omitempty"`
	SideADescription *string     `json:"sideADescription,omitempty"`
	SideBDescription *string     `json:"sideBDescription,omitempty"`
}
