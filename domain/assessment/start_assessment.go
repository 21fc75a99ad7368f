package assessment

import (
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// MaxModels is how many semantic models one bulk assessment may name.
const MaxModels = 100

// StartAssessment starts a run over one or many models, or over one data agent.
type StartAssessment struct {
	Operation operation.Accepted
	Run       RunAccepted
}

func (c StartAssessment) Decide(Run) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Run}, nil
}

// CheckCount refuses a bulk assessment of no model or of more than MaxModels different ones.
func CheckCount(models int) error {
	switch {
	case models == 0:
		return domain.Refuse(domain.InvalidRequest, "semanticModelIds is empty; name 1 to %d semantic models", MaxModels)
	case models > MaxModels:
		return domain.Refuse(domain.InvalidRequest, "semanticModelIds names %d different semantic models; one call takes at most %d", models,
			MaxModels)
	}
	return nil
}

// CheckAssessable refuses models that the service itself maintains and lists each of
// them (docs/specification.md 4.4).
func CheckAssessable(models ...item.Item) error {
	r := domain.Refuse(domain.OperationNotSupportedForItem,
		"the service itself maintains some of the semantic models, so it does not assess them; parameters lists them")
	for _, m := range models {
		if m.Maintained {
			r.About("semanticModelId", m.ID)
		}
	}
	if len(r.Params) > 0 {
		return r
	}
	return nil
}

// Tracks reports whether the assessment accepted last makes the model a tracked item:
// the first one is only a look at it (docs/decisions.md 5).
func (s Standing) Tracks() bool { return s.Accepted > 1 }
