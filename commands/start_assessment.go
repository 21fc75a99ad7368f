package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/operation"
)

// Start starts the assessment of one semantic model (4.4/single). The
// model is looked up as the caller before anything is counted.
func (s *Assessments) Start(ctx context.Context, who Caller, workspaceID, modelID uuid.UUID) (Accepted, error) {
	return s.startOne(ctx, who, operation.AssessSemanticModel, workspaceID, item.SemanticModel, modelID)
}

func (s *Assessments) startOne(ctx context.Context, who Caller, kind operation.Type, workspaceID uuid.UUID, t item.Type, id uuid.UUID) (Accepted, error) {
	return s.startOperation(ctx, who, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, who.Caller, workspaceID)
		if err != nil {
			return err
		}
		it, err := s.Platform.Item(ctx, who.Caller, workspaceID, t, id)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, who, operationID, kind, workspace, []item.Item{it}, nil)
	})
}
