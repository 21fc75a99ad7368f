package assessment

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/internal/lists"
)

// MaxDeleted is how many ids one ResultsDeleted contains at most.
const MaxDeleted = 1000

// ResultsDeleted records that assessments of the model were deleted. The log keeps the
// events of those assessments, and what they spent stays counted.
type ResultsDeleted struct {
	ModelID uuid.UUID `json:"semanticModelId"`
	// AssessmentIDs are the assessments that were deleted.
	AssessmentIDs []uuid.UUID `json:"assessmentIds"`
	Standing      Standing    `json:"standing"`
}

func (ResultsDeleted) EventType() string { return "assessment.results-deleted" }

func (e ResultsDeleted) After() Standing { return e.Standing }

// Stored is a stored assessment with the address of its document.
type Stored struct {
	AssessmentID uuid.UUID
	WorkspaceID  uuid.UUID
	DocumentHash string
	// FingerprintHash is "" without a fingerprint, which is stored for a short time only.
	FingerprintHash string
	Pinned          bool
}

// EvolveStored returns the stored assessments of a model, oldest first, after e. It may
// reuse s, which must not be used afterwards, so that folding an entire stream does not
// copy.
func EvolveStored(s []Stored, e domain.Event) []Stored {
	switch e := e.(type) {
	case Recorded:
		return append(s, Stored{AssessmentID: e.AssessmentID, WorkspaceID: e.WorkspaceID, DocumentHash: e.DocumentHash,
			FingerprintHash: e.FingerprintHash})
	case Pinned:
		return setPinned(s, e.AssessmentID, true)
	case Unpinned:
		return setPinned(s, e.AssessmentID, false)
	case ResultsDeleted: // deletes the oldest
		return s[min(len(e.AssessmentIDs), len(s)):]
	}
	return s
}

func setPinned(s []Stored, id uuid.UUID, pinned bool) []Stored {
	if i := slices.IndexFunc(s, func(a Stored) bool { return a.AssessmentID == id }); i >= 0 {
		s = slices.Clone(s)
		s[i].Pinned = pinned
	}
	return s
}

// DeleteResults deletes all stored assessments of a model, pinned or not (docs/decisions.md
// 7, 8.17 and 13). The next assessment is compared with nothing. It refuses with
// OperationInProgress while an assessment of the model runs, whose result would
// otherwise remain.
type DeleteResults struct {
	ModelID uuid.UUID
	Stored  []Stored
}

func (c DeleteResults) Decide(s Standing) ([]domain.Event, error) {
	if s.Running > 0 {
		return nil, domain.Refuse(domain.OperationInProgress, "semantic model %s is being assessed; delete its results once that has ended",
			c.ModelID).About("semanticModelId", c.ModelID)
	}
	var events []domain.Event
	for some := range slices.Chunk(c.Stored, MaxDeleted) {
		ids := lists.Map(some, func(a Stored) uuid.UUID { return a.AssessmentID })
		s.Recorded = max(0, s.Recorded-len(ids))
		if s.Recorded == 0 {
			s.Basis = Basis{}
		}
		events = append(events, ResultsDeleted{c.ModelID, ids, s})
	}
	return events, nil
}
