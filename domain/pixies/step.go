package pixies

import (
	"github.com/google/uuid"

	"readiness/domain/account"
	"readiness/domain/item"
)

// Step is one step of a run: change one of its reports. It holds no token; the vault
// does.
type Step struct {
	AccountID   string       `json:"accountId"`
	OperationID uuid.UUID    `json:"operationId"`
	WorkspaceID uuid.UUID    `json:"workspaceId"`
	ReportID    uuid.UUID    `json:"reportId"`
	Person      item.Person  `json:"person"`
	Plan        account.Plan `json:"plan"`
	RequestID   string       `json:"requestId,omitempty"`
	Trace       string       `json:"trace,omitempty"`
}
