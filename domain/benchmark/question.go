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
	// ClusterID is shared by paraphrases of one question, "" for a question of its own.
	ClusterID string `json:"clusterId,omitempty"`
	Source    Source `json:"source"`
}

// Expected is what is known of the correct answer: the measures, groupings and
// filters of a query that answers it, such a query, and its one value. Any of
// them may be missing, not all.
type Expected struct {
	Fields []comparison.Field `json:"fields"`
	DAX    string             `json:"dax,omitempty"`
	Value  string             `json:"value,omitempty"`
}

// Set is the questions that a run asks, in the order in which it asks them.
type Set struct {
	Questions []Question `json:"questions"`
	// Repeats is how many times each is asked unless a run says otherwise.
	Repeats int `json:"repeats"`
}

// The limits of a set (decisions 7).
const (
	MaxQuestions   = 100
	MaxRepeats     = 5
	DefaultRepeats = 1
)
