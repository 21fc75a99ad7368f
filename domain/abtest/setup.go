// Package abtest holds A/B tests: two sides that are asked the same questions in one or
// more runs, and how a run goes (docs/specification.md 2.11, 3.2 and 4.6). Package
// comparison computes what the answers mean.
package abtest

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"readiness/domain/verdict"
)

// SideName names a side of a test: "a" or "b".
type SideName string

// The sides.
const (
	A SideName = "a"
	B SideName = "b"
)

// SourceKind says where a test's questions come from.
type SourceKind string

// The kinds of source.
const (
	FromRun       SourceKind = "Run"
	FromQuestions SourceKind = "Questions"
)

// Source is where a test's questions come from. RunID and RunStoredAt identify the
// stored run, for FromRun.
type Source struct {
	// Kind says what the source is.
	Kind SourceKind `json:"kind"`
	// RunID is the benchmark run whose questions are asked, for that kind.
	RunID *uuid.UUID `json:"runId,omitempty"`
	// RunStoredAt is when that run was stored.
	RunStoredAt *time.Time `json:"runStoredAtUtc,omitempty"`
}

// CorrectAnswers says what happens to the correct answers on each run.
type CorrectAnswers string

// The values of CorrectAnswers: keep those of the test's creation, or recompute them
// from side A.
const (
	Preserve CorrectAnswers = "Preserve"
	Update   CorrectAnswers = "Update"
)

// QuestionSet says which questions a further run asks.
type QuestionSet string

// The question sets: the questions that the test froze, or those now saved for side A's
// model.
const (
	Frozen  QuestionSet = "Frozen"
	Current QuestionSet = "Current"
)

// Questions identify a question set stored in a document.
type Questions struct {
	// Document is the hash of the document with the benchmark.Set.
	Document string `json:"document"`
	SetHash  string `json:"questionSetHash"`
	Count    int    `json:"count"`
	// Clusters is the number of questions where paraphrases count once. 0 in events written before it was recorded.
	Clusters int `json:"clusters,omitempty"`
}

// NextDetectable returns the minimum detectable effect of the next run that asks these questions. last is the aggregate of the test's
// last successful run; nil without one.
func (q Questions) NextDetectable(last *verdict.Aggregate) verdict.Detectable {
	return verdict.NewDetectable(cmp.Or(q.Clusters, q.Count), last)
}

// Hypothesis is the result that the customer expects. Kind is A, B or Same for a
// suggested sentence, and nil for the customer's own words.
type Hypothesis struct {
	// Text is what the person expects.
	Text string  `json:"text" pii:"text"`
	Kind *string `json:"kind,omitempty"`
}

// Words are the texts of a test that may be changed at any time.
type Words struct {
	// Name is what the person called the test.
	Name string `json:"name" pii:"text"`
	// Description is what the person wrote about it.
	Description *string `json:"description,omitempty" pii:"text"`
	// Hypothesis is what the person expects.
	Hypothesis *Hypothesis `json:"hypothesis,omitempty"`
	// LabelA is what the person calls side A.
	LabelA *string `json:"labelA,omitempty" pii:"text"`
	// LabelB is what the person calls side B.
	LabelB *string `json:"labelB,omitempty" pii:"text"`
	// SideADescription is what the person wrote about side A.
	SideADescription *string `json:"sideADescription,omitempty" pii:"text"`
	// SideBDescription is what the person wrote about side B.
	SideBDescription *string `json:"sideBDescription,omitempty" pii:"text"`
}
