package assessment

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/item"
)

// Step is one step of a run: assess one of its models. It holds no token; the vault
// does.
type Step struct {
	AccountID   string      `json:"accountId"`
	OperationID uuid.UUID   `json:"operationId"`
	WorkspaceID uuid.UUID   `json:"workspaceId"`
	ModelID     uuid.UUID   `json:"semanticModelId"`
	Person      item.Person `json:"person"`
	// Plan and AcceptedAt are the plan and the time under which the run was counted, so
	// that a refund finds the same allowance windows on any later day.
	Plan       account.Plan `json:"plan"`
	AcceptedAt time.Time    `json:"acceptedAt"`
	RequestID  string       `json:"requestId,omitempty"`
	Trace      string       `json:"trace,omitempty"`
}
