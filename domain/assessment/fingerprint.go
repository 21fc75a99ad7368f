package assessment

import (
	"time"

	"github.com/google/uuid"

	"readiness/domain/readiness"
)

// FingerprintLife is how long a fingerprint is stored: longer than the result of its run
// is readable.
const FingerprintLife = 8 * 24 * time.Hour

// Fingerprint is a model's fingerprint as it is stored. The id makes the document
// unique, so that it is deleted with the assessment.
type Fingerprint struct {
	SchemaVersion int       `json:"schemaVersion"`
	AssessmentID  uuid.UUID `json:"assessmentId"`
	readiness.Fingerprint
}

// FingerprintSchema is the version of the shape of stored fingerprints.
const FingerprintSchema = 1
