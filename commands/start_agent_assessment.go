package commands

import (
	"context"

	"github.com/google/uuid"

	"readiness/domain/item"
	"readiness/domain/operation"
)

// StartAgent starts the assessment of one data agent (docs/decisions.md
// 7), counted and tracked like that of a semantic model. The agent is looked up as
// the caller before anything is counted; its sources are read by the step.
func (s *Assessments) StartAgent(ctx context.Context, caller Caller, workspaceID, agentID uuid.UUID) (Accepted, error) {
	return s.startOne(ctx, caller, operation.AssessDataAgent, workspaceID, item.DataAgent, agentID)
}
