package benchmark

import (
	"readiness/domain"
	"readiness/domain/operation"
)

// GenerateQuestions starts generating questions about a model.
type GenerateQuestions struct {
	Operation  operation.Accepted
	Generation GenerationAccepted
}

func (c GenerateQuestions) Decide(QuestionWork) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Generation}, nil
}

// CheckCount refuses to generate no question or more than MaxQuestions in one call.
func CheckCount(questions int) error {
	if questions >= 1 && questions <= MaxQuestions {
		return nil
	}
	return domain.Refuse(domain.InvalidRequest, "count is %d; one call generates 1 to %d questions", questions, MaxQuestions)
}

// SaveQuestions starts saving a set of questions for a model.
type SaveQuestions struct {
	Operation operation.Accepted
	Saving    SavingAccepted
}

func (c SaveQuestions) Decide(QuestionWork) ([]domain.Event, error) {
	return []domain.Event{c.Operation, c.Saving}, nil
}
