package optimization

import (
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

// StartPreview starts a preview of one kind.
type StartPreview struct {
	Operation operation.Accepted
	Preview   PreviewAccepted
}

func (c StartPreview) Decide(Work) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Preview}, nil
}

// CheckSource refuses a kind whose objects come from findings when the model has no
// assessment to take them from; latest is the newest one (docs/specification.md 4.5).
func CheckSource(k Kind, modelID uuid.UUID, latest *Source) error {
	if !k.FromFindings() || latest != nil {
		return nil
	}
	return domain.Refuse(domain.AssessmentNotFound,
		"semantic model %s has no assessment in this account, and %s come from what the latest one found; assess it first", modelID, k).
		About("semanticModelId", modelID)
}

// ResultsDeleted is the refusal of a kind whose objects come from findings when the
// results of the newest assessment were deleted.
func ResultsDeleted() error {
	return domain.Refuse(domain.AssessmentNotFound, "the results of the latest assessment were deleted; assess the semantic model again")
}
