package comparison

import "time"

// Document is a comparison as it is stored, which never changes (regime D.5,
// AbComparison).
type Document struct {
	ID     string `json:"id"` // that of Compare
	Schema string `json:"schema"`
	Header
	Status string `json:"status"`
	Comparison
	Links Links `json:"links"`
}

// Header says when, by whom and how a comparison was made.
type Header struct {
	Benchmark   QuestionSet `json:"benchmark"`
	CreatedAt   time.Time   `json:"createdAt"`
	StartedAt   time.Time   `json:"startedAt"`
	FinishedAt  time.Time   `json:"finishedAt"`
	RequestedBy string      `json:"requestedBy"`
	Plan        Plan        `json:"plan"`
	Judge       *Judge      `json:"judge"` // null where none was asked
}

// QuestionSet is what was asked.
type QuestionSet struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	// Count takes in the questions that are not comparable.
	Count int    `json:"questionCount"`
	Hash  string `json:"hash"`
}

// Plan is how the sides were asked.
type Plan struct {
	AsksPerQuestion int    `json:"asksPerQuestion"`
	Concurrency     int    `json:"concurrency"`
	Interleaved     bool   `json:"interleaved"`
	OrderSeed       string `json:"orderSeed"`
	AskTimeoutMS    int64  `json:"askTimeoutMs"`
	// FreshConversation is that no ask knew of another.
	FreshConversation bool `json:"freshConversationPerAsk"`
}

// Judge is who judged; never one of the sides.
type Judge struct {
	ProviderID    string   `json:"providerId"`
	Model         string   `json:"model"`
	PromptVersion string   `json:"promptVersion"`
	Temperature   *float64 `json:"temperature"` // null where the model allows none
}

// Links are what a comparison goes with, "" for nothing.
type Links struct {
	AssessmentA  string `json:"assessmentA,omitempty"`
	AssessmentB  string `json:"assessmentB,omitempty"`
	Optimization string `json:"optimization,omitempty"`
}

// NewDocument is the document of a completed comparison.
func NewDocument(id string, h Header, c Comparison, l Links) Document {
	return Document{id, "ab-comparison/1", h, "completed", c, l}
}
