package benchmark

import (
	"time"

	"github.com/google/uuid"
)

// Step is the asking of a benchmark run and, for side B of an A/B test's run, the
// comparison after it. The streams say what is left to do.
type Step struct {
	RunID      uuid.UUID `json:"runId"`
	AcceptedAt time.Time `json:"acceptedAt"`
}
