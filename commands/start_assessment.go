package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// Start starts the assessment of one semantic model (4.4/single). The
// model is looked up as the caller before anything is counted. regimeID is that of a
// published scoring regime, nil for the current one.
func (s *Assessments) Start(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, regimeID *string) (Accepted, error) {
	return s.startOne(ctx, caller, operation.AssessSemanticModel, workspaceID, item.SemanticModel, modelID, regimeID)
}

func (s *Assessments) startOne(ctx context.Context, caller Caller, kind operation.Type, workspaceID uuid.UUID, t item.Type,
	id uuid.UUID, regimeID *string) (Accepted, error) {
	regime, err := assessment.ChooseRegime(regimeID, s.Regime)
	if err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, caller.Caller, workspaceID)
		if err != nil {
			return err
		}
		it, err := s.Platform.Item(ctx, caller.Caller, workspaceID, t, id)
		if err != nil {
			return err
		}
		if err := s.Platform.Usable(ctx, caller.Caller, false, it); err != nil {
			return err
		}
		return s.acceptRun(ctx, &pendingAssessment{caller: caller, operationID: operationID, kind: kind, itemType: t, workspace: workspace,
			models: []item.Item{it}, regimeID: regime})
	})
}
