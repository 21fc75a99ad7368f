package pixies

import (
	"github.com/google/uuid"

	"readiness/definition"
)

// Copy is the document that keeps a report's definition from before an operation
// changed it.
type Copy struct {
	ReportID uuid.UUID         `json:"reportId"`
	Parts    []definition.Part `json:"parts"`
}
