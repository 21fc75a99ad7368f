package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain"
)

// QuestionsStream returns the name of the stream of a model's saved questions in an
// account. Each event carries the full state, so only the last one is loaded.
func QuestionsStream(accountID string, modelID uuid.UUID) string {
	return "questions-" + accountID + "-" + modelID.String()
}

// SaveAccepted records that a set will be saved as the Number-th of its model. When two
// saves overlap, the one accepted later wins, whichever ends first.
type SaveAccepted struct {
	OperationID uuid.UUID `json:"operationId"`
	// Number is how many saves were accepted, with this one.
	Number int `json:"number"`
	// Saved is the set that is saved until then; nil when there is none.
	Saved *SavedSet `json:"saved,omitempty"`
}

// SavedSet identifies the saved questions, which are in the document.
type SavedSet struct {
	DocumentHash    string `json:"documentHash"` // of the document with the Set
	QuestionSetHash string `json:"questionSetHash"`
	Count           int    `json:"count"`
	// Repeats is how often each question is asked by default.
	Repeats     int       `json:"repeats"`
	OperationID uuid.UUID `json:"operationId"`
	// Number is the number of its SaveAccepted.
	Number int `json:"number"`
}

// QuestionsSaved records that the set replaced the model's saved questions. The set may
// be empty. Accepted is the number of saves accepted so far.
type QuestionsSaved struct {
	SavedSet
	Accepted int `json:"accepted"`
}

func (SaveAccepted) EventType() string   { return "benchmark.save-accepted" }
func (QuestionsSaved) EventType() string { return "benchmark.questions-saved" }

// SavedQuestions is the state of a model's saved questions, as the last event of their
// stream carries it.
type SavedQuestions struct {
	Accepted int
	// Set is nil until one is saved.
	Set *SavedSet
}

func (e SaveAccepted) After() SavedQuestions   { return SavedQuestions{e.Number, e.Saved} }
func (e QuestionsSaved) After() SavedQuestions { return SavedQuestions{e.Accepted, &e.SavedSet} }

// AcceptSave assigns its number to a set that will be saved.
type AcceptSave struct{ OperationID uuid.UUID }

func (c AcceptSave) Decide(s SavedQuestions) ([]domain.Event, error) {
	return []domain.Event{SaveAccepted{c.OperationID, s.Accepted + 1, s.Set}}, nil
}

// SaveSet saves a set for the model, unless a set that was accepted later is saved
// already.
type SaveSet struct{ Set SavedSet }

func (c SaveSet) Decide(s SavedQuestions) ([]domain.Event, error) {
	if s.Set != nil && s.Set.Number >= c.Set.Number {
		return nil, nil
	}
	return []domain.Event{QuestionsSaved{c.Set, s.Accepted}}, nil
}
