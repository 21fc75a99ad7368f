package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain"
)

// QuestionsStream is the name of the stream of a model's saved questions in an
// account. Each of its events says all of the standing, so only the last is loaded.
func QuestionsStream(accountID string, modelID uuid.UUID) string {
	return "questions-" + accountID + "-" + modelID.String()
}

// SaveAccepted: a set is going to be saved, as the Number-th of its model. Of two
// that are saved at once the one accepted later stays, whichever ends first.
type SaveAccepted struct {
	OperationID uuid.UUID `json:"operationId"`
	Number      int       `json:"number"`
	// Saved is the set that is saved until then; nil when there is none.
	Saved *SavedSet `json:"saved,omitempty"`
}

// SavedSet is which questions are saved; they are in the document.
type SavedSet struct {
	DocumentHash    string    `json:"documentHash"` // of the Set
	QuestionSetHash string    `json:"questionSetHash"`
	Count           int       `json:"count"`
	Repeats         int       `json:"repeats"`
	OperationID     uuid.UUID `json:"operationId"`
	// Number is that of its SaveAccepted.
	Number int `json:"number"`
}

// QuestionsSaved: the set is the model's from now on, in place of the one before.
// A set of none is saved too. Accepted is how many were accepted to be saved so far.
type QuestionsSaved struct {
	SavedSet
	Accepted int `json:"accepted"`
}

// EventType implements domain.Event.
func (SaveAccepted) EventType() string   { return "benchmark.save-accepted" }
func (QuestionsSaved) EventType() string { return "benchmark.questions-saved" }

// SavedQuestions is how the saved questions of a model stand, folded from the last
// event of their stream.
type SavedQuestions struct {
	Accepted int
	// Set is nil until one is saved.
	Set *SavedSet
}

// After implements domain.Carries.
func (e SaveAccepted) After() SavedQuestions { return SavedQuestions{e.Number, e.Saved} }

// After implements domain.Carries.
func (e QuestionsSaved) After() SavedQuestions { return SavedQuestions{e.Accepted, &e.SavedSet} }

// AcceptSave gives a set that is going to be saved its number.
type AcceptSave struct{ OperationID uuid.UUID }

// Decide implements domain.Command.
func (c AcceptSave) Decide(s SavedQuestions) ([]domain.Event, error) {
	return []domain.Event{SaveAccepted{c.OperationID, s.Accepted + 1, s.Set}}, nil
}

// SaveSet makes a set the model's, unless one that was accepted later is already.
type SaveSet struct{ Set SavedSet }

// Decide implements domain.Command.
func (c SaveSet) Decide(s SavedQuestions) ([]domain.Event, error) {
	if s.Set != nil && s.Set.Number >= c.Set.Number {
		return nil, nil
	}
	return []domain.Event{QuestionsSaved{c.Set, s.Accepted}}, nil
}
