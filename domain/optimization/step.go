package optimization

import "github.com/google/uuid"

// Step is one step of a preview, an apply or a revert: make the proposal, or the write
// that was started; the operation's stream says which.
type Step struct {
	WorkspaceID uuid.UUID `json:"workspaceId"`
	ModelID     uuid.UUID `json:"semanticModelId"`
}
