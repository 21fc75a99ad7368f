package assessment

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
)

// MaxDeleted is how many ids one ResultsDeleted names at most.
const MaxDeleted = 1000

// ResultsDeleted: assessments of the model were deleted. That they were made
// stays in the log, and so does what they were counted with.
type ResultsDeleted struct {
	ModelID       uuid.UUID   `json:"semanticModelId"`
	AssessmentIDs []uuid.UUID `json:"assessmentIds"`
	Standing      Standing    `json:"standing"`
}

// EventType implements domain.Event.
func (ResultsDeleted) EventType() string { return "assessment.results-deleted" }

// After implements domain.Carries.
func (e ResultsDeleted) After() Standing { return e.Standing }

// Stored is an assessment that is stored, and the address of its document.
type Stored struct {
	AssessmentID uuid.UUID
	DocumentHash string
}

// EvolveStored returns the stored assessments of a model, oldest first, after e.
// They are folded from all of the model's stream, once: s is not to be used
// again.
func EvolveStored(s []Stored, e domain.Event) []Stored {
	switch e := e.(type) {
	case Recorded:
		return append(s, Stored{e.AssessmentID, e.DocumentHash})
	case ResultsDeleted: // which are the oldest
		return s[min(len(e.AssessmentIDs), len(s)):]
	}
	return s
}

// DeleteResults deletes all stored assessments of a model (decisions 7, 8.17).
// The next one begins anew: nothing is there to compare it with. While an
// assessment of the model runs it is refused, or its result would be left.
type DeleteResults struct {
	ModelID uuid.UUID
	Stored  []Stored
}

// Decide implements domain.Command.
func (c DeleteResults) Decide(s Standing) ([]domain.Event, error) {
	if s.Running > 0 {
		return nil, domain.Refuse(domain.OperationInProgress, "semantic model %s is being assessed; delete its results once that has ended", c.ModelID).About("semanticModelId", c.ModelID)
	}
	var events []domain.Event
	for some := range slices.Chunk(c.Stored, MaxDeleted) {
		ids := make([]uuid.UUID, len(some))
		for i, a := range some {
			ids[i] = a.AssessmentID
		}
		s.Recorded = max(0, s.Recorded-len(ids))
		if s.Recorded == 0 {
			s.RegimeID, s.UsageInScoring, s.Stage = "", false, ""
		}
		events = append(events, ResultsDeleted{c.ModelID, ids, s})
	}
	return events, nil
}
