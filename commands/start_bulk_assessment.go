package commands

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
)

// StartBulk starts one run over the named models (4.4/bulk): all are
// accepted or none. A model named twice counts once (docs/decisions.md 8.10). One regime
// scores all of them, as in Start.
func (s *Assessments) StartBulk(ctx context.Context, caller Caller, workspaceID uuid.UUID, modelIDs []uuid.UUID) (Accepted, error) {
	modelIDs = distinct(modelIDs)
	if err := assessment.CheckCount(len(modelIDs)); err != nil {
		return Accepted{}, err
	}
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		workspace, err := s.Platform.Workspace(ctx, caller.Caller, workspaceID)
		if err != nil {
			return err
		}
		listed, err := s.Platform.Items(ctx, caller.Caller, workspaceID, item.SemanticModel)
		if err != nil {
			return err
		}
		models, err := item.FindNamed(listed, workspaceID, item.SemanticModel, modelIDs)
		if err != nil {
			return err
		}
		seen, err := s.notice(ctx, caller, workspaceID, item.SemanticModel, listed)
		if err != nil {
			return err
		}
		return s.acceptRun(ctx, &pendingAssessment{caller: caller, operationID: operationID, kind: operation.AssessSemanticModels,
			itemType: item.SemanticModel, workspace: workspace, models: models, seen: seen})
	})
}

// distinct returns the ids without duplicates, in order of their first occurrence.
func distinct(ids []uuid.UUID) []uuid.UUID {
	seen := make(map[uuid.UUID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}
