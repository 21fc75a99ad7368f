package commands

import (
	"cmp"
	"context"
	"strings"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/readiness"
)

// Start starts the assessment of one semantic model (4.4/single). The
// model is looked up as the caller before anything is counted. The regime that is current
// now scores, whenever its step is carried out (docs/decisions.md 14).
func (s *Assessments) Start(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID) (Accepted, error) {
	return s.startOne(ctx, caller, operation.AssessSemanticModel, workspaceID, item.SemanticModel, modelID)
}

func (s *Assessments) startOne(ctx context.Context, caller Caller, kind operation.Type, workspaceID uuid.UUID, t item.Type,
	id uuid.UUID) (Accepted, error) {
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
			models: []item.Item{it}})
	})
}

// RegimeID returns the id of the scoring regime of a caller's new run: that of the account's rules file, else of the service's,
// else the current one.
func (s *core) RegimeID(caller Caller) string {
	if rules := caller.Settings.Rules; rules != "" {
		return strings.TrimSuffix(readiness.RegimeID+rules, "+")
	}
	return cmp.Or(s.Regime, readiness.Current()).ID
}
