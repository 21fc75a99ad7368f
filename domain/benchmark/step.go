package benchmark

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/item"
)

// Step is the asking of a benchmark run and, for side B of an A/B test's run, the
// comparison after it. The streams say what is left to do. It holds no token; the vault
// does.
type Step struct {
	AccountID   string      `json:"accountId"`
	OperationID uuid.UUID   `json:"operationId"`
	RunID       uuid.UUID   `json:"runId"`
	Person      item.Person `json:"person"`
	AcceptedAt  time.Time   `json:"acceptedAt"`
	RequestID   string      `json:"requestId,omitempty"`
	Trace       string      `json:"trace,omitempty"`
}
