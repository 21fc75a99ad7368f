package pixies

import (
	"github.com/google/uuid"

	"readiness/domain/account"
)

// Step is one step of a run: change one of its reports.
type Step struct {
	WorkspaceID uuid.UUID    `json:"workspaceId"`
	ReportID    uuid.UUID    `json:"reportId"`
	Plan        account.Plan `json:"plan"`
}
