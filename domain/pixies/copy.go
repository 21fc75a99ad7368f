package pixies

import (
	"github.com/google/uuid"

	"readiness/definition"
)

// Copy is the document that keeps a report's definition as it was before an
// operation changed it (spec 2.3, settings.definitionCopies).
type Copy struct {
	ReportID uuid.UUID         `json:"reportId"`
	Parts    []definition.Part `json:"parts"`
}
