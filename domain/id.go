package domain

import (
	"github.com/google/uuid"
)

// ParseID parses an id as the interface writes it: a UUID of 36 characters, in any
// letter case. It returns false for any other text (docs/decisions.md 8.12).
func ParseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == len("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") // the only form with this length
}
