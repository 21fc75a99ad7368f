package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/operation"
)

// StartAssessment starts the assessment of one semantic model (spec 4.4, rules
// for the single assess). The model is looked up as the caller before anything
// is counted.
func (s *Service) StartAssessment(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID) (Accepted, error) {
	return s.start(ctx, who, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, who.Caller, workspaceID)
		if err != nil {
			return err
		}
		model, err := s.Platform.Item(ctx, who.Caller, workspaceID, item.SemanticModel, modelID)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, who, operationID, operation.AssessSemanticModel, workspace, []item.Item{model}, nil)
	})
}
