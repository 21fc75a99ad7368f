package optimization

import (
	"github.com/google/uuid"

	"readiness/domain/item"
)

// Step is one step of a preview, an apply or a revert: make the proposal, or the write
// that was started; the operation's stream says which. It holds no token; the vault
// does.
type Step struct {
	AccountID   string      `json:"accountId"`
	OperationID uuid.UUID   `json:"operationId"`
	WorkspaceID uuid.UUID   `json:"workspaceId"`
	ModelID     uuid.UUID   `json:"semanticModelId"`
	Person      item.Person `json:"person"`
	RequestID   string      `json:"requestId,omitempty"`
	Trace       string      `json:"trace,omitempty"`
}
