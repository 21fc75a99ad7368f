package benchmark

import "readiness/domain/comparison"

// Source says where a question comes from.
type Source string

// The sources.
const (
	Generated Source = "Generated"
	Customer  Source = "Customer"
)

// Question is one question of a set, with what is known of its correct answer.
type Question struct {
	QuestionID string   `json:"questionId"` // unique in its set
	Text       string   `json:"text"`
	Expected   Expected `json:"expected"`
	// ClusterID is shared by paraphrases of one question; "" for a question without
	// any.
	ClusterID string `json:"clusterId,omitempty"`
	Source    Source `json:"source"`
}

// Expected is what is known of the correct answer: the fields of a query that answers
// it, such a query, and its single value. At least one of the three is present.
type Expected struct {
	Fields []comparison.Field `json:"fields"`
	DAX    string             `json:"dax,omitempty"`
	Value  string             `json:"value,omitempty"`
}

// Set is a list of questions, in the order in which a run asks them.
type Set struct {
	Questions []Question `json:"questions"`
	// Repeats is how many times each question is asked unless a run says otherwise.
	Repeats int `json:"repeats"`
}

// The limits of a set (docs/decisions.md 7).
const (
	MaxQuestions   = 100
	MaxRepeats     = 5
	DefaultRepeats = 1
)
