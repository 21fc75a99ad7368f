package abtest

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
)

// RunAgain starts another run of a test. A member that the call did not give is nil.
type RunAgain struct {
	QuestionSet *string
	ReuseRunID  *uuid.UUID
}

// Set returns which questions are asked; Frozen by default.
func (r RunAgain) Set() QuestionSet {
	if r.QuestionSet == nil {
		return Frozen
	}
	return QuestionSet(*r.QuestionSet)
}

// Check refuses a malformed request with InvalidRequest.
func (r RunAgain) Check() error {
	switch {
	case r.Set() != Frozen && r.Set() != Current:
		return domain.Refuse(domain.InvalidRequest, "questionSet must be Frozen or Current")
	case r.Set() == Current && r.ReuseRunID != nil:
		return domain.Refuse(domain.InvalidRequest, "reuseRunId cannot be combined with questionSet Current; a stored run asked the "+
			"frozen questions")
	}
	return nil
}

// CheckFrozen refuses to ask the frozen questions of a test that has frozen none.
func (r RunAgain) CheckFrozen(t Test) error {
	if t.Frozen != nil {
		return nil
	}
	return domain.Refuse(domain.ResultNotReady, "A/B test %s has frozen no questions yet, because side A has not answered in any "+
		"run; wait until the current run has answers, or use questionSet Current", t.AbTestID).
		About("abTestId", t.AbTestID)
}

// CheckReused refuses a stored run as side A that did not ask the questions that the
// test froze.
func (r RunAgain) CheckReused(t Test, stored benchmark.Run) error {
	if stored.QuestionSetHash == t.Frozen.SetHash {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest, "run %s did not ask the questions that the test froze, so it cannot be side A",
		*r.ReuseRunID).About("runId", *r.ReuseRunID)
}

// Freezes reports whether the run of a test, with its current questions, provides the
// questions that the test asks from then on: no run before it has.
func (r RunAgain) Freezes(t Test) bool {
	return r.Set() == Current && t.Frozen == nil && len(t.Unfinished()) == 0
}
