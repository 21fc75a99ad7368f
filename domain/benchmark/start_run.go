package benchmark

import (
	"github.com/google/uuid"

	"readiness/domain"
)

// StartRun starts a run, on its own or as a side of an A/B test's run.
type StartRun struct{ RunAccepted }

func (c StartRun) Decide(Run) ([]domain.Event, error) { return []domain.Event{c.RunAccepted}, nil }

// CheckRunnable refuses to ask a model nothing: runnable are those of its saved
// questions that can run.
func (s Set) CheckRunnable(modelID uuid.UUID, runnable Set) error {
	switch {
	case len(runnable.Questions) > 0:
		return nil
	case len(s.Questions) == 0:
		return domain.Refuse(domain.BenchmarkQuestionsMissing,
			"semantic model %s has no saved benchmark questions in this account; generate some, or save your own", modelID).
			About("semanticModelId", modelID)
	}
	return domain.Refuse(domain.BenchmarkQuestionsMissing,
		"none of the %d saved benchmark questions of semantic model %s can run; the list of them says why", len(s.Questions), modelID).
		About("semanticModelId", modelID)
}

// CheckStored refuses what is not a run of the account and the model that has ended
// with answers; runID is its id as the call named it.
func (r Run) CheckStored(accountID string, modelID, runID uuid.UUID) error {
	if r.BelongsTo(accountID) && r.Side.SemanticModelID == modelID && r.Outcome != nil {
		return nil
	}
	return domain.Refuse(domain.RunNotFound, "semantic model %s has no stored benchmark run %s in this account", modelID,
		runID).About("runId", runID)
}
