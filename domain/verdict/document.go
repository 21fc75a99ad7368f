package verdict

import "time"

// Document is the stored document of a comparison. It never changes.
type Document struct {
	ID     string `json:"id"` // the id passed to Compare
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
	Judge       *Judge      `json:"judge"` // null when no judge was asked
}

// QuestionSet identifies the questions that were asked.
type QuestionSet struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	// Count includes the questions that are not comparable.
	Count int    `json:"questionCount"`
	Hash  string `json:"hash"`
}

// Plan says how the sides were asked.
type Plan struct {
	AsksPerQuestion int    `json:"asksPerQuestion"`
	Concurrency     int    `json:"concurrency"`
	Interleaved     bool   `json:"interleaved"`
	OrderSeed       string `json:"orderSeed"`
	AskTimeoutMS    int64  `json:"askTimeoutMs"`
	// FreshConversation is true if each ask started a new conversation.
	FreshConversation bool `json:"freshConversationPerAsk"`
}

// Judge is the AI that judged; it is never one of the sides.
type Judge struct {
	ProviderID string `json:"providerId"`
	// Model is the judge's language model.
	Model string `json:"model"`
	// PromptVersion is the version of what the judge is asked.
	PromptVersion string   `json:"promptVersion"`
	Temperature   *float64 `json:"temperature"` // null when the model allows none
}

// Links are the assessments and the optimization related to a comparison; "" for none.
type Links struct {
	AssessmentA  string `json:"assessmentA,omitempty"`
	AssessmentB  string `json:"assessmentB,omitempty"`
	Optimization string `json:"optimization,omitempty"`
}

// NewDocument returns the document of a completed comparison.
func NewDocument(id string, h Header, c Comparison, l Links) Document {
	return Document{id, "ab-comparison/1", h, "completed", c, l}
}
