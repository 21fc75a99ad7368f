package assessment

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/account"
)

// Step is one step of a run: assess one of its models.
type Step struct {
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
	// Plan and AcceptedAt are the plan and the time under which the run was counted, so
	// that a refund finds the same allowance windows on any later day.
	Plan       account.Plan `json:"plan"`
	AcceptedAt time.Time    `json:"acceptedAt"`
}
